"""Means over all opponents: beside sums made set by set, and by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean, variance

import numpy as np
import pytest
from synthetic import means_of, play

from arena.analysis.intervals import Extremes
from arena.analysis.leaderboard import Scale
from arena.analysis.ranking import ranked
from arena.analysis.sheet import Sheet, read_sheet
from arena.analysis.strata import means_and_covariance
from arena.analysis.strength.stronger import returns_known
from arena.analysis.student import student_t
from tests.trust.intervals import DESIGNS, coverage


def error_of(found, first: int, second: int) -> float:
    """The standard error of the difference of two means."""
    covariance = found.covariance
    return sqrt(covariance[first, first] + covariance[second, second] - 2 * covariance[first, second])


BOTS = ("ann", "bob", "cat", "dan", "eve")


def played(store, sets: Sequence[Sequence[str]], returns_of, matches: int = 2) -> Sheet:
    """A series of each of these sets, in this order; `returns_of` a series and a bot."""
    for series, bots in enumerate(sets):
        ranks = range(1, len(bots) + 1)
        store.add_many(
            play(series, rotation, bots, ranks, returns=[returns_of(series, bot) for bot in bots])
            for rotation in range(matches)
        )
    return read_sheet(store)


def by_hand(sets, values, first, second):
    """The mean of the first bot, the variance of its lead over the second, and the degrees of freedom."""
    by_set: dict[frozenset[str], list[dict[str, float]]] = {}
    for series, bots in enumerate(sets):
        by_set.setdefault(frozenset(bots), []).append({bot: values[series, bot] for bot in bots})
    weight = {bot: 1 / sum(bot in bots for bots in by_set) for bot in (first, second)}
    mean = weight[first] * sum(
        fmean(one[first] for one in series) for bots, series in by_set.items() if first in bots
    )
    sign = {second: -weight[second], first: weight[first]} if first != second else {first: weight[first]}
    total = squares = most = 0.0
    for series in by_set.values():
        leads = [sum(sign[bot] * value for bot, value in one.items() if bot in sign) for one in series]
        own = variance(leads) / len(leads)
        if own:
            total, squares = total + own, squares + own**2 / (len(leads) + 1)
            most += len(leads) - 1
    return mean, total, min(most, total**2 / squares - 2)


@pytest.mark.parametrize("seats", [2, 3])
def test_means_and_their_errors_are_summed_over_sets(store, seats):
    """With unequal numbers of series: each mean, the variance of each difference and its freedom, set by set."""
    rng = random.Random(seats)
    every = list(combinations(BOTS, seats))
    sets = [bots for number, bots in enumerate(every * 4) if number < 3 * len(every) + 2]
    values = {
        (series, bot): rng.gauss(BOTS.index(bot), 3) for series, bots in enumerate(sets) for bot in bots
    }
    sheet = played(store, sets, lambda series, bot: values[series, bot])
    found = means_and_covariance(sheet, sheet.returns)
    for one, first in enumerate(sheet.bots):
        for other, second in enumerate(sheet.bots):
            mean, expected, freedom = by_hand(sets, values, first, second)
            assert pytest.approx(mean) == found.means[one]
            error = sqrt(found.covariance[one, one]) if one == other else error_of(found, one, other)
            assert pytest.approx((sqrt(expected), freedom)) == (error, found.freedom[one, other])


def test_how_strong_opponents_are_is_no_error(store):
    """Bots that always do the same against each of very unequal opponents: only the luck of series is left."""
    rng = random.Random(1)
    sets = list(combinations(BOTS, 2)) * 5
    luck = [rng.gauss(0, 1) for _ in sets]
    opponents = [dict(zip(pair, reversed(pair), strict=True)) for pair in sets]

    def returns_of(series: int, bot: str) -> float:
        return 100.0 * BOTS.index(opponents[series][bot]) + luck[series]

    sheet = played(store, sets, returns_of)
    found = means_and_covariance(sheet, sheet.returns)
    assert all(0.1 < error < 0.4 for error in np.sqrt(found.covariance.diagonal()))  # 1 / √20 is 0.22


def test_sets_with_one_series_are_compared_with_the_mean(store):
    """By hand: means of 1, 2 and 6 against three opponents, one series each, so ±t₂·√(14/6) around 3."""
    values = {0: 1.0, 1: 2.0, 2: 6.0}
    sheet = played(store, [("ann", bot) for bot in BOTS[1:4]], lambda series, bot: values[series])
    found = means_and_covariance(sheet, sheet.returns)
    ann = sheet.bots.index("ann")
    assert pytest.approx((3.0, 14 / 6, 2.0, 1 / 3)) == (
        found.means[ann],
        found.covariance[ann, ann],
        found.freedom[ann, ann],
        found.weights[ann],
    )


@pytest.mark.parametrize("series", [1, 4, 10])
def test_series_that_went_alike_are_no_proof(store, series):
    """The half-width of a lead is then 19 ÷ their number times the largest difference: less with more series."""
    sheet = played(store, [("ann", "bob")] * series, lambda series, bot: 5.0 if bot == "ann" else -5.0)
    known = returns_known(sheet, [Extremes(), Extremes()])
    error = error_of(known, 0, 1)
    assert pytest.approx(19 / series * 2 * 5 / student_t(max(1, series - 1))) == error


def test_who_did_not_play_and_fields_that_never_met(store):
    """Nothing is known of the one; the others' errors do not depend on each other."""
    from arena.store import StoredBot

    store.put_bots([StoredBot("zoe")])
    rng = random.Random(2)
    pairs = [("ann", "bob"), ("cat", "dan")] * 3
    sheet = played(store, pairs, lambda series, bot: rng.gauss(0, 1))
    found = means_and_covariance(sheet, sheet.returns)
    one, other, absent = (sheet.bots.index(bot) for bot in ("ann", "cat", "zoe"))
    assert 0.0 == found.covariance[one, other] == found.means[absent] == found.covariance[absent, absent]
    own = found.covariance.diagonal()
    assert pytest.approx(sqrt(own[one] + own[other])) == error_of(found, one, other)


