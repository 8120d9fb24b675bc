"""Which matches of results folders passed a filter: found once, and kept while their folder stays as it is.

A filter may have to go through every seat of a folder, a few seconds for a million matches, and each page of
what it leaves asks again.
"""

from __future__ import annotations

from array import array
from threading import Lock
from typing import Any, TypeAlias

from arena.server.limits import CHOSEN_MAX
from arena.store import MatchFilter, Store

FolderKey: TypeAlias = tuple[Any, ...]
"""A value that differs between folders, and once the results of one have changed."""


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
        with self._lock:
            self._kept[folder, of] = found  # the last of them now
            while len(self._kept) > 1 and sum(map(len, self._kept.values())) > self._most:
                del self._kept[next(iter(self._kept))]
        return found
