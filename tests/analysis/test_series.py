"""The table of series: the counted ones first, and those that do not count can be found."""

from __future__ import annotations

import random

import attrs
import pytest
from synthetic import play

from arena.analysis import series as series_module
from arena.analysis.ranking import leaderboard
from arena.analysis.series import COLUMNS, SeriesRow, series_table
from arena.analysis.sheet import read_sheet
from arena.match.game import Seat
from arena.match.record import Decision


def told(store) -> list[SeriesRow]:
    header, rows = series_table(store, read_sheet(store))
    assert [field.name for field in attrs.fields(SeriesRow)] == list(header)
    return [SeriesRow(**dict(zip(header, row, strict=True))) for row in rows]


def test_a_small_tournament_by_hand(played):
    """ann wins two of two, two of two, one of two; the last match was too late once."""
    rows = told(played)
    assert [("s0", "ann"), ("s0", "bob"), ("s1", "ann"), ("s1", "bob"), ("s2", "ann"), ("s2", "bob")] == [
        (row.series_id, row.bot) for row in rows
    ]
    assert ("s2", 2, "dice", "ann", "1.0", 1, 2, 0, 1, 0, 0.5, 0.0, 0.0, 1) == attrs.astuple(rows[4])
    assert ("s0", 0, "dice", "bob", "1.0", 1, 2, 0, 0, 0, 0.0, -1.0, -1.0, 0) == attrs.astuple(rows[1])


def test_series_that_do_not_count_stand_last(store):
    """One with an aborted match and one that lacks a match, in schedule order, with what was played of them."""
    late = Decision(1, Seat(0), "0", 1.0, "too_late", "no answer within 1 s")
    entries = [
        play(0, 0, error="boom", decisions=(late,)),
        play(0, 1),
        *(play(1, rotation) for rotation in (0, 1)),
        play(2, 0, ranks=(1, 1)),
    ]
    store.set_schedule(entry.pairing for entry in [*entries, play(2, 1)])
    store.add_many(entries)
    rows = told(store)
    assert [("s1", 1), ("s1", 1), ("s0", 0), ("s0", 0), ("s2", 0), ("s2", 0)] == [
        (row.series_id, row.counted) for row in rows
    ]
    spoilt, open_ = rows[2], rows[4]
    assert ("ann", 1, 1, 1, 1.0, 1.0, 1) == (
        spoilt.bot,
        spoilt.matches,
        spoilt.aborted,
        spoilt.wins,
        spoilt.points_mean,
        spoilt.returns_mean,
        spoilt.faults,
    )
    assert (1, 0, 0, 1, 0.5) == (
        open_.matches,
        open_.aborted,
        open_.wins,
        open_.ties,
        open_.points_mean,
    )


@pytest.mark.parametrize("at_once", [1, 1000])
def test_counted_series_add_up_to_the_leaderboard(store, monkeypatch, at_once):
    """Matches, wins, ties and faults of all rows of a bot are those of its row of the leaderboard."""
    monkeypatch.setattr(series_module, "ROWS_AT_ONCE", at_once)
    rng = random.Random(3)
    for number in range(15):
        bots = rng.sample(("ann", "bob", "cat", "dan"), 3)
        store.add_many(play(number, rotation, bots, rng.sample((1, 2, 3), 3)) for rotation in range(3))
    rows = told(store)
    for line in leaderboard(store).rows:
        mine = [row for row in rows if row.bot == line.bot]
        assert line.matches == sum(row.matches for row in mine)
        assert (line.wins, line.ties) == (sum(row.wins for row in mine), sum(row.ties for row in mine))
        points = sum(row.points_mean * row.matches for row in mine) / line.matches
        assert pytest.approx(line.points_mean) == points


def test_an_empty_store_has_no_series(store):
    """A header and nothing else."""
    assert [] == told(store)


def test_the_columns_are_the_fields():
    """All of them exact."""
    assert [column.name for column in COLUMNS] == [field.name for field in attrs.fields(SeriesRow)]
    assert all(column.exact for column in COLUMNS)
