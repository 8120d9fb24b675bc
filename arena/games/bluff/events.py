"""What is told about a match of Bluff: payloads for `arena replay`, bots and spectators."""

from __future__ import annotations

import attrs

from arena.game import Seat


@attrs.frozen(slots=False)
class Dealt:
    """Public, `dealt`."""

    hand_sizes: tuple[tuple[Seat, int], ...]


@attrs.frozen(slots=False)
class Hand:
    """Private, `hand`: all the cards that a seat holds after the deal or after taking the pile."""

    cards: tuple[str, ...]


@attrs.frozen(slots=False)
class Played:
    """Public, `play`."""

    player: Seat
    count: int
    claim: str
    cards_left: int
    """How many cards the player still holds."""


@attrs.frozen(slots=False)
class Unchallenged:
    """Public, `unchallenged`: nobody accused the player, and the cards stay on the pile unseen."""

    player: Seat
    pile_size: int


@attrs.frozen(slots=False)
class Challenged:
    """Public, `challenge`: who accused whom, what the cards were, and who takes how many."""

    accuser: Seat
    player: Seat
    claim: str
    cards: tuple[str, ...]
    bluff: bool
    taker: Seat
    pile_size: int


@attrs.frozen(slots=False)
class MatchOver:
    """Public, `match_over`."""

    ranks: tuple[tuple[Seat, int], ...]
    plays_max_reached: bool
