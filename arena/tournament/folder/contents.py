"""What a results folder holds before a run, looked at once: whatever is asked about it follows."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from arena.errors import ELSEWHERE, ConfigError
from arena.store import DATABASE, TABLE_FILES, NotOurs, Store, holds_tournament
from arena.store.files import code_of
from arena.store.foreign import check_folder

ASIDE = f"{DATABASE}.before"
"""The name that the database of a folder that starts over has until play begins."""
EXPORTED = (*TABLE_FILES, "report.html")
"""The files that are made from a database for people."""
_DAMAGE = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_UNREADABLE = (0, *_DAMAGE, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_INTERRUPT)
"""SQLite's codes (0: none) of what is wrong with a database that a fresh start may put aside."""


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
    check_folder(folder)
    is_aside = (folder / ASIDE).exists()
    try:
        if holds_tournament(folder):
            with Store.unchecked(folder) as store:
                if store.holds_tables():  # they cannot be played again
                    raise NotOurs(f"{folder} holds the matches of a server's tables")
                return FolderContents(store.meta(), store.size(), is_aside)
        if not (is_aside or (folder / DATABASE).exists()):
            for name in EXPORTED:
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
