"""What is told about a match of Liar's Dice: payloads for `arena replay`, bots and spectators."""

from __future__ import annotations

import attrs

from arena.game import Seat


@attrs.frozen(slots=False)
class RoundStarted:
    """Public, `round_started`."""

    round_number: int
    dice: tuple[tuple[Seat, int], ...]
    """Each living seat and its number of dice, in playing order from the one that starts."""


@attrs.frozen(slots=False)
class Hand:
    """Private, `hand`: each living seat is told its own dice."""

    dice: tuple[int, ...]


@attrs.frozen(slots=False)
class BidMade:
    """Public, `bid`."""

    bidder: Seat
    bid: tuple[int, int]


@attrs.frozen(slots=False)
class Showdown:
    """Public, `challenge`: who challenged whom, and what all hands showed."""

    challenger: Seat
    bidder: Seat
    bid: tuple[int, int]
    hands: tuple[tuple[Seat, tuple[int, ...]], ...]
    actual: int
    """How many dice in play counted for the bid's face."""
    loser: Seat


@attrs.frozen(slots=False)
class RoundLost:
    """Public, `invalid_move`: the round ended because an answer was invalid or missing."""

    loser: Seat


@attrs.frozen(slots=False)
class Eliminated:
    """Public, `eliminated`."""

    seat: Seat


@attrs.frozen(slots=False)
class MatchOver:
    """Public, `match_over`."""

    ranks: tuple[tuple[Seat, int], ...]
    turns_max_reached: bool
