"""Compares NEW with OLD, series by series: the value of each, the test over them, the effect of faults."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Literal, TypeAlias

import attrs

from arena.analysis.intervals import bound_of
from arena.analysis.live import Standings
from arena.analysis.stopping.betting import BettingTest
from arena.analysis.stopping.gains import Gains, Range
from arena.analysis.stopping.gsprt import Gsprt, Hypotheses
from arena.analysis.stopping.normal import NormalTest
from arena.analysis.stopping.verdict import Evidence, SequentialTest, Verdict
from arena.reading.units import signed
from arena.schedule.course import ClosedSeries, Course
from arena.words import counted

Question: TypeAlias = Hypotheses | Gains
"""What is asked: about matches won, or about mean returns."""


@attrs.frozen
class MeanReturns:
    """A bot's mean returns per match, with their 95 % interval as if the length had been fixed."""

    mean: float
    low: float
    high: float


@attrs.frozen
class ReturnsRules:
    """What a game declares about its returns; bounds are in returns of a seat in a match."""

    rated_by: str = "ranks"
    unit: tuple[str, float] = ("", 1.0)
    bounds: Range | None = None
    reach: Range | None = None
    """How far the returns of a match go if its rounds are independent; None: as far as the bounds."""
    adjusts_luck: bool = False
    """Whether what is compared are returns without luck: decided by the game, before any match."""

    def values(self, of: Range, *, is_field: bool) -> Range:
        """The range of a series' value, in the unit: NEW's returns, or with a field NEW's − OLD's."""
        low, high = (each / self.unit[1] for each in of)
        return (low - high, high - low) if is_field else (low, high)


@attrs.frozen
class ComparisonState:
    """The result of a comparison so far."""

    new: str
    old: str
    by: Literal["wins", "returns"]
    """What is compared: wins or returns."""
    verdict: Verdict | None
    """The verdict; None while undecided."""
    series: int
    matches: int
    mean: float
    """The mean value of a series.  By wins: NEW's points per match, or with a field (NEW's − OLD's + 1) / 2.
    By returns: what NEW won per match in `returns_unit`, or with a field NEW's − OLD's."""
    low: float
    """The lower end of the mean's 95 % interval, as if the length had been fixed."""
    high: float
    not_better_after: int | None
    """After how many series NEW was shown not to be better; later ones show whether it is worse."""
    evidence: Evidence
    """The evidence for each verdict, as a share of what the verdict takes."""
    series_left: tuple[float, float] | None
    """About how many more series it takes, at least and at most; None if not known yet, or over."""
    elo: float | None
    """NEW's lead in Elo; like the next six fields, only if wins are compared."""
    elo_low: float | None
    elo_high: float | None
    llr: float | None
    lower: float | None
    upper: float | None
    clean_llr: float | None
    spoilt: int
    """How many series are left out because one of their matches was aborted."""
    new_faulty: int
    """In how many series NEW failed at least once."""
    old_faulty: int
    clean_series: int
    clean_evidence: float | None
    """The evidence for the verdict from only the series in which neither bot failed; None if undecided."""
    rated_by: str
    """What the game is about: `ranks` or `returns`."""
    returns_unit: str
    adjusts_luck: bool
    """Whether returns are without luck."""
    new_returns: MeanReturns
    old_returns: MeanReturns
    beyond: str
    """The match whose returns beyond the game's bounds ended the comparison, in words; empty if none did."""

    @property
    def is_of_returns(self) -> bool:
        """Whether the game is about returns, so that the bot that wins more matches may still be worse."""
        return self.rated_by == "returns"

    @property
    def is_by_faults(self) -> bool:
        """Whether faults decided: series without faults provide less than half of the evidence needed."""
        return self.clean_evidence is not None and self.clean_evidence < 0.5


