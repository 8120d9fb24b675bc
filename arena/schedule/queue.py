"""The matches still to be played: which comes next, given which bots are free.  Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, islice
from math import comb

from arena.schedule import Pairing, PairingId

NEXT_MAX = 32
"""Matches looked at before asking who is free, for which every bot must be looked at."""
SCANNED_MAX = 2000
"""Matches looked through in order, if the free bots are too many to try all their sets."""
SETS_MAX = 20_000
"""Sets of free bots looked up at most, where bots are few or mostly busy."""


class Pending:
    """What is left of a schedule; cheap to ask even if a hundred bots can each play one match at a time."""

    def __init__(self, order: Sequence[Pairing], wanted: Iterable[PairingId]) -> None:
        """`wanted`: which of the pairings of `order` are to be played."""
        self._order: list[Pairing] = []
        self._index: dict[PairingId, int] = {}
        self._wanted: set[int] = set()
        self._first = 0
        self._of: dict[frozenset[str], list[int]] = {}
        self._passed: dict[frozenset[str], int] = {}
        self.extend(order, wanted)

    def extend(self, order: Iterable[Pairing], wanted: Iterable[PairingId]) -> None:
        """Adds pairings to the end of the schedule; `wanted`: which of them are to be played."""
        for index, pairing in enumerate(order, len(self._order)):
            bots = frozenset(pairing.bots)
            self._order.append(pairing)
            self._index[pairing.id] = index
            self._of.setdefault(bots, []).append(index)
            self._passed.setdefault(bots, 0)
        self._wanted.update(self._index[pairing] for pairing in wanted)

    def __len__(self) -> int:
        return len(self._wanted)

    def __iter__(self) -> Iterator[Pairing]:
        """All pending matches, in order of play."""
        self._go_on()
        for index in range(self._first, len(self._order)):
            if index in self._wanted:
                yield self._order[index]

    def _go_on(self) -> None:
        """Advances to the first pending match, or to the end."""
        first, end, wanted = self._first, len(self._order), self._wanted
        while first < end and first not in wanted:
            first += 1
        self._first = first

    def put_back(self, pairing: PairingId) -> None:
        """Makes this pairing pending again."""
        index = self._index[pairing]
        self._wanted.add(index)
        self._first = min(self._first, index)
        self._passed[frozenset(self._order[index].bots)] = 0

    def clear(self) -> None:
        """Drops all pending matches."""
        self._wanted.clear()

    def take(self, can_play: Callable[[Pairing], bool], free: Callable[[], Sequence[str]]) -> Pairing | None:
        """The first match that can be played now; it is no longer pending.

        `free` returns the bots that may be seated; called only if none of the next matches can be played.
        """
        if not self._wanted:
            return None
        self._go_on()
        first = self._order[self._first]
        if can_play(first):  # as nearly always where there is room
            self._wanted.remove(self._first)
            return first
        others = islice(self, 1, NEXT_MAX)
        found = next(filter(can_play, others), None) or self._search(can_play, free)
        if found is not None:
            self._wanted.remove(self._index[found.id])
        return found

    def _search(
        self, can_play: Callable[[Pairing], bool], who_is_free: Callable[[], Sequence[str]]
    ) -> Pairing | None:
        if len(self) <= NEXT_MAX:
            return None
        free, seats = who_is_free(), len(self._order[0].bots)
        sets = comb(len(free), seats)
        if sets > SETS_MAX:
            scanned = (pairing for pairing, _ in zip(self, range(SCANNED_MAX), strict=False))
            return next((pairing for pairing in scanned if can_play(pairing)), None)
        heads = (self._head(frozenset(bots)) for bots in combinations(free, seats))
        fitting = (index for index in heads if index is not None and can_play(self._order[index]))
        index = min(fitting, default=None)
        return None if index is None else self._order[index]

    def _head(self, bots: frozenset[str]) -> int | None:
        """The first pending match of these bots."""
        matches, place = self._of.get(bots, ()), self._passed.get(bots, 0)
        while place < len(matches) and matches[place] not in self._wanted:
            place += 1
        if bots in self._passed:
            self._passed[bots] = place
        return matches[place] if place < len(matches) else None
