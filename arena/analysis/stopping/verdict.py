"""Decides when a comparison ends and with which verdict, from the evidence for each.

Each verdict has a sequential test of its own; its evidence is a share of what the verdict takes, and from 1
on the verdict is sure.  The first test to get there decides.  After "not better" play goes on a little if
that may still show that NEW is *worse*, as it nearly always does if NEW is much worse.
"""

from __future__ import annotations

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


def check_error_rates(alpha: float, beta: float) -> None:
    """Raises ConfigError for rates with which a test could claim anything."""
    for setting, rate in (("alpha", alpha), ("beta", beta)):
        if not 0 < rate < 0.5:
            raise ConfigError(f"found {rate:g}, expected an error rate between 0 and 0.5", setting=setting)
