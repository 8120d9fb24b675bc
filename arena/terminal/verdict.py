"""Tells a comparison in sentences: how long it may take, what it found, and on what evidence."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

import attrs

from arena.analysis.comparison import ComparisonState, Question, ReturnsRules, left_in_words, ranges
from arena.analysis.stopping import normal
from arena.analysis.stopping.betting import fewest_series
from arena.analysis.stopping.gains import Gains
from arena.analysis.stopping.gsprt import Hypotheses, expected_series
from arena.words import counted, number, with_half

SPREAD_USUAL = 10
"""How far a series may reach ÷ the standard deviation that is assumed before any is played."""


def length_before(question: Question, rules: ReturnsRules, a_series: int, *, is_field: bool) -> str:
    """What is known of the length before any series is played; `a_series`: matches in a series."""
    most, each = question.series_max, counted(a_series, "match")
    if isinstance(question, Hypotheses):
        expected = round(max(expected_series(attrs.evolve(question, series_max=10**9), variance=0.25)))
        asked = f"{number(question.elo1, 0, '+')} Elo or {number(question.elo0, 0, '+')}"
        known = f"up to about {expected:,} series if the truth is {asked}, fewer where most series go alike"
        end = ""
    else:
        known, fewest = length_of_returns(question, rules, is_field=is_field)
        end = "; it will probably end undecided" if fewest > most else ""
    return (
        f"expected: {known}; how many it takes is said once some are played; "
        f"at most {most:,}, of {each} each{end}"
    )


def length_of_returns(question: Gains, rules: ReturnsRules, *, is_field: bool) -> tuple[str, int]:
    """What is known of the length where returns are compared, and the fewest series that it takes."""
    bounds, reach = ranges(rules, is_field=is_field)
    unit, spread = rules.unit[0] or "returns", min(-reach[0], reach[1]) / SPREAD_USUAL
    asked = f"if the truth is {number(question.gain1, question.digits, '+')} {unit}"
    if question.tails == "normal":
        apart = f"{number(spread, question.digits)} {unit} (standard deviation)"
        usual = round(normal.expected_length(question, spread))
        return f"about {usual:,} series {asked} and they differ by {apart}", normal.WATCHED
    fewest = fewest_series(question, bounds)
    return f"at least about {fewest:,} series {asked}, more the more they differ", fewest


def told(outcome: ComparisonState, question: Question) -> Iterator[str]:
    """The verdict in one sentence, the evidence for it, and what faults had to do with it."""
    if outcome.beyond:
        yield (
            f"{outcome.beyond}, which the game declares as their bounds: mend its returns or its "
            "returns_bounds; the matches are kept"
        )
    new, old = outcome.new, outcome.old
    yield _verdict(outcome, question)
    yield f"{counted(outcome.matches, 'match')} in {outcome.series:,} series: {_found(outcome, question)}"
    if outcome.verdict == "not better" and outcome.not_better_after != outcome.series:
        yield f"{outcome.not_better_after:,} series showed that, the others did not show that {new} is worse"
    if outcome.is_of_returns and not isclose(outcome.mean, outcome.new_returns.mean):
        yield f"mean returns (95 %, likewise): {_returns(outcome)}"
    if outcome.verdict is None and outcome.series_left is not None:
        yield f"it would take {left_in_words(outcome.series_left, 10**9)}"
    if outcome.spoilt:
        yield f"{outcome.spoilt:,} series left out, each with a match that was aborted"
    if outcome.new_faulty or outcome.old_faulty:
        decided = "faults decided it: " if outcome.is_by_faults else ""
        yield (
            f"{decided}{new} failed in {outcome.new_faulty:,} series, {old} in {outcome.old_faulty:,}; "
            f"the {outcome.clean_series:,} series without their faults alone give {_clean(outcome)}"
        )


def _verdict(outcome: ComparisonState, question: Question) -> str:
    """The verdict; for a game rated by returns it claims no more than the test shows."""
    new, old = outcome.new, outcome.old
    if outcome.by == "wins" and outcome.is_of_returns:
        is_better, is_worse = f"{new} wins more matches than {old}", f"{new} wins fewer matches than {old}"
        is_not = f"{new} does not win more matches than {old}"
    else:
        is_better, is_worse = f"{new} is better than {old}", f"{new} is worse than {old}"
        is_not = f"{new} is not better than {old}"
    if outcome.verdict is None:
        return f"undecided whether {is_better}."
    if isinstance(question, Hypotheses):
        gap = f"{question.elo1:g} Elo"
    else:
        gap = f"{question.gain1:g} {outcome.returns_unit}"
    assumed = ""
    if isinstance(question, Gains) and question.tails == "normal":
        assumed = ", if no rare huge loss is still unseen"
    sentences = {"better": f"{is_better}{assumed}.", "worse": f"{is_worse}{assumed}."}
    return sentences.get(outcome.verdict, f"{is_not}, or by less than {gap}{assumed}.")


def _found(outcome: ComparisonState, question: Question) -> str:
    """The estimate with its interval, and where the test stands."""
    if isinstance(question, Hypotheses):
        ends = outcome.elo, outcome.elo_low, outcome.elo_high
        elo, low, high = (number(each or 0.0, 0, "+") for each in ends)
        lower, upper = (number(each or 0.0, 2, "+") for each in (outcome.lower, outcome.upper))
        return (
            f"score {outcome.mean:.3f}, {elo} Elo (95 % if the length had been fixed: {low} to {high}); "
            f"LLR {number(outcome.llr or 0.0, 2, '+')} between {lower} and {upper}"
        )
    ends = outcome.mean, outcome.low, outcome.high
    mean, low, high = (number(each, question.digits, "+") for each in ends)
    evidence = outcome.evidence
    shares = f"better {evidence.better:.0%}, not better {evidence.not_better:.0%}, worse {evidence.worse:.0%}"
    return (
        f"{mean} {outcome.returns_unit}{', luck-adjusted' if outcome.adjusts_luck else ''} "
        f"(95 % if the length had been fixed: {low} to {high}); evidence of what each verdict takes: {shares}"
    )


def _clean(outcome: ComparisonState) -> str:
    """What the series without faults alone say, as a clause."""
    if outcome.clean_llr is not None:
        return f"LLR {number(outcome.clean_llr, 2, '+')}"
    if outcome.clean_evidence is None:
        return "no verdict either"
    return f"{outcome.clean_evidence:.0%} of the evidence that it takes"


def _returns(outcome: ComparisonState) -> str:
    """The mean returns of both: `new +120 ± 45, old −120 ± 45 bb/100`."""
    both = ((outcome.new, outcome.new_returns), (outcome.old, outcome.old_returns))
    words = [f"{bot} {with_half(won.mean, (won.high - won.low) / 2)}" for bot, won in both]
    return f"{', '.join(words)} {outcome.returns_unit}"
