"""What the kept matches say: `load` gives DataFrames, `export` writes the CSVs, `leaderboard` ranks the bots.

pandas and numpy are imported where a DataFrame or a large sum asks for them, not before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from arena.analysis.leaderboard import Leaderboard
from arena.analysis.series import series_table as _series_table
from arena.analysis.tables import COLUMNS, Results, load
from arena.errors import ConfigError
from arena.store import LATEST, Store, Table, is_written, write_tables
from arena.store.aside import LARGE, written_aside
from arena.store.cells import harmless_rows

__all__ = ["LATEST", "Leaderboard", "Results", "export", "load"]


def export(store: Store, folder: str | Path | None = None, *, anchor: str | None = None) -> Leaderboard:
    """Writes all CSVs, of one moment, into another folder or the store's own (there the capsules too).

    Those that tell matches, most of the work, only if the store has changed since they were written.
    Raises ConfigError where they cannot be, and of a damaged store, which would overwrite what was whole.
    """
    from arena.analysis.ranking import leaderboard  # numpy takes a tenth of a second
    from arena.analysis.sheet import read_sheet

    if store.damage is not None:
        raise ConfigError(f"{store.damage}: its CSVs stay as they are")
    place = Path(folder or store.folder)
    with store.frozen(), _aside(store, place) as aside:
        sheet = read_sheet(store)
        board = leaderboard(store, anchor=anchor, sheet=sheet)
        write_tables(
            place,
            {
                **store.tables(),
                "series": _as_cells(_series_table(store, sheet)),
                "head_to_head": _as_cells(board.head_to_head),
                "leaderboard": _as_cells(board.table),
            },
            mark=store.mark(),
            always=_ALWAYS,
            aside=aside,
        )
    if folder is None:
        store.publish()
    return board


def _as_cells(table: Table) -> Table:
    header, rows = table
    return header, harmless_rows(rows)


_ALWAYS = ("head_to_head", "leaderboard")
"""They depend on the anchor too, and take no time."""


def _aside(store: Store, folder: Path) -> AbstractContextManager[Mapping[str, Callable[[], bool]]]:
    """What a second process writes meanwhile: nothing, if there is little to write."""
    mark = store.mark()
    names = [name for name in COLUMNS if name not in _ALWAYS]
    if mark is None or store.size() < LARGE or is_written(folder, mark, names):
        return nullcontext({})
    return written_aside(store, folder, mark)
