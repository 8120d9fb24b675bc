"""What a results folder holds before a run: looked at, put aside where a run starts over, and cleaned up.

Whatever is asked about the folder before it is opened follows from one look at it (`contents_of`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from arena.errors import ELSEWHERE, ConfigError
from arena.store import DATABASE, LOCK, TABLE_FILES, NotOurs, Store, erase, holds_tournament, store_lock
from arena.store.capsules import FOLDER as FAULTS
from arena.store.capsules import LEFT_OUT
from arena.store.files import ASIDE, COLUMNS_FOLDER, KEPT_BOARD, code_of, sentences, sweep
from arena.store.foreign import FOLDERS, check_folder
from arena.tournament.folder.seal import OPENING_FILE, SEAL_FILE
from arena.tournament.play.logs import FOLDER as LOGS

_EXPORTED = (*TABLE_FILES, "report.html")
"""The files that are made from a database for people."""
_DAMAGE = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_UNREADABLE = (0, *_DAMAGE, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_INTERRUPT)
"""SQLite's codes (0: none) of what is wrong with a database that a fresh start may put aside."""
_SUFFIXES = ("", "-wal", "-shm")
"""Suffixes of the files that SQLite keeps for one database."""
_FILES = (*_EXPORTED, "run.json", "run.log", "bugs.log", SEAL_FILE, OPENING_FILE, KEPT_BOARD)
_TOLD = (
    *(*_FILES, "logs/*-[0-9]*.log", "logs/*-build.log", f"{COLUMNS_FOLDER}/[0-9]*"),
    *(f"{FAULTS}/{'[0-9a-f]' * 12}-*-*.jsonl", f"{FAULTS}/{LEFT_OUT}"),
)
"""Patterns of the other files in which runs tell of their matches."""


@attrs.frozen
class FolderContents:
    """What a results folder held when somebody looked."""

    meta: Mapping[str, Any] = attrs.field(factory=dict)
    """What the database keeps of its tournament, as `Store.meta` returns it."""
    matches: int = 0
    """How many matches were played to their end."""
    is_aside: bool = False
    """Whether a fresh start has put a database aside, and was killed before play began."""
    problem: ConfigError | None = None
    """Why the database cannot be read, if that is so."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no tournament, not even one that cannot be read."""
        return not self.meta and self.problem is None

    @property
    def is_damaged(self) -> bool:
        """Whether the database is a file that SQLite cannot read as one."""
        return self.problem is not None and code_of(self.problem.__cause__) in _DAMAGE

    def readable(self) -> FolderContents:
        """The contents.  Raises ConfigError if they cannot be read."""
        if self.problem is not None:
            raise self.problem
        return self


def contents_of(folder: Path) -> FolderContents:
    """What the folder, which may be missing, holds.

    Raises ConfigError if a run there would overwrite files that are not ours, or read what no run wrote.
    """
    there = next((path for path in (folder, *folder.parents) if os.path.exists(path)), Path())
    if os.path.isfile(there):
        raise ConfigError(f"{there} cannot be written: it is a file, expected a folder")
    check_folder(folder)
    _check_writable(folder)
    is_aside = (folder / ASIDE).exists()
    try:
        if holds_tournament(folder):
            with Store.unchecked(folder) as store:
                if store.holds_tables():  # they cannot be played again
                    raise NotOurs(f"{folder} holds the matches of a server's tables")
                return FolderContents(store.meta(), store.size(), is_aside)
        if not (is_aside or (folder / DATABASE).exists()):
            for name in _EXPORTED:
                if (folder / name).exists():
                    raise NotOurs(
                        f"{folder} holds {name} but no {DATABASE}, so the arena will not overwrite it"
                    )
    except NotOurs as error:
        raise ConfigError(str(error), hints=(ELSEWHERE,)) from None
    except ConfigError as error:
        if code_of(error.__cause__) not in _UNREADABLE:
            raise
        return FolderContents(is_aside=is_aside, problem=error)
    return FolderContents(is_aside=is_aside)


def _check_writable(folder: Path) -> None:
    """Raises ConfigError for a folder in place of a file that runs write, or a file in place of a folder."""
    for name in _FILES:
        if (folder / name).is_dir():
            raise ConfigError(f"{folder / name} is a folder, where a run keeps a file: remove it")
    for name in FOLDERS:
        if (folder / name).is_file():
            raise ConfigError(f"{folder / name} is a file, where a run keeps a folder: remove it")


def settle_folder(folder: Path) -> None:
    """Cleans up after a run that was killed while it put files aside, or while it wrote a file."""
    for place in (folder, folder / FAULTS):
        sweep(place)
    contents = contents_of(folder)
    if contents.is_aside:
        if contents.readable().matches:
            _forget_aside(folder, {})
        else:
            _put_back(folder)


def recover(folder: Path) -> None:
    """Settles a folder whose matches are put aside.  Raises ConfigError while the fresh start goes on."""
    if (folder / ASIDE).is_file() and not contents_of(folder).matches:
        with store_lock(folder):
            settle_folder(folder)


@contextmanager
def put_aside(folder: Path, contents: FolderContents) -> Iterator[Callable[[], None]]:
    """Renames the database until play begins; yields what is then to be called, and forgets the old results.

    At the end they are put back unless they were forgotten.  A damaged database is renamed for good.
    """
    if contents.is_damaged:
        _rename(folder, DATABASE, f"{DATABASE}.damaged")
        yield lambda: None
        return
    _rename(folder, DATABASE, ASIDE)
    old = {path: path.stat().st_mtime_ns for told in _TOLD for path in folder.glob(told) if path.is_file()}
    try:
        yield partial(_forget_aside, folder, old)
    finally:
        _put_back(folder)


def _forget_aside(folder: Path, old: Mapping[Path, int]) -> None:
    """Removes what was put aside, and the `old` files that have not changed since."""
    with sentences(folder):
        for suffix in _SUFFIXES:
            (folder / f"{ASIDE}{suffix}").unlink(missing_ok=True)
        for path, time_ns in old.items():
            if path.is_file() and path.stat().st_mtime_ns == time_ns:
                path.unlink()


def _put_back(folder: Path) -> None:
    """Gives the folder back the database that was put aside, if one was."""
    if (folder / ASIDE).exists():
        _rename(folder, ASIDE, DATABASE)


def _rename(folder: Path, old: str, new: str) -> None:
    """Renames a database and the files that SQLite keeps beside it, in place of any of the new name."""
    with sentences(folder):
        for suffix in _SUFFIXES:  # all, before the first is there: SQLite would take a log of another one
            (folder / f"{new}{suffix}").unlink(missing_ok=True)
        for suffix in _SUFFIXES:
            if (folder / f"{old}{suffix}").exists():
                (folder / f"{old}{suffix}").replace(folder / f"{new}{suffix}")


def remove_made(folder: Path, made_here: Sequence[Path]) -> None:
    """Removes a folder in which nothing happened, and those above it that were made for it.

    It is kept if some bot's log says why it could not play.
    """
    logs = list((folder / LOGS).glob("*.log"))
    if any(log.stat().st_size for log in logs):
        return
    with suppress(OSError):
        for log in logs:
            log.unlink()
        erase(folder)
        (folder / LOCK).unlink()
        if (folder / LOGS).is_dir():
            (folder / LOGS).rmdir()
        for path in made_here:
            path.rmdir()
