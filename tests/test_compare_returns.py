"""`arena compare` where a game is rated by returns: what is compared, what is refused, what the verdict says."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import pytest
from calls import call

from arena.analysis.comparison import Comparison, ReturnsRules
from arena.analysis.ranking import leaderboard
from arena.analysis.stopping.gains import Gains
from arena.analysis.stopping.gsprt import Hypotheses
from arena.schedule import FORMATS, Terms
from arena.schedule.course import ClosedSeries, Course, MatchResult
from arena.store import Store
from arena.terminal.verdict import length_before, told

RULES = ReturnsRules("returns", ("bb/100", 4.0), bounds=(-400.0, 400.0), reach=(-400.0, 400.0))
BOTS = '''
from arena.sdk import Bot


class Shove(Bot):
    """All its chips, in every hand: wins most hands, and loses far more in the others."""

    def move(self, state, options):
        amounts = [option["fields"]["amount"]["max"] for option in options if option["kind"] == "Bet"]
        return {"action": 1, "betAmount": max(amounts)}


class Waits(Bot):
    """Stays in with a pair, an ace or two high cards."""

    def move(self, state, options):
        ranks = sorted("23456789TJQKA".index(card[0]) for card in state["cards"]["hole"])
        least = [option["fields"]["amount"]["min"] for option in options if option["kind"] == "Bet"]
        is_good = ranks[0] == ranks[1] or ranks[1] == 12 or ranks[0] > 7
        return {"action": 1, "betAmount": min(least)} if is_good or min(least) == 0 else {"action": 0}
'''
GAMES = """


class Undeclared(Kuhn):
    name = "undeclared"
    title = "Undeclared"

    def returns_bounds(self, seats):
        return None


class Broken(Kuhn):
    name = "broken"
    title = "Broken"

    def returns_bounds(self, seats):
        return -1.0, 1.0
