"""Checks whether a database is as it was written and, if it is not, salvages the part that is sound.

A copy of the sound part is a database like any other: readers of a damaged folder read such a copy, and a
run that continues one starts from it and plays the matches that are missing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from arena.errors import START_OVER, ConfigError, Hint
from arena.store import checksums
from arena.store.checksums import BATCHES, BOT, EPOCHS, MATCHES, META, SCHEDULE, MatchRows
from arena.store.files import DATABASE_ERRORS, code_of
from arena.store.kept.digest import written_digest
from arena.store.rows import insert_rows
from arena.store.schema import (
    APPLICATION_ID,
    MARK,
    SCHEMA_VERSION,
    TABLES_OF_SERVER,
    Row,
    insertion,
    statements,
    stored_columns,
)

SHOWN = 5
"""How many ids of damaged matches a sentence names."""
_NO_DAMAGE = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
    sqlite3.SQLITE_INTERRUPT,
}
"""Errors that do not mean damage: a sound database raises them too, the last one when we lose patience."""


@attrs.frozen
class Damage:
    """What in a database is not as it was written."""

    path: Path
    sound: int
    """How many matches are sound."""
    lost: int
    """How many matches are damaged or missing."""
    match_ids: tuple[str, ...]
    """The ids of the lost matches, as far as they can still be read."""
    parts: frozenset[str]
    """Which of `meta`, `bots`, `schedule` are not whole."""
    is_of_tables: bool = False
    """Whether they were played at a server's tables, so that no run can play them again."""

    def __str__(self) -> str:
        """What is damaged, and what is sound."""
        told = [f"{self.lost} of its matches"] if self.lost else []
        if self.match_ids:
            more = ", …" if self.lost > len(self.match_ids[:SHOWN]) else ""
            told[0] += f" ({', '.join(self.match_ids[:SHOWN])}{more})"
        told += [words for part, words in _PARTS.items() if part in self.parts]
        what = " and ".join(told) or "something that nothing depends on"
        sound = "1 match is" if self.sound == 1 else f"{self.sound} matches are"
        return f"{self.path} is damaged: {what}; {sound} sound"

    @property
    def mended(self) -> str:
        """What a run that continues with the sound part says about it."""
        return f"{self}; the rest is played again, and the damaged file is kept as {self.path.name}.damaged"

    def mistake(self, then: str = "") -> ConfigError:
        """The damage as an error, with what its owner can do; `then`: what follows from it."""
        if self.is_of_tables or self.parts & {"meta", "bots"}:
            hints = () if self.is_of_tables else (START_OVER,)
            return ConfigError(
                f"{self}{then}: a copy of the folder, if there is one, may be whole", hints=hints
            )
        again = Hint("resume", "plays again what is damaged", str(self.path.parent), command="run")
        return ConfigError(f"{self}{then}", hints=(again,))


_PARTS = {
    "meta": "its record of the plan",
    "bots": "its record of the bots",
    "schedule": "its schedule",
}


def lay_out(db: sqlite3.Connection) -> None:
    """Lays out an empty database as one of ours."""
    for statement in statements():
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    checksums.note_all(db)


# Checking.


def is_sound(db: sqlite3.Connection, path: Path) -> bool:
    """Whether everything in a database is as it was written, as far as its schema can tell."""
    if written_digest(path):
        return True
    try:
        db.execute("BEGIN")  # all reads see one moment, whatever a run adds meanwhile
        try:
            return is_laid_out(db) and _is_whole(db) and _is_unchanged(db)
        finally:
            db.execute("ROLLBACK")
    except DATABASE_ERRORS as error:
        if code_of(error) in _NO_DAMAGE:
            raise
        return False


def is_laid_out(db: sqlite3.Connection) -> bool:
    """Whether a database has the tables and views of our schema: a changed view would show other numbers."""
    return _layout(db) == _our_layout()


