"""NEW against OLD, series by series: the score of each, the test over them, the effect of faults."""

from __future__ import annotations

from math import fsum

import attrs

from arena.analysis.gsprt import Gsprt, Hypotheses, Verdict
from arena.analysis.live import Standings
from arena.schedule.course import ClosedSeries, Course
from arena.units import signed


@attrs.frozen
class MeanReturns:
    """A bot's mean returns per match, with their 95 % interval as if the length had been fixed."""

    mean: float
    low: float
    high: float


@attrs.frozen
class ComparisonState:
    """The result of a comparison so far."""

    new: str
    old: str
    verdict: Verdict | None
    """None: undecided."""
    series: int
    matches: int
    mean: float
    """Score of a series: NEW's points per match; with a field (NEW's − OLD's + 1) / 2."""
    elo: float
    elo_low: float
    elo_high: float
    llr: float
    lower: float
    upper: float
    spoilt: int
    """Series left out because one of their matches was aborted."""
    new_faulty: int
    """Series in which NEW failed at least once."""
    old_faulty: int
    clean_llr: float
    """The test over only those series in which neither bot failed."""
    clean_series: int
    rated_by: str
    """`ranks` or `returns`; the test is over matches won in both."""
    returns_unit: str
    new_returns: MeanReturns
    old_returns: MeanReturns

    @property
    def is_of_returns(self) -> bool:
        """Whether the game is about returns, so that who wins more matches may still be the worse one."""
        return self.rated_by == "returns"

    @property
    def is_by_faults(self) -> bool:
        """Whether faults decided: the series without faults give less than half of the evidence needed."""
        bound = {"better": self.upper, "not better": self.lower, None: None}[self.verdict]
        return bound is not None and self.clean_llr / bound < 0.5


class Comparison:
    """A stopping rule: enough is played when the test has its verdict.  It compares the first two bots.

    `rated_by` and `returns_unit` are those of the game; the test does not depend on them.
    """

    def __init__(
        self,
        hypotheses: Hypotheses,
        *,
        rated_by: str = "ranks",
        returns_unit: tuple[str, float] = ("", 1.0),
    ) -> None:
        self.hypotheses = hypotheses
        self._rated_by, self._returns_unit = rated_by, returns_unit
        self.new = self.old = ""
        self._forget()

    def _forget(self) -> None:
        self._test, self._clean = Gsprt(self.hypotheses), Gsprt(self.hypotheses)
        self._returns = Standings(rated_by="returns", returns_unit=self._returns_unit)
        self._returns.enter([self.new, self.old])
        self._matches = self._spoilt = 0
        self._faulty = {self.new: 0, self.old: 0}

    def begins(self, course: Course) -> None:
        """A course begins, or begins again: earlier series are forgotten."""
        self.new, self.old = course.names[:2]
        self._forget()

    def goes_on(self) -> None:
        """The stored series have been given; the test need not know."""

    def closed(self, series: ClosedSeries) -> bool:
        """Adds the next series that counts; returns whether the test is over."""
        if self._test.is_over:
            return True
        if series.is_spoilt:
            self._spoilt += 1
            return False
        points: dict[str, list[float]] = {self.new: [], self.old: []}
        faults = {self.new: 0, self.old: 0}
        for pairing, result in series.matches:
            withdrawn = result.withdrawn or (False,) * len(pairing.bots)
            rows = zip(pairing.bots, result.points, result.faults, withdrawn, strict=True)
            for bot, won, failed, was_withdrawn in rows:
                if bot in points:
                    points[bot].append(won)
                    faults[bot] += failed + was_withdrawn  # its faults are why it does not play any more
        means = {bot: fsum(won) / len(won) for bot, won in points.items()}
        score = (
            means[self.new] - means[self.old] + 1
        ) / 2  # without a field they share the points: NEW's mean
        self._matches += len(series.matches)
        self._returns.add(series)
        self._test.add(min(1.0, max(0.0, score)))
        for bot, failed in faults.items():
            self._faulty[bot] += failed > 0
        if not any(faults.values()):
            self._clean.add(min(1.0, max(0.0, score)))
        return self._test.is_over

    def state(self) -> str:
        """Where the likelihood ratio stands between its bounds."""
        test, bounds = self._test, self.hypotheses
        low, high = signed(test.elo_low, 0), signed(test.elo_high, 0)
        return (
            f"LLR {signed(test.llr)}, ends at {signed(bounds.lower)} or {signed(bounds.upper)}; "
            f"{self.new} {signed(test.elo, 0)} Elo ({low} to {high})"
        )

    @property
    def is_over(self) -> bool:
        return self._test.is_over

    @property
    def outcome(self) -> ComparisonState:
        test = self._test
        returns = {row.bot: MeanReturns(row.score, row.low, row.high) for row in self._returns.rows()}
        return ComparisonState(
            new=self.new,
            old=self.old,
            verdict=test.verdict,
            series=test.series,
            matches=self._matches,
            mean=test.mean,
            elo=test.elo,
            elo_low=test.elo_low,
            elo_high=test.elo_high,
            llr=test.llr,
            lower=self.hypotheses.lower,
            upper=self.hypotheses.upper,
            spoilt=self._spoilt,
            new_faulty=self._faulty[self.new],
            old_faulty=self._faulty[self.old],
            clean_llr=self._clean.llr,
            clean_series=self._clean.series,
            rated_by=self._rated_by,
            returns_unit=self._returns.unit,
            new_returns=returns[self.new],
            old_returns=returns[self.old],
        )
