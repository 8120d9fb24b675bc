"""Keeps the last leaderboard beside the CSVs, so that it can be shown again if nothing has changed.

It is kept for one state of the database, identified by the digest of its whole file: a row that somebody
edits cannot hide behind it, even if its checksum was corrected too.  None is kept for a database without a
digest (a small one, one that is being written, one whose run was killed), and none is used if a CSV is not
the one that was written with it, or if another version of the arena kept it.

It does not reveal a change of this very file by somebody who can write to the folder, and so could write the
CSVs too.  `arena verify` computes everything again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from arena.analysis.counted import Coverage
from arena.analysis.leaderboard import COLUMNS as LEADERBOARD_COLUMNS
from arena.analysis.leaderboard import Leaderboard, LeaderboardRow, Scale
from arena.analysis.tables import COLUMNS, MAKER
from arena.reading.strict import read_regular
from arena.store import Store, write_text
from arena.store.files import KEPT_BOARD, sizes_and_times
from arena.words import printable

BYTES_MAX = 10_000_000
"""The largest file that is read; a row takes 500 bytes."""
_TYPES = {"integer": (int,), "real": (float, int), "text": (str,)}


def keep_board(store: Store, board: Leaderboard, anchor: str | None) -> None:
    """Keeps what the leaderboard says, if the state that it was made from has a digest.

    `store`: the store from which it was made, and whose CSVs are written.
    """
    if not store.is_as_opened:
        return
    progress = attrs.asdict(board.progress, filter=lambda field, _: field.name != "series")
    said = {
        "of": _state(store, anchor),
        "files": sizes_and_times(store.folder, COLUMNS),
        "rows": [attrs.astuple(row) for row in board.rows],
        "progress": progress,
        "scale": attrs.asdict(board.scale),
        "notes": board.notes,
        "is_ordered": board.is_ordered,
        "leader_is_best": board.leader_is_best,
    }
    write_text(store.folder / KEPT_BOARD, json.dumps(said, ensure_ascii=False))


def kept_board(store: Store, anchor: str | None) -> Leaderboard | None:
    """The leaderboard that `keep_board` kept for this very state; None if there is none.

    It lacks the meetings, which are in head_to_head.csv, and the ids of the series that count.
    """
    if not store.digest or (kept := _read(store.folder / KEPT_BOARD)) is None:
        return None
    try:
        there = sizes_and_times(store.folder, COLUMNS)
        if kept["of"] != _state(store, anchor) or kept["files"] != there or len(there) < len(COLUMNS):
            return None
        return Leaderboard(
            rows=tuple(map(_row, kept["rows"])),
            progress=_progress(kept["progress"]),
            notes=tuple(map(str, kept["notes"])),
            scale=Scale(**kept["scale"]),
            is_ordered=bool(kept["is_ordered"]),
            leader_is_best=float(kept["leader_is_best"]),
        )
    except (LookupError, TypeError, ValueError):
        return None


def _row(cells: Sequence[Any]) -> LeaderboardRow:
    """The row.  Raises ValueError or TypeError if these are not its cells."""
    for column, cell in zip(LEADERBOARD_COLUMNS, cells, strict=True):
        if not isinstance(cell, _TYPES[column.type]):
            raise ValueError(f"{column.name} is {cell!r}")
    return LeaderboardRow(*cells)


def _progress(counts: Mapping[str, Any]) -> Coverage:
    numbers = {name: int(count) for name, count in counts.items() if name != "spoilt"}
    return Coverage(series=frozenset(), spoilt=tuple(map(str, counts["spoilt"])), **numbers)


def _state(store: Store, anchor: str | None) -> list[str | None]:
    return [store.digest, MAKER, anchor]


def _is_printable(value: Any) -> bool:
    """Whether no text in a value contains anything that a terminal would obey."""
    if isinstance(value, str):
        return printable(value) == value
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    return not isinstance(value, (dict, list)) or all(map(_is_printable, parts))


def _read(path: Path) -> Any:
    """The file's content; None if it is missing, or contains something that we would not print."""
    try:
        kept = json.loads(read_regular(path, BYTES_MAX))
        return kept if _is_printable(kept) else None
    except (OSError, ValueError, RecursionError):
        return None
