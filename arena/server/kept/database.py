"""The file `server.db`: locked, made, checked; one of another layout is refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from arena.errors import ConfigError
from arena.store.files import made, make_private, open_database, sentences, touch
from arena.store.locks import held

DATABASE, LOCK = "server.db", "server.lock"
APPLICATION_ID = 0x41726553
"""`AreS`: tells a server's database from a results folder's."""

LAYOUT_VERSION = 1
"""The version of `LAYOUT`, in every database as `user_version`."""
LAYOUT = """
CREATE TABLE users (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE tables (id TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE chat (
    table_id TEXT NOT NULL, number INTEGER NOT NULL, line BLOB NOT NULL, PRIMARY KEY (table_id, number)
) WITHOUT ROWID;
CREATE TABLE matches (id TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE turns (
    match_id TEXT NOT NULL, turn INTEGER NOT NULL, moves BLOB NOT NULL, decisions BLOB NOT NULL,
    PRIMARY KEY (match_id, turn)
) WITHOUT ROWID;
CREATE TABLE answers (
    match_id TEXT NOT NULL, turn INTEGER NOT NULL, seat INTEGER NOT NULL, move BLOB NOT NULL,
    PRIMARY KEY (match_id, turn, seat)
) WITHOUT ROWID;
"""
ADDED = (
    """CREATE TABLE IF NOT EXISTS league_rows (
    league TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (league, kind, id)
) WITHOUT ROWID""",
)
"""Tables that came later: an arena that does not know them reads the others as ever."""

SENTENCES: Mapping[int, str] = {
    sqlite3.SQLITE_FULL: "the disk is full: make room for {path}",
    sqlite3.SQLITE_READONLY: "{path} cannot be written: check its permissions, or set data to another folder",
    sqlite3.SQLITE_CANTOPEN: "{path} cannot be opened: check that its folder can be read and written",
    sqlite3.SQLITE_PERM: "{path} may not be opened: check its permissions",
    sqlite3.SQLITE_NOTADB: "{path} is not a database: move it away, or set data to another folder",
    sqlite3.SQLITE_CORRUPT: "{path} is damaged: restore a copy of it, or set data to another folder",
    sqlite3.SQLITE_BUSY: "{path} is locked by another program: end that one",
    sqlite3.SQLITE_LOCKED: "{path} is locked by another program: end that one",
    sqlite3.SQLITE_IOERR: "{path} cannot be read or written: the disk reports an error",
}
_OTHERS = (
    "another server (process {process}) has its tables in {folder}: end that one, or set data to another one"
)


@contextmanager
def held_folder(folder: Path) -> Iterator[Path]:
    """Holds a server's folder, which is made if it is missing; yields the path of its database.

    Raises ConfigError if another server has it.
    """
    with held(made(folder) / LOCK, others=_OTHERS):
        yield folder / DATABASE


def opened_database(path: Path) -> sqlite3.Connection:
    """The database, which is made if it is missing.  Raises ConfigError if this arena cannot read it."""
    with sentences(path, SENTENCES):
        touch(path)
        make_private(path)
        db = open_database(path, "rw")
        try:
            _prepare(db, path)
        except BaseException:
            db.close()
            raise
    return db


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Lays out a new database; another one must have our layout."""
    version, application = (_pragma(db, name) for name in ("user_version", "application_id"))
    is_new = not (version or application or db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0])
    if not is_new and application != APPLICATION_ID:
        raise ConfigError(f"{path} is not the database of a server: set data to another folder")
    if version > LAYOUT_VERSION:
        raise ConfigError(
            f"{path} was written by a newer arena (version {version}; this one knows {LAYOUT_VERSION}): "
            "update this one, or set data to another folder"
        )
    if version < LAYOUT_VERSION and not is_new:
        raise ConfigError(
            f"{path} was written by an older development version of the arena (version {version}; this one "
            f"knows {LAYOUT_VERSION}): use that version, or set data to another folder"
        )
    if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise ConfigError(SENTENCES[sqlite3.SQLITE_CORRUPT].format(path=path))
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    if is_new:
        with transaction(db):
            for statement in LAYOUT.strip().split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {LAYOUT_VERSION}")
    for statement in ADDED:
        db.execute(statement)


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has rolled back already
            db.execute("ROLLBACK")
        raise
