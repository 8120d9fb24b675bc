"""Results folders that somebody else made: what must not be in one, and what reading its database may take.

A folder may come from a stranger, so that nothing in it is trusted to be what a run of the arena wrote.
Everything that opens one calls `check_folder` first.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from arena.errors import ConfigError
from arena.store.files import COLUMNS_FOLDER, DATABASE, LATEST

FOLDERS = ("faults", "logs", COLUMNS_FOLDER)
"""The folders in a results folder in which the arena reads and writes."""
_JOURNAL = "-journal"
"""How the name of a rollback journal ends, which our databases never need: their changes go to a WAL.

SQLite obeys a journal that lies beside a database it reads, and one that names another file has it delete
that file, wherever it is.
"""

VALUE_BYTES_MAX = 1 << 24
"""The largest value that is read or computed; the plan of 5,000 bots has 3 MB, a long match less than 1."""
STEPS_MAX, STEPS_A_BYTE = 20_000_000, 50
"""How many steps of SQLite's a reader may take, in all its queries: so many, and so many for each byte.

`arena verify`, which takes most, takes about one for a byte.  Pages that lead to the same pages again and
again would be read for ever.
"""
_STEPS_AT_ONCE = 1_000_000


def bound_values(db: sqlite3.Connection) -> None:
    """Has a connection refuse values that are larger than any we write, and broken pages."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")


def bound_steps(db: sqlite3.Connection, path: Path) -> None:
    """Ends, as interrupted, the query of a reader in which it has taken more steps than the file can need."""
    steps_max = STEPS_MAX + STEPS_A_BYTE * path.stat().st_size
    taken = count(_STEPS_AT_ONCE, _STEPS_AT_ONCE)
    db.set_progress_handler(lambda: next(taken) > steps_max, _STEPS_AT_ONCE)


def check_folder(folder: str | Path) -> None:
    """Raises ConfigError if a results folder holds a link, a pipe, a device or a journal.

    It may be missing.
    """
    for entry in _entries(Path(folder)):
        if reason := _reason(entry):
            raise ConfigError(f"{entry.path} {reason}")


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What lies in the folder, and in those of its folders that the arena uses."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry
                if entry.name in FOLDERS and entry.is_dir(follow_symlinks=False):
                    yield from _entries(Path(entry.path))
    except OSError:  # it is missing, or may not be listed: whoever opens something in it is told
        return


def _reason(entry: os.DirEntry[str]) -> str:
    """What is wrong with it; empty if nothing is."""
    if entry.is_symlink():
        if _OUR_LINK.fullmatch(entry.name):
            return ""
        return "is a link, and in a results folder none is followed: put the file itself there, or remove it"
    if not entry.is_dir(follow_symlinks=False) and not _is_file(entry):
        return "is not a file, as everything in a results folder must be: remove it"
    if DATABASE in entry.name and entry.name.endswith(_JOURNAL):
        return "is a journal, which no run leaves and which can have SQLite delete other files: remove it"
    return ""


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether it is a file, or was: a run that writes the folder moves files meanwhile."""
    return entry.is_file(follow_symlinks=False) or not os.path.lexists(entry.path)


_OUR_LINK = re.compile(rf"{LATEST.name}|\.{LATEST.name}\.[0-9]+\.tmp", re.ASCII)
"""To the last run, where a run was written to `results/` itself."""