def lay_views_anew(db: sqlite3.Connection) -> bool:
    """Replaces views that differ with ours, for this connection alone; False if tables differ too.

    A changed view would show other numbers, or compute for ever.
    """
    if is_laid_out(db):
        return True
    ours = _our_layout()
    if not {row for row in ours if row[0] == "table"} <= _layout(db):
        return False
    for kind, *_, sql in ours:
        if kind == "view":
            db.execute(sql.replace("CREATE VIEW", "CREATE TEMP VIEW", 1))  # goes before one in the file
    return True


@cache
def _our_layout() -> frozenset[Row]:
    model = sqlite3.connect(":memory:")
    try:
        lay_out(model)
        return _layout(model)
    finally:
        model.close()


def _layout(db: sqlite3.Connection) -> frozenset[Row]:
    rows = db.execute("SELECT type, name, tbl_name, sql FROM main.sqlite_master")
    return frozenset((*names, " ".join(str(sql or "").split())) for *names, sql in rows)


def _is_whole(db: sqlite3.Connection) -> bool:
    """Whether the database's pages, records and indexes are in order."""
    return [str(told) for (told,) in db.execute("PRAGMA main.integrity_check(1)")] == ["ok"]


def _is_unchanged(db: sqlite3.Connection) -> bool:
    sums = []
    for _, sum, rows in checksums.stored_rows(db):
        if rows.checksum != sum:
            return False
        sums.append(sum)
    return checksums.noted(db) == checksums.parts(db, sums)


# Salvaging.


def salvaged(db: sqlite3.Connection, path: Path, place: str = "") -> tuple[sqlite3.Connection, Damage]:
    """Copies the sound part of a database; returns the copy and the damage.

    `place`: a new file; without one the copy lives as long as its connection.
    Raises sqlite3.DatabaseError if not even its tables can be made out.
    """
    copy = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
    try:
        copy.execute("PRAGMA journal_mode = MEMORY")  # no file: the copy is dropped if anything fails
        copy.execute("BEGIN")
        lay_out(copy)
        damage = _Salvage(db, copy, path).all()
        copy.execute("COMMIT")
    except BaseException:
        copy.close()
        raise
    return copy, damage


