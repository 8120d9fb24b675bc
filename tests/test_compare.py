"""`arena compare`: which series count, what the verdict says, how it ends and goes on."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from statistics import fmean

import attrs
import pytest
from calls import call

from arena.analysis.comparison import Comparison, ReturnsRules
from arena.analysis.intervals import Extremes, interval_of_mean, of_alike
from arena.analysis.stopping.gsprt import Gsprt, Hypotheses
from arena.schedule import FORMATS, Terms
from arena.schedule.course import ClosedSeries, Course, MatchResult
from arena.terminal.verdict import told
from arena.words import with_half

QUICK = Hypotheses(elo1=200)
BOTS = '''
from arena.sdk import Bot, every


class Even(Bot):
    """Plays at random, and well enough."""

    def move(self, state, options):
        moves = list(every(options))
        if "pass" in moves:
            return "pass"
        return "challenge" if "challenge" in moves and self.rng.random() < 0.5 else self.rng.choice(moves)


class Rude(Even):
    """Says what is no move, every time."""

    def move(self, state, options):
        return "me first"


class Timid(Even):
    """Bids as high as it can, always."""

    def move(self, state, options):
        moves = list(every(options))
        return "pass" if "pass" in moves else moves[-1]
'''


def begun(hypotheses=QUICK, bots="new old", seats=2, series=60, **game):
    """A comparison that has begun, and its course."""
    rule = Comparison(hypotheses, rules=ReturnsRules(**game))
    terms = Terms(game="toy", seats=seats, series=series, seed=1, deals="same")
    course = Course(bots.split(), FORMATS["comparison"], terms, withdrawn_after=3, restarts_max=9)
    rule.begins(course)
    return rule, course


def closed(course, points_of, faults_of=lambda bot: 0, returns_of=None):
    """Every series of a course, as if all had been played; returns are the points if nothing else is said."""
    by_series = {}
    for pairing in course.order:
        points = tuple(points_of(bot, pairing) for bot in pairing.bots)
        faults = tuple(faults_of(bot) for bot in pairing.bots)
        returns = tuple((returns_of or points_of)(bot, pairing) for bot in pairing.bots)
        result = MatchResult(points=points, returns=returns, faults=faults)
        by_series.setdefault(pairing.series, []).append((pairing, result))
    return [ClosedSeries(id, matches[0][0].cycle, True, tuple(matches)) for id, matches in by_series.items()]


def test_the_score_of_a_series_is_the_mean_of_what_the_new_bot_won():
    """Two bots share the points of their matches: of one won and one lost the mean is one half."""
    rule, course = begun()
    rule.closed(closed(course, lambda bot, pairing: float(pairing.bots[0] == bot))[0])
    assert (0.5, 1, 2) == (rule.outcome.mean, rule.outcome.series, rule.outcome.matches)


def test_with_a_field_it_is_the_difference():
    """New wins 3/4 of the points of its half, old 1/4 of its: (3/4 − 1/4 + 1) / 2."""
    rule, course = begun(bots="new old x y", seats=3)
    share = {"new": 0.75, "old": 0.25}
    rule.closed(closed(course, lambda bot, pairing: share.get(bot, 0.5))[0])
    assert (0.75, 1, 6) == (rule.outcome.mean, rule.outcome.series, rule.outcome.matches)


def test_a_spoilt_series_is_left_out():
    """What a match without result was worth nobody knows."""
    rule, course = begun()
    pairings = [
        (pairing, MatchResult(points=(), returns=(0.0, 0.0), faults=(0, 0))) for pairing in course.order[:2]
    ]
    assert not rule.closed(ClosedSeries("a", 0, True, tuple(pairings)))
    assert (0, 0, 1) == (rule.outcome.series, rule.outcome.matches, rule.outcome.spoilt)


@pytest.mark.parametrize(
    ("won_by", "verdict", "sentence"),
    [
        ("new", "better", "new is better than old."),
        ("old", "worse", "new is worse than old."),
        ("either", "not better", "new is not better than old, or by less than 200 Elo."),
        ("nobody", None, "undecided whether new is better than old."),
    ],
)
def test_the_verdict_is_one_sentence(won_by, verdict, sentence):
    """It stops by itself, and what comes later changes nothing."""
    hypotheses = QUICK if verdict else Hypotheses(elo1=20, series_max=20)
    rule, course = begun(hypotheses)
    points = {"nobody": 0.5, "either": 0.5}
    stops = [
        rule.closed(series)
        for series in closed(course, lambda bot, pairing: points.get(won_by, float(bot == won_by)))
    ]
    outcome = rule.outcome
    assert (verdict, sentence) == (outcome.verdict, next(told(outcome, hypotheses)))
    assert stops.index(True) + 1 == outcome.series
    assert all(stops[outcome.series :])


@pytest.mark.parametrize(
    ("won_by", "sentence"),
    [
        ("new", "new wins more matches than old."),
        ("old", "new wins fewer matches than old."),
        ("either", "new does not win more matches than old, or by less than 200 Elo."),
        ("nobody", "undecided whether new wins more matches than old."),
    ],
)
def test_in_a_game_of_returns_the_verdict_says_no_more_than_the_test(won_by, sentence):
    """Who wins most hands and loses chips is not called better; both mean returns stand beside it."""
    hypotheses = QUICK if won_by != "nobody" else Hypotheses(elo1=20, series_max=20)
    rule, course = begun(hypotheses, rated_by="returns", unit=("bb/100", 4.0))
    points, lost = {"nobody": 0.5, "either": 0.5}, {"new": -100.0, "old": 100.0}
    for series in closed(
        course,
        lambda bot, pairing: points.get(won_by, float(bot == won_by)),
        returns_of=lambda bot, pairing: lost[bot] * (1 + pairing.cycle % 2),
    ):
        rule.closed(series)
    outcome = rule.outcome
    first, _, returns = told(outcome, hypotheses)
    assert sentence == first
    by_series = [(1 + cycle % 2) * 2 * 100.0 / 4 for cycle in range(outcome.series)]
    low, high = interval_of_mean(estimate_of(by_series), Extremes(largest=50.0))
    mean, half = sum(by_series) / len(by_series) / 2, (high - low) / 2
    both = f"new {with_half(-mean, half)}, old {with_half(mean, half)}"
    assert returns == f"mean returns (95 %, likewise): {both} bb/100"
    assert mean == pytest.approx(outcome.old_returns.mean)
    assert (low, high) == pytest.approx((outcome.old_returns.low, outcome.old_returns.high))


def estimate_of(totals):
    """Series of two matches with these sums."""
    mean = fmean(totals)
    return of_alike(len(totals), sum(totals), 2 * len(totals), sum((total - mean) ** 2 for total in totals))


def test_who_wins_by_the_faults_of_the_other_is_told_so():
    """Old fails in every series and loses; the series without faults say nothing."""
    rule, course = begun()
    for series in closed(course, lambda bot, pairing: float(bot == "new"), lambda bot: 3 * (bot == "old")):
        rule.closed(series)
    outcome = rule.outcome
    assert outcome.is_by_faults
    assert (0, outcome.series, 0) == (outcome.new_faulty, outcome.old_faulty, outcome.clean_series)
    *_, last = told(outcome, QUICK)
    assert last == (
        f"faults decided it: new failed in 0 series, old in {outcome.series}; "
        "the 0 series without their faults alone give LLR +0.00"
    )


def test_a_withdrawn_bot_has_failed_although_it_was_not_asked():
    """Its matches are played by default moves, without a fault: they say nothing of its play."""
    rule, course = begun()
    for series in closed(course, lambda bot, pairing: float(bot == "new")):
        was_out = [
            (pairing, attrs.evolve(result, withdrawn=tuple(bot == "old" for bot in pairing.bots)))
            for pairing, result in series.matches
        ]
        rule.closed(attrs.evolve(series, matches=tuple(was_out)))
    assert rule.outcome.is_by_faults
    assert (rule.outcome.series, 0) == (rule.outcome.old_faulty, rule.outcome.clean_series)


def test_faults_that_decide_nothing_are_told_without_that_word():
    """The field's faults are nobody's excuse; old's few are told, and the rest say the same."""
    rule, course = begun(series=80)
    failing = iter([1, 1, *[0] * 500])
    whole = closed(
        course, lambda bot, pairing: float(bot == "new"), lambda bot: bot == "old" and next(failing)
    )
    for series in whole:
        rule.closed(series)
    *_, last = told(rule.outcome, QUICK)
    assert not rule.outcome.is_by_faults
    assert last.startswith("new failed in 0 series, old in 1; ")
    nine = Gsprt(QUICK)
    for _ in range(9):
        nine.add(1.0)
    assert last == (
        f"new failed in 0 series, old in 1; the 9 series without their faults alone give LLR +{nine.llr:.2f}"
    )