"""


def begun(question, bots="new old", seats=2, series=400, rules=RULES):
    """A comparison that has begun, and its course."""
    rule = Comparison(question, rules=rules)
    terms = Terms(game="toy", seats=seats, series=series, seed=1, deals="same")
    course = Course(bots.split(), FORMATS["comparison"], terms, withdrawn_after=3, restarts_max=9)
    rule.begins(course)
    return rule, course


def closed(course, returns_of, *, faults_of=lambda bot: 0):
    """Every series of a course, as if all had been played; who wins more takes the points."""
    by_series = {}
    for pairing in course.order:
        returns = tuple(returns_of(bot, pairing) for bot in pairing.bots)
        points = tuple(float(each == max(returns)) for each in returns)
        faults = tuple(faults_of(bot) for bot in pairing.bots)
        result = MatchResult(points=points, returns=returns, faults=faults)
        by_series.setdefault(pairing.series, []).append((pairing, result))
    return [ClosedSeries(id, matches[0][0].cycle, True, tuple(matches)) for id, matches in by_series.items()]


def outcome_of(question, returns_of, **begins):
    """What came of it, and the first series after which it was over."""
    rule, course = begun(question, **begins)
    over = [rule.closed(series) for series in closed(course, returns_of)]
    return rule.outcome, over.index(True) + 1 if any(over) else None


def rare_loss(bot, pairing):
    """New wins 4 chips in nine series of ten, and loses 200 in the tenth: 16.4 a match fewer than nothing."""
    new = -200.0 if pairing.cycle % 10 == 6 else 4.0
    return new if bot == "new" else -new


def test_who_wins_more_matches_and_less_is_worse():
    """The same series by both questions: nine in ten won, and a mean of −16.4 chips, −4.1 bb/100."""
    by_wins, _ = outcome_of(Hypotheses(elo1=100), rare_loss)
    by_returns, _ = outcome_of(Gains(gain1=2.0), rare_loss)
    assert ("better", "wins") == (by_wins.verdict, by_wins.by)
    assert ("worse", "returns") == (by_returns.verdict, by_returns.by)
    assert by_returns.new_returns.mean == by_returns.mean == pytest.approx(-4.1, abs=0.6)
    assert "new wins more matches than old." == next(told(by_wins, Hypotheses(elo1=100)))
    first, second = told(by_returns, Gains(gain1=2.0))
    assert "new is worse than old." == first
    assert second.startswith(
        f"{by_returns.matches} matches in {by_returns.series} series: −4.2 bb/100 (95 % if the"
    )


@pytest.mark.parametrize(
    ("gain", "verdict", "sentence"),
    [
        (60.0, "better", "new is better than old."),
        (-60.0, "worse", "new is worse than old."),
        (0.0, "not better", "new is not better than old, or by less than 10 bb/100."),
    ],
)
def test_the_verdict_is_one_sentence(gain, verdict, sentence):
    """It stops by itself, and what comes later changes nothing; all ties are not better."""
    outcome, over = outcome_of(Gains(gain1=10.0), lambda bot, pairing: gain if bot == "new" else -gain)
    assert (verdict, sentence) == (outcome.verdict, next(told(outcome, Gains(gain1=10.0))))
    assert over == outcome.series < 400
    assert gain / 4 == outcome.mean


def test_series_after_not_better_are_told():
    """New loses clearly, and then wins again: what was shown stays shown, and where it was is said."""
    asked = Gains(gain1=10.0)
    lost = lambda bot, pairing: -60.0 if bot == "new" else 60.0  # noqa: E731 - beside its use
    shown = outcome_of(asked, lost)[0].not_better_after
    turns = lambda bot, pairing: (1.0 if pairing.cycle < shown else -1.0) * lost(bot, pairing)  # noqa: E731
    outcome, _ = outcome_of(asked, turns)
    assert ("not better", shown) == (outcome.verdict, outcome.not_better_after)
    assert outcome.series > shown
    third = [*told(outcome, asked)][2]
    assert f"{shown} series showed that, the others did not show that new is worse" == third


def test_one_series_is_undecided():
    """Neither a verdict nor a length."""
    outcome, over = outcome_of(Gains(gain1=10.0), lambda bot, pairing: 0.0, series=1)
    assert (None, None, 1, None) == (outcome.verdict, over, outcome.series, outcome.series_left)
    assert "undecided whether new is better than old." == next(told(outcome, Gains(gain1=10.0)))


def test_with_a_field_it_is_the_difference_and_reaches_twice_as_far():
    """New wins 8 chips a match of its half, old 2 of its: 6 ÷ 4; the bounds are those of both together."""
    rule, course = begun(Gains(gain1=10.0), bots="new old x y", seats=3, rules=RULES)
    won = {"new": 8.0, "old": 2.0}
    rule.closed(closed(course, lambda bot, pairing: won.get(bot, -5.0))[0])
    assert (1.5, 1, 6) == (rule.outcome.mean, rule.outcome.series, rule.outcome.matches)
    assert (-200.0, 200.0) == RULES.values(RULES.bounds, is_field=True)
    normal = Gains(gain1=10.0, tails="normal")
    head, field = (length_before(normal, RULES, 2, is_field=each) for each in (False, True))
    assert "they differ by 10 bb/100" in head
    assert "they differ by 20 bb/100" in field


def test_a_withdrawn_bot_and_faults_are_told():
    """Old fails in every series: what the others say alone is no verdict."""
    rule, course = begun(Gains(gain1=10.0))
    for series in closed(
        course, lambda bot, pairing: 60.0 if bot == "new" else -60.0, faults_of=lambda bot: bot == "old"
    ):
        rule.closed(series)
    outcome = rule.outcome
    assert outcome.is_by_faults
    *_, last = told(outcome, Gains(gain1=10.0))
    assert last == (
        f"faults decided it: new failed in 0 series, old in {outcome.series}; "
        "the 0 series without their faults alone give 0% of the evidence that it takes"
    )


def test_a_spoilt_series_is_left_out():
    """What a match without result was worth nobody knows."""
    rule, course = begun(Gains(gain1=10.0))
    none = [
        (pairing, MatchResult(points=(), returns=(0.0, 0.0), faults=(0, 0))) for pairing in course.order[:2]
    ]
    assert not rule.closed(ClosedSeries("a", 0, True, tuple(none)))
    assert (0, 1) == (rule.outcome.series, rule.outcome.spoilt)


def test_returns_beyond_the_bounds_end_it_without_a_verdict():
    """A game that breaks its promise breaks the test's: it stops there, names the match, and counts nothing of it."""
    outcome, over = outcome_of(
        Gains(gain1=10.0), lambda bot, pairing: (401.0 if bot == "new" else -401.0) * (pairing.cycle == 3)
    )
    assert (4, 3, None) == (over, outcome.series, outcome.verdict)
    first, second, *_ = told(outcome, Gains(gain1=10.0))
    assert "beyond -400 to 400, which the game declares as their bounds: mend its returns or its" in first
    assert second == "undecided whether new is better than old."


def test_the_length_is_told_as_it_is_known():
    """At least so many before play; nothing after a few series; then from how they are; and that it may not end."""
    before = length_before(Gains(gain1=10.0), RULES, 2, is_field=False)
    assert "expected: at least about 39 series if the truth is +10 bb/100" in before
    assert "how many it takes is said once some are played; at most 5,000, of 2 matches each" in before
    assert before.endswith("each")
    assert length_before(Gains(gain1=0.01), RULES, 2, is_field=False).endswith(
        "it will probably end undecided"
    )
    rule, course = begun(Gains(gain1=10.0, series_max=60))
    played = closed(
        course, lambda bot, pairing: (100.0 if pairing.cycle % 2 else -60.0) * (1 if bot == "new" else -1)
    )
    for series in played[:5]:
        rule.closed(series)
    assert "more series" not in rule.state()
    assert rule.state().startswith("evidence: better ")
    for series in played[5:40]:
        rule.closed(series)
    assert "more series" in rule.state() or "probably undecided" in rule.state()
    for series in played[40:]:
        rule.closed(series)
    assert rule.outcome.verdict is None


# The command.


