"""The open database of a results folder: reads its rows, and tells its errors in sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.store.files import DATABASE, sentences
from arena.store.kept.digest import file_state
from arena.store.rows import Columns
from arena.store.schema import Row
from arena.store.soundness import Damage

CHUNK = 20_000
"""How many rows are Python objects at a time, as there may be millions of them."""


class Database:
    """One connection to the database; used by one thread at a time."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.connection = connection
        self.damage: Damage | None = None
        """What is damaged in the database, if this is a copy of its sound part."""
        self.digest = ""
        """The file's digest (see `kept.digest`); empty if it was not known to be as the last run left it."""
        self._state: tuple[int, ...] | None = None
        """The state of the file (`kept.digest.file_state`) when its digest was taken."""

    @property
    def path(self) -> Path:
        return self.folder / DATABASE

    @property
    def is_as_opened(self) -> bool:
        """Whether `digest` still stands for the file: nobody has written it since it was opened."""
        return bool(self.digest) and file_state(self.path) == self._state

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Makes everything read inside belong to one moment, whatever a run adds meanwhile."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("ROLLBACK")

    def rows(self, sql: str, *values: Any, **named: Any) -> Iterator[Row]:
        """The rows of a query, one by one; its values are given in order, or all by name."""
        with sentences(self.path):
            # Not `yield from`, which would close the cursor after the database.
            for row in self.connection.execute(sql, named or values):  # noqa: UP028
                yield row

    def chunks(self, sql: str, *values: Any) -> Iterator[Columns]:
        """The rows of a query, `CHUNK` at a time, with a tuple for each column."""
        with sentences(self.path):
            cursor = self.connection.execute(sql, values)
            while rows := cursor.fetchmany(CHUNK):
                yield tuple(zip(*rows, strict=True))

    def pragma(self, name: str) -> int:
        return int(self.connection.execute(f"PRAGMA {name}").fetchone()[0])
