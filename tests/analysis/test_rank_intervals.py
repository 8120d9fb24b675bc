"""Which ranks may be the true ones: what the intervals must hold, whatever the field."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arena.analysis.strength.rank_intervals import SIMULATED_MAX, rank_intervals


def intervals(estimate, error, freedom=1000.0, common=0.0):
    """Of estimates whose errors are independent, but for what all have in common."""
    bots = len(estimate)
    covariance = np.eye(bots) * error**2 + common
    low, high = rank_intervals(np.array(estimate, float), covariance, np.full(bots, float(freedom)))
    return list(zip(low.tolist(), high.tolist(), strict=True))


@given(st.lists(st.floats(-500, 500), min_size=1, max_size=8), st.floats(1, 200))
def test_the_rank_that_was_observed_may_be_the_true_one(estimate, error):
    """Every interval holds the bot's own rank, and lies within the field."""
    for value, (low, high) in zip(estimate, intervals(estimate, error), strict=True):
        ahead, behind = sum(other > value for other in estimate), sum(other < value for other in estimate)
        assert 1 <= low <= 1 + ahead
        assert len(estimate) - behind <= high <= len(estimate)


def test_even_bots_may_have_any_rank():
    """Nothing is sure."""
    assert intervals([0.0] * 5, 30) == [(1, 5)] * 5


def test_bots_far_apart_have_one_rank_each():
    """In the order of their estimates."""
    assert intervals([0, 500, 1000, -500], 30) == [(3, 3), (2, 2), (1, 1), (4, 4)]


def test_one_bot_is_the_first():
    """And none is no mistake."""
    assert intervals([7], 30) == [(1, 1)]
    assert intervals([], 30) == []


def test_what_all_have_in_common_says_nothing():
    """An error of the zero point makes no rank unsure."""
    estimate = [0, 120, 260, 300]
    assert intervals(estimate, 30) == intervals(estimate, 30, common=1e6)


def test_few_series_make_ranks_less_sure():
    """Estimated errors are errors too."""
    assert intervals([0, 150], 40) == [(2, 2), (1, 1)]
    assert intervals([0, 150], 40, freedom=2) == [(1, 2), (1, 2)]


def test_what_is_sure_makes_the_others_surer():
    """A lead of 2.2 standard errors, lost among 66 pairs, counts where all other pairs are sure at once."""
    estimate = [0.0, 3.2 * 10, *(1000.0 * number for number in range(1, 11))]
    assert intervals(estimate, 10)[:2] == [(12, 12), (11, 11)]


def test_a_large_field_is_told_by_a_formula():
    """Which is wider than the simulation, and as certain where bots are far apart."""
    bots = SIMULATED_MAX + 5
    assert intervals([1000.0 * number for number in range(bots)], 30)[0] == (bots, bots)
    assert intervals([0.0] * bots, 30) == [(1, bots)] * bots
    assert intervals([0.0] * (bots - 1) + [300.0], 30)[-1] == (1, 1)
