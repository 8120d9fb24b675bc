"""Decides when a comparison ends and with which verdict, from the evidence for each.

Each verdict has a sequential test of its own; its evidence is a share of what the verdict takes, and from 1
on the verdict is sure.  The first test to get there decides.  After "not better" play goes on a little if
that may still show that NEW is *worse*, as it nearly always does if NEW is much worse.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import log
from typing import Literal, TypeAlias

import attrs

from arena.errors import ConfigError

Verdict: TypeAlias = Literal["better", "not better", "worse"]

NEARLY_WORSE = 0.5
"""The share of the evidence for "worse" from which on "not better" waits for it."""

WAIT = 2
"""How long it waits, as a multiple of the series that "not better" took: evidence grows as it did."""


@attrs.frozen
class Evidence:
    """How much evidence there is for each verdict, as a share of what it takes; never negative."""

    better: float = 0.0
    not_better: float = 0.0
    worse: float = 0.0

    def of(self, verdict: Verdict) -> float:
        return {"better": self.better, "not better": self.not_better, "worse": self.worse}[verdict]


@attrs.define
class Judgement:
    """The verdict, once there is one."""

    verdict: Verdict | None = None
    """The verdict; None while undecided."""
    not_better_after: int | None = None
    """After how many series NEW was shown not to be better; later ones show whether it is worse."""

    def weigh(self, evidence: Evidence, series: int, *, is_last: bool = False) -> None:
        """Decides if it can; called after each series, in schedule order, until there is a verdict."""
        if self.not_better_after is None:
            self.verdict = _first_of(evidence)
            if self.verdict != "not better":
                return
            self.not_better_after = series
        may_wait = series < WAIT * self.not_better_after and not is_last
        if evidence.worse >= 1:
            self.verdict = "worse"
        else:
            self.verdict = None if evidence.worse >= NEARLY_WORSE and may_wait else "not better"


def _first_of(evidence: Evidence) -> Verdict | None:
    if evidence.better >= 1:
        return "better"
    if evidence.worse >= 1:
        return "worse"
    return "not better" if evidence.not_better >= 1 else None


@attrs.frozen(kw_only=True)
class ErrorRates:
    """How often each error of a comparison may happen, and how long it may last."""

    alpha: float = 0.05
    """How often the verdict may be "better" if the truth is the lower value that was asked about, or less."""
    beta: float = 0.05
    """How often the verdict may be "not better" if the truth is the upper value, or more."""
    series_max: int = 5000
    """After how many series the test ends without a verdict."""

    def check_rates(self, series_least: int) -> None:
        """Raises ConfigError for rates with which a test could claim anything, or too few series."""
        for setting, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                why = f"found {rate:g}, expected an error rate between 0 and 0.5"
                raise ConfigError(why, setting=setting)
        if self.series_max < series_least:
            why = f"found {self.series_max}, expected at least {series_least}"
            raise ConfigError(why, setting="max_series")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which it is "not better"; Wald's bound."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which it is "better"; Wald's bound."""
        return log((1 - self.beta) / self.alpha)


class SequentialTest(ABC):
    """A test in progress, to which the value of each closed series is added in schedule order.

    Series after its end are not counted, so that its result does not depend on how many were played at once.
    """

    def __init__(self, rates: ErrorRates, series_least: int) -> None:
        """`series_least`: with fewer series it has no verdict."""
        self._rates, self._series_least = rates, series_least
        self._judgement = Judgement()
        self.values: list[float] = []

    def add(self, value: float, matches: Sequence[float] = ()) -> None:
        """Counts one more closed series, unless the test is over; `matches`: its values, match by match."""
        if self.is_over:
            return
        self.values.append(value)
        self._take(value, matches or (value,))
        if self.series >= self._series_least:
            is_last = self.series >= self._rates.series_max
            self._judgement.weigh(self.evidence, self.series, is_last=is_last)

    @abstractmethod
    def _take(self, value: float, matches: Sequence[float]) -> None:
        """Takes the value of one more series into account."""

    @property
    @abstractmethod
    def evidence(self) -> Evidence:
        """The evidence for each verdict, as a share of what it takes."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """The mean value of a series."""

    @property
    @abstractmethod
    def interval(self) -> tuple[float, float]:
        """The leaderboard's 95 % interval of the mean, as if the number of series had been fixed."""

    @abstractmethod
    def left(self) -> tuple[float, float] | None:
        """About how many more series like these it takes, at least and at most; None if unknown."""

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
        return self.verdict is not None or self.series >= self._rates.series_max

    @property
    def series(self) -> int:
        """How many series count."""
        return len(self.values)
