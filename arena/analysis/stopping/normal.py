"""Does the new version win more?  A sequential probability ratio test of a mean that is about normal.

The log-likelihood ratio of two means is that of normal values with the variance seen so far: exact as
series become many, whatever they are like (Van den Bergh, A practical introduction to the GSPRT, 2020).
It is wrong where large returns have not been seen yet: so the variance allows for two unseen series, as
the leaderboard's intervals do (`intervals.Extremes`), and for the first of them in full, since a test
looks at every series and ends at the first that deceives it. A loss so rare that no series had it, and so
large that it matters, is what the test assumes away; METHOD says how often it then errs.
"""

from __future__ import annotations

from math import sqrt

from arena.analysis.stopping.gains import Gains, GainTest, Range
from arena.analysis.stopping.gsprt import steps_left
from arena.analysis.stopping.verdict import Evidence

WATCHED = 10
"""How many series are only watched, so that their variance is known."""


class NormalTest(GainTest):
    """The test; `bound`: the largest absolute value of a match (`intervals.Extremes`)."""

    def __init__(self, gains: Gains, bound: float) -> None:
        super().__init__(gains, bound, WATCHED)

    @property
    def _variance(self) -> float:
        """The variance of the mean, with unseen series."""
        estimate = self._running.estimate
        return estimate.variance + estimate.weight**2 * self._extremes.unseen(
            estimate.mean, is_lessened=False
        )

    def _ratio(self, mean: float) -> float:
        """The logarithm of how much likelier this mean is if the truth is `gain1` than if it is `gain0`."""
        gains, variance = self.gains, self._variance
        if not variance:
            return 0.0
        return (gains.gain1 - gains.gain0) * (mean - (gains.gain0 + gains.gain1) / 2) / variance

    @property
    def evidence(self) -> Evidence:
        """The logarithms of likelihood ratios, as shares of Wald's bounds; "worse" is the mirrored test's."""
        ratio, mirrored, gains = self._ratio(self.mean), self._ratio(-self.mean), self.gains
        return Evidence(
            *(max(0.0, each) for each in (ratio / gains.upper, ratio / gains.lower, mirrored / gains.upper))
        )

    def left(self) -> Range | None:
        """How many more series a walk between Wald's bounds takes, with the mean ± a standard error."""
        if self.series < WATCHED or self.is_over or not self._variance:
            return None
        at, error = self._ratio(self.mean), sqrt(self._variance)
        drifts = [self._ratio(self.mean + apart) / self.series for apart in (-error, 0.0, error)]
        step = (self.gains.gain1 - self.gains.gain0) ** 2 / (self._variance * self.series)
        ends = [steps_left(at, self.gains.lower, self.gains.upper, drift, step) for drift in drifts]
        return min(ends), max(ends)


def expected_length(gains: Gains, spread: float) -> float:
    """How many series it takes on average if the truth is `gain1`; `spread`: how much they differ (Wald).

    `spread` is their standard deviation, in the unit of the gains.
    """
    step = ((gains.gain1 - gains.gain0) / spread) ** 2
    return max(WATCHED, steps_left(0.0, gains.lower, gains.upper, step / 2, step))
