"""The sheet: the same seats as in seats.csv, but only those that count, in schedule order."""

from __future__ import annotations

import gc
import random

import attrs
import numpy as np
import pytest
from synthetic import play

from arena.analysis import sheet as sheet_module
from arena.analysis.sheet import read_sheet
from arena.errors import FAULT_KINDS
from arena.store import SEAT_BITS, SeriesState, Store, StoredBot, chunks, database, exports


def counted_rows(store: Store) -> list[dict[str, object]]:
    """The rows of seats.csv whose series count."""
    series = read_sheet(store).progress.series
    header, rows = exports.table(store, "seats")
    named = [dict(zip(header, row, strict=True)) for row in rows]
    return [row for row in named if row["series_id"] in series]


def assert_is_seats_csv(store: Store) -> None:
    sheet, rows = read_sheet(store), counted_rows(store)
    assert len(sheet) == len(rows)
    assert [row["match_id"] for row in rows] == [sheet.match_ids[match] for match in sheet.match]
    assert [row["series_id"] for row in rows] == [sheet.series_ids[series] for series in sheet.series]
    assert [row["cycle"] for row in rows] == [sheet.cycles[series] for series in sheet.series]
    assert [row["bot"] for row in rows] == [sheet.bots[bot] for bot in sheet.bot]
    for name in ("rotation", "seat", "rank", "points", "returns", "win", "tie", "decisions", "think_max_s"):
        assert [row[name] for row in rows] == getattr(sheet, name).tolist(), name
    for kind in FAULT_KINDS:
        assert [row[kind] for row in rows] == getattr(sheet, kind).tolist()


@pytest.mark.parametrize("chunk", [1, 7, 20_000])
@pytest.mark.parametrize("is_planned", [True, False], ids=["a schedule", "no schedule"])
def test_it_is_seats_csv_as_far_as_it_counts(store, monkeypatch, chunk, is_planned):
    """Tables of two and three, played in any order, read in any chunks; an aborted and an open series are left out."""
    monkeypatch.setattr(database, "CHUNK", chunk)
    rng = random.Random(1)
    entries = []
    for series in range(10):
        bots = rng.sample(("ann", "bob", "cat", "dan"), 2 + series % 2)
        ranks = list(range(1, len(bots) + 1))
        for rotation in range(len(bots)):
            error = "boom" if (series, rotation) == (3, 0) else None
            entries.append(play(series, rotation, bots, rng.sample(ranks, len(ranks)), error=error))
    if is_planned:
        store.set_schedule(entry.pairing for entry in [*entries, play(10, 0), play(10, 1)])
    store.add_many([*rng.sample(entries, len(entries)), play(10, 1)])
    store.put_bots([StoredBot("zoe", "3")])
    assert_is_seats_csv(store)
    sheet = read_sheet(store)
    assert ("ann", "bob", "cat", "dan", "zoe") == sheet.bots
    assert ("1.0", "1.0", "1.0", "1.0", "3") == sheet.versions
    assert "s3" not in sheet.series_ids
    assert ("s10" in sheet.series_ids) != is_planned


def test_matches_outside_the_schedule_do_not_count(store):
    """They stand in seats.csv, and in no sum."""
    store.set_schedule([play(5, 0).pairing])
    store.add_many([play(9, 0), play(5, 0), play(1, 0)])
    assert ("s5",) == read_sheet(store).series_ids


def test_series_are_closed_when_their_planned_matches_are_there(store):
    """In schedule order; series that the schedule does not name come last, by their ids, closed."""
    plans = [play(series, rotation) for series in (2, 0, 5) for rotation in (0, 1)]
    store.set_schedule(plan.pairing for plan in plans)
    store.add_many([play(4, 0), play(1, 0), plans[3], plans[0], play(2, 1, error="boom")])
    matches = sheet_module._Matches()
    for chunk in chunks.match_places(store):
        matches.add(*chunk)
    series = matches.series(chunks.unplayed(store))
    assert [
        SeriesState("s2", planned=2, missing=0, stored=2, aborted=1),
        SeriesState("s0", planned=2, missing=1, stored=1, aborted=0),
        SeriesState("s5", planned=2, missing=2, stored=0, aborted=0),
        SeriesState("s1", planned=0, missing=0, stored=1, aborted=0),
        SeriesState("s4", planned=0, missing=0, stored=1, aborted=0),
    ] == series
    assert [True, False, False, True, True] == [each.is_closed for each in series]


