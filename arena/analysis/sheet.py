"""The seats of all matches that count as numpy columns, from which every table and chart is computed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, compress
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.counted import Coverage, progress_of
from arena.errors import FAULT_KINDS
from arena.schedule.collector import without_collector
from arena.schedule.roster import LEFT
from arena.store import SEAT_BITS, Row, SeriesState, Store, StoredBot, chunks
from arena.store.chunks import ALL, Numbers
from arena.store.kept.columns import ColumnChunk, kept_chunks
from arena.store.kept.ranges import numbers_of


@attrs.frozen(eq=False, kw_only=True)
class Sheet:
    """One row per seat of a counted match, in schedule order, then by seat.

    `match`, `series` and `bot` are indices into `match_ids`, `series_ids` and `bots`.
    """

    progress: Coverage
    bots: tuple[str, ...]
    """All bots of the store, by name, including those without a match that counts."""
    versions: tuple[str, ...]
    """The version of each bot in its last match."""
    series_ids: tuple[str, ...]
    """The counted series, in schedule order."""
    cycles: NDArray[np.int32]
    """The lap of the tournament to which each series belongs."""
    match_ids: tuple[str, ...]
    """The counted matches, in schedule order."""
    match: NDArray[np.int64]
    series: NDArray[np.int32]
    bot: NDArray[np.int32]
    rotation: NDArray[np.int32]
    seat: NDArray[np.int16]
    rank: NDArray[np.int16]
    """The rank in the match, 1 for the best; equal ranks share a place."""
    points: NDArray[np.float64]
    returns: NDArray[np.float64]
    adjusted: NDArray[np.float64]
    """The returns without luck, by which bots are rated, where the game declares it; else the returns."""
    win: NDArray[np.bool_]
    tie: NDArray[np.bool_]
    too_late: NDArray[np.int32]
    malformed: NDArray[np.int32]
    illegal: NDArray[np.int32]
    gone: NDArray[np.int32]
    decisions: NDArray[np.int32]
    think_max_s: NDArray[np.float64]
    times: tuple[NDArray[np.float32], ...]
    """The seconds of all answers of each bot, in no particular order."""

    def __len__(self) -> int:
        return len(self.match)

    @property
    def faults(self) -> NDArray[np.int32]:
        """How many faults of any kind each seat had."""
        return self.too_late + self.malformed + self.illegal + self.gone


def read_sheet(store: Store, *, from_rows: bool = False, keeps: bool = False) -> Sheet:
    """The sheet of what the store holds now.  Raises ConfigError if that is not a tournament.

    Reads rows in storage order and sorts numbers: a join in schedule order would take SQLite three times as
    long.

    `from_rows`: rows are read even where columns are kept.  `keeps`: columns that could be kept are kept now.
    """
    store.check_is_tournament()
    with without_collector():
        kept = [] if from_rows else list(kept_chunks(store, builds=keeps))
        later = (numbers_of(len(kept))[0], ALL[1]) if kept else ALL
        progress, counted = _counted(store, kept, later)
        seats = _Seats(counted.numbers)
        for part in kept:
            seats.add_kept(part)
        for chunk in chunks.seats(store, later):
            seats.add(*chunk)
        columns, bot, bots = seats.sorted(store.bots(), store, kept, later)
        match = columns["match"]
        return Sheet(
            progress=progress,
            bots=tuple(bots),
            versions=tuple(bots.values()),
            series_ids=counted.series_ids,
            cycles=counted.cycles,
            match_ids=counted.match_ids,
            series=counted.series[match],
            bot=bot,
            rotation=counted.rotations[match],
            times=seats.times_by(bots),
            **columns,
        )


def _counted(store: Store, kept: Sequence[ColumnChunk], later: Numbers) -> tuple[Coverage, _Counted]:
    matches = _Matches()
    for part in kept:
        matches.add_kept(part)
    for chunk in chunks.match_places(store, later):
        matches.add(*chunk)
    is_over = matches.planned == store.planned()  # then no match is missing, and there is no need to search
    series = matches.series(() if is_over else chunks.unplayed(store))
    progress = progress_of(series, store.closed_in_batches())
    return progress, matches.counted(progress.series)


@attrs.frozen(eq=False)
class _Counted:
    """The matches that count, in schedule order."""

    numbers: NDArray[np.int64]
    """Their numbers in the database."""
    match_ids: tuple[str, ...]
    series: NDArray[np.int32]
    rotations: NDArray[np.int32]
    series_ids: tuple[str, ...]
    cycles: NDArray[np.int32]
    """The cycle of each series."""


class _Matches:
    """Collects data about all matches, in storage order."""

    def __init__(self) -> None:
        self.match_ids: list[str] = []
        self.codes: dict[str, int] = {}
        """A number for each series, in order of appearance."""
        self.outside: list[tuple[str, int]] = []
        """The pairing and the index of each match that is not in the schedule."""
        self.parts: list[NDArray[np.int64]] = []
        """For each chunk, columns by match: position, number, series, cycle, rotation, whether it is done."""

    def add(
        self,
        positions: Sequence[int],
        numbers: Sequence[int],
        match_ids: Sequence[str],
        series: Sequence[str],
        cycles: Sequence[int],
        rotations: Sequence[int],
        done: Sequence[int],
        pairings: Sequence[str | None],
    ) -> None:
        """Adds a chunk, which are columns of `Store.match_chunks`."""
        begin = len(self.match_ids)
        self.outside += [
            (pairing, begin + index) for index, pairing in enumerate(pairings) if pairing is not None
        ]
        self.match_ids += match_ids
        codes = [self.codes.setdefault(each, len(self.codes)) for each in series]
        columns = (positions, numbers, codes, cycles, rotations, done)
        self.parts.append(np.stack([np.array(column, dtype=np.int64) for column in columns]))

    def add_kept(self, part: ColumnChunk) -> None:
        """Adds what is kept of a range of matches."""
        begin = len(self.match_ids)
        self.outside += [(pairing, begin + index) for pairing, index in part.outside]
        self.match_ids += part.match_ids
        own = [self.codes.setdefault(each, len(self.codes)) for each in part.series]
        codes = np.array(own, dtype=np.int64)[np.frombuffer(part.series_codes, np.int32)]
        others = (part.positions, part.numbers, part.cycles, part.rotations, part.done)
        positions, numbers, cycles, rotations, done = (np.frombuffer(each, np.int64) for each in others)
        self.parts.append(np.stack([positions, numbers, codes, cycles, rotations, done]))

    @property
    def planned(self) -> int:
        """How many of the matches are in the schedule."""
        return len(self.match_ids) - len(self.outside)

    def series(self, unplayed: Iterable[Row]) -> list[SeriesState]:
        """All series in schedule order; series outside of the schedule come last, by their ids.

        `unplayed`: the rows of `Store.unplayed`.
        """
        places, codes, done = self._table()[[0, 2, 5]]
        left = np.array(
            [(place, self.codes.setdefault(each, len(self.codes))) for place, each in unplayed],
            dtype=np.int64,
        ).reshape(-1, 2)
        size, is_planned = len(self.codes), places >= 0
        # A series stands where its first match does, played or not, so that one in progress keeps its place.
        first = np.full(size, _NOWHERE)
        np.minimum.at(first, codes[is_planned], places[is_planned])
        np.minimum.at(first, left[:, 1], left[:, 0])
        missing = np.bincount(left[:, 1], minlength=size)
        planned = missing + np.bincount(codes[is_planned], minlength=size)
        stored, aborted = np.bincount(codes, minlength=size), np.bincount(codes[done == 0], minlength=size)
        names, order = list(self.codes), np.argsort(first, kind="stable")
        named = int((first < _NOWHERE).sum())
        order[named:] = sorted(order[named:].tolist(), key=names.__getitem__)
        columns = (column[order].tolist() for column in (planned, missing, stored, aborted))
        return list(map(SeriesState, [names[code] for code in order.tolist()], *columns))

    def counted(self, series_ids: Collection[str]) -> _Counted:
        """The matches of these series."""
        table = self._table()
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
            series_ids=tuple([names[code] for code in found[by_first].tolist()]),
            cycles=cycles[first[by_first]].astype(np.int32),
        )

    def _table(self) -> NDArray[np.int64]:
        self.parts = [np.concatenate([np.zeros((6, 0), dtype=np.int64), *self.parts], axis=1)]
        return self.parts[0]

    def _place_outside(self, positions: NDArray[np.int64]) -> None:
        """Assigns matches outside of the schedule to positions after all others, by their pairings."""
        behind = int(positions.max(initial=0)) + 1
        for place, (_, index) in enumerate(sorted(self.outside)):
            positions[index] = behind + place


class _Seats:
    """Collects data from the rows of `seats`, in storage order."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        """`numbers`: the numbers of the counted matches in schedule order."""
        self.order = np.argsort(numbers, kind="stable")
        self.numbers = numbers[self.order]
        self.codes: dict[str, int] = {}
        """A number for each bot, in order of appearance."""
        self.times: dict[int, list[bytes]] = {}
        """The packed times of each bot, by its code."""
        self.parts: list[dict[str, NDArray[Any]]] = []
        """For each chunk the columns of the seats that count."""

    def add(
        self,
        matches: Sequence[int],
        bots: Sequence[str],
        packed: Sequence[int],
        points: Sequence[float],
        returns: Sequence[float],
        adjusted: Sequence[float],
        think_max_s: Sequence[float],
        times: Sequence[bytes],
    ) -> None:
        """Adds a chunk, which are columns of `Store.seat_chunks`."""
        match, counts = self._places(matches)
        codes = np.array([self.codes.setdefault(bot, len(self.codes)) for bot in bots], dtype=np.int32)
        self._add_times(np.where(counts, codes, -1), times)
        numbers = {"points": points, "returns": returns, "adjusted": adjusted, "think_max_s": think_max_s}
        columns: dict[str, NDArray[Any]] = {
            "bot": codes,
            "match": match,
            **_unpacked(np.array(packed, dtype=np.int64)),
            **{name: np.array(column, dtype=np.float64) for name, column in numbers.items()},
        }
        self.parts.append({name: column[counts] for name, column in columns.items()})

    def add_kept(self, part: ColumnChunk) -> None:
        """Adds what is kept of the seats of a range of matches."""
        match, counts = self._places(np.frombuffer(part.seat_matches, np.int64))
        own = [self.codes.setdefault(bot, len(self.codes)) for bot in part.bots]
        codes = np.frombuffer(part.bot_codes, np.int32)
        for local, (code, times, lengths) in enumerate(zip(own, part.times, part.lengths, strict=True)):
            does_count = counts[codes == local]
            if not does_count.all():
                is_wanted = np.repeat(does_count, np.frombuffer(lengths, np.int32))
                times = np.frombuffer(times, np.float32)[is_wanted].tobytes()
            self.times.setdefault(code, []).append(times)
        numbers = {name: getattr(part, name) for name in ("points", "returns", "adjusted", "think_max_s")}
        columns: dict[str, NDArray[Any]] = {
            "bot": np.array(own, dtype=np.int32)[codes],
            "match": match,
            **_unpacked(np.frombuffer(part.packed, np.int64)),
            **{name: np.frombuffer(column, np.float64) for name, column in numbers.items()},
        }
        self.parts.append({name: column[counts] for name, column in columns.items()})

    def _places(
        self, matches: Sequence[int] | NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The places in schedule order of matches given by number, and whether each counts."""
        match = np.array(matches, dtype=np.int64)
        place = np.searchsorted(self.numbers, match)  # may be past the end: hence the -1 appended
        return np.append(self.order, -1)[place], np.append(self.numbers, -1)[place] == match

    def _add_times(self, codes: NDArray[np.int32], times: Sequence[bytes]) -> None:
        """Adds times by bot (-1: not kept), sorted in one go: two million rows one by one take seconds."""
        order = np.argsort(codes, kind="stable")
        found, firsts = np.unique(codes[order], return_index=True)
        ends = np.append(firsts[1:], len(order))
        for code, first, end in zip(found.tolist(), firsts.tolist(), ends.tolist(), strict=True):
            if code >= 0:
                part = b"".join([times[index] for index in order[first:end].tolist()])
                self.times.setdefault(code, []).append(part)

    def sorted(
        self, stored: Sequence[StoredBot], store: Store, kept: Sequence[ColumnChunk], later: Numbers
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.int32], dict[str, str]]:
        """All columns in schedule order, the bot's number in each row, and the version of each bot by name.

        `stored`: the bots of the store, seated or not.  Those that left are among them only if they are in
        a match that counts, as in a ladder.
        """
        known = {bot.bot: bot.version for bot in stored}
        columns = {name: self._taken(name, kind) for name, kind in _KINDS.items()}
        order = np.lexsort((columns["seat"], columns["match"]))
        for name in columns:  # one by one: unsorted and sorted tables together would not fit into memory
            columns[name] = columns[name][order]
        found = chain((part.faults for part in kept), chunks.faults(store, later))
        columns |= self._faults(columns["match"], columns["seat"], found)
        codes, there = columns["bot"], {*np.unique(columns.pop("bot")).tolist()}
        gone = {bot.bot for bot in stored if bot.status in LEFT and self.codes.get(bot.bot) not in there}
        number = {name: index for index, name in enumerate(sorted({*known, *self.codes} - gone))}
        versions = self._versions(len(there), store)
        numbers = np.array([number.get(name, -1) for name in self.codes] or [0], dtype=np.int32)
        return columns, numbers[codes], {name: versions.get(name, known.get(name, "")) for name in number}

    def _taken(self, name: str, kind: Any) -> NDArray[Any]:
        """Takes a whole column out, dropping its parts."""
        parts = [np.zeros(0, dtype=kind), *(part.pop(name) for part in self.parts)]
        return np.concatenate(parts, dtype=kind, casting="unsafe")

    def _faults(
        self, match: NDArray[np.int64], seat: NDArray[np.int16], found: Iterable[Sequence[Sequence[int]]]
    ) -> dict[str, NDArray[np.int32]]:
        """Fault counts by kind; most seats have none, so the store returns those that do separately."""
        columns: dict[str, NDArray[np.int32]] = {
            kind: np.zeros(len(match), dtype=np.int32) for kind in FAULT_KINDS
        }
        keys = match << SEAT_BITS["seat"] | seat  # rows are sorted by both, so one number finds a row
        for matches, seats, *counts in found:
            place, is_counted = self._places(matches)
            sought = place << SEAT_BITS["seat"] | np.array(seats, dtype=np.int64)
            rows = np.searchsorted(keys, sought[is_counted])
            for kind, column in zip(FAULT_KINDS, counts, strict=True):
                columns[kind][rows] = np.array(column, dtype=np.int32)[is_counted]
        return columns

    def _versions(self, bots: int, store: Store) -> dict[str, str]:
        """The version that each bot last played; searched from the end, where most are found at once."""
        found: dict[str, str] = {}
        latest_first = chunks.versions(store)
        while len(found) < bots:
            matches, names, versions = next(latest_first)
            _, counts = self._places(matches)
            for name, version in compress(zip(names, versions, strict=True), counts.tolist()):
                found.setdefault(name, version)
        return found

    def times_by(self, names: Iterable[str]) -> tuple[NDArray[np.float32], ...]:
        """Takes the times of each bot out, dropping what was collected."""
        parts = (self.times.pop(self.codes.get(name, -1), []) for name in names)
        return tuple(np.frombuffer(b"".join(part), dtype=np.float32) for part in parts)


_NOWHERE = np.iinfo(np.int64).max
"""A position after all positions of a schedule."""
_KINDS: Mapping[str, Any] = {
    "bot": np.int32,
    "match": np.int64,
    "seat": np.int16,
    "rank": np.int16,
    "points": np.float64,
    "returns": np.float64,
    "adjusted": np.float64,
    "win": np.bool_,
    "tie": np.bool_,
    "decisions": np.int32,
    "think_max_s": np.float64,
}
"""The type of each column that is collected."""


def _unpacked(packed: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """The columns that `Store.seat_chunks` packs into one number."""
    columns = {}
    for name, bits in SEAT_BITS.items():
        columns[name] = (packed & (1 << bits) - 1).astype(_KINDS[name])
        packed = packed >> bits
    return columns
