"""The goals of `--until`, and its first rule: the declared error rate holds over the looks of a plan."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import norm, t

from arena.analysis.stopping.mixture import Mixture
from arena.analysis.stopping.obrien_fleming import ObrienFleming
from arena.analysis.stopping.until import CYCLES_MIN, RULE, RULES, Goal, Until, parse_goal
from arena.analysis.student import as_normal
from arena.errors import ConfigError

# the goal


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("top 3 at 95%", Goal(3, 0.95)),
        ("top 1 at 99 %", Goal(1, 0.99)),
        ("best at 95%", Goal(1, 0.95)),
        ("  Top  12 at 99.99% ", Goal(12, 0.9999)),
        ("best at 50%", Goal(1, 0.5)),
    ],
)
def test_a_goal(text, goal):
    """As people say it; it says itself so that it is read back."""
    found = parse_goal(text)
    assert (found.top, found.confidence) == (goal.top, pytest.approx(goal.confidence))
    assert parse_goal(str(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "top",
        "top 0 at 95%",
        "top three at 95%",
        "top 3 at 100%",
        "top 3 at 49%",
        "top 3",
        "best at 95",
        "top -1 at 95%",
        "order at 95%",
    ],
)
def test_what_is_no_goal(text):
    """One sentence: what was found, and what would be right."""
    with pytest.raises(ConfigError) as caught:
        parse_goal(text)
    assert str(caught.value) == (
        f'--until: found "{text}", expected a goal such as "top 3 at 95%" or "best at 99%" (from 50% to 99.99%)'
    )


@pytest.mark.parametrize("rule", RULES.values())
@pytest.mark.parametrize("top", [3, 4])
def test_all_bots_are_no_leaders(top, rule):
    """The top three of three bots need no tournament."""
    with pytest.raises(ConfigError) as caught:
        rule(Goal(top, 0.95), ["ann", "bob", "cat"], 100)
    assert str(caught.value) == f"--until: found top {top} of 3 bots, expected fewer than all"


def test_the_rules_by_number():
    """A folder keeps the number: what stands under it never changes."""
    assert (RULES[1], RULES[2], RULE) == (ObrienFleming, Mixture, 2)
    assert (RULES[1].has_horizon, RULES[2].has_horizon) == (True, False)


# what it makes of series


def duel(until: Until, *sums: float) -> Until:
    """Cycles of one series of two matches between a and b; a's sums are given, of 2 points."""
    for won in sums:
        until.add({"a": (won, 2), "b": (2 - won, 2)})
        until.look()
    return until


def test_the_margin_of_two_bots():
    """By hand: a's sums of 2, 1, 2, 2, 0, 1 have mean 4/3 and variance 2/3, so its points less b's have
    mean 1/3 and variance of the mean 2/3 / 6, and one series at either extreme adds 2 · (2 / 12)²."""
    until = duel(ObrienFleming(Goal(1, 0.99), "ab", 10), 2, 1, 2, 2, 0, 1)
    student = (1 / 3) / sqrt(2 / 3 / 6 + 2 * (2 / 12) ** 2)
    assert until.leaders == ("a",)
    assert until.margin == pytest.approx(norm.isf(t.sf(student, 5)), abs=2e-3)
    assert until.sureness == pytest.approx(max(0, 1 - 2 * norm.sf(until.margin * sqrt(6 / 10))))


def test_the_spread_between_opponents_is_no_error():
    """Ann beats cat always and draws with bob: each set's series are alike, so only what is unseen is uncertain."""
    until = ObrienFleming(Goal(1, 0.999), ["ann", "bob", "cat"], 100)
    for _ in range(6):
        until.add({"ann": (1, 2), "bob": (1, 2)})
        until.add({"ann": (2, 2), "cat": (0, 2)})
        until.add({"bob": (1, 2), "cat": (1, 2)})
        until.look()
    student = 0.25 / sqrt(2 * (2 / 24) ** 2)
    assert until.margin == pytest.approx(float(as_normal(np.array(student), np.array(5.0))))


