"""What lies on Chamber's table: the state, what each seat sees of it, and what everybody is told."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import attrs

from arena.game import Seat
from arena.games.chamber_items import REBALANCER, Belongings, Item

__all__ = [
    "LOAD",
    "OVER",
    "REBALANCED",
    "TURN",
    "WINDOW",
    "Checked",
    "Eliminated",
    "ItemStolen",
    "ItemUsed",
    "MatchOver",
    "Observation",
    "Player",
    "Rebalanced",
    "RebalancerUsed",
    "RoundStarted",
    "Shot",
    "SkipUsed",
    "Skipped",
    "State",
    "TurnStart",
    "living",
    "owners_of_rebalancers",
    "players",
    "playing_order",
]

# What is due.
LOAD: Final = "load"
WINDOW: Final = "rebalance"
REBALANCED: Final = "rebalanced"
TURN: Final = "turn"
OVER: Final = "over"


# States.


@attrs.frozen
class State:
    """All there is to know between two moves."""

    due: str
    """LOAD and REBALANCED (by chance), WINDOW, TURN, or OVER."""
    lives: tuple[int, ...]
    """By seat; 0 = out."""
    items: Belongings
    skipped: tuple[bool, ...]
    """By seat: whether its next turn is lost."""
    chamber: tuple[str, ...]
    """LIVE and BLANK, the next one first: what nobody may know."""
    on_turn: Seat
    """While a round is prepared, who will be."""
    active: tuple[Item, ...] = ()
    """Items used by the seat on turn whose effect is on; only Quickshot outlives a shot."""
    round_number: int = 1
    window: int = 0
    """How often in this round the owners of Rebalancers were asked, this time included."""
    adding: tuple[tuple[Seat, str], ...] = ()
    """Who used a Rebalancer just now, in playing order, for live or blank rounds."""
    turn_count: int = 0
    out: tuple[Seat, ...] = ()
    """In the order in which they lost their last life."""


# Asked for at every decision, and few come up in a tournament; the bounds keep a server's memory flat.


@lru_cache(maxsize=4096)
def living(lives: tuple[int, ...]) -> tuple[Seat, ...]:
    """By seat number."""
    return tuple(Seat(seat) for seat, left in enumerate(lives) if left)


@lru_cache(maxsize=4096)
def playing_order(lives: tuple[int, ...], first: Seat) -> tuple[Seat, ...]:
    """The living seats, from `first` on or from the next living one after it."""
    seats = len(lives)
    return tuple(Seat(seat % seats) for seat in range(first, first + seats) if lives[seat % seats])


@lru_cache(maxsize=4096)
def owners_of_rebalancers(lives: tuple[int, ...], items: Belongings, first: Seat) -> tuple[Seat, ...]:
    """The living seats that own one, in playing order from `first` on."""
    return tuple([seat for seat in playing_order(lives, first) if REBALANCER in items[seat]])


# Observations.


@attrs.frozen(slots=False)
class Player:
    """What the document's `Player` says of a seat."""

    username: Seat
    lives: int
    items: tuple[Item, ...]
    isSkipped: bool  # noqa: N815 (the document's word)
    isSpectator: bool  # noqa: N815
    """Whether it is out."""


@attrs.frozen(slots=False)
class Observation:
    """The document's `GameData`, as far as a player may know it."""

    you: Seat | None
    """None for a spectator."""
    asked: str | None
    """`turn` or `rebalance`: what the seats asked now are asked for."""
    current_player: Seat
    """Whose turn it is; before a round's first turn, whose it will be."""
    players: tuple[Player, ...]
    """By seat."""
    turnOrder: tuple[Seat, ...]  # noqa: N815
    """Living seats from the current one, skipped ones included."""
    turnCount: int  # noqa: N815
    live_left: int
    blank_left: int
    double_damage: bool
    """Whether the next shot takes two."""
    quickshot: bool
    known_next: str | None
    """`live` or `blank` for who checked the round that is fired next, else None."""


@lru_cache(maxsize=4096)
def players(lives: tuple[int, ...], items: Belongings, skipped: tuple[bool, ...]) -> tuple[Player, ...]:
    """What everybody sees of everybody."""
    return tuple(
        Player(Seat(seat), left, items[seat], skipped[seat], left == 0) for seat, left in enumerate(lives)
    )


# Events: payloads are what `arena replay`, bots and spectators are told.


@attrs.frozen(slots=False)
class RoundStarted:
    """Public, `round_started`."""

    round_number: int
    items: tuple[tuple[Seat, tuple[Item, ...]], ...]
    """Of the living seats, in playing order."""
    live: int
    blank: int


@attrs.frozen(slots=False)
class RebalancerUsed:
    """Public, `use_rebalancer_item`."""

    player: Seat
    ammo: str


@attrs.frozen(slots=False)
class Rebalanced:
    """Public, `rebalanced`: what the Rebalancers added, and what is in the chamber now."""

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
    """Private, `use_chamber_check_result`: to the user alone, the next round."""

    next: str


@attrs.frozen(slots=False)
class Shot:
    """Public, `shoot_player`."""

    player: Seat
    target: Seat
    fired: str
    """`live` or `blank`."""
    lives: int
    """Left to the target."""


@attrs.frozen(slots=False)
class Eliminated:
    """Public, `eliminated`."""

    seat: Seat
    killer: Seat | None
    """None after a suicide."""
    items: tuple[Item, ...]
    """What the killer takes."""


@attrs.frozen(slots=False)
class MatchOver:
    """Public, `match_over`."""

    ranks: tuple[tuple[Seat, int], ...]
