"""Keeps columns and lines of ranges of matches while a run writes them."""

from __future__ import annotations

from arena.store.database import Database
from arena.store.kept.columns import keep_columns
from arena.store.kept.kept_lines import keep_lines
from arena.store.kept.ranges import sums_of, whole_ranges


class RangeKeeper:
    """Keeps the ranges that become whole from now on."""

    def __init__(self, store: Database, whole: int | None = None) -> None:
        """`whole`: how many ranges are kept already; None: all that are whole now."""
        self._store = store
        self._whole = whole_ranges(store) if whole is None else whole

    def keep(self) -> None:
        """Writes the files of ranges that have become whole; to be called after matches were stored."""
        before, self._whole = self._whole, whole_ranges(self._store)
        for place in range(before, self._whole):
            sums = sums_of(self._store, place)
            keep_columns(self._store, place, sums)
            keep_lines(self._store, place, sums)
