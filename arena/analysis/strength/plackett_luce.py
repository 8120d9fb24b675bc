"""Plackett–Luce: how strong bots are, by maximum likelihood over rankings with ties.

A match is a sequence of choices: the best is chosen among all seats, the next among
the rest, each with a probability proportional to exp(strength).  With two seats that
is Bradley–Terry.  Ties are Efron's (J. Am. Stat. Assoc. 72, 1977, 557–565): d bots that
share a place count as d choices, and each choice removes a d-th of each of
them.  A tie between just two bots then weighs as much as a win for each.

Strengths are natural logarithms of odds.  The log-likelihood is concave, so Newton's
method finds its maximum from anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

CELLS = 1 << 19
"""How many numbers a working array holds: few enough to stay in the processor's cache."""

STRENGTH_MAX = 300.0
"""The largest strength: beyond it exp(strength)² would overflow, and nobody is e^300 times the average."""

STEPS_MAX = 200
"""The most Newton steps; 5 to 15 are usual."""

KEY_MAX = 2**62
"""The bound below which keys stay, so that their sums and products fit into 64 bits."""


@attrs.frozen(eq=False)
class Shape:
    """The matches with equally many seats and ties in the same places, best first."""

    kinds: Ints
    """(kinds, seats): every ranking that occurs, as bots."""
    times: Floats
    """(kinds,): how often each ranking occurs."""
    kind: Ints
    """(matches,): which ranking each match has."""
    rows: Ints
    """(matches,): where each match's first row is in the sorted table."""
    share: Floats
    """(seats, seats): how much of the bot in place j takes part in choice k."""

    @property
    def seats(self) -> int:
        return int(self.kinds.shape[1])

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Whether each place is shared: bots that share a place take part in each other's choices."""
        mutual = (self.share > 0) & (self.share.T > 0)
        return np.asarray(np.sum(mutual, axis=1) > 1)


@attrs.frozen(eq=False)
class Slope:
    """The log-likelihood at a point with its gradient and its negative second derivative, the information."""

    value: float
    gradient: Floats
    information: Floats

    def __add__(self, other: Slope) -> Slope:
        return Slope(
            self.value + other.value,
            self.gradient + other.gradient,
            self.information + other.information,
        )


def shapes(match: Ints, bot: Ints, rank: Ints) -> Iterator[Shape]:
    """The matches by shape, from rows that are sorted by match, rank and bot."""
    starts = np.flatnonzero(np.diff(match, prepend=match[:1] - 1))
    seats = np.diff(starts, append=len(match))
    for count in np.unique(seats[seats > 1]):
        begin = starts[seats == count]
        rows = begin[:, None] + np.arange(count)
        tied = np.diff(rank[rows], axis=1) == 0
        pattern = numbered(tied.astype(np.int64))
        for number in range(pattern.max() + 1):
            here = np.flatnonzero(pattern == number)
            yield _shape(bot[rows[here]], begin[here], tied[here[0]])


def _shape(bots: Ints, rows: Ints, tied: NDArray[np.bool_]) -> Shape:
    kind = numbered(bots)
    times = np.bincount(kind)
    kinds = np.empty((len(times), bots.shape[1]), np.int64)
    kinds[kind] = bots
    return Shape(kinds, times.astype(np.float64), kind, rows, _share(tied))


def numbered(table: Ints) -> Ints:
    """A number for each row of a table, 0, 1, … in the order of the rows' contents."""
    return np.unique(joint_key(table.T), return_inverse=True)[1].astype(np.int64)


def joint_key(columns: Iterable[Ints]) -> Ints:
    """One key for several columns, in the order of the first, then the second, …"""
    key, bound = np.zeros(1, np.int64), 1
    for column in columns:
        part = column - column.min()
        radix = int(part.max()) + 1
        if bound * radix > KEY_MAX:  # keys are far apart: numbering those that occur makes both factors small
            key, part = (np.unique(values, return_inverse=True)[1] for values in (key, part))
            bound, radix = len(key), len(part)
        key, bound = key * radix + part, bound * radix
    return key.astype(np.int64)


def _share(tied: NDArray[np.bool_]) -> Floats:
    """Efron's weights, from whether each place except the first is tied with the one before."""
    seats = len(tied) + 1
    ends = [*(np.flatnonzero(~tied) + 1), seats]
    share, start = np.zeros((seats, seats)), 0
    for end in ends:
        share[start:end, end:] = 1.0
        share[start:end, start:end] = 1 - np.arange(end - start)[:, None] / (end - start)
        start = end
    return share


def slope(strength: Floats, shape: Shape) -> Slope:
    """What the matches of one shape contribute to the log-likelihood and its derivatives."""
    bots, share = len(strength), shape.share
    first, second = np.triu_indices(shape.seats, 1)
    both = share[:, first] * share[:, second]
    value, gradient, chosen, pairs = 0.0, np.zeros(bots), np.zeros(bots), np.zeros(bots * bots)
    for part in row_slices(len(shape.kinds), len(first)):
        kinds, times = shape.kinds[part], shape.times[part, None]
        power, inverse = _choices(strength, kinds, share)
        expected = times * power * (inverse @ share)
        value += float(np.sum(times * (strength[kinds] + np.log(inverse))))
        gradient += sums(kinds, times - expected, bots)
        chosen += sums(kinds, expected - times * power**2 * (inverse**2 @ share**2), bots)
        joint = times * power[:, first] * power[:, second] * (inverse**2 @ both)
        pairs += sums(kinds[:, first] * bots + kinds[:, second], joint, bots * bots)
    crossed = pairs.reshape(bots, bots)
    return Slope(value, gradient, np.diag(chosen) - crossed - crossed.T)


def scores(strength: Floats, shape: Shape) -> Floats:
    """(matches, seats): each match's gradient by the strengths of its bots, best first."""
    by_kind = np.empty(shape.kinds.shape)
    for part in row_slices(len(shape.kinds), shape.seats):
        power, inverse = _choices(strength, shape.kinds[part], shape.share)
        by_kind[part] = 1 - power * (inverse @ shape.share)
    return by_kind[shape.kind]


def _choices(strength: Floats, kinds: Ints, share: Floats) -> tuple[Floats, Floats]:
    """exp(strength) by place, and the reciprocal of the sum over each choice's candidates."""
    power = np.exp(np.clip(strength, -STRENGTH_MAX, STRENGTH_MAX))[kinds]
    return power, 1 / (power @ share.T)


def sums(index: Ints, weights: Floats, length: int) -> Floats:
    """The weights added up by index, 0 to length − 1."""
    return np.bincount(index.ravel(), weights.ravel(), length).astype(np.float64, copy=False)


def row_slices(length: int, width: int) -> Iterator[slice]:
    """Slices of few enough rows that a working array of this width stays small."""
    step = max(1, CELLS // max(1, width))
    return (slice(start, start + step) for start in range(0, length, step))


def maximum(slope_at: Callable[[Floats], Slope], bots: int) -> tuple[Floats, Floats]:
    """Where a concave function of the strengths has its maximum, and its information there.

    A step that would go downhill is halved.
    """
    strength = np.zeros(bots)
    here = slope_at(strength)
    for _ in range(STEPS_MAX):
        step = np.linalg.solve(here.information, here.gradient)
        if np.max(np.abs(step), initial=0.0) < 1e-6:  # the remaining error is of the order of its square
            return strength + step, here.information
        there = slope_at(strength + step)
        while there.value < here.value - 1e-9 * abs(here.value):  # less is rounding
            step = step / 2
            there = slope_at(strength + step)
        strength, here = strength + step, there
    return strength, here.information
