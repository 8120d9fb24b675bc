"""What is asked of mean returns, and what both tests that answer it have: the running mean and its interval.

The value of a series is what NEW won per match, in the unit of the game; with a field beside them, how much
more that is than what OLD won.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, inf, log10
from typing import Literal, TypeAlias

import attrs

from arena.analysis.intervals import Extremes, interval_of_mean
from arena.analysis.running import RunningEstimate, Stratum
from arena.analysis.stopping.verdict import ErrorRates, SequentialTest
from arena.errors import ConfigError

SERIES_LEAST = 4
"""No test decides in so few series: it is not known yet how much they differ."""

Range: TypeAlias = tuple[float, float]
"""The lowest and the highest value."""

Tails: TypeAlias = Literal["any", "normal"]
"""Whether nothing is assumed of returns between their bounds, or that their mean is about normal."""


@attrs.frozen(kw_only=True)
class Gains(ErrorRates):
    """The question about mean returns, in the unit of the game: whether they are `gain0`, or `gain1`."""

    gain0: float = 0.0
    gain1: float = 50.0
    tails: Tails = "any"

    def __attrs_post_init__(self) -> None:
        for setting, gain in (("gain0", self.gain0), ("gain1", self.gain1)):
            if not -inf < gain < inf:
                why = f"found {gain:g}, expected a number such as 20 or -5.5"
                raise ConfigError(why, setting=setting)
        if not self.gain0 < self.gain1:
            why = f"found {self.gain0:g}, expected less than gain1, which is {self.gain1:g}"
            raise ConfigError(why, setting="gain0")
        self.check_rates(SERIES_LEAST + 1)

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


class GainTest(SequentialTest):
    """A test of mean returns in progress; `bound`: the largest absolute value of a match (`Extremes`)."""

    def __init__(self, gains: Gains, bound: float, series_least: int) -> None:
        super().__init__(gains, series_least)
        self.gains = gains
        self._running, self._stratum = RunningEstimate(), Stratum()  # all series are treated as alike
        self._extremes = Extremes(bound)

    def _take(self, value: float, matches: Sequence[float]) -> None:
        self._running.add(self._stratum, value, 1)
        self._extremes.note(value, max(map(abs, matches)), len(matches))

    @property
    def mean(self) -> float:
        return self._running.estimate.mean

    @property
    def interval(self) -> Range:
        return interval_of_mean(self._running.estimate, self._extremes)


def usual_gain(reach: Range) -> float:
    """The default gain to ask for: 50, or a twentieth of how far a series reaches if that is less."""
    return min(Gains().gain1, float(f"{min(-reach[0], reach[1]) / 20:.2g}"))
