"""The open database of a results folder: its rows, and what troubles it, told in sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.store.files import DATABASE, sentences
from arena.store.rows import Columns
from arena.store.schema import Row
from arena.store.soundness import Damage

CHUNK = 20_000
"""Rows that are Python objects at one time, where there may be millions."""


class Database:
    """One connection to it; used by one thread at a time."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.connection = connection
        self.damage: Damage | None = None
        """What of the database is damaged, if this shows a copy of what is sound of it."""

    @property
    def path(self) -> Path:
        return self.folder / DATABASE

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Everything read inside belongs to one moment, whatever a run adds meanwhile."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("ROLLBACK")

    def rows(self, sql: str, *values: Any) -> Iterator[Row]:
        """What a query gives, row by row."""
        with sentences(self.path):
            # Not `yield from`, which would close the cursor after the database.
            for row in self.connection.execute(sql, values):  # noqa: UP028
                yield row

    def chunks(self, sql: str) -> Iterator[Columns]:
        """What a query gives, `CHUNK` rows at a time, a tuple a column."""
        with sentences(self.path):
            cursor = self.connection.execute(sql)
            while rows := cursor.fetchmany(CHUNK):
                yield tuple(zip(*rows, strict=True))

    def pragma(self, name: str) -> int:
        return int(self.connection.execute(f"PRAGMA {name}").fetchone()[0])
