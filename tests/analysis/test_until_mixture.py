"""The rule of `--until`: its bound, its means over opponents, and who should meet next."""

from __future__ import annotations

from itertools import combinations
from math import exp, log, sqrt

import attrs
import numpy as np
import pytest

from arena.analysis.stopping.goal import Goal
from arena.analysis.stopping.mixture import TYPICAL_SERIES, Mixture, error_levels
from arena.analysis.strength.meetings import Meetings

BEST = Goal(1, 0.95)


def meet(until: Mixture, first: str, second: str, *scores: float) -> None:
    """Series of two matches between two bots; the first bot's mean scores are given, of 1."""
    for score in scores:
        until.add({first: (2 * score, 2), second: (2 - 2 * score, 2)})


def duel(until: Mixture, *scores: float) -> Mixture:
    """Cycles of one series between a and b."""
    for score in scores:
        meet(until, "a", "b", score)
        until.look()
    return until


def lap(until: Mixture, bots: str, cycle: int, **skill: float) -> None:
    """Every pair meets once, half a point of luck to each in turn; a bot wins by its skill more."""
    for first, second in combinations(bots, 2):
        meet(until, first, second, 0.5 + skill.get(first, 0) - skill.get(second, 0) + (cycle % 3 - 1) / 6)
    until.look()


# the bound


@pytest.mark.parametrize("series", [1.0, 5.0, 24.0, 300.0])
@pytest.mark.parametrize("error", [0.2, 0.05, 0.001])
def test_the_bound_is_that_of_robbins(series, error):
    """At √((1 + 1/x)·ln((1 + x) / α²)) the level is α: the formula solved the other way round."""
    x = series / TYPICAL_SERIES
    z = sqrt((1 + 1 / x) * log((1 + x) / error**2))
    assert float(error_levels(np.array(z), np.array(series))) == pytest.approx(error)


def test_a_motion_without_drift_hardly_ever_crosses():
    """The bound at 20 %, over 100,000 unit steps that grow: crossed in 14 to 20 % of 1,000 walks.

    The bound is exact for all times together; what lies beyond the last step is missing.
    """
    rng, times = np.random.default_rng(5), np.geomspace(0.05, 1e4, 400)
    steps = rng.normal(size=(1000, len(times))) * np.sqrt(np.diff(times, prepend=0.0))
    margins = steps.cumsum(axis=1) / np.sqrt(times)
    crossed = (error_levels(margins, times * TYPICAL_SERIES) <= 0.2).any(axis=1).mean()
    assert 0.14 < crossed < 0.2 + 2 * sqrt(0.2 * 0.8 / 1000)


# what it makes of series


def test_the_margin_and_the_sureness_of_two_bots():
    """By hand: scores of 1, ½, 1, 1, 0, ½ have mean ⅔ and variance ⅙.

    The difference has mean ⅓ and variance 4 · ⅙ / 6, and two series at either extreme add 2 · 2 / 6².
    """
    from scipy.special import ndtri, stdtr

    until = duel(Mixture(Goal(1, 0.999), "ab", 10), 1, 0.5, 1, 1, 0, 0.5)
    student = (1 / 3) / sqrt(4 / 6 / 6 + 2 * 2 / 6**2)
    assert until.leaders == ("a",)
    assert until.margin == pytest.approx(-ndtri(stdtr(5, -student)), abs=2e-3)
    x = 6 / TYPICAL_SERIES
    assert until.sureness == pytest.approx(
        max(0.0, 1 - sqrt(1 + x) * exp(-(until.margin**2) * x / (2 + 2 * x)))
    )


