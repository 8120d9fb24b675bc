"""Does the new version win more?  A sequential test of a bounded mean, by betting.

The value of a series is what NEW won per match, in the unit of the game; with a field beside them, how much
more that is than what OLD won.  Three bettors play against three statements: that the mean is at most
`gain0`, that it is at least `gain1`, and that NEW is behind by no more than |`gain0`|.  On every series each
stakes a part of its capital that depends on earlier series only, and is so small that no value can take all
of it.  If its statement is true, its capital is a non-negative supermartingale, which ever reaches 1 / α with
a probability of at most α (Ville's inequality).  So the errors hold at any time and for any distribution of
values between the bounds: nothing is assumed about its tails (Waudby-Smith & Ramdas, "Estimating means of
bounded random variables by betting", JRSS B 86, 2024).

Half of a capital is staked as if the mean were `gain1` − `gain0` beyond the statement, half as if it were the
one seen so far; both in proportion to mean ÷ variance, which grows fastest, as far as the bounds allow.

**How far a value counts.**  A match may be the sum of many rounds that begin anew: the stacks of 100 hands
are lost only by a bot that loses every hand.  Allowing for that takes at least bounds ÷ gain series, whatever
the variance is.  So with `tails` "usual" a value counts as far as independent rounds go (bounds ÷ √rounds,
their largest possible standard deviation), or twice as far as any value so far, if that is more, and whatever
lies beyond counts as that limit; with "any" it counts as far as the bounds.
For matches of one round both are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, floor, fsum, inf, log, log1p, log10, sqrt
from typing import Literal, TypeAlias

import attrs

from arena.analysis.intervals import Extremes, interval_of_mean
from arena.analysis.running import RunningEstimate, Stratum
from arena.analysis.stopping.verdict import Evidence, Judgement, Verdict, check_error_rates
from arena.errors import ConfigError

WATCHED = 4
"""How many series are only watched: nothing is staked before it is known how much they differ."""

STAKE_MAX = 0.9
"""The largest share that a value can take of the capital staked against it."""

Range: TypeAlias = tuple[float, float]
"""The lowest and the highest value."""

Tails: TypeAlias = Literal["usual", "any"]


@attrs.frozen(kw_only=True)
class Gains:
    """The question about mean returns, in the unit of the game, and how often each error may happen."""

    gain0: float = 0.0
    gain1: float = 50.0
    alpha: float = 0.05
    """How often the verdict may be "better" if the truth is `gain0` (or less); "worse" likewise."""
    beta: float = 0.05
    """How often the verdict may be "not better" if the truth is `gain1` (or more)."""
    series_max: int = 5000
    """After how many series the test ends without a verdict."""
    tails: Tails = "usual"

    def __attrs_post_init__(self) -> None:
        for setting, gain in (("gain0", self.gain0), ("gain1", self.gain1)):
            if not -inf < gain < inf:
                why = f"found {gain:g}, expected a number such as 20 or -5.5"
                raise ConfigError(why, setting=setting)
        if not self.gain0 < self.gain1:
            why = f"found {self.gain0:g}, expected less than gain1, which is {self.gain1:g}"
            raise ConfigError(why, setting="gain0")
        check_error_rates(self.alpha, self.beta)
        if self.series_max <= WATCHED:
            why = f"found {self.series_max}, expected more than {WATCHED}"
            raise ConfigError(why, setting="max_series")

    @property
    def digits(self) -> int:
        """How many decimals amounts are shown with: two digits of the gap between the gains."""
        return max(0, 1 - floor(log10(self.gain1 - self.gain0)))

    def check_within(self, bounds: Range, unit: str) -> None:
        """Raises ConfigError if a gain is larger than the game's rules allow."""
        most = min(-bounds[0], bounds[1])
        for setting, gain in (("gain0", self.gain0), ("gain1", self.gain1)):
            if abs(gain) >= most:
                raise ConfigError(
                    f"found {gain:g}, expected less than the {most:,.6g} {unit} up to which a series counts",
                    setting=setting,
                )


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
        """Plays one series; `worst` is how far below 0 its value could have been, as known beforehand."""
        assert value >= -worst, f"{value} is below the {-worst} that was promised"
        first, second = self.stakes(worst)
        self._halves = (self._halves[0] + log1p(first * value), self._halves[1] + log1p(second * value))
        self._seen += 1
        gap = value - self._mean
        self._mean += gap / self._seen
        self._moment += gap * (value - self._mean)

    def stakes(self, worst: float) -> tuple[float, float]:
        """What each half stakes next, as a part of its capital for each unit of a value."""
        if self._seen < WATCHED:
            return 0.0, 0.0
        variance = self._moment / (self._seen - 1) * (1 + 2 / self._seen)
        surplus = max(0.0, self._mean * self._seen / (self._seen + WATCHED))
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


