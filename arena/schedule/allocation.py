"""How a round-robin gives its series to the sets of bots whose order is open, batch by batch.  Pure.

A batch is a cycle.  In the first every set plays once, which makes a lap; the others have an eighth of a lap,
or more of it if that is less than `BATCH_LEAST` series.  A tenth goes to all sets in turn, so that everybody
goes on meeting everybody; the rest is drawn by the shares that a rule gives the sets, from what counted when
the batch before the last one had closed.  So two batches may be played at the same time, and what is planned
depends neither on the number of tables nor on interruptions.

Sets with a withdrawn bot are given no share, as its part is played by default moves: they play in their turn
only, and like all others where nobody has a share.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import isfinite
from typing import Literal, TypeAlias

from arena.schedule.pairing import Pairing, derive_seed, joined
from arena.schedule.terms import Terms, series_of

Shares: TypeAlias = Mapping[frozenset[str], float] | None
"""Set of bots -> its weight in a batch, of any scale; those not in it have none.  None: all are equal."""

Allocate: TypeAlias = Literal["open", "even"]
"""Whether the sets whose order is open play more than others, or all sets play equally often."""

BATCHES_OF_LAP = 8
"""How many batches make as many series as a lap: with larger ones, runs of many bots end later."""
BATCH_LEAST = 8
"""The fewest series of a batch, so that there are matches for several tables."""
TURNS = 10
"""One series in this many goes to all sets in turn."""
AHEAD = 2
"""How many batches are planned ahead of the last one that closed."""
_STEPS = 1 << 20
"""Weights are rounded to this many steps of the largest, so that the last bit of a sum decides nothing."""
_DRAWS = 1 << 64


class Batches:
    """The batches of a round-robin between these sets, planned one after the other."""

    def __init__(self, sets: Sequence[tuple[str, ...]], terms: Terms) -> None:
        """`sets`: in the order in which they play in a lap.

        The `n`th series of a set is the same as in the schedule in which all play equally many.
        """
        self._sets = sets
        self._terms = terms
        self._played = [0] * len(sets)
        """How many series of each set are planned."""
        self._number = 0

    def next(self, shares: Shares = None, withdrawn: Collection[str] = ()) -> Iterator[Pairing]:
        """The pairings of the next batch, in order of play; none once `Terms.series` laps are planned.

        First every set in it plays once, in the order of a lap, then those that play again, and so on.
        `withdrawn`: the bots whose withdrawal counted when the shares were given.
        """
        terms, number, before = self._terms, self._number, sum(self._played)
        if not self._sets or number == batches_of(len(self._sets), terms.series):
            return
        size = batch_size(len(self._sets), number)
        self._number += 1
        playing = {bots: share for bots, share in (shares or {}).items() if bots.isdisjoint(withdrawn)}
        counts = batch(self._sets, playing, size, terms.seed, before)
        lap, playing_on = 0, list(range(len(self._sets)))
        while playing_on := [place for place in playing_on if lap < counts[place]]:
            for place in playing_on:
                yield from series_of(terms, self._sets[place], self._played[place], cycle=number)
                self._played[place] += 1
            lap += 1


def batch_size(sets: int, number: int) -> int:
    """How many series batch `number`, 0-based, has."""
    if not number:
        return sets
    parts = _parts(sets)
    place = (number - 1) % parts
    return sets * (place + 1) // parts - sets * place // parts


def batches_of(sets: int, series: int) -> int:
    """How many batches have as many series in all as `series` laps."""
    return 1 + (series - 1) * _parts(sets)


def _parts(sets: int) -> int:
    """How many batches make a lap, after the first."""
    return max(1, min(BATCHES_OF_LAP, sets // BATCH_LEAST))


def batch(
    sets: Sequence[tuple[str, ...]], shares: Shares, size: int, seed: int, before: int
) -> tuple[int, ...]:
    """How many of a batch's `size` series each of the sets plays; `before`: how many were planned earlier.

    Drawn without more chance than whole numbers need: beyond its turn a set plays what its share of the rest
    comes to, rounded up or down.
    """
    turns = _turns(sets, size, seed, before) if any(_weights(sets, shares)) else [0] * len(sets)
    drawn = by_shares(sets, shares, size - sum(turns), seed, before)
    return tuple(turn + more for turn, more in zip(turns, drawn, strict=True))


def by_shares(
    sets: Sequence[tuple[str, ...]], shares: Shares, size: int, seed: int, before: int
) -> tuple[int, ...]:
    """How many of `size` series each of the sets plays by its share; all alike where nobody has any."""
    weights = _weights(sets, shares)
    return _drawn(sets, weights if any(weights) else [1] * len(sets), size, seed, before)


def _weights(sets: Sequence[tuple[str, ...]], shares: Shares) -> list[int]:
    """The weight of each set in whole steps; all 0 if nobody has any."""
    found = [(shares or {}).get(frozenset(bots), 0.0) for bots in sets]
    assert all(isfinite(share) and share >= 0 for share in found), "a share is a weight"
    largest = max(found)
    return [round(share / largest * _STEPS) for share in found] if largest > 0 else [0] * len(sets)


def _turns(sets: Sequence[tuple[str, ...]], size: int, seed: int, before: int) -> list[int]:
    """The tenth of the batch that goes to all sets in turn: 1 for those whose turn it is."""
    circle = _shuffled(sets, seed, "turns")
    turns = [0] * len(sets)
    for place in range(before // TURNS, (before + size) // TURNS):
        turns[circle[place % len(circle)]] += 1
    return turns


def _drawn(
    sets: Sequence[tuple[str, ...]], weights: Sequence[int], size: int, seed: int, before: int
) -> tuple[int, ...]:
    """`size` series by weight: systematic sampling, in whole numbers, of the sets in an order that is drawn.

    The weights lie end to end; `size` marks at equal distances, the first of them drawn, fall on them.
    """
    step, first = sum(weights) * _DRAWS, derive_seed(seed, "batch", before) % _DRAWS * sum(weights)
    counts, end, passed = [0] * len(sets), 0, 0
    for place in _shuffled(sets, seed, "batch", before):
        end += weights[place]
        marks = -((first - end * size * _DRAWS) // step)  # those before the end of this set
        counts[place], passed = marks - passed, marks
    return tuple(counts)


def _shuffled(sets: Sequence[tuple[str, ...]], seed: int, *key: str | int) -> list[int]:
    """The indices of the sets in an order that is drawn, whatever their own order."""
    return sorted(range(len(sets)), key=lambda place: derive_seed(seed, *key, joined(sorted(sets[place]))))