def test_a_score_is_the_mean_over_opponents():
    """Bob met a weak bot ten times as often as a strong one: that makes him no better than ann, who did not."""
    until = Mixture(BEST, ["ann", "bob", "weak", "strong"], 10)
    for cycle in range(6):
        luck = (cycle % 3 - 1) / 10
        meet(until, "ann", "bob", 0.6 + luck)
        meet(until, "ann", "weak", 0.8 + luck)
        meet(until, "ann", "strong", 0.5 + luck)
        meet(until, "bob", "weak", *[0.8 + luck] * 10)
        meet(until, "bob", "strong", 0.4 + luck)
        meet(until, "weak", "strong", 0.1 + luck)
        until.look()
    assert until.leaders == ("strong",)
    assert until.shares() is not None
    top = duel_of_four(until)
    assert top["ann"] == pytest.approx((0.6 + 0.8 + 0.5) / 3)
    assert top["bob"] == pytest.approx((0.4 + 0.8 + 0.4) / 3)


def duel_of_four(until: Mixture) -> dict[str, float]:
    return dict(zip(["ann", "bob", "weak", "strong"], until.seen.scores.tolist(), strict=True))


def test_margins_with_unequal_numbers_of_series():
    """Three of four bots at a table, some sets more often: as numpy gives it, set by set.

    The degrees of freedom are between a set's and all sets' together, which bounds the margin from both sides.
    """
    from scipy.special import ndtri, stdtr

    rng, until, tables = np.random.default_rng(2), Mixture(Goal(1, 0.9999), "abcd", 50), {}
    for _ in range(12):
        for often, bots in enumerate(combinations("abcd", 3), start=1):
            for _ in range(often):
                scores = rng.normal([1.0 if bot == "a" else 0.0 for bot in bots])
                tables.setdefault(bots, []).append(scores)
                until.add({bot: (3 * score, 3) for bot, score in zip(bots, scores, strict=True)})
        until.look()
    # Four pooled series count as known, but not more than are known of all sets.
    least, most = len(min(tables.values(), key=len)) - 1 + 4, sum(map(len, tables.values())) - 4
    bounds = [by_numpy(tables, "a", bot) for bot in "bcd"]
    low, high = (min(-ndtri(stdtr(freedom, -student)) for student in bounds) for freedom in (least, most))
    assert low - 0.02 < until.margin < high


def by_numpy(tables, first, second) -> float:
    """Student's t of the difference of two bots' means over the sets that they are in, three each."""
    scores = np.concatenate(list(tables.values()))
    low, high, count = scores.min(), scores.max(), len(scores)
    spread, most = np.zeros((3, 3)), {}
    for bots, rows in tables.items():
        means = (np.sum(rows, axis=0) + (low + high) / 2) / (len(rows) + 1)
        most[bots] = np.sqrt(np.outer((means - low) * (high - means), (means - low) * (high - means)))
        spread += np.cov(np.array(rows).T) * (len(rows) - 1)
    spread = spread / sum(most[bots] * (len(rows) - 1) for bots, rows in tables.items())
    ahead = variance = 0.0
    for bots, rows in tables.items():
        sign, known = np.array([(bot == first) - (bot == second) for bot in bots]), len(rows) - 1
        ahead += np.mean(rows, axis=0) @ sign / 3
        pooled = (np.cov(np.array(rows).T) * known + 4 * most[bots] * spread) / (known + 4)
        variance += sign @ pooled @ sign / 9 / len(rows)
        variance += np.abs(sign).sum() * 2 * (high - low) ** 2 / count / 9 / len(rows)
    return ahead / sqrt(variance)


def test_the_order_of_bots_and_sets_does_not_matter():
    """The same series under other names: the same sureness, and the same shares."""
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 3, (8, 6)) / 2
    plain, mirrored = Mixture(BEST, "abcd", 20), Mixture(BEST, "dcba", 20)
    for row in scores:
        pairs = list(zip(combinations("abcd", 2), row, strict=True))
        for (first, second), score in pairs:
            meet(plain, first, second, score)
        for (first, second), score in reversed(pairs):
            meet(mirrored, second, first, 1 - score)
        plain.look()
        mirrored.look()
    assert mirrored.sureness == pytest.approx(plain.sureness)
    assert mirrored.shares() == pytest.approx(plain.shares())


