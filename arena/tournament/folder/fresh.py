"""Puts a folder's old results aside until a fresh start begins play, and removes unused folders."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from arena.analysis.tables import COLUMNS
from arena.errors import ConfigError
from arena.store import DATABASE, LOCK, Store, erase, holds_tournament
from arena.store.capsules import FOLDER as FAULTS
from arena.store.capsules import LEFT_OUT
from arena.store.files import COLUMNS_FOLDER, KEPT_BOARD, code_of, sentences, sweep
from arena.tournament.folder.seal import OPENING_FILE, SEAL_FILE
from arena.tournament.play.logs import FOLDER as LOGS

ASIDE = f"{DATABASE}.before"
"""The name that the database of a folder that starts over has until play begins."""
_SUFFIXES = ("", "-wal", "-shm")
"""Suffixes of the files that SQLite keeps for one database."""
TABLE_FILES = (*(f"{name}.csv" for name in COLUMNS), "report.html")
_TOLD_FILES = ("run.json", "run.log", "bugs.log", SEAL_FILE, OPENING_FILE, KEPT_BOARD)


def put_aside(folder: Path) -> dict[Path, int]:
    """Renames the database; returns the other files to remove when play begins -> their times (ns).

    A file that is not a database, or is damaged, is renamed for good.
    """
    try:
        holds_tournament(folder)
    except ConfigError as error:
        if not is_damage(error):
            raise
        _rename(folder, DATABASE, f"{DATABASE}.damaged")
        return {}
    _rename(folder, DATABASE, ASIDE)
    files = [folder / name for name in (*TABLE_FILES, *_TOLD_FILES)]
    for pattern in (
        "logs/*-[0-9]*.log",
        "logs/*-build.log",
        f"{FAULTS}/{'[0-9a-f]' * 12}-*-*.jsonl",
        f"{FAULTS}/{LEFT_OUT}",
        f"{COLUMNS_FOLDER}/[0-9]*",
    ):
        files += folder.glob(pattern)
    return {path: path.stat().st_mtime_ns for path in files if path.is_file()}


def forget_aside(folder: Path, old: Mapping[Path, int]) -> None:
    """Removes what was put aside, and the `old` files that have not changed since."""
    with sentences(folder):
        for suffix in _SUFFIXES:
            (folder / f"{ASIDE}{suffix}").unlink(missing_ok=True)
        for path, time_ns in old.items():
            if path.is_file() and path.stat().st_mtime_ns == time_ns:
                path.unlink()


def put_back(folder: Path) -> None:
    """Gives the folder back the database that was put aside, if one was."""
    if (folder / ASIDE).exists():
        with sentences(folder):
            for suffix in _SUFFIXES:
                (folder / f"{DATABASE}{suffix}").unlink(missing_ok=True)
            _rename(folder, ASIDE, DATABASE)


def settle_folder(folder: Path) -> None:
    """Cleans up after a run that was killed while it put files aside, or while it wrote a file."""
    for place in (folder, folder / FAULTS):
        sweep(place)
    if (folder / ASIDE).exists():
        if has_matches(folder):
            forget_aside(folder, {})
        else:
            put_back(folder)


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


def has_matches(folder: Path) -> bool:
    """Whether the folder is a tournament in which a match was played to its end."""
    if not holds_tournament(folder):
        return False
    with Store.open(folder) as store:
        return bool(store.finished())


def is_damage(error: ConfigError) -> bool:
    """Whether the mistake is a file that SQLite cannot read as a database."""
    return code_of(error.__cause__) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def _rename(folder: Path, old: str, new: str) -> None:
    """Renames a database and the files that SQLite keeps beside it."""
    with sentences(folder):
        for suffix in _SUFFIXES:
            if (folder / f"{old}{suffix}").exists():
                (folder / f"{old}{suffix}").replace(folder / f"{new}{suffix}")
