"""What the places of one match are worth in a tournament.  Pure."""

from __future__ import annotations

from collections.abc import Sequence


def points(ranks: Sequence[int]) -> tuple[float, ...]:
    """The share of opponents that each seat has beaten, from 0 to 1; a tie counts half.

    At two seats: 1 for a win, 0.5 for a tie, 0 for a loss.  The points of all seats sum to half their number.
    """
    opponents = len(ranks) - 1
    assert opponents > 0, "points are a share of opponents: there must be one"
    return tuple((_below(rank, ranks) + _level(rank, ranks) / 2) / opponents for rank in ranks)


def _below(rank: int, ranks: Sequence[int]) -> int:
    return sum(other > rank for other in ranks)


def _level(rank: int, ranks: Sequence[int]) -> int:
    """How many others share this rank."""
    return sum(other == rank for other in ranks) - 1
