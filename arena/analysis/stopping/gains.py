"""What is asked of mean returns, and what every test that answers it has: its values, evidence and verdict.

The value of a series is what NEW won per match, in the unit of the game; with a field beside them, how much
more that is than what OLD won.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import floor, inf, log10
from typing import Literal, TypeAlias

import attrs

from arena.analysis.intervals import Extremes, interval_of_mean
from arena.analysis.running import RunningEstimate, Stratum
from arena.analysis.stopping.verdict import Evidence, Judgement, Verdict, check_error_rates
from arena.errors import ConfigError

SERIES_LEAST = 4
"""No test decides in so few series: it is not known yet how much they differ."""

Range: TypeAlias = tuple[float, float]
"""The lowest and the highest value."""

Tails: TypeAlias = Literal["any", "normal"]
"""Whether nothing is assumed of returns between their bounds, or that their mean is about normal."""


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
    tails: Tails = "any"

    def __attrs_post_init__(self) -> None:
        for setting, gain in (("gain0", self.gain0), ("gain1", self.gain1)):
            if not -inf < gain < inf:
                why = f"found {gain:g}, expected a number such as 20 or -5.5"
                raise ConfigError(why, setting=setting)
        if not self.gain0 < self.gain1:
            why = f"found {self.gain0:g}, expected less than gain1, which is {self.gain1:g}"
            raise ConfigError(why, setting="gain0")
        check_error_rates(self.alpha, self.beta)
        if self.series_max <= SERIES_LEAST:
            why = f"found {self.series_max}, expected more than {SERIES_LEAST}"
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


class GainTest(ABC):
    """A test in progress, to which the value of each closed series is added in schedule order.

    Series after its end are not counted, so that its result does not depend on how many were played at once.
    `bound`: the largest absolute value of a match, for the interval.
    """

    def __init__(self, gains: Gains, bound: float) -> None:
        self.gains = gains
        self.values: list[float] = []
        self._running, self._stratum = RunningEstimate(), Stratum()  # all series are treated as alike
        self._extremes = Extremes(bound)
        self._judgement = Judgement()

    def add(self, value: float, matches: Sequence[float] = ()) -> None:
        """Counts one more closed series, unless the test is over; `matches`: its values, match by match."""
        if self.is_over:
            return
        self.values.append(value)
        self._running.add(self._stratum, value, 1)
        self._extremes.note(value, max(map(abs, matches or (value,))), len(matches) or 1)
        self._weigh(value)
        self._judgement.weigh(self.evidence, self.series, is_last=self.series >= self.gains.series_max)

    @abstractmethod
    def _weigh(self, value: float) -> None:
        """Takes the last value into account."""

    @property
    @abstractmethod
    def evidence(self) -> Evidence:
        """The evidence for each verdict, as a share of what it takes."""

    @abstractmethod
    def left(self) -> Range | None:
        """About how many more series it takes, from and to, if they remain as they were; None if unknown."""

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
        return len(self.values)

    @property
    def mean(self) -> float:
        """The mean value of a series."""
        return self._running.estimate.mean

    @property
    def interval(self) -> Range:
        """The leaderboard's 95 % interval of the mean, as if the number of series had been fixed."""
        return interval_of_mean(self._running.estimate, self._extremes)


def usual_gain(reach: Range) -> float:
    """The default gain to ask for: 50, or a twentieth of how far a series reaches if that is less."""
    return min(Gains().gain1, float(f"{min(-reach[0], reach[1]) / 20:.2g}"))
