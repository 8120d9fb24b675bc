"""Intervals of many series in columns, and who leads whom: beside `intervals`, SciPy and simulations."""

from __future__ import annotations

import random
from itertools import pairwise
from math import fsum, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as students_t
from synthetic import clusters_of

from arena.analysis import intervals
from arena.analysis.clusters import (
    Clusters,
    chance_to_lead,
    mean_interval,
    share_interval,
)
from arena.analysis.student import FREEDOM_MAX, student_cdf

WINS = st.integers(1, 6).flatmap(lambda played: st.tuples(st.integers(0, played), st.just(played)))
RETURNS = st.tuples(st.integers(-500, 500).map(float), st.integers(1, 6))


@pytest.mark.slow
@given(st.lists(WINS, max_size=30))
def test_shares_are_those_of_intervals(tallies):
    """One truth in two forms: as columns and as tallies; series without a match change nothing."""
    expected = pytest.approx(intervals.win_rate_interval(tallies), abs=1e-12)
    assert expected == share_interval(clusters_of(tallies))
    assert expected == share_interval(clusters_of([(0, 0), *tallies, (0, 0)]))


@pytest.mark.slow
@given(st.lists(RETURNS, max_size=30))
def test_means_are_those_of_intervals(tallies):
    """The same, whether series differ or not."""
    moments = intervals.Moments()
    for tally in tallies:
        moments.add(*tally)
    expected = moments.mean_interval(500.0)
    assert pytest.approx(expected, abs=1e-9) == mean_interval(clusters_of(tallies), 500.0)
    assert pytest.approx(expected, abs=1e-9) == mean_interval(clusters_of([*tallies, (0.0, 0)]), 500.0)


def test_values_are_summed_by_series():
    """Matches in any order; a series without a match has zeros."""
    found = Clusters.of(np.array([2, 0, 2, 2], dtype=np.int32), np.array([1.0, 5.0, 2.0, 3.0]), 4)
    assert ([5.0, 0.0, 6.0, 0.0], [1.0, 0.0, 3.0, 0.0]) == (found.sums.tolist(), found.counts.tolist())
    assert (4.0, 11 / 4) == (found.matches, found.mean)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 10, 31, 200, FREEDOM_MAX - 1, FREEDOM_MAX, 10**6])
def test_the_distribution_of_student(freedom):
    """SciPy's, to four digits; and it never leaves 0 to 1."""
    for t in (-1e9, -12.0, -2.0, -0.1, 0.0, 0.5, 1.96, 4.0, 1e9):
        assert pytest.approx(students_t.cdf(t, freedom), abs=1e-4) == student_cdf(t, freedom)
        assert 0.0 <= student_cdf(t, freedom) <= 1.0


# Who leads.


def test_the_chance_to_lead_by_hand():
    """Leads of 1, 2 and 3 in three series of a match each: t = 2 ÷ (1/√3) of two degrees; scipy.stats.t.cdf."""
    first, second = clusters_of([(1.0, 1), (4.0, 1), (3.0, 1)]), clusters_of([(0.0, 1), (2.0, 1), (0.0, 1)])
    expected = float(students_t.cdf(2 * 3**0.5, 2))
    assert pytest.approx(expected) == chance_to_lead(first, second, 4.0)
    assert pytest.approx(1 - expected) == chance_to_lead(second, first, 4.0)


def test_luck_that_both_shared_is_no_doubt():
    """Series that are good or bad for both: who is a little better in each of them is surely better."""
    luck = [100.0 * (-1) ** number for number in range(20)]
    first = clusters_of([(each + 1 + number % 2 / 10, 1) for number, each in enumerate(luck)])
    second = clusters_of([(each, 1) for each in luck])
    assert chance_to_lead(first, second, 102.0) > 0.999
    apart = clusters_of([(0.0, 0)] * 20 + [(each, 1) for each in luck])
    before = Clusters(np.append(first.sums, np.zeros(20)), np.append(first.counts, np.zeros(20)))
    assert chance_to_lead(before, apart, 102.0) < 0.6


@pytest.mark.parametrize(
    ("series", "low", "high"), [(1, 0.6, 0.75), (10, 0.8, 0.95), (100, 0.99, 1.0)], ids=str
)
def test_series_that_went_alike_are_no_proof(series, low, high):
    """All won by as much as can be: the chance grows with the number of series, and of one alone stays small."""
    assert (
        low < chance_to_lead(clusters_of([(1.0, 1)] * series), clusters_of([(-1.0, 1)] * series), 1.0) <= high
    )


def test_nothing_is_known_without_matches():
    """Neither of bots that did not play nor of bots that are level: one half."""
    played, nothing = clusters_of([(3.0, 2), (1.0, 2)]), clusters_of([(0.0, 0), (0.0, 0)])
    assert [0.5] * 4 == [
        chance_to_lead(one, other, 3.0)
        for one, other in [(played, nothing), (nothing, played), (nothing, nothing), (played, played)]
    ]


@given(st.lists(st.tuples(RETURNS, RETURNS), min_size=1, max_size=12))
def test_a_chance_is_a_chance(tallies):
    """Between 0 and 1, and that of the other is the rest."""
    first, second = (clusters_of([pair[place] for pair in tallies]) for place in (0, 1))
    chance = chance_to_lead(first, second, 500.0)
    assert 0.0 <= chance <= 1.0
    assert pytest.approx(1 - chance) == chance_to_lead(second, first, 500.0)


@pytest.mark.slow
def test_chances_come_true():
    """Over 2000 tournaments of two bots whose difference is drawn anew: of chances of p, a share p is right.

    Any difference is as likely as another, as the chances suppose, over four standard errors to both sides.
    """
    rng = random.Random(1)
    told: list[tuple[float, bool]] = []
    for _ in range(2000):
        lead = rng.uniform(-4, 4)
        deals = [rng.gauss(0, 3) for _ in range(8)]
        first = clusters_of([(deal + lead + rng.gauss(0, 2), 1) for deal in deals])
        second = clusters_of([(deal + rng.gauss(0, 2), 1) for deal in deals])
        told.append((chance_to_lead(first, second, 20.0), lead > 0))
    for low, high in pairwise((0.0, 0.2, 0.4, 0.6, 0.8, 1.01)):
        group = [(chance, was_right) for chance, was_right in told if low <= chance < high]
        expected, found = fsum(chance for chance, _ in group), sum(was_right for _, was_right in group)
        error = sqrt(fsum(chance * (1 - chance) for chance, _ in group))
        assert abs(found - expected) <= 3 * error, f"{found} of {len(group)}, said were {expected:.1f}"
    too_sure = fsum((chance - was_right) * (chance - 0.5) for chance, was_right in told)
    assert abs(too_sure) <= 3 * sqrt(fsum(chance * (1 - chance) * (chance - 0.5) ** 2 for chance, _ in told))
