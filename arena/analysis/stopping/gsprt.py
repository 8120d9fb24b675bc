"""Is the new version better?  A sequential test over series that stops by itself: the GSPRT.

The score of a series is NEW's mean points in it, 0 to 1; with a field beside them, (NEW's − OLD's + 1) / 2.
An Elo difference δ stands for a mean score of 1 / (1 + 10^(−δ/400)).  The test weighs two hypotheses, that
the mean is that of `elo0` ("not better") and that it is that of `elo1` ("better"), and continues
until the likelihood ratio decides: Wald's sequential test, with the likelihood ratio generalised over
the unknown distribution of scores (as in Fishtest's and fastchess's pentanomial test; Van den
Bergh, "A practical introduction to the GSPRT", 2020).

The ratio is exact: of all distributions on the scores seen, it takes the most likely one with either mean.
A score may take any number of values, and series are the units, so that matches of a series may depend on
each other in any way.  The usual normal approximation was tried too.  At 5 % and 5 %, over eight shapes of
scores and gaps of 20 to 150 Elo (2,000 runs each), the exact ratio missed "better" in 1 to 5.6 % and claimed
it wrongly in 0 to 5.4 %; the normal one missed it in up to 13 %, because it stops too early where most series
are alike (tests/analysis/test_gsprt.py measures both).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, isfinite, log10, sqrt
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.intervals import win_rate_interval
from arena.analysis.stopping.verdict import ErrorRates, Evidence, SequentialTest
from arena.errors import ConfigError

SERIES_MIN = 10
"""The fewest series before it stops: a handful does not show how much series differ."""

ELO_MAX = 2000.0
"""The largest Elo difference reported, a mean score of 0.99999: winning everything would make it infinite."""

PSEUDO_WEIGHT = 0.5
"""How many imagined series are added at score 0, and also at 1: otherwise series that all went alike would
claim certainty, and a mean beyond the scores seen would be impossible."""

VARIANCE = 0.125
"""The variance of a series' score between equals whose two matches are independent; it is up to twice as much
if they go alike, and next to nothing if nearly all series are halved."""

Floats: TypeAlias = NDArray[np.float64]


@attrs.frozen(kw_only=True)
class Hypotheses(ErrorRates):
    """The two hypotheses: that the Elo difference is `elo0`, or `elo1`."""

    elo0: float = 0.0
    elo1: float = 20.0

    def __attrs_post_init__(self) -> None:
        for setting, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not -1000 <= elo <= 1000:
                why = f"found {elo:g}, expected an Elo difference from -1000 to 1000"
                raise ConfigError(why, setting=setting)
        if not self.mean0 < self.mean1:
            why = f"found {self.elo0:g}, expected less than elo1, which is {self.elo1:g}"
            raise ConfigError(why, setting="elo0")
        self.check_rates(SERIES_MIN)

    @property
    def mean0(self) -> float:
        """The mean score of a series at `elo0`."""
        return mean_of(self.elo0)

    @property
    def mean1(self) -> float:
        """The mean score of a series at `elo1`."""
        return mean_of(self.elo1)

    @property
    def means_behind(self) -> tuple[float, float]:
        """Both means mirrored, so that OLD is ahead: by |`elo0`|, and by that plus the gap between them."""
        behind = abs(self.elo0)
        return mean_of(-behind), mean_of(-behind - self.elo1 + self.elo0)


def mean_of(elo: float) -> float:
    """The mean score that an Elo difference stands for."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of(mean: float) -> float:
    """The Elo difference of a mean score; never beyond ±`ELO_MAX`."""
    if not mean_of(-ELO_MAX) < mean < mean_of(ELO_MAX):
        return ELO_MAX if mean > 0.5 else -ELO_MAX
    return 400 * log10(mean / (1 - mean)) + 0.0


