"""The seats of all matches that count, as numpy columns: what every table and picture is computed from."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.counted import Progress, progress_of
from arena.record import FAULT_KINDS
from arena.store import Store, series_from

_SEATS: dict[str, Any] = {
    "match": np.int64,
    "seat": np.int16,
    "rank": np.int16,
    "points": np.float64,
    "returns": np.float64,
    "win": np.bool_,
    "tie": np.bool_,
    **dict.fromkeys(FAULT_KINDS, np.int32),
    "not_asked": np.int32,
    "abandoned": np.bool_,
    "withdrawn": np.bool_,
    "decisions": np.int32,
    "think_s": np.float64,
    "think_max_s": np.float64,
}
"""The columns that are taken as they are kept -> their types."""


@attrs.frozen(eq=False, kw_only=True)
class Sheet:
    """One row a seat of a counted match, in schedule order, then by seat.

    `match`, `series` and `bot` are numbers into `match_ids`, `series_ids` and `bots`.
    """

    progress: Progress
    bots: tuple[str, ...]
    """All bots of the store, by name; also those without a match that counts."""
    versions: tuple[str, ...]
    """By bot, as it last played."""
    series_ids: tuple[str, ...]
    """The counted series, in schedule order."""
    cycles: NDArray[np.int32]
    """By series: the lap of the tournament that it belongs to."""
    match_ids: tuple[str, ...]
    """The counted matches, in schedule order."""
    match: NDArray[np.int64]
    series: NDArray[np.int32]
    bot: NDArray[np.int32]
    rotation: NDArray[np.int32]
    seat: NDArray[np.int16]
    rank: NDArray[np.int16]
    """1: the best of the match; equal ranks share a place."""
    points: NDArray[np.float64]
    returns: NDArray[np.float64]
    win: NDArray[np.bool_]
    tie: NDArray[np.bool_]
    too_late: NDArray[np.int32]
    malformed: NDArray[np.int32]
    illegal: NDArray[np.int32]
    gone: NDArray[np.int32]
    not_asked: NDArray[np.int32]
    abandoned: NDArray[np.bool_]
    withdrawn: NDArray[np.bool_]
    decisions: NDArray[np.int32]
    think_s: NDArray[np.float64]
    think_max_s: NDArray[np.float64]
    times: tuple[NDArray[np.float32], ...]
    """By bot: the seconds of each of its answers, in no order."""

    def __len__(self) -> int:
        return len(self.match)

    @property
    def faults(self) -> NDArray[np.int32]:
        """How many faults of any kind each seat had."""
        return self.too_late + self.malformed + self.illegal + self.gone


def read_sheet(store: Store) -> Sheet:
    """The sheet of what the store holds now.

    Reads rows in the order in which they lie and sorts numbers: a join in schedule order
    would take SQLite three times as long.
    """
    with _without_collector():
        progress, counted = _counted(store)
        seats = _Seats(counted.numbers)
        for chunk in store.seat_chunks("bot", "version", "times", *_SEATS):
            seats.add(chunk)
        columns, bot, bots = seats.sorted({bot.bot: bot.version for bot in store.bots()})
        match = columns.pop("match")
        return Sheet(
            progress=progress,
            bots=tuple(bots),
            versions=tuple(bots.values()),
            series_ids=counted.series_ids,
            cycles=counted.cycles,
            match_ids=counted.match_ids,
            match=match,
            series=counted.series[match],
            bot=bot,
            rotation=counted.rotations[match],
            times=seats.times_by(bots),
            **columns,
        )


def _counted(store: Store) -> tuple[Progress, _Counted]:
    matches = _Matches()
    progress = progress_of(series_from(matches.read(store), store.unplayed()))
    return progress, matches.counted(progress.series)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Millions of rows and no cycle among them: to look for one again and again takes half of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@attrs.frozen(eq=False)
class _Counted:
    """The matches that count, in schedule order."""

    numbers: NDArray[np.int64]
    """In the database."""
    match_ids: tuple[str, ...]
    series: NDArray[np.int32]
    rotations: NDArray[np.int32]
    series_ids: tuple[str, ...]
    cycles: NDArray[np.int32]
    """By series."""


class _Matches:
    """What is gathered of all matches, in the order in which they lie."""

    def __init__(self) -> None:
        self.match_ids: list[str] = []
        self.codes: dict[str, int] = {}
        """Of each series, in the order in which they came."""
        self.outside: list[tuple[str, int]] = []
        """Pairing and index of the matches that the schedule does not name."""
        self.parts: list[NDArray[np.int64]] = []
        """Of each chunk by match: position, number, series, cycle, rotation, whether it is done."""

    def read(self, store: Store) -> Iterator[Sequence[Any]]:
        """The rows of `Store.match_chunks`, gathered as they are asked for."""
        for chunk in store.match_chunks():
            self._add(chunk)
            yield from chunk

    def _add(self, chunk: Sequence[Sequence[Any]]) -> None:
        positions, numbers, match_ids, series, cycles, rotations, statuses, pairings = zip(
            *chunk, strict=True
        )
        if None in positions:
            begin = len(self.match_ids)
            self.outside += [
                (pairings[index], begin + index) for index, place in enumerate(positions) if place is None
            ]
            positions = tuple(-1 if place is None else place for place in positions)
        self.match_ids += match_ids
        codes = [self.codes.setdefault(each, len(self.codes)) for each in series]
        done = [status == "done" for status in statuses]
        self.parts.append(np.array([positions, numbers, codes, cycles, rotations, done], dtype=np.int64))

    def counted(self, series_ids: Collection[str]) -> _Counted:
        """Those of these series."""
        table = np.concatenate([np.zeros((6, 0), dtype=np.int64), *self.parts], axis=1)
        self._place_outside(table[0])
        counts = np.array([each in series_ids for each in self.codes], dtype=np.bool_)
        there = np.flatnonzero(counts[table[2]] & (table[5] == 1)) if len(counts) else np.zeros(0, dtype=int)
        order = there[np.argsort(table[0, there], kind="stable")]
        _, numbers, codes, cycles, rotations, _ = table[:, order]
        found, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        by_first = np.argsort(first)
        place = np.empty(len(found), dtype=np.int32)
        place[by_first] = np.arange(len(found))
        names = list(self.codes)
        return _Counted(
            numbers=numbers,
            match_ids=tuple([self.match_ids[index] for index in order.tolist()]),
            series=place[inverse],
            rotations=rotations.astype(np.int32),
            series_ids=tuple(names[code] for code in found[by_first].tolist()),
            cycles=cycles[first[by_first]].astype(np.int32),
        )

    def _place_outside(self, positions: NDArray[np.int64]) -> None:
        """After all others, by their pairings."""
        behind = int(positions.max(initial=0)) + 1
        for place, (_, index) in enumerate(sorted(self.outside)):
            positions[index] = behind + place


class _Seats:
    """What is gathered of the rows of `seats`, in the order in which they lie."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        """`numbers`: of the counted matches in schedule order."""
        self.order = np.argsort(numbers, kind="stable")
        self.numbers = numbers[self.order]
        self.codes: dict[str, int] = {}
        """Of each bot, in the order in which they came."""
        self.versions: dict[str, str] = {}
        self.times: dict[str, list[bytes]] = {}
        self.parts: list[list[NDArray[Any]]] = []
        """Of each chunk: bots, then the columns of `_SEATS`."""

    def add(self, chunk: Sequence[Sequence[Any]]) -> None:
        bots, versions, times, *columns = zip(*chunk, strict=True)
        match = np.array(columns[0], dtype=np.int64)
        place = np.searchsorted(self.numbers, match)
        counts = np.append(self.numbers, -1)[place] == match
        spent: dict[str, list[bytes]] = {}
        for bot, seconds, is_counted in zip(bots, times, counts.tolist(), strict=True):
            if is_counted:
                spent.setdefault(bot, []).append(seconds)
        for bot, parts in spent.items():
            self.times.setdefault(bot, []).append(b"".join(parts))
        self.versions.update(zip(compress(bots, counts), compress(versions, counts), strict=True))
        codes = np.array([self.codes.setdefault(bot, len(self.codes)) for bot in bots], dtype=np.int32)
        kinds = list(_SEATS.values())[1:]
        arrays = [np.array(column, dtype=kind) for column, kind in zip(columns[1:], kinds, strict=True)]
        self.parts.append([codes[counts], self.order[place[counts]], *(array[counts] for array in arrays)])

    def sorted(
        self, known: Mapping[str, str]
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.int32], dict[str, str]]:
        """All columns in schedule order; the number of the bot in each row; all bots with versions, by name.

        `known`: bots that the store names, with their versions, whether they sat in a match or not.
        """
        names = sorted({*known, *self.codes})
        number = {name: index for index, name in enumerate(names)}
        codes, match = self._taken(np.int32), self._taken(np.int64)
        columns = {"match": match} | {name: self._taken(kind) for name, kind in list(_SEATS.items())[1:]}
        order = np.lexsort((columns["seat"], match))
        numbers = np.array([number[name] for name in self.codes] or [0], dtype=np.int32)
        for name in columns:  # one after the other: both tables would not fit into memory
            columns[name] = columns[name][order]
        versions = {name: self.versions.get(name, known.get(name, "")) for name in names}
        return columns, numbers[codes[order]], versions

    def _taken(self, kind: Any) -> NDArray[Any]:
        """The next column, whole; its parts are forgotten."""
        return np.concatenate([np.zeros(0, dtype=kind), *(part.pop(0) for part in self.parts)])

    def times_by(self, names: Iterable[str]) -> tuple[NDArray[np.float32], ...]:
        """Of each bot; what was gathered is forgotten."""
        parts = (self.times.pop(name, []) for name in names)
        return tuple(np.frombuffer(b"".join(part), dtype=np.float32) for part in parts)
