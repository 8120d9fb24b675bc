"""What the kept matches say: `load` gives DataFrames, `export` writes the CSVs, `leaderboard` ranks the bots.

pandas and numpy are imported where a DataFrame or a large sum asks for them, not before.
"""

from __future__ import annotations

from pathlib import Path

from arena.analysis.leaderboard import Leaderboard
from arena.analysis.leaderboard import leaderboard as _leaderboard
from arena.analysis.tables import LATEST, Results, load
from arena.store import Store, write_tables

__all__ = ["LATEST", "Leaderboard", "Results", "export", "load"]


def export(store: Store, folder: str | Path | None = None) -> Leaderboard:
    """Writes all CSVs, of one moment, into another folder or the store's own (there the capsules too)."""
    with store.frozen():
        board = _leaderboard(store)  # the name itself is the module's
        write_tables(folder or store.folder, {**store.tables(), "leaderboard": board.table})
    if folder is None:
        store.publish()
    return board
