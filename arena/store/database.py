"""The database of a results folder."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from arena.record import Entry
from arena.schedule import Pairing
from arena.store.capsules import FOLDER as FAULTS
from arena.store.capsules import Room, publish, publish_matches, sealed_again, withdraw
from arena.store.checksums import BOT, META, note_matches, note_rows, note_schedule
from arena.store.digest import write_digest
from arena.store.files import DATABASE, code_of, connect, made, make_private, sentences, touch, write_tables
from arena.store.reading import Reading
from arena.store.rows import StoredBot, bot_row, insert
from arena.store.schema import APPLICATION_ID, MARK, SCHEMA_VERSION
from arena.store.soundness import is_laid_out, is_sound, lay_out, migrate, salvaged
from arena.store.whereabouts import file_of, gone


class Store(Reading):
    """The database of one results folder; used by one thread at a time."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        super().__init__(folder, connection)
        self._writes = False
        self._room: Room | None = None
        """For capsules; None if it is not known yet, or not any more."""
        self._file = file_of(folder / DATABASE)

    # opening

    @classmethod
    def create(cls, folder: str | Path, *, meta: Mapping[str, Any]) -> Store:
        """A new store; `meta` must hold `game_version`.  ConfigError if the folder holds anything already."""
        path = made(Path(folder)) / DATABASE

        def lay_out(store: Store) -> None:
            if not store._is_blank():
                store._check()
                raise ConfigError(
                    f"{folder} holds a tournament already: --resume continues, --fresh starts over"
                )
            store._lay_out(meta)

        with sentences(path):
            touch(path)
            return cls._opened(path, "rw", lay_out)

    @classmethod
    def open(cls, folder: str | Path, *, write: bool = False) -> Store:
        """The store of a folder; ConfigError if there is none that this arena can read.

        Only its layout and its plan are known to be as they were written: `checked` looks at all of it.  One
        of an older arena becomes one of this if it is to be written, all at once.
        """
        path = _database_in(folder)

        def check(store: Store) -> None:
            store._check()
            store._check_layout()

        def check_to_write(store: Store) -> None:
            check(store)
            store._tune()
            if (version := store._pragma("user_version")) < SCHEMA_VERSION:
                with store._transaction() as db:
                    migrate(db, version)

        with sentences(path):
            if not write:
                return cls._opened_to_read(path, check)
            make_private(path)
            return cls._opened(path, "rw", check_to_write)

    @classmethod
    def checked(cls, folder: str | Path) -> Store:
        """The store of a folder, to read; of a damaged one what is sound, and its `damage`.

        Raises ConfigError if there is none that this arena can read, or nothing of it.
        """
        path = _database_in(folder)
        with sentences(path):
            store = cls.unchecked(folder)
            try:
                return store if is_sound(store.connection, path) else cls._salvaged(store)
            except BaseException:
                store.close()
                raise

    @classmethod
    def unchecked(cls, folder: str | Path) -> Store:
        """The store of a folder, to read, be it damaged or not."""
        path = _database_in(folder)
        with sentences(path):
            return cls._opened_to_read(path, Store._check)

    @classmethod
    def _salvaged(cls, store: Store) -> Store:
        copy, damage = salvaged(store.connection, store.folder / DATABASE)
        store.close()
        sound = cls(store.folder, copy)
        sound.damage = damage
        if "schedule" in damage.parts:  # nobody knows which series are closed, and what they hid may be told
            for table in ("decisions", "capsules"):
                copy.execute(f"DELETE FROM {table}")
        copy.execute("PRAGMA query_only = 1")
        return sound

    @classmethod
    def _opened(cls, path: Path, mode: str, prepare: Callable[[Store], object]) -> Store:
        store = cls(path.parent, connect(path, mode))
        try:
            prepare(store)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def _opened_to_read(cls, path: Path, prepare: Callable[[Store], object]) -> Store:
        try:
            store = cls._opened(path, "rw", prepare)
        except sqlite3.OperationalError as error:
            if code_of(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            # A folder we may not write to: SQLite cannot put its shared memory beside the file, and needs
            # none, as nobody is writing.
            store = cls._opened(path, "ro&immutable=1", prepare)
        # Not mode=ro from the start: such a reader leaves its -wal and -shm files behind.
        if store._pragma("user_version") == 1:  # in the connection, not in the file
            store.connection.execute("CREATE TEMP VIEW bots AS SELECT *, '' AS box FROM main.bots")
        store.connection.execute("PRAGMA query_only = 1")
        return store

    def close(self) -> None:
        self.connection.close()
        if self._writes:
            write_digest(self.folder / DATABASE)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _is_blank(self) -> bool:
        """Whether nothing was ever committed: a new file, or one whose maker was killed at once."""
        tables = self.connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
        return bool(tables == 0 and self._pragma("user_version") == 0)

    def _lay_out(self, meta: Mapping[str, Any]) -> None:
        self._tune()
        with self._transaction() as db:
            lay_out(db)
            self._put_meta(meta)

    def _check(self) -> None:
        path = self.folder / DATABASE
        if self._is_blank():
            raise ConfigError(f"{path} is empty: its run ended before it began; start it again")
        if self._pragma("application_id") != APPLICATION_ID:
            raise ConfigError(f"{path} is not a database of the arena")
        if (version := self._pragma("user_version")) > SCHEMA_VERSION:
            raise ConfigError(
                f"{path} was written by a newer arena (schema {version}; this one knows {SCHEMA_VERSION}): "
                "update this one"
            )

    def _check_layout(self) -> None:
        if not is_laid_out(self.connection):
            raise ConfigError(f"{self.folder / DATABASE} is damaged: its layout; --fresh starts over")

    def _tune(self) -> None:
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last matches only

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._writes = True
        self.check_is_there()
        with sentences(self.folder / DATABASE):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self._put_meta({MARK: secrets.token_hex(8)})
                self.connection.execute("COMMIT")
            except BaseException:
                self._room = None
                if self.connection.in_transaction:  # a full disk has rolled back already
                    self.connection.execute("ROLLBACK")
                raise

    # writing

    def check_is_there(self) -> None:
        """Raises ConfigError if the folder was removed or moved away, which an open database outlives."""
        path = self.folder / DATABASE
        if self._file is not None and file_of(path) != self._file:
            raise ConfigError(gone(path, self._file))

    def add(self, entry: Entry) -> None:
        """Keeps a match; its pairing must not be there yet."""
        self.add_many((entry,))

    def add_many(self, entries: Iterable[Entry]) -> None:
        """Keeps several matches, all or none."""
        with self._transaction() as db:
            room = self._room = self._room or Room(db)
            sums = [insert(db, entry, room) for entry in entries]
            note_matches(db, sums, len(sums))

    def remove(self, match_ids: Iterable[str]) -> None:
        """Forgets matches that have to be played again; unknown ids are passed over."""
        ids = [(match_id,) for match_id in dict.fromkeys(match_ids)]
        number = "(SELECT number FROM matches WHERE match_id = ?)"
        with self._transaction() as db:
            sought = "SELECT checksum FROM matches WHERE match_id = ?"
            sums = [sum for id in ids for (sum,) in db.execute(sought, id)]
            hidden = [again for (match_id,) in ids for again in sealed_again(db, match_id)]
            db.executemany(f"DELETE FROM decisions WHERE match = {number}", ids)
            db.executemany(f"DELETE FROM capsules WHERE match = {number}", ids)
            db.executemany(f"DELETE FROM seats WHERE match = {number}", ids)
            db.executemany("DELETE FROM matches WHERE match_id = ?", ids)
            note_matches(db, sums, -len(sums))
            self._room = None
            withdraw(self.folder, dict.fromkeys(hidden))

    def publish(self, match_ids: Iterable[str] | None = None) -> None:
        """Writes capsules as files: all that are missing of closed series, or those of these matches.

        The series of these matches must be closed.
        """
        with sentences(self.folder / FAULTS):
            if match_ids is None:
                publish(self.connection, self.folder)
            else:
                publish_matches(self.connection, self.folder, match_ids)

    def set_schedule(self, pairings: Iterable[Pairing]) -> None:
        """The whole plan in order of play, in the place of the one before.

        Rows are exported in this order, and it says which series are closed.
        Call it before play, so that a killed run has it too.
        """
        with self._transaction() as db:
            db.execute("DELETE FROM schedule")
            rows = ((place, pairing.id, pairing.series) for place, pairing in enumerate(pairings))
            db.executemany("INSERT INTO schedule VALUES (?, ?, ?)", rows)
            note_schedule(db)

    def put_bots(self, bots: Iterable[StoredBot]) -> None:
        """Adds bots, or puts them in the place of those with the same names."""
        rows = [bot_row(bot) for bot in bots]
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO bots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            note_rows(db, BOT, rows)

    def set_status(self, bot: str, status: str) -> None:
        """`ok`, `withdrawn` or `left out`."""
        with self._transaction() as db:
            db.execute("UPDATE bots SET status = ? WHERE bot = ?", (status, bot))
            note_rows(db, BOT, db.execute("SELECT * FROM bots WHERE bot = ?", (bot,)).fetchall())

    def set_meta(self, key: str, value: Any) -> None:
        """Keeps a JSON value under a key."""
        with self._transaction():
            self._put_meta({key: value})

    def _put_meta(self, meta: Mapping[str, Any]) -> None:
        rows = [(key, json.dumps(value, ensure_ascii=False)) for key, value in meta.items()]
        self.connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
        note_rows(self.connection, META, [row for row in rows if row[0] != MARK])

    def export(self) -> None:
        """Writes the tables as CSVs beside the database; `arena.analysis.export` adds its own."""
        with self.frozen():
            write_tables(self.folder, self.tables())
            self.publish()


def _database_in(folder: str | Path) -> Path:
    path = Path(folder) / DATABASE
    if not path.is_file():
        raise ConfigError(f"{folder} is not a results folder: there is no {DATABASE} in it")
    return path


def holds_tournament(folder: str | Path) -> bool:
    """Whether there is something to open; a database whose run was killed before it began is nothing."""
    path = Path(folder) / DATABASE
    if not path.is_file():
        return False
    with sentences(path), Store._opened_to_read(path, Store._is_blank) as store:
        return not store._is_blank()
