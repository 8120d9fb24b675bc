"""Sums over pairs that met, made for hundreds of bots, are those of the plain formulas with a table of all bots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.analysis.strength import ratings
from arena.analysis.strength.ratings import rate

NAMES = tuple("abcdefg")

RANKS = st.dictionaries(st.integers(0, 6), st.integers(1, 4), min_size=1, max_size=5)
MATCHES = st.lists(st.tuples(st.integers(0, 9), RANKS), max_size=30)
"""The series of each match, and the ranks in it by bot: any bots in any series, and more in one than in another."""


def columns(matches):
    """Match, series, bot and rank of each seat."""
    rows = [
        (match, series, bot, rank)
        for match, (series, ranks) in enumerate(matches)
        for bot, rank in ranks.items()
    ]
    return tuple(np.array(rows, np.int64).reshape(-1, 4).T)


def dense_products(values, cells, bots):
    """A table (series, bots), of which almost all is 0, and its square: what `ratings` did for few bots."""
    table = np.zeros((int(cells.series.max(initial=-1)) + 1, bots))
    table[cells.series, cells.bot] = values
    return table.T @ table


@pytest.mark.slow
@settings(deadline=None)
@given(MATCHES)
def test_ratings_are_those_of_a_table_of_all_series_and_bots(matches):
    """Ratings, intervals and covariances, to nine digits."""
    found = rate(NAMES, *columns(matches))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "_products", dense_products)
        expected = rate(NAMES, *columns(matches))
    for name in ("rating", "low", "high", "covariance", "evidence"):
        one, other = getattr(found, name), getattr(expected, name)
        assert np.allclose(one, other, rtol=1e-9, atol=1e-9 * np.max(np.abs(other), initial=0.0)), name


def test_cells_are_summed_by_series():
    """A bot that sits in several matches of a series has one cell; its matches do not count as independent."""
    series, bot = np.array([0, 0, 0, 0, 1, 1]), np.array([2, 0, 0, 2, 1, 0])
    cells = ratings._Seats(series, np.array([0, 0, 1, 1, 2, 2]), np.array([1, 2] * 3), bot, 3).cells
    assert ([0, 0, 1, 1], [0, 2, 0, 1]) == (cells.series.tolist(), cells.bot.tolist())
    values = np.array([1.0, 2.0, 3.0, 5.0])
    expected = [[1 + 9, 3 * 5, 1 * 2], [3 * 5, 25, 0], [1 * 2, 0, 4]]
    assert expected == ratings._products(values, cells, 3).tolist()
