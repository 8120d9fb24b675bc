"""Makes the CSVs of a folder again from its matches, and compares them cell by cell."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from math import isclose
from pathlib import Path
from typing import TextIO

import attrs

from arena.analysis import ANCHORED, exported
from arena.analysis.leaderboard import ROUNDED
from arena.analysis.strength.ratings import ANCHOR
from arena.analysis.tables import COLUMNS, MAKER
from arena.errors import ConfigError
from arena.store import TABLES, Row, Store, Table
from arena.store.cells import meant
from arena.store.files import stamped_maker, stamped_mark
from arena.store.lines import quoted_text
from arena.verify.untruth import Untruth, Untruths

CLOSE = 1e-7
"""How much a number may differ, as a share of it, in tables computed from many matches: another machine sums
in another order, which changes the last digits."""

STEPS = {column: 10.0**-digits for column, digits in ROUNDED.items()}
"""Column -> how much an estimate may differ: what lies between two of its last digits is rounded up on one
processor and down on another."""


def csv_untruths(store: Store, notes: list[str]) -> Untruths:
    """Where the CSVs that are there do not follow from the matches; a folder may have none."""
    there = [name for name in COLUMNS if (store.folder / f"{name}.csv").is_file()]
    missing = [f"{name}.csv" for name in COLUMNS if name not in there]
    again = f"`arena leaderboard {store.folder}` writes them"
    if missing:
        notes.append(f"not there: {', '.join(missing)}; {again}")
    if not there:
        return
    hint = f"{why}: {again} anew" if (why := _why(store)) else ""
    anchor, tables = _anchored(store, there)
    if anchor is not None:
        notes.append(f"the ratings of the CSVs are relative to {anchor}")
    for name in there:
        try:
            yield from _compared(store.folder, name, tables[name], hint)
        except csv.Error as error:
            yield Untruth(f"{name}.csv", "row", str(error), "a row of a CSV", hint=hint)


def _why(store: Store) -> str:
    """Why CSVs that nobody has edited may differ; empty: this arena wrote them for this very state."""
    mark, maker = stamped_mark(store.folder), stamped_maker(store.folder)
    if mark is None:
        return "perhaps another version of the arena wrote the CSVs, as nothing says which one did"
    if maker != MAKER:
        return "another version of the arena wrote the CSVs"
    return "" if mark == store.mark() else "the CSVs are older than arena.db"


def _anchored(store: Store, there: Sequence[str]) -> tuple[str | None, dict[str, Table]]:
    """The bot that the tables are anchored at, if people chose another than the run's, and the tables."""
    _, tables = exported(store)
    named = [name for name in ANCHORED if name in there]
    tables |= {name: (tables[name][0], list(tables[name][1])) for name in named}
    if not any(_differs(store.folder, name, tables[name]) for name in named):
        return None, tables
    for bot in _anchors(store, there):
        try:
            _, others = exported(store, anchor=bot)
        except ConfigError:  # there is no such bot
            continue
        others = {name: (others[name][0], list(others[name][1])) for name in named}
        if not any(_differs(store.folder, name, others[name]) for name in named):
            return bot, tables | others
    return None, tables


def _anchors(store: Store, there: Sequence[str]) -> list[str]:
    """The bots at which the tables may be anchored: those whose rating is said to be exactly ANCHOR."""
    if "leaderboard" not in there:
        return [bot.bot for bot in store.bots()]
    try:
        with _opened(store.folder / "leaderboard.csv") as file:
            rows = list(csv.DictReader(file))
    except csv.Error:
        return []
    cells = ("rating", "rating_low", "rating_high")
    return [meant(row.get("bot") or "") for row in rows if {row.get(cell) for cell in cells} == {str(ANCHOR)}]


def _differs(folder: Path, name: str, table: Table) -> bool:
    try:
        return next(_compared(folder, name, table, ""), None) is not None
    except csv.Error:
        return True


def _compared(folder: Path, name: str, table: Table, hint: str) -> Untruths:
    """Where a CSV differs from this table."""
    path, (columns, rows) = folder / f"{name}.csv", table
    with _opened(path) as file:
        lines = csv.reader(file)
        header = next(lines, [])
        if header != list(columns):
            told = ", ".join(header) or "nothing"
            yield Untruth(f"{path.name}, line 1", "header", told, ", ".join(columns), hint=hint)
            return
        for number, (line, right) in enumerate(zip_longest(lines, _cells(rows)), 2):
            if line != right:
                where = f"{path.name}, line {number}"
                for untruth in _cell_by_cell(where, header, line, right, is_close=name not in TABLES):
                    yield attrs.evolve(untruth, hint=hint)


def _opened(path: Path) -> TextIO:
    return path.open(encoding="utf-8", errors="replace", newline="")


def _cell_by_cell(
    where: str, header: Sequence[str], line: list[str] | None, right: list[str] | None, *, is_close: bool
) -> Untruths:
    """Where a line differs from the one that should be there; None: there is no line."""
    if line is None or right is None or len(line) != len(right):
        yield Untruth(where, "row", _told(line), _told(right))
        return
    for column, cell, value in zip(header, line, right, strict=True):
        if cell != value and not (is_close and _are_close(cell, value, STEPS.get(column, 0.0))):
            yield Untruth(where, column, repr(cell), repr(value))


def _cells(rows: Iterable[Row]) -> Iterator[list[str]]:
    """The cells of each row, as they are read from a CSV."""
    for row in rows:
        yield from csv.reader([quoted_text([row])])


def _are_close(cell: str, value: str, step: float) -> bool:
    """Whether both are numbers with a fraction that differ by rounding only, or by a `step`."""
    if "." not in cell + value and "e" not in cell + value:
        return False
    try:
        return isclose(float(cell), float(value), rel_tol=CLOSE, abs_tol=CLOSE + step)
    except ValueError:
        return False


def _told(cells: list[str] | None) -> str:
    return "no line" if cells is None else ", ".join(cells)