def variance_of_difference(series, first, second) -> float:
    """That of two bots' mean scores, by numpy from each set's series apart."""
    matches = {bot: sum(one[bot][1] for one in series if bot in one) for bot in (first, second)}
    total = 0.0
    for bots in {tuple(one) for one in series}:
        sign = {first: 1, second: -1}
        own = [
            sum(sign.get(bot, 0) * one[bot][0] / matches[bot] for bot in bots if bot in matches)
            for one in series
            if tuple(one) == bots
        ]
        total += len(own) * np.var(own, ddof=1)
    return total


def test_the_margin_of_bots_that_share_some_series():
    """Three of four bots at a table: what two bots did in the same series is taken together.

    The degrees of freedom are between a set's and all sets' together, which bounds the margin from both sides.
    """
    rng = np.random.default_rng(2)
    until, series = ObrienFleming(Goal(1, 0.9999), "abcd", 50), []
    for _ in range(20):
        for bots in combinations("abcd", 3):
            skill = [2.0 if bot == "a" else 0.0 for bot in bots]
            series.append(
                {bot: (float(value), 3) for bot, value in zip(bots, rng.normal(skill), strict=True)}
            )
            until.add(series[-1])
        until.look()
    means = {bot: sum(one[bot][0] for one in series if bot in one) / 180 for bot in "abcd"}
    every = [one[bot][0] / 3 for one in series for bot in one]
    unseen = 2 * ((max(every) - min(every)) * 3 / 180) ** 2
    students = [
        (means["a"] - means[bot]) / sqrt(variance_of_difference(series, "a", bot) + unseen) for bot in "bcd"
    ]
    low, high = (min(norm.isf(t.sf(student, freedom)) for student in students) for freedom in (19, 76))
    assert low - 0.02 < until.margin < high


def test_returns_in_any_unit():
    """Chips, hundreds of chips, or chips less a thousand: the same sureness."""
    scores = [3, -1, 2, 2, 5, 0, 4, 1]
    plain, hundreds, shifted = (ObrienFleming(Goal(1, 0.999), "ab", 20) for _ in range(3))
    for score in scores:
        plain.add({"a": (score, 2), "b": (-score, 2)})
        hundreds.add({"a": (score / 100, 2), "b": (-score / 100, 2)})
        shifted.add({"a": (score - 2000, 2), "b": (-score - 2000, 2)})
        assert plain.look() == hundreds.look() == shifted.look() is False
    assert plain.sureness > 0.3
    assert [hundreds.sureness, shifted.sureness] == pytest.approx([plain.sureness] * 2)


def test_series_that_come_once_to_a_set():
    """Where no set meets twice, each series counts with its distance from what its bots do on the whole."""
    rng, until, series = np.random.default_rng(4), ObrienFleming(Goal(1, 0.9999), "abcdef", 5), []
    for cycle in range(5):  # the circle method: in five cycles each of six bots meets each other once
        ring = "a" + "".join("bcdef"[(place + cycle) % 5] for place in range(5))
        for first, second in zip(ring[:3], ring[:2:-1], strict=True):
            won = 2.0 if first == "a" else float(rng.integers(3))
            series.append({first: (won, 2), second: (2 - won, 2)})
            until.add(series[-1])
        until.look()
    assert len({frozenset(one) for one in series}) == 15
    means = {bot: sum(one[bot][0] for one in series if bot in one) / 10 for bot in "abcdef"}
    students, freedoms = [], []
    for other in "bcdef":
        sign = {"a": 1, other: -1}
        shares = [
            sum(sign.get(bot, 0) * (one[bot][0] - 2 * means[bot]) / 10 for bot in one) ** 2 for one in series
        ]
        students.append((means["a"] - means[other]) / sqrt(sum(shares) + 2 * (2 / 10) ** 2))
        freedoms.append(sum(shares) ** 2 / sum(share**2 for share in shares))
    assert until.leaders == ("a",)
    assert until.margin == pytest.approx(as_normal(np.array(students), np.array(freedoms)).min())


