"""Text that a spreadsheet would take for a formula is harmless in every CSV, and comes back as it was."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import play

from arena.analysis import export, load
from arena.analysis.tables import COLUMNS
from arena.match.game import Seat
from arena.match.record import Decision
from arena.store import DATABASE, StoredBot
from arena.store.cells import UNSAFE, harmless, harmless_sql, meant
from arena.terminal.text import as_csv

NAMES = ("=HYPERLINK(1)", "'quoted", "-1", "@SUM")


@pytest.mark.slow
@given(st.text(st.sampled_from(UNSAFE + "ab'\"=") | st.characters(codec="utf-8")))
def test_every_text_comes_back(text):
    """One mark is put before what needs one, and taken from what has one."""
    cell = harmless(text)
    assert text == meant(cell)
    assert cell[:1] not in UNSAFE.replace("'", "") or not cell


@given(
    st.text(st.sampled_from(UNSAFE + "ab'\"^]\\*") | st.characters(codec="utf-8", exclude_characters="\0"))
)
def test_the_database_and_we_agree(text):
    """SQL and Python write the same cell."""
    with closing(sqlite3.connect(":memory:")) as db:
        (cell,) = db.execute(f"SELECT {harmless_sql('t')} FROM (SELECT ? AS t)", (text,)).fetchone()
    assert harmless(text) == cell


@pytest.mark.parametrize("value", [-1, -0.5, 0, 1.5, True, None])
def test_numbers_stay_numbers(value):
    """Only text can be a formula."""
    assert value is harmless(value)


def test_all_tables_are_harmless_and_load_reads_what_was_meant(store):
    """Bots whose names are formulas: from the CSVs come the same frames as from the database."""
    late = Decision(1, Seat(0), "-1", 1.0, "too_late", "=late")
    tables = [NAMES[:2], NAMES[2:], NAMES[1:3]]
    entries = [play(series, 0, bots, decisions=(late,)) for series, bots in enumerate(tables)]
    store.put_bots([StoredBot(name, version="+1", path="=p") for name in NAMES])
    store.set_schedule(entry.pairing for entry in entries)
    store.add_many(entries)
    export(store)
    with_database = {name: getattr(load(store.folder), name) for name in COLUMNS}
    for name in COLUMNS:
        with (store.folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        cells = [row[column.name] for row in rows for column in COLUMNS[name] if column.type == "text"]
        assert cells
        assert [] == [cell for cell in cells if cell and cell[0] in UNSAFE.replace("'", "")], name
    store.close()
    (store.folder / DATABASE).unlink()
    without = load(store.folder)
    for name, frame in with_database.items():
        assert frame.equals(getattr(without, name)), name


def test_what_commands_print_as_csv_is_harmless_too():
    """It is opened by the same programs."""
    assert "bot,score\n'=1,-1" == as_csv(["bot", "score"], [("=1", -1)])
