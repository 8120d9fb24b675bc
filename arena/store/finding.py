"""Finds the results folders that have a match, by their indexes: quick, and nothing is checked or written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from arena.errors import ArenaError
from arena.store.files import DATABASE, DATABASE_ERRORS, LATEST, RESULTS
from arena.store.schema import ID_BEGINS
from arena.store.store import Store

MATCHES_MAX = 200
"""How many matches of a folder are offered for a choice at most."""


def results_folders() -> list[Path]:
    """The results folders in `results/` and one level below, by name, without links to others among them."""
    found = sorted({path.parent for depth in ("*", "*/*") for path in RESULTS.glob(f"{depth}/{DATABASE}")})
    real = {os.path.realpath(folder) for folder in found if not _is_linked(folder)}
    return [folder for folder in found if not _is_linked(folder) or os.path.realpath(folder) not in real]


def _is_linked(folder: Path) -> bool:
    return folder.is_symlink() or folder.parent.is_symlink()


def folders_with(prefix: str, folders: Iterable[Path] | None = None) -> dict[Path, list[str]]:
    """Folders with matches whose ids begin with a prefix, each with some of the ids; broken ones are skipped.

    `folders`: where to look; by default `results/latest`, and in the others only if that has none.
    """
    if folders is not None:
        return {folder: ids for folder in folders if (ids := match_ids(folder, prefix))}
    return folders_with(prefix, [LATEST]) or folders_with(prefix, results_folders())


def match_ids(folder: Path, prefix: str = "") -> list[str]:
    """The first ids of a folder's matches that begin with the prefix; none if the folder cannot be read."""
    rows = _rows(folder, f"SELECT match_id FROM matches WHERE {ID_BEGINS} LIMIT {MATCHES_MAX}", id=prefix)
    return [match_id for (match_id,) in rows]


def bot_names(folder: Path) -> list[str]:
    """The names of a folder's bots; none if the folder cannot be read."""
    return [bot for (bot,) in _rows(folder, "SELECT bot FROM bots ORDER BY bot")]


def _rows(folder: Path, sql: str, **values: str) -> Iterator[tuple[str]]:
    try:
        with closing(Store.unchecked(folder)) as store:
            yield from store.connection.execute(sql, values).fetchall()
    except (ArenaError, OSError, *DATABASE_ERRORS):
        return