def test_sets_of_few_series_have_the_luck_of_all():
    """A pair that fell alike twice is not sure of it, where others with such scores are not."""
    places, ones = np.array([[0, 1], [0, 2], [1, 2]]), np.array([[1.0, -1.0], [-1.0, 1.0]])
    means = np.full((3, 2), 0.5)
    spread = np.array([0.0, 0.2, 0.2])[:, None, None] * ones
    seen = Meetings(3, places, np.array([2.0, 101.0, 101.0]), means, spread)
    own, *others = seen.moderated((0.0, 1.0)).covariance[:, 0, 0].tolist()
    assert own == pytest.approx(0.8 * 0.2 * 200 / 201)
    assert others == pytest.approx([0.2] * 2, abs=0.001)
    far = attrs.evolve(seen, means=np.array([[0.99, 0.01], [0.5, 0.5], [0.5, 0.5]]))
    assert far.moderated((0.0, 1.0)).covariance[0, 0, 0] < 0.9 * own, "there is less luck near the extremes"


# the course of a schedule


def test_a_longer_schedule_may_follow():
    """Past its plan it goes on looking: even bots for as long as planned, and then a clear lead."""
    until = duel(Mixture(BEST, "ab", 10), *[1, 0] * 5)
    assert (until.cycles, until.settled) == (10, False)
    assert duel(until, *[1] * 60).settled
    assert until.leaders == ("a",)


def test_settled_is_settled_for_good():
    """Nothing that comes later changes what was declared, or how sure it was."""
    until = duel(Mixture(BEST, "ab", 100), *[1] * 30)
    assert (until.settled, until.leaders, until.cycles_left(), until.shares()) == (True, ("a",), 0.0, None)
    before = until.cycles, until.sureness, until.margin
    duel(until, *[0] * 70)
    assert (until.leaders, until.cycles, until.sureness, until.margin) == (("a",), *before)


def test_level_bots_are_never_told_apart():
    """All draws: no sureness, no estimate, no NaN; all sets alike."""
    until = Mixture(Goal(1, 0.5), "abc", 50)
    for _ in range(20):
        for first, second in combinations("abc", 2):
            meet(until, first, second, 0.5)
        until.look()
    assert (until.settled, until.sureness, until.margin, until.cycles_left()) == (False, 0.0, 0.0, None)
    assert until.shares() == pytest.approx(dict.fromkeys(map(frozenset, combinations("abc", 2)), 1 / 3))


def test_one_who_has_not_played_settles_nothing():
    """Its mean is unknown, so that it may be the best."""
    until = duel(Mixture(Goal(1, 0.5), "abc", 20), *[1] * 20)
    assert (until.settled, until.sureness, until.shares()) == (False, 0.0, None)


def test_alike_is_not_yet_certain():
    """All of k series won by two bots: never settled before coins that fell alike are as unlikely as promised."""
    until = Mixture(Goal(1, 0.9999), "ab", 1000)
    while not duel(until, 1).settled:
        pass
    assert 2 * 2.0**-until.cycles < 0.0001


def test_the_cycles_left_by_hand():
    """With squared margin and laps growing by the cycle, the level is that of the goal after the cycles left."""
    until = duel(Mixture(BEST, "ab", 400), *[1, 0.5, 0.5, 0, 1, 0.5, 1, 0.5] * 3)
    left = until.cycles_left()
    assert left is not None
    times = (24 + left) / 24
    assert float(error_levels(until.margin * np.sqrt(times), 24 * np.array(times))) == pytest.approx(0.05)


