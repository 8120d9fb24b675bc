"""What `intervals` says of series, for hundreds of thousands of them as numpy columns; and who leads whom."""

from __future__ import annotations

from math import atan, cos, erf, pi, sin, sqrt

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.intervals import rate_interval, rate_of, student_t

Floats = NDArray[np.float64]

ALIKE = 19.0
"""Half an interval of k series that do not show how they differ, times k, ÷ the largest value of a match."""
FREEDOM_MAX = 2000
"""From so many degrees of freedom on Student's t is normal to 0.0001."""


@attrs.frozen(eq=False)
class Clusters:
    """Of each series a sum over matches, and how many they are: columns of equal length."""

    sums: Floats
    counts: Floats

    @classmethod
    def of(cls, series: NDArray[np.int32], values: Floats, size: int) -> Clusters:
        """All `size` series, from the series and the value of each match; zeros where there is no match."""
        sums, counts = np.bincount(series, values, size), np.bincount(series, minlength=size)
        return cls(sums.astype(np.float64, copy=False), counts.astype(np.float64))

    @property
    def present(self) -> Clusters:
        """Those with a match."""
        there = self.counts > 0
        return Clusters(self.sums[there], self.counts[there])

    @property
    def matches(self) -> float:
        return total(self.counts)

    @property
    def mean(self) -> float:
        """A match; 0 without any."""
        return total(self.sums) / max(1.0, self.matches) + 0.0


def total(values: Floats) -> float:
    """The sum, in the order of the schedule: it changes no digit when matches came in."""
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
    """The 95 % interval of a mean a match: `intervals.mean_interval`."""
    series = clusters.present
    k = len(series.sums)
    if not k:
        return 0.0, 0.0
    means = series.sums / series.counts
    if means.max() - means.min() <= 1e-9 * largest:  # alike but for rounding
        half = ALIKE / k * largest
    else:
        spread = total((series.sums - series.mean * series.counts) ** 2)
        half = student_t(k - 1) * sqrt(k / (k - 1) * spread) / series.matches
    return series.mean - half + 0.0, series.mean + half + 0.0


def chance_to_lead(first: Clusters, second: Clusters, largest: float) -> float:
    """How probable it is that the first has the higher mean; the clusters are of the same series.

    How uncertain the difference is, the series of both together show, so that luck they shared
    cancels.  Where they do not show it, it is as `mean_interval` has it: 19/k × the largest
    difference of a match.  0.5 where one of them has no match.
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


def student_cdf(t: float, freedom: int) -> float:
    """The probability that Student's t is below `t` (Abramowitz & Stegun 26.7.3 and 26.7.4)."""
    if freedom >= FREEDOM_MAX:
        return (1 + erf(t / sqrt(2))) / 2
    angle, odd = atan(t / sqrt(freedom)), freedom % 2
    term, terms = (cos(angle) if odd else 1.0), 0.0
    for power in range(1 + odd, freedom, 2):
        terms += term
        term *= cos(angle) ** 2 * power / (power + 1)
    within = 2 / pi * (angle + sin(angle) * terms) if odd else sin(angle) * terms
    return min(1.0, max(0.0, (1 + within) / 2))
