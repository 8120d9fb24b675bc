"""Computes the intervals of `intervals` for 100,000s of groups of series at once, as numpy columns."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.intervals import ALIKE, NEAR, Extremes
from arena.analysis.student import student_t

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@attrs.frozen(eq=False)
class Groups:
    """Rows in consecutive groups, none of which is empty."""

    starts: Integers
    """The first row of each group."""
    lengths: Integers

    @classmethod
    def of(cls, keys: Integers) -> Groups:
        """The groups of rows with equal keys; the keys must be sorted."""
        starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
        return cls(starts, np.diff(starts, append=len(keys)))

    def summed(self, values: NDArray[np.generic]) -> Floats:
        """The sum of each group.

        It is summed as numpy sums it alone, so that its digits do not depend on the other groups.
        """
        found = np.zeros(len(self.starts))
        for length in np.unique(self.lengths):
            here = np.flatnonzero(self.lengths == length)
            rows = self.starts[here][:, None] + np.arange(length)
            found[here] = values[rows].sum(axis=1)  # each row is summed as it would be alone
        return found

    def largest(self, values: Floats) -> Floats:
        """The largest value of each group."""
        return np.maximum.reduceat(values, self.starts) if len(self.starts) else np.zeros(0)

    def spread(self, values: Floats) -> Floats:
        """The value of each group, repeated for each of its rows."""
        return np.repeat(values, self.lengths)


def extremes_of(series: NDArray[np.generic], returns: Floats, bound: float | None) -> Extremes:
    """The extremes of the returns of matches, each with the number of its series, in any order."""
    if not len(returns):
        return Extremes(bound)
    order = np.argsort(series, kind="stable")
    groups = Groups.of(series[order].astype(np.int64))
    means = np.add.reduceat(returns[order], groups.starts) / groups.lengths
    largest = groups.largest(np.abs(returns[order]))
    return Extremes(
        bound,
        series=len(means),
        matches=len(returns),
        largest=float(largest.max()),
        near=0 if bound is None else int(np.count_nonzero(largest > bound / NEAR)),
        low=float(means.min()),
        high=float(means.max()),
    )


@attrs.frozen(eq=False)
class Clusters:
    """A sum over the matches of each series, and their number, at least 1; the series are in groups.

    All series of a group are alike, as those of one set of bots are.
    """

    sums: Floats
    counts: Floats
    groups: Groups

    @property
    def matches(self) -> Floats:
        """The number of matches in each group."""
        return self.groups.summed(self.counts)

    @property
    def means(self) -> Floats:
        """The mean per match of each group."""
        return self.groups.summed(self.sums) / self.matches + 0.0

    def share_intervals(self) -> tuple[Floats, Floats]:
        """The 95 % interval of each group's share of matches, or points (`intervals.interval_of_share`)."""
        seen = self._estimates()
        mean, weight = seen.mean, seen.weight
        p = (mean + weight / 2) / (1 + weight)
        extra = (p**2 + (1 - p) ** 2) / 2 * weight**2
        variance = ((1 - weight) * seen.variance + weight * (mean - p) ** 2 + extra) / (1 + weight)
        t, n = seen.quantiles(seen.variance + extra), p * (1 - p) / variance
        c = t * t / n
        middle = (mean + c / 2) / (1 + c)
        half = t * np.sqrt(np.maximum(0.0, mean * (1 - mean) / n + c / (4 * n))) / (1 + c)
        low, high = np.minimum(mean, middle - half), np.maximum(mean, middle + half)
        return np.maximum(0.0, low), np.minimum(1.0, high)

    def mean_intervals(self, largest: Floats, bound: float | None = None) -> tuple[Floats, Floats]:
        """The 95 % interval of each group's mean per match (`intervals.interval_of_mean`).

        `largest`: the largest absolute value of a match in each series; `bound`: of any match.
        """
        seen, groups = self._estimates(), self.groups
        most, means = groups.largest(largest), self.sums / self.counts
        variance = seen.variance
        if bound is not None:
            near = groups.summed(largest > bound / NEAR)
            unseen = bound * groups.lengths / self.matches / (1 + near)
            apart = np.maximum(groups.largest(means) - seen.mean, seen.mean + groups.largest(-means))
            variance = variance + seen.weight**2 * (unseen**2 + apart**2)
        half = seen.quantiles(seen.variance) * np.sqrt(variance)
        is_alike = np.sqrt(seen.variance) <= 1e-9 * most
        half = np.where(is_alike, np.maximum(half, ALIKE * seen.weight * most), half)
        return seen.mean - half + 0.0, seen.mean + half + 0.0

    def _estimates(self) -> _Estimates:
        series, mean = self.groups.lengths.astype(np.float64), self.means
        spread = self.groups.summed((self.sums - self.groups.spread(mean) * self.counts) ** 2)
        freedom = np.maximum(1.0, series - 1)
        variance = np.where(series > 1, series / freedom * spread / self.matches**2, 0.0)
        return _Estimates(mean, variance, freedom, 1 / series)


@attrs.frozen(eq=False)
class _Estimates:
    """The `intervals.Estimate` of each group, as `intervals.of_alike` returns it."""

    mean: Floats
    variance: Floats
    freedom: Floats
    weight: Floats

    def quantiles(self, variance: Floats) -> Floats:
        """Student's t for the degrees of freedom that `intervals.Estimate.freedom_of` returns for them."""
        squares = self.variance**2 / (self.freedom + 2)
        wide = variance**2 >= (self.freedom + 2) * squares
        found = np.divide(variance**2, squares, out=np.full_like(squares, np.inf), where=squares > 0)
        freedom = np.where(wide, self.freedom, np.maximum(1.0, found - 2))
        every, place = np.unique(freedom, return_inverse=True)
        return np.array([student_t(each) for each in every.tolist()])[place]
