"""The intervals of `intervals` for hundreds of thousands of series of one set of bots, as numpy columns."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.intervals import NOTHING, Estimate, interval_of_mean, interval_of_share, of_alike

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
    """The 95 % interval of a share of matches, or of points, all series being alike: `interval_of_share`."""
    return interval_of_share(_estimate(clusters))


def mean_interval(clusters: Clusters, largest: float) -> tuple[float, float]:
    """The 95 % interval of a mean per match, all series being alike: `interval_of_mean`."""
    return interval_of_mean(_estimate(clusters), largest)


def _estimate(clusters: Clusters) -> Estimate:
    series = clusters.present
    if not len(series.sums):
        return NOTHING
    spread = total((series.sums - series.mean * series.counts) ** 2)
    return of_alike(len(series.sums), total(series.sums), series.matches, spread)
