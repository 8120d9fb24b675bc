"""Writes what lies next to the database for people and programs: tables as CSVs, evidence of faults.

Exports can always be made again; the database is the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from arena.store import capsules
from arena.store.database import Database
from arena.store.files import Table, sentences, write_tables
from arena.store.kept.kept_lines import IN_LINES, texts
from arena.store.lines import TableLines
from arena.store.schema import LATEST_FIRST, TABLES, Row, column_names, rows_of, told_columns


def write(store: Database) -> None:
    """Writes the tables and the evidence; `arena.analysis.export` adds tables of its own."""
    with store.frozen():
        write_tables(store.folder, tables(store))
        publish(store)


def publish(store: Database, match_ids: Iterable[str] | None = None) -> None:
    """Writes capsules as files: all missing ones of closed series, or those of these matches.

    The series of these matches must be closed.
    """
    with sentences(store.folder / capsules.FOLDER):
        if match_ids is None:
            capsules.publish_closed(store.connection, store.folder)
        else:
            capsules.publish_matches(store.connection, store.folder, match_ids)


def tables(store: Database) -> dict[str, Table]:
    """The tables as they are exported; their rows are read as they are asked for."""
    return {name: table(store, name, as_cells=True) for name in TABLES}


def table(store: Database, name: str, *, as_cells: bool = False) -> Table:
    """One of `TABLES`; `as_cells`: text as it is written in CSVs."""
    header = column_names(TABLES[name])
    if not as_cells or name not in IN_LINES:
        return header, _rows(store, name, as_cells)
    return header, TableLines(
        lambda: _rows(store, name, as_cells),
        lambda: texts(store, name, is_whole=_is_whole(store)),
    )


def seats_of(store: Database, bots: Sequence[str], most: int) -> Table:
    """The lines of `seats` of some bots, as cells: the latest `most` of them."""
    columns = TABLES["seats"]
    told = f"SELECT {told_columns('seats', as_cells=True)} FROM shown_seats"
    marks = ", ".join("?" * len(bots))
    rows = f"{told} WHERE bot IN ({marks}) ORDER BY {LATEST_FIRST} LIMIT ?"
    return column_names(columns), reversed(list(store.rows(rows, *bots, most)))


def _rows(store: Database, name: str, as_cells: bool) -> Iterator[Row]:
    yield from store.rows(rows_of(name, is_whole=_is_whole(store), as_cells=as_cells))


def _is_whole(store: Database) -> bool:
    """Whether the schedule names exactly the stored matches."""
    outside = (
        "SELECT 1 FROM matches m LEFT JOIN schedule p USING (pairing_id) WHERE p.position IS NULL LIMIT 1"
    )
    sizes = "SELECT (SELECT COUNT(*) FROM schedule) = (SELECT COUNT(*) FROM matches)"
    return [(1,)] == list(store.rows(sizes)) and not list(store.rows(outside))
