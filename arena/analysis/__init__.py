"""Analysis of stored matches: `load` returns DataFrames, `export` writes CSVs, `leaderboard` ranks the bots.

pandas and numpy are imported only when a DataFrame or a large sum needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from arena.analysis.kept import keep_board, kept_board
from arena.analysis.leaderboard import Leaderboard
from arena.analysis.series import series_cells as _series_cells
from arena.analysis.tables import COLUMNS, MAKER, Results, load
from arena.errors import ConfigError
from arena.store import LATEST, Store, Table, exports, is_written, write_tables
from arena.store.aside import LARGE, written_aside
from arena.store.cells import harmless_rows

if TYPE_CHECKING:
    from arena.analysis.sheet import Sheet

__all__ = ["ANCHORED", "LATEST", "Leaderboard", "Results", "export", "exported", "exported_before", "load"]


def export(store: Store, folder: str | Path | None = None, *, anchor: str | None = None) -> Leaderboard:
    """Writes all CSVs, from one snapshot, into another folder or the store's own (there the capsules too).

    The CSVs of matches, which are most of the work, are written only if the store has changed since.
    Raises ConfigError if they cannot be written, or if the store is damaged: sound CSVs would be overwritten.
    """
    from arena.analysis.sheet import read_sheet  # numpy takes a tenth of a second

    if store.damage is not None:
        raise ConfigError(f"{store.damage}: its CSVs were left unchanged")
    place = Path(folder or store.folder)
    with store.frozen(), _aside(store, place) as aside:
        board, tables = _exported(store, anchor, read_sheet(store, keeps=True))
        write_tables(place, tables, mark=store.mark(), maker=MAKER, always=ANCHORED, aside=aside)
    if folder is None:
        exports.publish(store)
        keep_board(store, board, anchor)
    return board


def exported_before(store: Store, *, anchor: str | None = None) -> Leaderboard | None:
    """The leaderboard if `export` has written all CSVs for this very state; None: call `export`.

    It comes from `kept_board`, in a tenth of the time that it takes to read a million matches.
    """
    board = None if store.damage is not None else kept_board(store, anchor)
    if board is not None:
        exports.publish(store)
    return board


def exported(store: Store, *, anchor: str | None = None) -> tuple[Leaderboard, dict[str, Table]]:
    """All tables with their cells as CSVs have them, from rows alone; the caller holds a snapshot."""
    from arena.analysis.sheet import read_sheet  # numpy takes a tenth of a second

    return _exported(store, anchor, read_sheet(store, from_rows=True))


def _exported(store: Store, anchor: str | None, sheet: Sheet) -> tuple[Leaderboard, dict[str, Table]]:
    from arena.analysis.ranking import leaderboard

    board = leaderboard(store, anchor=anchor, sheet=sheet)
    return board, {
        **exports.tables(store),
        "series": _series_cells(store, sheet),
        "head_to_head": _as_cells(board.head_to_head),
        "leaderboard": _as_cells(board.table),
    }


def _as_cells(table: Table) -> Table:
    header, rows = table
    return header, harmless_rows(rows)


ANCHORED = ("head_to_head", "leaderboard")
"""The tables that are always written: they depend on the anchor too, and take no time."""


def _aside(store: Store, folder: Path) -> AbstractContextManager[Mapping[str, Callable[[], bool]]]:
    """The tables that other processes write meanwhile: none if there is little to write."""
    mark = store.mark()
    names = [name for name in COLUMNS if name not in ANCHORED]
    if mark is None or store.size() < LARGE or is_written(folder, mark, names, MAKER):
        return nullcontext({})
    return written_aside(store, folder, mark)