@attrs.define
class BettingTest:
    """The test in progress, to which the value of each closed series is added in schedule order.

    Series after its end are not counted, so that its result does not depend on how many were played at once.
    """

    gains: Gains
    bounds: Range
    """The lowest and the highest possible value."""
    reach: Range
    """How far a value counts at present; it only grows."""
    cut: int = attrs.field(default=0, init=False)
    """How many values lay beyond `reach`."""
    _values: list[float] = attrs.field(factory=list, init=False)
    """The values as they counted."""
    _running: RunningEstimate = attrs.field(factory=RunningEstimate, init=False)
    """The estimate of the values as they were."""
    _stratum: Stratum = attrs.field(factory=Stratum, init=False)
    """The one stratum: all series are treated as alike."""
    _extremes: Extremes = attrs.field(init=False)
    _judgement: Judgement = attrs.field(factory=Judgement, init=False)
    _for_better: Bettor = attrs.field(init=False)
    _for_not_better: Bettor = attrs.field(init=False)
    _for_worse: Bettor = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        gain = self.gains.gain1 - self.gains.gain0
        self._extremes = Extremes(max(-self.reach[0], self.reach[1]))
        self._for_better, self._for_not_better, self._for_worse = Bettor(gain), Bettor(gain), Bettor(gain)

    def add(self, value: float, matches: Sequence[float] = ()) -> None:
        """Counts one more closed series, unless the test is over; `matches`: its values, match by match."""
        if self.is_over:
            return
        low, high = self.reach
        counted = min(high, max(low, value))
        self.cut += counted != value
        for bettor, gap, worst in self._games(counted):
            bettor.add(gap, worst)
        self._values.append(counted)
        self._running.add(self._stratum, value, 1)
        self._extremes.note(value, max(map(abs, matches or (value,))), len(matches) or 1)
        # Twice, so that the next value counts in full even if it is somewhat further away.
        self.reach = max(self.bounds[0], min(low, 2 * value)), min(self.bounds[1], max(high, 2 * value))
        self._judgement.weigh(self.evidence, self.series, is_last=self.series >= self.gains.series_max)

    def _games(self, value: float) -> tuple[tuple[Bettor, float, float], ...]:
        """Each bettor, how far the value speaks for it, and how far a value could speak against it."""
        (low, high), gains = self.reach, self.gains
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

    @property
    def verdict(self) -> Verdict | None:
        return self._judgement.verdict

    @property
    def not_better_after(self) -> int | None:
        """After how many series NEW was shown not to be better; later ones show whether it is worse."""
        return self._judgement.not_better_after

    @property
    def is_over(self) -> bool:
        """Whether there is a verdict, or `series_max` is reached without one."""
        return self.verdict is not None or self.series >= self.gains.series_max

    @property
    def series(self) -> int:
        return len(self._values)

    @property
    def mean(self) -> float:
        """The mean value of a series."""
        return self._running.estimate.mean

    @property
    def interval(self) -> Range:
        """The leaderboard's 95 % interval of the mean, as if the number of series had been fixed."""
        return interval_of_mean(self._running.estimate, self._extremes)

    def left(self) -> Range | None:
        """About how many more series it takes, from and to; infinite if no capital grows; None if unknown.

        It assumes that series remain as they were, and uses the growth of the capitals with today's stakes,
        a standard error more and less.
        """
        if self.series < 2 * WATCHED or self.is_over:
            return None
        bounds = (-log(self.gains.alpha), -log(self.gains.beta))
        games = zip(self._games(0.0)[:2], (1, -1), bounds, strict=True)
        least = most = inf
        for (bettor, at_zero, worst), sign, bound in games:
            growths = _growths([at_zero + sign * value for value in self._values], max(bettor.stakes(worst)))
            mean = fsum(growths) / len(growths)
            error = sqrt(fsum((growth - mean) ** 2 for growth in growths)) / len(growths)
            missing = max(0.0, bound - bettor.log_capital)
            least = min(least, missing / (mean + error) if mean + error > 0 else inf)
            most = min(most, missing / (mean - error) if mean - error > 0 else inf)
        return least, most


def _growths(values: Sequence[float], stake: float) -> list[float]:
    """The logarithms of the factors by which each value would have changed a capital; losses are limited."""
    return [log1p(max(stake * value, -STAKE_MAX)) for value in values]


def usual_gain(reach: Range) -> float:
    """The default gain to ask for: 50, or a twentieth of how far a series counts if that is less."""
    return min(Gains().gain1, float(f"{min(-reach[0], reach[1]) / 20:.2g}"))


def fewest_series(gains: Gains, reach: Range) -> int:
    """How many series it takes if every one is worth exactly `gain1`: with that mean it never takes fewer."""
    gain, worst = gains.gain1 - gains.gain0, gains.gain0 - reach[0]
    return WATCHED + ceil(-log(gains.alpha) / log1p(min(STAKE_MAX / worst, 1 / gain) * gain))