def test_a_version_is_the_last_that_counts(store, monkeypatch):
    """However far behind it lies; what was played with a newer one, but does not count, says nothing."""
    monkeypatch.setattr(database, "CHUNK", 2)
    entries = [
        attrs.evolve(play(series, 0, bots), versions=versions)
        for series, bots, versions in [
            (0, ("ann", "bob"), ("1", "1")),
            (1, ("ann", "cat"), ("2", "1")),
            (2, ("dan", "cat"), ("1", "2")),
            (4, ("dan", "ann"), ("3", "3")),
        ]
    ]
    store.set_schedule(entry.pairing for entry in [*entries[:3], play(3, 0), entries[3]])
    store.add_many(entries)
    sheet = read_sheet(store)
    assert {"ann": "2", "bob": "1", "cat": "2", "dan": "1"} == dict(
        zip(sheet.bots, sheet.versions, strict=True)
    )


def test_numbers_packed_into_one_come_back(store):
    """As large as they may be."""
    numbers = {name: (1 << bits) - 1 for name, bits in SEAT_BITS.items()}
    store.add(play(0, 0))
    store.connection.execute(
        "UPDATE seats SET rank = :rank, win = :win, tie = :tie, decisions = :decisions, seat = :seat"
        " WHERE seat = 1",
        numbers,
    )
    ((_, _, packed, *_),) = chunks.seats(store)
    unpacked = sheet_module._unpacked(np.array(packed, dtype=np.int64))
    assert {name: numbers[name] for name in ("seat", "rank", "win", "tie")} == {
        name: unpacked[name].tolist()[1] for name in ("seat", "rank", "win", "tie")
    }
    assert [0, 1] == [unpacked["seat"].tolist()[0], unpacked["decisions"].tolist()[0]]


def test_times_are_those_of_the_bot(played):
    """Of counted matches only, every answer once."""
    sheet = read_sheet(played)
    ann, bob, cat = (sorted(times.tolist()) for times in sheet.times)
    assert [0.25] * 5 + [1.0] == ann
    assert [0.125] + [0.25] * 5 == bob
    assert [] == cat


def test_faults_of_any_kind_are_summed(played):
    """One in all."""
    sheet = read_sheet(played)
    assert 1 == sheet.faults.sum() == sheet.too_late.sum()


def test_an_empty_store_has_an_empty_sheet(store):
    """All columns there, none with a row."""
    sheet = read_sheet(store)
    assert (0, (), (), ()) == (len(sheet), sheet.bots, sheet.match_ids, sheet.series_ids)
    assert 0 == len(sheet.faults) == len(sheet.cycles)


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_left_as_it_was(store, monkeypatch, was_on):
    """Also where reading fails."""

    def broken(*_of: object) -> None:
        assert not gc.isenabled()
        raise OSError

    monkeypatch.setattr(sheet_module, "_counted", broken)
    (gc.enable if was_on else gc.disable)()
    try:
        with pytest.raises(OSError):
            read_sheet(store)
        assert was_on == gc.isenabled()
    finally:
        gc.enable()


def test_numbers_are_small(played):
    """A million matches must fit into a gigabyte: no column is wider than it need be."""
    sheet = read_sheet(played)
    assert np.dtype(np.int16) == sheet.seat.dtype == sheet.rank.dtype
    assert np.dtype(np.int32) == sheet.series.dtype == sheet.bot.dtype
    assert all(times.dtype == np.float32 for times in sheet.times)
