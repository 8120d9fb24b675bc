"""Opens a results folder's database: creates or checks it, and refuses one of another layout."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arena.errors import START_OVER, ConfigError, Hint
from arena.store.files import ASIDE, DATABASE, code_of, made, make_private, open_database, sentences, touch
from arena.store.foreign import bound_steps, bound_values, check_folder
from arena.store.kept.digest import file_state, write_digest, written_digest
from arena.store.reading import Reading
from arena.store.schema import APPLICATION_ID, SCHEMA_VERSION
from arena.store.soundness import is_laid_out, is_sound, lay_out, lay_views_anew, salvaged
from arena.store.writing import Writing


class NotOurs(ConfigError):
    """What lies in a folder is no tournament of the arena's, and must not be overwritten."""


class Store(Reading, Writing):
    """The database of one results folder, to read and, if opened for that, to write."""

    @classmethod
    def create(cls, folder: str | Path, *, meta: Mapping[str, Any]) -> Store:
        """Creates a store; `meta` must hold `game_version`.  Raises ConfigError if the folder has one."""
        check_folder(folder)
        path = made(Path(folder)) / DATABASE

        def lay_out(store: Store) -> None:
            if not store._is_blank():
                store._check()
                resume = Hint("resume", "continues it", str(folder))
                raise ConfigError(f"{folder} holds a tournament already", hints=(resume, START_OVER))
            store._lay_out(meta)

        with sentences(path):
            touch(path)
            return cls._opened(path, "rw", lay_out)

    @classmethod
    def open(cls, folder: str | Path, *, write: bool = False) -> Store:
        """Opens the store of a folder.  Raises ConfigError if there is none that this arena can read.

        Checks only that its layout and its plan are as they were written; `checked` checks everything.
        """
        path = _database_in(folder)

        def check(store: Store) -> None:
            store._check()
            store._check_layout()

        def check_to_write(store: Store) -> None:
            check(store)
            store._tune()

        with sentences(path):
            if not write:
                return cls._opened_to_read(path, check)
            make_private(path)
            return cls._opened(path, "rw", check_to_write)

    @classmethod
    def checked(cls, folder: str | Path) -> Store:
        """Opens the store of a folder to read; of a damaged one, a copy of its sound part, with its `damage`.

        Raises ConfigError if there is none, or this arena can read nothing of it.
        """
        path = _database_in(folder)
        with sentences(path):
            store = cls.unchecked(folder)
            try:
                # The state first: if a run writes between the two, it shows that the digest is out of date.
                store._state, store.digest = file_state(path), written_digest(path)
                return store if store.digest or is_sound(store.connection, path) else cls._salvaged(store)
            except BaseException:
                store.close()
                raise

    @classmethod
    def unchecked(cls, folder: str | Path) -> Store:
        """Opens the store of a folder to read, whether its rows are damaged or not."""
        path = _database_in(folder)

        def check(store: Store) -> None:
            store._check()
            store._lay_views_anew()

        with sentences(path):
            return cls._opened_to_read(path, check)

    @classmethod
    def _salvaged(cls, store: Store) -> Store:
        copy, damage = salvaged(store.connection, store.path)
        store.close()
        sound = cls(store.folder, copy)
        sound.damage = damage
        if "schedule" in damage.parts:  # nobody knows which series are closed and may show what they hid
            for table in ("decisions", "capsules"):
                copy.execute(f"DELETE FROM {table}")
        copy.execute("PRAGMA query_only = 1")
        return sound

    @classmethod
    def _opened(cls, path: Path, mode: str, prepare: Callable[[Store], object]) -> Store:
        store = cls(path.parent, open_database(path, mode))
        try:
            bound_values(store.connection)
            prepare(store)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def _opened_to_read(cls, path: Path, check: Callable[[Store], object]) -> Store:
        def prepare(store: Store) -> None:
            bound_steps(store.connection, path)
            check(store)

        try:
            store = cls._opened(path, "rw", prepare)
        except sqlite3.OperationalError as error:
            if code_of(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            # We may not write to the folder: SQLite cannot put its shared memory beside the file, and needs
            # none as long as nobody writes.
            store = cls._opened(path, "ro&immutable=1", prepare)
        # Not mode=ro from the start: such a reader leaves its -wal and -shm files behind.
        store.connection.execute("PRAGMA query_only = 1")
        return store

    def close(self) -> None:
        self.connection.close()
        if self.has_written:
            write_digest(self.path)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _is_blank(self) -> bool:
        """Whether nothing was ever committed: the file is new, or the run that made it was killed at once."""
        tables = self.connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
        return bool(tables == 0 and self.pragma("user_version") == 0)

    def _lay_out(self, meta: Mapping[str, Any]) -> None:
        # Switching a new file to WAL is a change too, with a journal.  It stays in memory: if we are killed
        # meanwhile, no journal may be left behind, because `check_folder` refuses a folder with one.
        self.connection.execute("PRAGMA journal_mode = MEMORY")
        self._tune()
        with self.transaction() as db:
            lay_out(db)
            self.put_meta(meta)

    def _check(self) -> None:
        if self._is_blank():
            raise ConfigError(f"{self.path} is empty: its run ended before it began; start it again")
        if self.pragma("application_id") != APPLICATION_ID:
            raise NotOurs(f"{self.path} is not a database of the arena")
        version = self.pragma("user_version")
        if version > SCHEMA_VERSION:
            raise ConfigError(
                f"{self.path} was written by a newer arena "
                f"(schema {version}; this one knows {SCHEMA_VERSION}): update this one"
            )
        if version < SCHEMA_VERSION:
            raise ConfigError(
                f"{self.path} was written by an older development version of the arena "
                f"(schema {version}; this one knows {SCHEMA_VERSION}): use that version",
                hints=(START_OVER,),
            )

    def _check_layout(self) -> None:
        if not is_laid_out(self.connection):
            raise ConfigError(f"{self.path} is damaged: its layout", hints=(START_OVER,))

    def _lay_views_anew(self) -> None:
        if not lay_views_anew(self.connection):
            raise ConfigError(
                f"{self.path} is damaged: its tables are not laid out as the arena's are; "
                "a copy of the folder, if there is one, may be whole"
            )

    def _tune(self) -> None:
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last matches only


def _database_in(folder: str | Path) -> Path:
    check_folder(folder)
    path = Path(folder) / DATABASE
    if path.is_file():
        return path
    if not os.path.lexists(folder):
        why = "there is no such folder"
    elif Path(folder).is_file():
        why = "it is a file, expected the folder that a run wrote"
    elif path.with_name(ASIDE).is_file():
        raise ConfigError(
            f"{folder} has no {DATABASE}: a run that was to start over put it aside as {ASIDE}",
            hints=[Hint("resume", "puts it back", str(folder), command="run")],
        )
    else:
        why = f"there is no {DATABASE} in it"
    raise ConfigError(f"{folder} is not a results folder: {why}")


def holds_tournament(folder: str | Path) -> bool:
    """Whether a folder has a store to open; one whose run was killed before it began does not count."""
    check_folder(folder)
    path = Path(folder) / DATABASE
    if not path.is_file():
        return False
    with sentences(path), Store._opened_to_read(path, Store._is_blank) as store:
        return not store._is_blank()