@pytest.fixture
def arena(tmp_path, capsys, monkeypatch):
    """`arena WORDS` in this process, in a folder with bots and games: exit code, standard output, error."""
    kuhn = Path(__file__).parent.parent / "examples" / "kuhn.py"
    monkeypatch.chdir(tmp_path)
    Path("shoving.py").write_text(BOTS)
    Path("kuhn.py").write_text(kuhn.read_text())
    Path("declared.py").write_text(kuhn.read_text() + GAMES)
    monkeypatch.setattr(sys, "path", list(sys.path))

    yield partial(call, capsys, monkeypatch)
    for name in ("shoving", "kuhn", "declared"):
        sys.modules.pop(name, None)


HOLDEM = ("--game", "holdem", "--rule", "hands=1", "--seed", "1")
KUHN = ("--game", "kuhn.py", "random", "other=random", "--seed", "1")


@pytest.mark.nightly
@pytest.mark.slow
def test_a_shoving_bot_is_worse_as_the_leaderboard_has_it(arena):
    """It wins most of its one-hand matches and loses chips: compare and the leaderboard agree, wins do not."""
    asked = ("shoving:Shove", "shoving:Waits", *HOLDEM, "--gain1", "100")
    code, out, err = arena("compare", *asked, "--out", "cmp")
    assert (1, "Shove is worse than Waits.") == (code, out.splitlines()[0])
    assert "is Shove better than Waits at No-Limit Hold'em?" in err
    with Store.open(Path("cmp")) as store:
        assert ["Waits", "Shove"] == [row.bot for row in leaderboard(store).rows]
    assert (code, out) == arena("compare", "--resume", "cmp")[:2]
    wins = ("shoving:Shove", "shoving:Waits", *HOLDEM, "--by", "wins", "--elo1", "100", "--out", "wins")
    code, out, err = arena("compare", *wins)
    assert (0, "Shove wins more matches than Waits.") == (code, out.splitlines()[0])
    assert "does Shove win more matches than Waits at No-Limit Hold'em? (returns are not compared)" in err
    assert "mean returns (95 %, likewise): Shove −" in out


@pytest.mark.slow
def test_the_folder_remembers_the_question(arena):
    """Returns or wins, gains and tails: another question is refused, the same goes on; JSON has all of it."""
    arena("compare", *KUHN, "--gain1", "1", "--max-series", "12", "--out", "cmp")
    for other, said in (
        (("--by", "wins"), "was compared with --by returns, not wins"),
        (("--gain1", "0.5"), "was compared with --gain1 1.0, not 0.5"),
        (("--gain1", "1", "--tails", "normal"), "was compared with --tails any, not normal"),
    ):
        code, _, err = arena("compare", *KUHN, *other, "--max-series", "12", "--out", "cmp")
        assert (2, True) == (code, said in err), err
    code, out, _ = arena("compare", "--resume", "cmp", "--json")
    outcome = json.loads(out)
    asked = {"by": "returns", "gain0": 0.0, "gain1": 1.0, "alpha": 0.05, "beta": 0.05}
    assert {**asked, "series_max": 12, "tails": "any"} == outcome["question"]
    assert ("returns", "chips", None) == (outcome["by"], outcome["returns_unit"], outcome["llr"])
    assert {"better", "not_better", "worse"} == set(outcome["evidence"])


@pytest.mark.slow
def test_an_undeclared_game_is_compared_by_wins_and_says_why(arena):
    """Without bounds no test of returns keeps its errors."""
    words = ("--game", "declared.py:Undeclared", "random", "other=random", "--max-series", "10")
    code, out, err = arena("compare", *words, "--out", "cmp")
    assert "does random win more matches than other at Undeclared? (returns are not compared: the game" in err
    assert out.startswith("undecided whether random wins more matches than other.")
    assert 3 == code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--game", "kuhn.py", "random", "other=random"),
            "truth is +0.10 chips, more the more they differ",
        ),
        (
            ("--game", "holdem", "random", "equity", "--rule", "reset_stacks=false"),
            "truth is +0.050 stacks, more the more they differ",
        ),
        (("--game", "holdem", "random", "equity"), "at least about 3,335 series if the truth is +50 bb/100"),
        (
            ("--game", "holdem", "random", "equity", "--tails", "normal"),
            "about 530 series if the truth is +50 bb/100 and they differ by 500 bb/100 (standard deviation)",
        ),
    ],
    ids=lambda words: words if isinstance(words, str) else words[1],
)
def test_what_is_asked_without_a_word_fits_the_game(arena, words, said):
    """50 of its unit where a match may come to a thousand, and little where it may come to two."""
    code, _, err = arena("compare", *words, "--dry-run")
    assert (0, True) == (code, said in err), err


@pytest.mark.slow
def test_a_game_that_breaks_its_bounds_is_told_so(arena):
    """One sentence, the exit code of broken rules, and every match that was played is kept."""
    words = ("--game", "declared.py:Broken", "random", "other=random", "--gain1", "0.5", "--seed", "1")
    code, out, err = arena("compare", *words, "--out", "cmp")
    assert 70 == code
    assert out.splitlines()[0].startswith("match other+random") or out.startswith("match ")
    assert "beyond -1 to 1, which the game declares as their bounds" in out.splitlines()[0]
    assert "Traceback" not in out + err
    assert (70, out) == arena("compare", "--resume", "cmp")[:2]