@pytest.mark.parametrize("freedom", [1, 4, 9.5, 30, 200, 5000])
def test_student_s_t_as_a_normal_deviate(freedom):
    """As unlikely as scipy says to 0.01, and beyond t = 2 never a bit less likely than it is."""
    student = np.linspace(-2, 2, 41)
    exact = norm.isf(t.sf(student, freedom))
    assert as_normal(student, np.float64(freedom)) == pytest.approx(exact, abs=0.01)
    far = np.linspace(2, 12, 41)
    assert (as_normal(far, np.float64(freedom)) <= norm.isf(t.sf(far, freedom)) + 1e-9).all()


# the course of a schedule


def test_no_look_before_five_cycles():
    """Whatever the first cycles say: there is no sureness, no leader, and no time left to be told."""
    until = duel(ObrienFleming(Goal(1, 0.5), "ab", 6), *[2, 2, 2, 2])
    assert (until.settled, until.sureness, until.leaders, until.cycles_left()) == (False, 0.0, (), None)
    assert CYCLES_MIN == 5
    assert duel(until, 2).settled


def test_settled_is_settled():
    """Nothing that comes later changes what was declared, or how sure it was."""
    until = duel(ObrienFleming(Goal(1, 0.95), "ab", 100), *[2] * 30)
    assert (until.settled, until.leaders, until.cycles_left()) == (True, ("a",), 0.0)
    before = until.cycles, until.sureness, until.margin
    duel(until, *[0] * 70)
    assert until.look() is True
    assert (until.leaders, until.cycles, until.sureness, until.margin) == (("a",), *before)


def test_bots_that_are_always_even_are_never_told_apart():
    """All draws: no sureness, no estimate, no NaN."""
    until = duel(ObrienFleming(Goal(1, 0.5), "ab", 50), *[1] * 50)
    assert (until.settled, until.sureness, until.margin, until.cycles_left()) == (False, 0.0, 0.0, None)


def test_past_the_plan_nothing_is_declared():
    """The errors are spent by then; a run that goes on may not look again."""
    until = duel(ObrienFleming(Goal(1, 0.99), "ab", 10), *[2, 0] * 5)
    assert until.cycles == 10
    assert duel(until, *[2] * 200).settled is False


def test_a_series_without_matches_says_nothing():
    """Neither of a bot that has no match in it nor of a whole series."""
    plain, empty = (ObrienFleming(Goal(1, 0.99), "abc", 20) for _ in range(2))
    for cycle in range(8):
        for bots in ("ab", "ac", "bc"):
            one = {bots[0]: (2 - cycle % 2, 2), bots[1]: (cycle % 2, 2)}
            plain.add(one)
            empty.add({**one, **dict.fromkeys(set("abc") - set(bots), (0, 0))})
            empty.add({"a": (0, 0), "b": (0, 0)})
        plain.look()
        empty.look()
    assert (empty.sureness, empty.margin) == (plain.sureness, plain.margin)
    assert plain.margin > 0


def test_a_bot_that_has_not_played_settles_nothing():
    """Its mean is unknown, so that it may be the best."""
    until = duel(ObrienFleming(Goal(1, 0.5), "abc", 20), *[2] * 20)
    assert (until.settled, until.sureness) == (False, 0.0)


def test_alike_is_not_certain():
    """By hand, all of k series won: t = k / √2.  Coins that always fell alike are no proof of 99.99 % by the fifth."""
    until = ObrienFleming(Goal(1, 0.9999), "ab", 1000)
    duel(until, *[2] * 5)
    assert until.margin == pytest.approx(float(as_normal(np.array(5 / sqrt(2)), np.array(4.0))))
    cycles = 5
    while not duel(until, 2).settled:
        cycles += 1
    assert 2.0**-cycles < 0.0001 / 2, "two even coins err less than promised"