def test_a_tournament_without_a_match_has_no_means(store):
    """Zeros for the bots that are known, whatever their number."""
    from arena.store import StoredBot

    store.put_bots([StoredBot("ann"), StoredBot("bob")])
    sheet = read_sheet(store)
    found = means_and_covariance(sheet, sheet.returns)
    assert ([0.0, 0.0], 0.0) == (found.means.tolist(), found.covariance.sum())


@pytest.mark.parametrize(("ranked_by", "score"), [("score", 0.5), ("rating", 0.75)])
def test_a_score_is_the_mean_over_opponents(store, ranked_by, score):
    """However many series there are with each, as after an interruption; elsewhere than by score over matches."""
    pairs = [("ann", "bob")] * 3 + [("cat", "ann")]
    sheet = played(store, pairs, lambda series, bot: 0.0)
    ann = ranked(sheet, store.bots(), Scale(ranked_by=ranked_by)).row("ann")
    assert (score, score) == (ann.points_mean, ann.win_rate)
    assert (6, 2) == (ann.wins, ann.losses)


def test_luck_that_both_shared_is_no_error_of_a_difference():
    """Series that are good or bad for both: a small lead in each of them is many standard errors; apart, none."""
    luck = [100.0 * (-1) ** number for number in range(20)]
    better = [each + 1 + number % 2 / 10 for number, each in enumerate(luck)]
    together = means_of([{0: one, 1: other} for one, other in zip(better, luck, strict=True)])
    apart = means_of([*({0: one, 2: 0.0} for one in better), *({1: other, 2: 0.0} for other in luck)], 3)
    assert together.means[0] - together.means[1] > 50 * error_of(together, 0, 1)
    assert apart.means[0] - apart.means[1] < 0.1 * error_of(apart, 0, 1)


# Coverage.


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.what)
def test_intervals_hold_the_truth_and_are_no_wider_than_they_must(design):
    """Of 300 tournaments with ten series of each set 91 to 99 %: spread between opponents is not counted."""
    # 95 % ± three standard errors of 300 draws, near 1 upwards: `bench.trust` plays 10,000
    assert 0.91 <= coverage(design, 10, 300) <= 0.99