# The command.


@pytest.fixture
def arena(tmp_path, capsys, monkeypatch):
    """`arena WORDS` in this process, in a folder with bots: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "compared.py").write_text(BOTS)
    monkeypatch.setattr(sys, "path", list(sys.path))

    yield partial(call, capsys, monkeypatch)
    sys.modules.pop("compared", None)


ASKED = ("--elo1", "200", "--seed", "5", "--rule", "dice=2", "--out", "cmp")


def rows(table):
    with Path(f"cmp/{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "old", "code", "sentence"),
    [
        ("Even", "Timid", 0, "Even is better than Timid."),
        ("Timid", "Even", 1, "Timid is not better than Even, or by less than 200 Elo."),  # of this seed
    ],
)
def test_the_exit_code_is_the_verdict(arena, new, old, code, sentence):
    """0 better, 1 not; the expected length comes first; asked again, nothing is played."""
    found, out, err = arena("compare", f"compared:{new}", f"compared:{old}", *ASKED)
    assert code == found, err
    assert out.splitlines()[0] == sentence
    assert "expected: up to about 20 series if the truth is +200 Elo or +0" in err.splitlines()[1]
    again, second, err = arena("compare", "--resume", "cmp")
    assert (code, out) == (again, second)
    assert "nothing left to play" in err
    assert (
        "played already in cmp: nothing left to play" in arena("compare", "--resume", "cmp", "--dry-run")[2]
    )


@pytest.mark.slow
def test_undecided_is_3(arena):
    """A bot against itself, in too few series to say anything."""
    code, out, _ = arena(
        "compare", "compared:Even", "compared:Even", *ASKED, "--elo1", "20", "--max-series", "12"
    )
    assert 3 == code
    assert out.startswith("undecided whether Even is better than Even-2.\n24 matches in 12 series: score 0.")
    assert (3, out) == arena("compare", "--resume", "cmp")[:2]


@pytest.mark.slow
def test_faults_are_said_to_have_decided(arena):
    """Rude never answers; that it loses says nothing of its play."""
    code, out, _ = arena("compare", "compared:Even", "compared:Rude", *ASKED)
    assert 0 == code
    assert "faults decided it: Even failed in 0 series, Rude in " in out


@pytest.mark.slow
def test_the_field_meets_both_in_the_same_seats(arena):
    """New and old never meet; each bot of the field sits as often, and where, with one as with the other."""
    words = ("compared:Even", "compared:Timid", "--field", "compared:Even", "--field", "compared:Timid")
    code, _, _ = arena("compare", *words, *ASKED, "--max-series", "10", "--json")
    assert code in (0, 1, 3)
    met = Counter((row["bot"], row["opponents"], row["seat"]) for row in rows("seats"))
    assert {bot for bot, _, _ in met} == {"Even", "Timid", "Even-2", "Timid-2"}
    for other in ("Even-2", "Timid-2"):
        assert [met[other, "Even", seat] for seat in "01"] == [met[other, "Timid", seat] for seat in "01"]
        assert met[other, "Even", "0"] > 0
    assert not met["Even", "Timid", "0"]


@pytest.mark.slow
def test_json_is_the_outcome(arena):
    """For programs: verdict, estimate, bounds, faults."""
    _, out, _ = arena("compare", "compared:Even", "compared:Timid", *ASKED, "--json")
    outcome = json.loads(out)
    assert ("better", "Even", "Timid", False) == tuple(
        outcome[key] for key in ("verdict", "new", "old", "is_by_faults")
    )
    assert outcome["llr"] >= outcome["upper"]
    assert outcome["elo_low"] < outcome["elo"] <= outcome["elo_high"]
    assert outcome["old_returns"]["low"] < outcome["old_returns"]["mean"] < outcome["new_returns"]["mean"]
    assert ("ranks", "returns") == (outcome["rated_by"], outcome["returns_unit"])


@pytest.mark.slow
def test_a_question_that_changes_while_it_runs_is_refused(arena):
    """Other error rates would make the verdict worth less than it says; a longer test is no other question."""
    short = ("compared:Even", "compared:Even", *ASKED, "--elo1", "20")
    assert 3 == arena("compare", *short, "--max-series", "10")[0]
    code, _, err = arena("compare", *short, "--alpha", "0.2")
    assert 2 == code
    assert "was compared with --alpha 0.05, not 0.2" in err
    code, _, err = arena("run", "--resume", "cmp")
    assert (2, True) == (code, "arena compare --resume" in err)
    assert 3 == arena("compare", *short, "--max-series", "14")[0]
    assert 28 == len(rows("matches"))