def test_the_time_left_is_foreseen():
    """A steady lead: from half way on, what is said to be left is what is left, within a tenth of the whole."""
    wins = [2, 1, 1, 0, 2, 1, 2, 1] * 50
    until, said = ObrienFleming(Goal(1, 0.95), "ab", 400), {}
    for won in wins:
        duel(until, won)
        if until.settled:
            break
        said[until.cycles] = until.cycles_left()
    assert 40 < until.cycles < 360
    for cycle in range(until.cycles // 2, until.cycles):
        assert cycle + said[cycle] == pytest.approx(until.cycles, rel=0.1)


def test_the_time_left_by_hand():
    """With the margin growing with √cycles, the sureness after the cycles left is that of the goal."""
    until = ObrienFleming(Goal(1, 0.95), "abc", 200)
    for cycle in range(20):
        for other in "bc":
            until.add({"a": (2 - cycle % 2, 2), other: (cycle % 2, 2)})
        until.add({"b": (1, 2), "c": (1, 2)})
        until.look()
    left = until.cycles_left()
    assert left is not None
    margin = until.margin * sqrt((20 + left) / 20)
    assert 2 * 2 * norm.sf(margin * sqrt((20 + left) / 200)) == pytest.approx(0.05)


def test_what_the_schedule_does_not_hold_is_not_foreseen():
    """A lead too small for the plan has no time left: None."""
    until = duel(ObrienFleming(Goal(1, 0.99), "ab", 30), *[2, 0, 2, 0, 1, 1, 2, 1, 0, 2])
    assert until.leaders == ("a",)
    assert until.margin > 0
    assert until.cycles_left() is None


# error rates and power, by simulation


def simulate(until: Until, skills, seats, rng, *, alike, cycles_max=None) -> Until:
    """A round-robin of bots b0, b1, … until it is settled or over.

    A bot does its skill plus normal luck, of which `alike` is the share that the matches of a series
    have in common; points are the share of opponents it was better than.
    """
    sets, skills = np.array(list(combinations(range(len(skills)), seats))), np.array(skills)
    for _ in range(cycles_max or until.cycles_planned):
        shared = rng.normal(size=(len(sets), 1, seats)) * sqrt(alike)
        done = (
            skills[sets][:, None, :] + shared + rng.normal(size=(len(sets), seats, seats)) * sqrt(1 - alike)
        )
        points = (done[..., :, None] > done[..., None, :]).sum(axis=(1, 3)) / (seats - 1)
        for bots, sums in zip(sets, points, strict=True):
            until.add({f"b{bot}": (float(won), seats) for bot, won in zip(bots, sums, strict=True)})
        if until.look():
            break
    return until


TINY = 0.001
ERRORS = {
    # name: (runs, top, skills (the true leaders first), seats, cycles, alike)
    "two even bots": (200, 1, (TINY, 0), 2, 40, 0.0),
    "two even bots, matches alike": (200, 1, (TINY, 0), 2, 40, 0.9),
    "two even bots before two others": (80, 1, (1, 1 - TINY, -1, -1), 2, 25, 0.3),
    "four even bots": (60, 1, (TINY, 0, 0, 0), 2, 25, 0.3),
    "the second of five": (60, 2, (1, TINY, 0, -1, -1), 2, 20, 0.3),
    "the third of six": (40, 3, (1, 1, TINY, 0, -1, -1), 2, 20, 0.3),
    "three at a table, the best of four": (100, 1, (TINY, 0, -1, -1), 3, 25, 0.3),
    "three at a table, the second of five": (60, 2, (1, TINY, 0, -1, -1), 3, 12, 0.3),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", ERRORS)
def test_the_declared_error_rate_holds(case):
    """At 80 % the wrong set is declared in a fifth of the runs at most, within the error of the simulation.

    Of that fifth every pair of leader and other has an equal part; only those that are nearly even can be wrong.
    Measured: 0.16, 0.155, 0.05, 0.017, 0.017, 0, 0.04, 0.017, in this order.
    """
    runs, top, skills, seats, cycles, alike = ERRORS[case]
    rng, names = np.random.default_rng(7), [f"b{place}" for place in range(len(skills))]
    wrong = 0
    for _ in range(runs):
        until = simulate(ObrienFleming(Goal(top, 0.8), names, cycles), skills, seats, rng, alike=alike)
        wrong += until.settled and set(until.leaders) != set(names[:top])
    gaps = np.subtract.outer(skills[:top], skills[top:])
    promised = 0.2 * np.mean(gaps < 2 * TINY)
    assert wrong / runs <= promised + 2 * sqrt(promised * (1 - promised) / runs)


@pytest.mark.slow
def test_the_declared_error_rate_holds_at_95():
    """Two even bots, two coin tosses a cycle: the second is declared in 5 % of the runs at most, within the error.

    Two standard errors of 1,000 runs are 1.4 %.  Measured: 0.03.
    """
    rng, runs, wrong = np.random.default_rng(7), 1000, 0
    for won in rng.binomial(2, 0.5, (runs, 40)):
        until = duel(ObrienFleming(Goal(1, 0.95), "ab", 40), *won)
        wrong += until.settled and until.leaders == ("b",)
    assert 0 < wrong / runs <= 0.05 + 2 * sqrt(0.05 * 0.95 / runs)


@pytest.mark.slow
def test_looking_with_the_bound_of_one_look_would_break_the_promise():
    """Why error is spent: a test at 80 % after every cycle is wrong in far more than a fifth (0.455)."""
    rng, bound, runs, wrong = np.random.default_rng(7), NormalDist().inv_cdf(0.8), 200, 0
    for _ in range(runs):
        until = ObrienFleming(Goal(1, 0.9999), ["b0", "b1"], 40)
        for _ in range(40):
            simulate(until, (TINY, 0), 2, rng, alike=0.0, cycles_max=1)
            if until.margin >= bound:
                wrong += until.leaders == ("b1",)
                break
    assert wrong / runs > 0.2 + 3 * sqrt(0.2 * 0.8 / runs)


@pytest.mark.slow
def test_with_known_extremes_seldom_and_much_does_not_deceive():
    """Even bots, of which b wins 1 nine times of ten and loses 9 once: the promise holds.

    What has not been seen yet is allowed for.
    """
    rng, runs, wrong = np.random.default_rng(3), 200, 0
    for _ in range(runs):
        until = ObrienFleming(Goal(1, 0.8), "ab", 40, extremes=(-9, 9))
        for lost in rng.random(40) < 0.1:
            won = -9 if lost else 1
            until.add({"a": (-2 * won, 2), "b": (2 * won, 2)})
            if until.look():
                break
        wrong += until.settled and until.leaders == ("b",)
    assert wrong / runs <= 0.2 + 2 * sqrt(0.2 * 0.8 / runs)


def test_with_unknown_extremes_seldom_and_much_deceives():
    """The limit that the docstring tells: it is declared when it has won eight times and not yet lost.

    That is so in 0.43 of the runs, and not in 0.2: by arithmetic, without a simulation.
    """
    until, won = ObrienFleming(Goal(1, 0.8), "ab", 40), 0
    while not until.settled:
        won += 1
        until.add({"a": (-2, 2), "b": (2, 2)})
        until.look()
    assert (8, ("b",)) == (won, until.leaders)
    assert 0.9**won > 2 * 0.2


@pytest.mark.slow
def test_a_clear_leader_is_settled_early():
    """Best of four by 1.2 deviations of luck, at 95 %: known after 35 to 47 of 300 cycles in the runs looked at."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        until = simulate(
            ObrienFleming(Goal(1, 0.95), ["b0", "b1", "b2", "b3"], 300), (1.2, 0, 0, 0), 2, rng, alike=0.2
        )
        assert (until.settled, until.leaders) == (True, ("b0",))
        assert until.cycles < 75
