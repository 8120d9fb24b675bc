"""Which matches of results folders passed a filter: found once, and kept while their folder stays as it is.

A filter may have to go through every seat of a folder, a few seconds for a million matches, and each page of
what it leaves asks again.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from threading import Lock
from typing import TypeAlias

from arena.server.limits import CHOSEN_MAX
from arena.store import MatchFilter, Store

FolderKey: TypeAlias = tuple[str, Hashable]
"""A folder's name, and a value that differs once its results have changed."""
FILTER_COST = 100
"""What a kept filter counts for beside its numbers, as if it had so many more: one may leave no match."""


class ChosenMatches:
    """The numbers of matches in schedule order, of the filters asked for last; any thread may ask."""

    def __init__(self, most: int = CHOSEN_MAX) -> None:
        """`most`: how many numbers are kept, of eight bytes each; those of the last filter always are."""
        self._most = most
        self._kept: dict[tuple[FolderKey, MatchFilter], array[int]] = {}
        self._lock = Lock()

    def numbers(self, store: Store, folder: FolderKey, of: MatchFilter) -> array[int]:
        """The matches of a store that are meant; `folder` is its key."""
        with self._lock:
            found = self._kept.pop((folder, of), None)
        if found is None:
            found = store.numbers_of(of)
        name, state = folder
        with self._lock:
            for key in [key for key in self._kept if key[0][0] == name and key[0][1] != state]:
                del self._kept[key]  # of the folder as it was: nobody asks for it again
            self._kept[folder, of] = found  # the last of them now
            while len(self._kept) > 1 and self._cost() > self._most:
                del self._kept[next(iter(self._kept))]
        return found

    def _cost(self) -> int:
        return sum(FILTER_COST + len(found) for found in self._kept.values())
