"""Does the new version win more?  A sequential test of a bounded mean, by betting.

Three bettors play against three statements: that the mean is at most `gain0`, that it is at least
`gain1`, and that NEW is behind by no more than |`gain0`|. On every series each stakes a part of its
capital that depends on earlier series only, and is so small that no value can take all of it. If its
statement is true, its capital is a non-negative supermartingale, which ever reaches 1 / α with a
probability of at most α (Ville's inequality). So the errors hold at any time and for any distribution of
values between the bounds: nothing is assumed about its tails (Waudby-Smith & Ramdas, "Estimating means of
bounded random variables by betting", JRSS B 86, 2024).

Half of a capital is staked as if the mean were `gain1` − `gain0` beyond the statement, half as if it were the
one seen so far; both in proportion to mean ÷ variance, which grows fastest, as far as the bounds allow.  To
allow for a match that is lost in every round takes at least bounds ÷ gain series, whatever the variance is.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, fsum, inf, log, log1p, sqrt

from arena.analysis.stopping.gains import SERIES_LEAST, Gains, GainTest, Range
from arena.analysis.stopping.verdict import Evidence

STAKE_MAX = 0.9
"""The largest share that a value can take of the capital staked against it."""


class Bettor:
    """Bets on positive values; on average its capital never grows if their mean is 0 or less.

    `gain`: the mean for which half of its capital is staked.
    """

    def __init__(self, gain: float) -> None:
        self._gain = gain
        self._seen = 0
        self._mean = self._moment = 0.0
        self._halves = (0.0, 0.0)
        """The logarithm of each half of the capital, as a multiple of what it began with."""

    def add(self, value: float, worst: float) -> None:
        """Plays one series; `worst` is how far below 0 its value could have been, as is known before."""
        assert value >= -worst, f"{value} is below the {-worst} that was promised"
        first, second = self.stakes(worst)
        self._halves = (self._halves[0] + log1p(first * value), self._halves[1] + log1p(second * value))
        self._seen += 1
        gap = value - self._mean
        self._mean += gap / self._seen
        self._moment += gap * (value - self._mean)

    def stakes(self, worst: float) -> tuple[float, float]:
        """What each half stakes next, as a part of its capital for each unit of a value."""
        if self._seen < SERIES_LEAST:
            return 0.0, 0.0
        variance = self._moment / (self._seen - 1) * (1 + 2 / self._seen)
        surplus = max(0.0, self._mean * self._seen / (self._seen + SERIES_LEAST))
        most = STAKE_MAX / worst
        return _stake(self._gain, variance, most), _stake(surplus, variance, most)

    @property
    def log_capital(self) -> float:
        """The logarithm of the capital, which began at 1."""
        high, low = max(self._halves), min(self._halves)
        return high + log1p(exp(low - high)) - log(2)


def _stake(mean: float, variance: float, most: float) -> float:
    """The stake with which a capital grows fastest if stakes are small: the mean ÷ the mean square."""
    square = variance + mean * mean
    return min(most, mean / square) if square else most * (mean > 0)


class BettingTest(GainTest):
    """The test; `bounds` are the lowest and the highest possible value."""

    def __init__(self, gains: Gains, bounds: Range, bound: float) -> None:
        super().__init__(gains, bound, SERIES_LEAST + 1)
        self._bounds, gain = bounds, gains.gain1 - gains.gain0
        self._for_better, self._for_not_better, self._for_worse = Bettor(gain), Bettor(gain), Bettor(gain)

    def _take(self, value: float, matches: Sequence[float]) -> None:
        super()._take(value, matches)
        for bettor, gap, worst in self._games(value):
            bettor.add(gap, worst)

    def _games(self, value: float) -> tuple[tuple[Bettor, float, float], ...]:
        """Each bettor, how far the value speaks for it, and how far a value could speak against it."""
        (low, high), gains = self._bounds, self.gains
        behind = abs(gains.gain0)
        return (
            (self._for_better, value - gains.gain0, gains.gain0 - low),
            (self._for_not_better, gains.gain1 - value, high - gains.gain1),
            (self._for_worse, -value - behind, behind + high),
        )

    @property
    def evidence(self) -> Evidence:
        """The evidence: logarithms of the capitals, as shares of what they must reach."""
        for_error, for_miss = -log(self.gains.alpha), -log(self.gains.beta)
        return Evidence(
            max(0.0, self._for_better.log_capital / for_error),
            max(0.0, self._for_not_better.log_capital / for_miss),
            max(0.0, self._for_worse.log_capital / for_error),
        )

    def left(self) -> Range | None:
        """How many more series it takes, by the growth of the capitals now, ± a standard error.

        Infinite if no capital grows.
        """
        if self.series < 2 * SERIES_LEAST or self.is_over:
            return None
        bounds = (-log(self.gains.alpha), -log(self.gains.beta))
        games = zip(self._games(0.0)[:2], (1, -1), bounds, strict=True)
        least = most = inf
        for (bettor, at_zero, worst), sign, bound in games:
            growths = _growths([at_zero + sign * value for value in self.values], max(bettor.stakes(worst)))
            mean = fsum(growths) / len(growths)
            error = sqrt(fsum((growth - mean) ** 2 for growth in growths)) / len(growths)
            missing = max(0.0, bound - bettor.log_capital)
            least = min(least, missing / (mean + error) if mean + error > 0 else inf)
            most = min(most, missing / (mean - error) if mean - error > 0 else inf)
        return least, most


def _growths(values: Sequence[float], stake: float) -> list[float]:
    """The logarithms of the factors by which each value would have changed a capital; losses are limited."""
    return [log1p(max(stake * value, -STAKE_MAX)) for value in values]


def fewest_series(gains: Gains, bounds: Range) -> int:
    """How many series it takes if every one is worth exactly `gain1`: with that mean it never takes fewer."""
    gain, worst = gains.gain1 - gains.gain0, gains.gain0 - bounds[0]
    return SERIES_LEAST + ceil(-log(gains.alpha) / log1p(min(STAKE_MAX / worst, 1 / gain) * gain))
