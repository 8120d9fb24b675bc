"""What is told about a match of Chamber: payloads for `arena replay`, bots and spectators."""

from __future__ import annotations

import attrs

from arena.game import Seat
from arena.games.chamber.items import Item


@attrs.frozen(slots=False)
class RoundStarted:
    """Public, `round_started`."""

    round_number: int
    lives: tuple[tuple[Seat, int], ...]
    """Each living seat and its lives, in playing order."""
    items: tuple[tuple[Seat, tuple[Item, ...]], ...]
    """Each living seat and the items it was dealt, in the same order."""
    live: int
    blank: int


@attrs.frozen(slots=False)
class RebalancerUsed:
    """Public, `use_rebalancer_item`."""

    player: Seat
    ammo: str


@attrs.frozen(slots=False)
class Rebalanced:
    """Public, `rebalanced`: what the Rebalancers added, and what the chamber holds now."""

    added: tuple[tuple[Seat, int], ...]
    live: int
    blank: int


@attrs.frozen(slots=False)
class TurnStart:
    """Public, `turn_start`: somebody's turn begins, or goes on in a new round."""

    player: Seat


@attrs.frozen(slots=False)
class Skipped:
    """Public, `skipped`: whose turn it would have been."""

    player: Seat


@attrs.frozen(slots=False)
class ItemUsed:
    """Public: `use_double_damage_item` and the like."""

    player: Seat


@attrs.frozen(slots=False)
class SkipUsed:
    """Public, `use_skip_item`."""

    player: Seat
    target: Seat


@attrs.frozen(slots=False)
class ItemStolen:
    """Public, `use_steal_item`."""

    player: Seat
    target: Seat
    item: Item
    skip_target: Seat | None


@attrs.frozen(slots=False)
class Checked:
    """Private, `use_chamber_check_result`: the next shell, told to the user of the item alone."""

    next: str


@attrs.frozen(slots=False)
class Shot:
    """Public, `shoot_player`."""

    player: Seat
    target: Seat
    fired: str
    """What was fired: `live` or `blank`."""
    lives: int
    """How many lives the target has left."""


@attrs.frozen(slots=False)
class Eliminated:
    """Public, `eliminated`."""

    seat: Seat
    killer: Seat | None
    """The seat that shot; None after a suicide."""
    items: tuple[Item, ...]
    """The items that the killer takes."""


@attrs.frozen(slots=False)
class MatchOver:
    """Public, `match_over`."""

    ranks: tuple[tuple[Seat, int], ...]