class _Salvage:
    """Copies row after row, and skips those that cannot be read or are not as they were written."""

    def __init__(self, db: sqlite3.Connection, copy: sqlite3.Connection, path: Path) -> None:
        self.db = db
        self.copy = copy
        self.path = path
        self.unread: list[Exception] = []  # if the sums cannot be read, a missing sum says nothing
        sums = "SELECT part, count, sum FROM checksums"
        self.noted = {str(part): (count, sum) for part, count, sum in self._rows(sums, errors=self.unread)}

    def all(self) -> Damage:
        sound, lost = self._matches()
        is_planned = self._rows_of(SCHEDULE) & self._rows_of(EPOCHS) & self._rows_of(BATCHES)
        whole = {"meta": self._meta(), "bots": self._bots(), "schedule": is_planned}
        checksums.note_all(self.copy)
        if not whole["schedule"]:  # an empty schedule must not look like one that was written empty
            self.copy.execute("DELETE FROM checksums WHERE part = ?", (SCHEDULE,))
        noted, _ = self.noted.get(MATCHES, (0, b""))
        planned = noted if isinstance(noted, int) else 0
        return Damage(
            path=self.path,
            sound=sound,
            lost=max(len(lost), planned - sound),
            match_ids=tuple(sorted(filter(None, lost))),
            parts=frozenset(part for part, is_whole in whole.items() if not is_whole),
            is_of_tables=any(self.copy.execute("SELECT 1 FROM meta WHERE key = ?", (TABLES_OF_SERVER,))),
        )

    def _meta(self) -> bool:
        found, errors = self._part("SELECT key, value FROM meta")
        rows: list[Row] = [(key, text) for key, text in found if key != MARK]
        sound = [row for row in rows if self._is_noted(META, row) and _is_json(row[1])]
        return self._put("meta", sound, rows, META) and not errors

    def _bots(self) -> bool:
        """Copies the bots; if a bot's row is damaged, its name and version are taken from its matches."""
        rows, errors = self._part(f"SELECT {stored_columns('bots')} FROM main.bots")
        is_whole = self._put("bots", [row for row in rows if self._is_noted(BOT, row)], rows, BOT)
        self.copy.execute(
            f"INSERT OR IGNORE INTO bots ({stored_columns('bots')})"
            " SELECT bot, version, '', '', '', '', 'ok', 0.0, '' FROM seats"
        )
        return is_whole and not errors

    def _put(self, table: str, sound: list[Row], found: list[Row], part: str) -> bool:
        """Copies the sound rows; returns whether these are all that were written."""
        for row in sound:
            self.copy.execute(insertion(table, or_="IGNORE"), row)
        noted = sum(each.startswith(part) for each in self.noted)
        return len(sound) == len(found) == noted

    def _is_noted(self, part: str, row: Row) -> bool:
        name, *_ = row
        return isinstance(name, str) and self.noted.get(part + name) == (1, checksums.checksum(row))

    def _rows_of(self, table: str) -> bool:
        """Copies schedule, epochs or batches if all are as they were written; returns whether they are."""
        rows = list(self._rows(f"SELECT {stored_columns(table)} FROM {table}"))
        try:
            self.copy.execute(f"SAVEPOINT {table}")
            self.copy.executemany(insertion(table), rows)
            is_whole = checksums.sum_of_rows(self.copy, table) == self.noted.get(table)
        except DATABASE_ERRORS:
            is_whole = False
        self.copy.execute(f"RELEASE {table}" if is_whole else f"ROLLBACK TO {table}")
        return is_whole

    def _matches(self) -> tuple[int, list[str]]:
        """Copies the sound matches; returns their number, and the ids of the others that can be read."""
        sound, lost = 0, []
        for number in self._numbers():
            rows, sum = self._match(number)
            try:
                if rows is None or rows.checksum != sum:
                    raise sqlite3.DatabaseError("it is not as it was written")
                insert_rows(self.copy, [rows])
                sound += 1
            except DATABASE_ERRORS:
                lost.append(self._id_of(number))
        return sound, lost

    def _numbers(self) -> list[int]:
        """The numbers of the matches, read from both ends of their table and from both its indexes."""
        ways = ("NOT INDEXED ORDER BY number", "NOT INDEXED ORDER BY number DESC", *_BY_INDEX)
        found = {number for way in ways for (number,) in self._rows(f"SELECT number FROM matches {way}")}
        return sorted(number for number in found if isinstance(number, int))  # an index may hold anything

    def _match(self, number: int) -> tuple[MatchRows | None, bytes]:
        errors: list[Exception] = []

        def rows(columns: str, table: str, where: str) -> list[Row]:
            return list(self._rows(f"SELECT {columns} FROM {table} WHERE {where}", number, errors=errors))

        matches = rows(f"checksum, {stored_columns('matches')}", "matches NOT INDEXED", "number = ?")
        tables = [
            rows(stored_columns(table), table, f"match = ? ORDER BY {order}")
            for table, order in checksums.HANGING.items()
        ]
        if errors or len(matches) != 1:
            return None, b""
        ((sum, *row),) = matches
        return MatchRows(row, *tables), sum

    def _id_of(self, number: int) -> str:
        found = list(self._rows("SELECT match_id FROM matches NOT INDEXED WHERE number = ?", number))
        ids = [id for (id,) in found if isinstance(id, str) and id.isprintable()]
        return ids[0] if ids else ""

    def _part(self, sql: str) -> tuple[list[Row], list[Exception]]:
        """The rows that can be read, and the errors that came up in reading them or their sums."""
        errors = list(self.unread)
        return list(self._rows(sql, errors=errors)), errors

    def _rows(self, sql: str, *values: Any, errors: list[Exception] | None = None) -> Iterator[Row]:
        """Yields rows until one cannot be read; that error is added to `errors`."""
        try:
            yield from self.db.execute(sql, values)
        except DATABASE_ERRORS as error:
            if code_of(error) in _NO_DAMAGE:
                raise
            if errors is not None:
                errors.append(error)


_BY_INDEX = tuple(f"INDEXED BY sqlite_autoindex_matches_{index}" for index in (1, 2))


def _is_json(value: object) -> bool:
    try:
        json.loads(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, RecursionError):
        return False
    return True
