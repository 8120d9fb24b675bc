"""The seats of all matches that count, as numpy columns: what every table and picture is computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.counted import Progress, progress_of
from arena.record import FAULT_KINDS
from arena.store import Store

CHUNK = 50_000
"""Rows that are Python objects at one time: a million matches must fit into 2 GB."""

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

    Reads seats in the order in which they lie and sorts numbers: a join in schedule order
    would take SQLite three times as long.
    """
    progress = progress_of(store.series())
    matches = [row for row in store.match_rows() if row[2] in progress.series]
    series_ids = tuple(dict.fromkeys(row[2] for row in matches))
    numbers = np.array([row[0] for row in matches], dtype=np.int64)
    place = {series: number for number, series in enumerate(series_ids)}
    series_of = np.array([place[row[2]] for row in matches], dtype=np.int32)
    cycle_of = np.array([row[3] for row in matches], dtype=np.int32)
    rotation_of = np.array([row[4] for row in matches], dtype=np.int32)
    cycles = np.zeros(len(series_ids), dtype=np.int32)
    cycles[series_of] = cycle_of

    known = {bot.bot: bot.version for bot in store.bots()}
    seats = _Seats(known, numbers)
    for chunk in _chunks(store.seat_rows("bot", "version", "times", *_SEATS)):
        seats.add(chunk)
    columns, bot, names = seats.sorted()
    match = columns.pop("match")
    return Sheet(
        progress=progress,
        bots=names,
        versions=tuple(known[name] for name in names),
        series_ids=series_ids,
        cycles=cycles,
        match_ids=tuple(row[1] for row in matches),
        match=match,
        series=series_of[match],
        bot=bot,
        rotation=rotation_of[match],
        times=seats.times_by(names),
        **columns,
    )


class _Seats:
    """What is gathered of the rows of `seats`, in the order in which they lie."""

    def __init__(self, versions: dict[str, str], numbers: NDArray[np.int64]) -> None:
        """`numbers`: of the counted matches in schedule order."""
        self.versions = versions
        self.order = np.argsort(numbers, kind="stable")
        self.numbers = numbers[self.order]
        self.codes: dict[str, int] = {}
        self.times: dict[str, list[bytes]] = {}
        self.parts: list[tuple[NDArray[Any], ...]] = []
        """Of each chunk: bots, then the columns of `_SEATS`."""

    def add(self, chunk: Sequence[Sequence[Any]]) -> None:
        bots, versions, times, *columns = zip(*chunk, strict=True)
        match = np.array(columns[0], dtype=np.int64)
        place = np.minimum(np.searchsorted(self.numbers, match), max(0, len(self.numbers) - 1))
        counts = self.numbers[place] == match if len(self.numbers) else np.zeros(len(match), dtype=bool)
        for bot, version, spent, is_counted in zip(bots, versions, times, counts, strict=True):
            if is_counted:
                self.versions[bot] = version
                self.times.setdefault(bot, []).append(spent)
        codes = np.array([self.codes.setdefault(bot, len(self.codes)) for bot in bots], dtype=np.int32)
        arrays = [np.array(column, dtype=kind) for column, kind in zip(columns, _SEATS.values(), strict=True)]
        arrays[0] = self.order[place] if len(self.order) else match
        self.parts.append(tuple(array[counts] for array in (codes, *arrays)))

    def sorted(self) -> tuple[dict[str, NDArray[Any]], NDArray[np.int32], tuple[str, ...]]:
        """All columns in schedule order, with matches and bots numbered; the bots by name."""
        names = tuple(sorted({*self.versions, *self.codes}))
        for name in names:
            self.versions.setdefault(name, "")
        kinds = [np.int32, *_SEATS.values()]
        joined = [
            np.concatenate(parts) if parts else np.zeros(0, dtype=kind)
            for parts, kind in zip(
                list(zip(*self.parts, strict=True)) or [()] * len(kinds), kinds, strict=True
            )
        ]
        codes, columns = joined[0], dict(zip(_SEATS, joined[1:], strict=True))
        order = np.lexsort((columns["seat"], columns["match"]))
        number = {name: index for index, name in enumerate(names)}
        renumbered = np.array([number[name] for name in self.codes], dtype=np.int32)
        bot = renumbered[codes[order]] if len(codes) else codes
        return {name: column[order] for name, column in columns.items()}, bot, names

    def times_by(self, names: Iterable[str]) -> tuple[NDArray[np.float32], ...]:
        return tuple(np.frombuffer(b"".join(self.times.get(name, [])), dtype=np.float32) for name in names)


def _chunks(rows: Iterator[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    while chunk := list(islice(rows, CHUNK)):
        yield chunk
