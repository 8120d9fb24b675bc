"""Intervals of many series in columns beside `intervals`, and Student's t beside SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as students_t
from synthetic import clusters_of

from arena.analysis import intervals
from arena.analysis.clusters import (
    Clusters,
    share_interval,
)
from arena.analysis.student import FREEDOM_MAX, student_cdf

WINS = st.integers(1, 6).flatmap(lambda played: st.tuples(st.integers(0, played), st.just(played)))


@pytest.mark.slow
@given(st.lists(WINS, max_size=30))
def test_shares_are_those_of_intervals(tallies):
    """One truth in two forms: as columns and as tallies; series without a match change nothing."""
    expected = pytest.approx(intervals.win_rate_interval(tallies), abs=1e-12)
    assert expected == share_interval(clusters_of(tallies))
    assert expected == share_interval(clusters_of([(0, 0), *tallies, (0, 0)]))


def test_values_are_summed_by_series():
    """Matches in any order; a series without a match has zeros."""
    found = Clusters.of(np.array([2, 0, 2, 2], dtype=np.int32), np.array([1.0, 5.0, 2.0, 3.0]), 4)
    assert ([5.0, 0.0, 6.0, 0.0], [1.0, 0.0, 3.0, 0.0]) == (found.sums.tolist(), found.counts.tolist())
    assert (4.0, 11 / 4) == (found.matches, found.mean)


@pytest.mark.parametrize(
    "freedom", [1, 2, 3, 4, 5, 10, 31, 200, 2.5, 7.3, FREEDOM_MAX - 1, FREEDOM_MAX, 10**6]
)
def test_the_distribution_of_student(freedom):
    """SciPy's, to four digits, between whole degrees to three; and it never leaves 0 to 1."""
    for t in (-1e9, -12.0, -2.0, -0.1, 0.0, 0.5, 1.96, 4.0, 1e9):
        assert pytest.approx(
            students_t.cdf(t, freedom), abs=1e-4 if freedom % 1 == 0 else 1e-3
        ) == student_cdf(t, freedom)
        assert 0.0 <= student_cdf(t, freedom) <= 1.0
