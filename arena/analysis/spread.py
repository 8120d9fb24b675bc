"""Measures how the series of one set of bots differ."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


class Spread:
    """The number of a set's series, the bots' mean totals and their co-moments (Welford's recurrence)."""

    def __init__(self, bots: int) -> None:
        self.series = 0
        self.mean = np.zeros(bots)
        self._moments = np.zeros((bots, bots))

    def add(self, totals: Floats) -> None:
        self.series += 1
        gap = totals - self.mean
        self.mean += gap / self.series
        self._moments += np.outer(gap, totals - self.mean)

    def covariance(self, expected: Floats) -> Floats:
        """The covariance of the sum of the series; for a single one, computed from `expected` means."""
        if self.series == 1:
            return np.outer(self.mean - expected, self.mean - expected)
        return self._moments * (self.series / (self.series - 1))