class Comparison:
    """A stopping rule: enough is played when the test has its verdict.  It compares the first two bots.

    `rules`: what the game declares about its returns; a question of type `Gains` needs their bounds.
    """

    def __init__(self, question: Question, *, rules: ReturnsRules | None = None) -> None:
        self.question = question
        self.rules = ReturnsRules() if rules is None else rules
        self.new = self.old = ""
        self._is_field = False
        self._forget()

    def _forget(self) -> None:
        self._test = begun_test(self.question, self.rules, is_field=self._is_field)
        self._clean = begun_test(self.question, self.rules, is_field=self._is_field)
        unit, reach = self.rules.unit, self.rules.reach
        self._returns = Standings(
            rated_by="returns", returns_unit=unit, returns_bound=reach and bound_of(reach)
        )
        self._returns.enter([self.new, self.old])
        self._matches = self._spoilt = 0
        self._faulty = {self.new: 0, self.old: 0}
        self._beyond = ""

    def begins(self, course: Course) -> None:
        """Starts with a course, or again with one: earlier series are forgotten."""
        self.new, self.old = course.names[:2]
        self._is_field = len(course.names) > 2
        self._forget()

    def goes_on(self) -> None:
        """Called once the stored series have been passed; the test need not know."""

    def closed(self, series: ClosedSeries) -> bool:
        """Adds the next series that counts; returns whether the test is over."""
        if self.is_over:
            return True
        if series.is_spoilt:
            self._spoilt += 1
            return False
        self._beyond = self._beyond_in(series)
        if self._beyond:
            return True
        faults = {self.new: 0, self.old: 0}
        for pairing, result in series.matches:
            withdrawn = result.withdrawn or (False,) * len(pairing.bots)
            for bot, failed, was_withdrawn in zip(pairing.bots, result.faults, withdrawn, strict=True):
                if bot in faults:
                    faults[bot] += failed + was_withdrawn  # it was withdrawn because of its faults
        values = self._values(series)
        self._matches += len(series.matches)
        self._returns.add(series)
        _tell(self._test, values)
        for bot, failed in faults.items():
            self._faulty[bot] += failed > 0
        if not any(faults.values()):
            _tell(self._clean, values)
        return self.is_over

    def _values(self, series: ClosedSeries) -> list[float]:
        """What each match of the series says about NEW and OLD: their difference, or if they met NEW's."""
        by_wins = isinstance(self.question, Hypotheses)
        scores: dict[str, list[float]] = {self.new: [], self.old: []}
        for pairing, result in series.matches:
            for bot, score in zip(pairing.bots, result.points if by_wins else result.returns, strict=True):
                if bot in scores:
                    scores[bot].append(score)
        pairs = zip(scores[self.new], scores[self.old], strict=True)
        if by_wins:
            return [(new - old + 1) / 2 for new, old in pairs]  # they share the points of a match: NEW's mean
        return [(new - old if self._is_field else new) / self.rules.unit[1] for new, old in pairs]

    def _beyond_in(self, series: ClosedSeries) -> str:
        """The first match with returns that the game declared impossible, in words; empty if none has."""
        bounds = self.rules.bounds
        if bounds is None or isinstance(self.question, Hypotheses):
            return ""
        slack = 1e-9 * (bounds[1] - bounds[0])
        for pairing, result in series.matches:
            if min(result.returns) < bounds[0] - slack or max(result.returns) > bounds[1] + slack:
                told = ", ".join(f"{won:,.6g}" for won in result.returns)
                return (
                    f"match {pairing.id} gave returns of {told}, beyond {bounds[0]:,.6g} to {bounds[1]:,.6g}"
                )
        return ""

    def shares(self) -> None:
        """None: all sets play equally often."""

    def state(self) -> str:
        """Where the test stands, and about how much longer it will take."""
        test = self._test
        if isinstance(self.question, Hypotheses):
            assert isinstance(test, Gsprt), "it tests hypotheses"
            low, high = signed(test.elo_low, 0), signed(test.elo_high, 0)
            found = f"{self.new} {signed(test.elo, 0)} Elo ({low} to {high})"
        else:
            digits = self.question.digits
            low, high = (signed(end, digits) for end in test.interval)
            found = f"{self.new} {signed(test.mean, digits)} {self._returns.unit} ({low} to {high})"
        shares = test.evidence
        seen = f"evidence: better {shares.better:.0%}, not better {shares.not_better:.0%}"
        left = left_in_words(test.left(), self.question.series_max - test.series)
        return "; ".join(filter(None, (seen, found, left)))

    @property
    def is_over(self) -> bool:
        return self._test.is_over or bool(self._beyond)

    @property
    def outcome(self) -> ComparisonState:
        test, clean = self._test, self._clean
        returns = {row.bot: MeanReturns(row.score, row.low, row.high) for row in self._returns.rows()}
        wins = test if isinstance(test, Gsprt) else None
        low, high = test.interval
        return ComparisonState(
            new=self.new,
            old=self.old,
            by="returns" if wins is None else "wins",
            verdict=test.verdict,
            series=test.series,
            matches=self._matches,
            mean=test.mean,
            low=low,
            high=high,
            not_better_after=test.not_better_after,
            evidence=test.evidence,
            series_left=test.left(),
            elo=None if wins is None else wins.elo,
            elo_low=None if wins is None else wins.elo_low,
            elo_high=None if wins is None else wins.elo_high,
            llr=None if wins is None else wins.llr,
            lower=None if wins is None else wins.hypotheses.lower,
            upper=None if wins is None else wins.hypotheses.upper,
            clean_llr=clean.llr if isinstance(clean, Gsprt) else None,
            spoilt=self._spoilt,
            new_faulty=self._faulty[self.new],
            old_faulty=self._faulty[self.old],
            clean_series=clean.series,
            clean_evidence=test.verdict and clean.evidence.of(test.verdict),
            rated_by=self.rules.rated_by,
            returns_unit=self._returns.unit,
            adjusts_luck=self.rules.adjusts_luck,
            new_returns=returns[self.new],
            old_returns=returns[self.old],
            beyond=self._beyond,
        )


def begun_test(question: Question, rules: ReturnsRules, *, is_field: bool) -> SequentialTest:
    """The test that answers the question, before any series."""
    if isinstance(question, Hypotheses):
        return Gsprt(question)
    bounds, reach = ranges(rules, is_field=is_field)
    if question.tails == "normal":
        return NormalTest(question, bound_of(reach))
    return BettingTest(question, bounds, bound_of(reach))


def ranges(rules: ReturnsRules, *, is_field: bool) -> tuple[Range, Range]:
    """The bounds of a series' value, and how far one goes if the rounds of a match are independent."""
    assert rules.bounds is not None, "returns are compared only where their bounds are known"
    return (
        rules.values(rules.bounds, is_field=is_field),
        rules.values(rules.reach or rules.bounds, is_field=is_field),
    )


def left_in_words(left: tuple[float, float] | None, most: int) -> str:
    """How many series are left in words, `about 40 to 90 more series`; at most `most`; empty if unknown."""
    if left is None:
        return ""
    least, longest = (max(1, round(min(end, most + 1))) for end in left)
    if least > most:
        return f"probably undecided after the {counted(most, 'series')} that are left"
    if longest > most:
        return f"about {least:,} more series, or more than the {most:,} that are left"
    return (
        f"about {least:,} more series" if least == longest else f"about {least:,} to {longest:,} more series"
    )


def _tell(test: SequentialTest, values: Sequence[float]) -> None:
    """Adds a series to a test, from the values of its matches."""
    test.add(fsum(values) / len(values), values)