class Gsprt(SequentialTest):
    """The test in progress, to which the score of each closed series is added."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        super().__init__(hypotheses, SERIES_MIN)
        self.hypotheses = hypotheses
        self.llr = 0.0
        """The log-likelihood ratio of `elo1` to `elo0`."""
        self._weights = {0.0: PSEUDO_WEIGHT, 1.0: PSEUDO_WEIGHT}
        """How many series had each score, with the imagined ones."""

    def _take(self, value: float, matches: Sequence[float]) -> None:
        assert 0 <= value <= 1, f"a score of a series is a mean of points, not {value}"
        score = round(value, 9)  # the same for scores that differ only by rounding: 1/3 + 1/3 and 2/3
        self._weights[score] = self._weights.get(score, 0.0) + 1
        self.llr = self._ratio(self.hypotheses.mean0, self.hypotheses.mean1)

    @property
    def evidence(self) -> Evidence:
        """The evidence: likelihood ratios as shares of their bounds; for "worse" the mirrored ratio."""
        hypotheses = self.hypotheses
        worse = self._ratio(*hypotheses.means_behind)
        return Evidence(
            max(0.0, self.llr / hypotheses.upper),
            max(0.0, self.llr / hypotheses.lower),
            max(0.0, worse / hypotheses.upper),
        )

    @property
    def mean(self) -> float:
        """The mean score of the series; 0.5 if there are none."""
        return float(np.mean(self.values)) if self.values else 0.5

    @property
    def elo(self) -> float:
        """The estimated Elo difference; always finite.

        A test that stops when it looks good stops on the lucky side: the estimate is
        somewhat too extreme, and the verdict does not use it.
        """
        return elo_of(self.mean)

    @property
    def elo_low(self) -> float:
        """The lower end of the leaderboard's 95 % interval, as if the number of series had been fixed."""
        return elo_of(self.interval[0])

    @property
    def elo_high(self) -> float:
        """The upper end of the 95 % interval."""
        return elo_of(self.interval[1])

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean score."""
        return win_rate_interval((score, 1) for score in self.values)

    def _ratio(self, mean0: float, mean1: float) -> float:
        values, weights = zip(*sorted(self._weights.items()), strict=True)
        return float(log_likelihood_ratio(np.array(weights), values, mean0, mean1))

    def left(self) -> tuple[float, float] | None:
        """About how many more series it takes, at least and at most; None if not known yet.

        It assumes that series remain as they were, and takes their mean a standard error more and less.
        """
        if self.series < SERIES_MIN or self.is_over:
            return None
        total = fsum(self._weights.values())
        mean = fsum(weight * score for score, weight in self._weights.items()) / total
        variance = fsum(weight * (score - mean) ** 2 for score, weight in self._weights.items()) / total
        hypotheses, error = self.hypotheses, sqrt(variance / total)
        step = (hypotheses.mean1 - hypotheses.mean0) / variance
        middle = (hypotheses.mean1 + hypotheses.mean0) / 2
        slowest = min(max(mean - error, middle), mean + error)
        lengths = [
            steps_left(
                self.llr, hypotheses.lower, hypotheses.upper, step * (true - middle), step * step * variance
            )
            for true in (mean - error, slowest, mean + error)
        ]
        return max(1.0, min(lengths)), max(1.0, *lengths)


def steps_left(at: float, lower: float, upper: float, drift: float, variance: float) -> float:
    """How many steps a walk takes on average from here until it leaves the bounds.

    `drift` and `variance` are those of a step; the walk is treated as a Brownian motion, whose chance to
    leave at the upper bound follows from the martingale e^(−2·drift·x/variance).  0 if it is outside already.
    """
    if not lower < at < upper:
        return 0.0
    bend = 2 * drift / variance
    if abs(bend) * (upper - lower) < 1e-6:
        return (upper - at) * (at - lower) / variance
    if bend * (upper - lower) > 500:  # it leaves in the direction of the drift
        return (upper - at) / drift
    if bend * (upper - lower) < -500:
        return (lower - at) / drift
    to_upper = (1 - exp(-bend * (at - lower))) / (1 - exp(-bend * (upper - lower)))
    return (lower + to_upper * (upper - lower) - at) / drift


def log_likelihood_ratio(weights: Floats, values: Sequence[float], mean0: float, mean1: float) -> Floats:
    """How much likelier the scores are with `mean1` than with `mean0`, each at its likeliest distribution.

    `values` are the scores seen, in ascending order from 0 to 1, `weights` (…, values) how many series had
    each; 0 and 1 must have some.  Axes before the last are separate tests, so that thousands can be simulated
    at once.
    """
    places = np.asarray(values, dtype=float)
    return _log_likelihood(weights, places - mean1) - _log_likelihood(weights, places - mean0)


def _log_likelihood(weights: Floats, gaps: Floats) -> Floats:
    """The largest log-likelihood of a distribution whose mean gap is 0, minus that of the best of all.

    By Lagrange multipliers its probabilities are wᵢ / (W · (1 + θ·gapᵢ)) (Owen, Empirical Likelihood, 2001).
    """
    tilt = _tilt(weights, gaps)
    # The best distribution of all has wᵢ / W, so that only the factor 1 + θ·gapᵢ is left of each quotient.
    likelihood: Floats = -np.sum(weights * np.log1p(tilt[..., None] * gaps), axis=-1)
    return likelihood


def _tilt(weights: Floats, gaps: Floats) -> Floats:
    """The root θ of Σ wᵢ·gapᵢ / (1 + θ·gapᵢ), which decreases: by Newton, bisecting outside the bracket."""
    # The first bracket: no probability exceeds 1, so 1 + θ·gap ≥ w / W at the lowest and the highest score.
    # In between it is positive too, so that every logarithm exists.
    total = weights.sum(axis=-1)
    low = -(1 - weights[..., -1] / total) / gaps[-1]
    high = -(1 - weights[..., 0] / total) / gaps[0]
    tilt: Floats = np.zeros_like(total)
    for _ in range(100):  # 5 suffice in practice, and bisection alone would need 50
        parts = gaps / (1 + tilt[..., None] * gaps)
        slope = np.sum(weights * parts, axis=-1)
        low, high = np.where(slope > 0, tilt, low), np.where(slope < 0, tilt, high)
        newton = tilt + slope / np.sum(weights * parts**2, axis=-1)
        before, tilt = tilt, np.where((low <= newton) & (newton <= high), newton, (low + high) / 2)
        if np.max(np.abs(tilt - before)) < 1e-9:  # in the likelihood its square: it is flat at its maximum
            break
    return tilt


def expected_series(hypotheses: Hypotheses, variance: float = VARIANCE) -> tuple[float, float]:
    """How many series the test takes on average if the truth is `elo0`, and if it is `elo1` (Wald).

    `variance` is that of the score of a series.  Never below `SERIES_MIN` or above `series_max`.
    """
    gap = hypotheses.mean1 - hypotheses.mean0
    lengths = [
        steps_left(0.0, hypotheses.lower, hypotheses.upper, drift, gap * gap / variance)
        for drift in (-gap * gap / (2 * variance), gap * gap / (2 * variance))
    ]
    assert all(map(isfinite, lengths))
    least, most = float(SERIES_MIN), float(hypotheses.series_max)
    at_elo0, at_elo1 = (min(max(length, least), most) for length in lengths)
    return at_elo0, at_elo1