def test_open_sets_shorten_the_cycles_left():
    """At the rate of the last cycle: where the open sets played twice as much, it takes half as long."""
    even, twice = (Mixture(Goal(1, 0.999), "abc", 1000) for _ in range(2))
    for cycle in range(8):
        for until in (even, twice):
            if until is twice and cycle == 7:
                for first, second in combinations("abc", 2):
                    meet(until, first, second, 0.5 + (first == "a") * 0.1)
            lap(until, "abc", cycle, a=0.1)
    left, shorter = even.cycles_left(), twice.cycles_left()
    assert left is not None
    assert shorter is not None
    assert 0.35 * left < shorter < 0.55 * left, "its margin is a little higher, too"


def test_what_the_plan_does_not_hold_is_not_foreseen():
    """A lead too small for the plan: None, as what comes after it is not planned."""
    until = duel(Mixture(BEST, "ab", 30), *[1, 0, 1, 0, 0.5, 0.5, 1, 0.5, 0, 1])
    assert until.leaders == ("a",)
    assert until.margin > 0
    assert until.cycles_left() is None


# who should meet next


def test_the_sets_of_open_bots_play_more():
    """Ann and bob are close, the others far behind: theirs together most, then theirs against the others."""
    until = Mixture(Goal(1, 0.999), "abcde", 50)
    for cycle in range(8):
        assert (until.shares() is None) == (cycle < 5)
        lap(until, "abcde", cycle, a=0.16, b=0.15)
    shares = until.shares()
    assert shares is not None
    assert sum(shares.values()) == pytest.approx(1)
    both, one, none = (
        [share for bots, share in shares.items() if len(bots & {"a", "b"}) == open_bots]
        for open_bots in (2, 1, 0)
    )
    assert both[0] > max(one)
    assert min(one) > 0.01
    assert max(none) == 0


def test_the_sets_of_the_last_leader_and_the_first_other_play_more():
    """The third and the fourth of six are close; who is first of all is not asked."""
    until = Mixture(Goal(3, 0.9999), "abcdef", 50)
    for cycle in range(10):
        lap(until, "abcdef", cycle, a=0.3, b=0.3, c=0.01, d=0, e=-0.3, f=-0.3)
    shares = until.shares()
    assert shares is not None
    assert max(shares, key=shares.__getitem__) == frozenset("cd")
    assert shares[frozenset("ab")] < 0.01 < shares[frozenset("ac")]


def test_shares_are_those_of_the_last_look():
    """Series that count later, of the next batch, change nothing before its look."""
    until = Mixture(Goal(1, 0.999), "abc", 50)
    for cycle in range(6):
        lap(until, "abc", cycle, a=0.02)
    shares = until.shares()
    meet(until, "a", "b", 0, 0, 0)
    assert until.shares() == shares
    until.look()
    assert until.shares() != shares


def test_sets_that_played_enough_are_given_nothing():
    """What a set has played is taken off what it should have."""
    until = Mixture(Goal(1, 0.999), "abc", 50)
    for cycle in range(6):
        lap(until, "abc", cycle, a=0.02, b=0.01)
        meet(until, "a", "b", *[0.4, 0.6] * 10)
    shares = until.shares()
    assert shares is not None
    assert shares[frozenset("ab")] == 0


def test_a_sure_cycle_ends_it():
    """Paper, rock and scissors among others: all sets play equally often again, and the cycle is named."""
    until = Mixture(Goal(1, 0.999), ["other", "paper", "rock", "scissors"], 100)
    for cycle in range(30):
        luck = (cycle % 3 - 1) / 6
        for first, second in (("paper", "rock"), ("rock", "scissors"), ("scissors", "paper")):
            meet(until, first, second, 0.75 + luck)
            meet(until, "other", first, 0.3 + luck)
        until.look()
    assert until.cycle == ("paper", "rock", "scissors")
    assert until.shares() is None
    assert not until.settled


def test_a_field_in_one_order_has_no_cycle():
    """However clear who beats whom."""
    until = Mixture(Goal(1, 0.9999), "abcd", 100)
    for cycle in range(40):
        lap(until, "abcd", cycle, a=0.05, b=0.03, c=0.01)
    assert until.cycle == ()
    assert until.shares() is not None
