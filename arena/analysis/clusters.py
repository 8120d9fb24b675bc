"""The intervals of `intervals`, for hundreds of thousands of series as numpy columns; and who leads whom."""

from __future__ import annotations

from math import sqrt

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.intervals import ALIKE, are_alike, interval_of_mean, rate_interval, rate_of
from arena.analysis.student import student_cdf, student_t

Floats = NDArray[np.float64]


@attrs.frozen(eq=False)
class Clusters:
    """For each series a sum over its matches, and their number: columns of equal length."""

    sums: Floats
    counts: Floats

    @classmethod
    def of(cls, series: NDArray[np.int32], values: Floats, size: int) -> Clusters:
        """All `size` series, from each match's series and value; zeros for series without a match."""
        sums, counts = np.bincount(series, values, size), np.bincount(series, minlength=size)
        return cls(sums.astype(np.float64, copy=False), counts.astype(np.float64))

    @property
    def present(self) -> Clusters:
        """The series that have a match."""
        there = self.counts > 0
        return Clusters(self.sums[there], self.counts[there])

    @property
    def matches(self) -> float:
        return total(self.counts)

    @property
    def mean(self) -> float:
        """The mean per match; 0 without any."""
        return total(self.sums) / max(1.0, self.matches) + 0.0


def total(values: Floats) -> float:
    """The sum, in schedule order, so that the order in which matches finished changes no digit."""
    return float(values.sum())


def share_interval(clusters: Clusters) -> tuple[float, float]:
    """The 95 % interval of a share of matches, or of points: `intervals.win_rate_interval`."""
    series = clusters.present
    k = len(series.sums)
    if not k:
        return 0.0, 1.0
    won, matches = total(series.sums), series.matches
    spread = total((series.sums - rate_of(k, won, matches) * series.counts) ** 2)
    return rate_interval(k, won, matches, spread)


def mean_interval(clusters: Clusters, largest: float) -> tuple[float, float]:
    """The 95 % interval of a mean per match: `intervals.interval_of_mean`."""
    series = clusters.present
    k, spread, means = len(series.sums), None, series.sums / series.counts
    if k and not are_alike(means.min(), means.max(), largest):
        spread = total((series.sums - series.mean * series.counts) ** 2)
    return interval_of_mean(k, series.mean, series.matches, spread, largest)


def chance_to_lead(first: Clusters, second: Clusters, largest: float) -> float:
    """The probability that the first has the higher mean; both are columns over the same series.

    The uncertainty of the difference is taken series by series over both, so that shared luck
    cancels.  If the series do not show it, it is 19/k × the largest difference of a match, as in
    `interval_of_mean`.  0.5 if one of them has no match.
    """
    if not first.matches or not second.matches:
        return 0.5
    k = int(((first.counts > 0) | (second.counts > 0)).sum())
    error = sqrt(k / max(1, k - 1) * total((_pull(first) - _pull(second)) ** 2))
    freedom = max(1, k - 1)
    if k == 1 or error <= 1e-9 * largest:
        error = ALIKE / k * 2 * largest / student_t(freedom)
    lead = first.mean - second.mean
    return student_cdf(lead / error, freedom) if lead else 0.5


def _pull(clusters: Clusters) -> Floats:
    """What each series adds to the difference of the mean from its expectation."""
    return (clusters.sums - clusters.mean * clusters.counts) / clusters.matches
