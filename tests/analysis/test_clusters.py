"""Intervals of many series in columns beside `intervals`, and Student's t beside SciPy."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import clusters_of

from arena.analysis import intervals
from arena.analysis.clusters import Groups

WINS = st.integers(1, 6).flatmap(lambda played: st.tuples(st.integers(0, played), st.just(played)))


LEADS = st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(1, 6)), min_size=1, max_size=12)


def alike(tallies):
    """The estimate from the series of one group, one by one."""
    total, matches = fsum(value for value, _ in tallies), sum(played for _, played in tallies)
    spread = fsum((value - total / matches * played) ** 2 for value, played in tallies)
    return intervals.of_alike(len(tallies), total, matches, spread)


@pytest.mark.slow
@given(st.lists(st.lists(WINS, min_size=1, max_size=30), min_size=1, max_size=4))
def test_shares_are_those_of_intervals(groups):
    """One truth in two forms: as columns of many groups, and one group after the other."""
    low, high = clusters_of(*groups).share_intervals()
    for place, tallies in enumerate(groups):
        assert (low[place], high[place]) == pytest.approx(intervals.win_rate_interval(tallies), abs=1e-12)


@pytest.mark.slow
@given(st.lists(LEADS, min_size=1, max_size=4), st.none() | st.floats(1e6, 1e7))
def test_means_are_those_of_intervals(groups, bound):
    """The same of intervals of means, for all groups at once."""
    largest = np.array([abs(value) for tallies in groups for value, _ in tallies])
    low, high = clusters_of(*groups).mean_intervals(largest, bound)
    for place, tallies in enumerate(groups):
        extremes = intervals.Extremes(bound)
        for value, played in tallies:
            extremes.note(value / played, abs(value), played)
        expected = intervals.interval_of_mean(alike(tallies), extremes)
        near = pytest.approx(expected, rel=1e-9, abs=1e-9 * extremes.largest)
        assert (low[place], high[place]) == near


def test_a_group_is_summed_as_if_it_were_alone():
    """To the last digit, for groups of any length: what else was played must not change a table."""
    rng = np.random.default_rng(1)
    lengths = [1, 2, 7, 8, 9, 200, 2, 1, 129, 9]
    groups = Groups.of(np.repeat(np.arange(len(lengths)), lengths))
    values = rng.normal(size=sum(lengths)) * 10.0 ** rng.integers(-9, 9, sum(lengths))
    parts = np.split(values, np.cumsum(lengths)[:-1])
    assert [part.sum() for part in parts] == groups.summed(values).tolist()
    assert [part.max() for part in parts] == groups.largest(values).tolist()
