"""What the kept matches say: `load` gives DataFrames, `export` writes the CSVs, `leaderboard` ranks the bots.

pandas and numpy are imported where a DataFrame or a large sum asks for them, not before.
"""

from __future__ import annotations

from pathlib import Path

from arena.analysis.leaderboard import Leaderboard
from arena.analysis.leaderboard import leaderboard as _leaderboard
from arena.analysis.series import series_table as _series_table
from arena.analysis.tables import LATEST, Results, load
from arena.store import Store, write_tables

__all__ = ["LATEST", "Leaderboard", "Results", "export", "load"]


def export(store: Store, folder: str | Path | None = None, *, anchor: str | None = None) -> Leaderboard:
    """Writes all CSVs, of one moment, into another folder or the store's own (there the capsules too).

    Those that tell matches, most of the work, only if the store has changed since they were written.
    """
    from arena.analysis.sheet import read_sheet

    with store.frozen():
        sheet = read_sheet(store)
        board = _leaderboard(store, anchor=anchor, sheet=sheet)
        write_tables(
            folder or store.folder,
            {
                **store.tables(),
                "series": _series_table(store, sheet),
                "head_to_head": board.head_to_head,
                "leaderboard": board.table,
            },
            mark=store.mark(),
            always=("head_to_head", "leaderboard"),
        )
    if folder is None:
        store.publish()
    return board
