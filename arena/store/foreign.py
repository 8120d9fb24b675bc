"""Results folders from strangers: what must not be in one, and how much work reading its database may be.

Nothing in a folder is trusted to be what a run of the arena wrote: everything that opens one calls
`check_folder` first.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from arena.errors import ConfigError
from arena.store.files import COLUMNS_FOLDER, DATABASE, LATEST, LOCK

FOLDERS = ("faults", "logs", "epochs", COLUMNS_FOLDER)
"""The subfolders of a results folder in which the arena reads and writes."""
_JOURNAL = "-journal"
"""How the name of a rollback journal ends, which our databases never need: their changes go to a WAL.

SQLite obeys a journal that lies beside a database it reads; if the journal names another file, SQLite
deletes that file, wherever it is.
"""

VALUE_BYTES_MAX = 1 << 24
"""The largest value that is read or computed; the plan of 5,000 bots has 3 MB, a long match less than 1."""
STEPS_MAX, STEPS_A_BYTE = 20_000_000, 50
"""How many steps of SQLite's a reader may take in all its queries: a fixed number, and more for each byte.

`arena verify`, which takes most, takes about one for a byte.  Without a limit, pages that lead to the same
pages again and again would be read for ever.
"""
_STEPS_AT_ONCE = 1_000_000


def bound_values(db: sqlite3.Connection) -> None:
    """Has a connection refuse values that are larger than any we write, and broken pages."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")


def bound_steps(db: sqlite3.Connection, path: Path) -> None:
    """Has SQLite interrupt the query in which a reader has taken more steps than its file can need."""
    steps_max = STEPS_MAX + STEPS_A_BYTE * path.stat().st_size
    taken = count(_STEPS_AT_ONCE, _STEPS_AT_ONCE)
    db.set_progress_handler(lambda: next(taken) > steps_max, _STEPS_AT_ONCE)


def check_folder(folder: str | Path) -> None:
    """Raises ConfigError if a results folder, which may be missing, holds a link, pipe, device or journal,
    or a folder in the place of a database or a lock.
    """
    for entry in _entries(Path(folder)):
        if reason := _reason(entry):
            raise ConfigError(f"{entry.path} {reason}")


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What lies in the folder, and in the subfolders that the arena uses."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry
                if entry.name in FOLDERS and entry.is_dir(follow_symlinks=False):
                    yield from _entries(Path(entry.path))
    except OSError:  # it is missing, or may not be listed: opening something in it will raise
        return


def _reason(entry: os.DirEntry[str]) -> str:
    """What is wrong with an entry; empty if nothing is."""
    if entry.is_symlink():
        if _OUR_LINK.fullmatch(entry.name):
            return ""
        return "is a link, and in a results folder none is followed: put the file itself there, or remove it"
    if entry.is_dir(follow_symlinks=False):
        if _OUR_FILE.fullmatch(entry.name):
            return "is a folder, where a run keeps a file: remove it"
    elif not _is_file(entry):
        return "is not a file, as everything in a results folder must be: remove it"
    if DATABASE in entry.name and entry.name.endswith(_JOURNAL):
        return "is a journal, which no run leaves and which can have SQLite delete other files: remove it"
    return ""


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file, or is gone: a run that writes the folder moves files meanwhile."""
    return entry.is_file(follow_symlinks=False) or not os.path.lexists(entry.path)


_OUR_FILE = re.compile(rf"{re.escape(DATABASE)}(\.before|\.damaged)?(-wal|-shm)?|{re.escape(LOCK)}")
"""What a run opens or renames as a file, so that a folder of such a name would be in its way."""
_OUR_LINK = re.compile(rf"{LATEST.name}|\.{LATEST.name}\.[0-9]+\.tmp", re.ASCII)
"""The link `latest` to the last run, which lies in a results folder if a run was written to `results/`."""
