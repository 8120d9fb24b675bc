"""Keeps what tables are computed from beside the database, in columns, as matches come in.

SQLite returns millions of rows value by value, which takes most of the time of a leaderboard.  So for every
`SIZE` matches, by the numbers under which they are stored, there is a file of columns: exactly what `chunks`
reads of them, nothing summed or rounded.  A run writes it when the last of these matches is stored; an
export writes it if it is missing or out of date.

A file holds these matches and no others: its key is a hash of their numbers and checksums, as the database
has them now, and of the schedule.  Remove, replace or add a match, or change the schedule, and the key
differs.  The key does not tell whether a row is what its checksum says: `Store.checked` looks at that first,
or, if the database is large, at the digest of the whole file.  Whoever edits a row and writes a new digest,
but leaves the row's checksum, still sees what was played; `arena verify`, which uses rows, reports the edit.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from arena.errors import FAULT_KINDS
from arena.store import chunks
from arena.store.checksums import SCHEDULE
from arena.store.database import Database
from arena.store.kept.ranges import (
    hashed,
    is_keepable,
    keep_octets,
    kept_octets,
    numbers_of,
    sums_of,
    whole_ranges,
)
from arena.store.rows import Columns
from arena.store.schema import Row

FORMAT = 2
"""The version of the files; part of their key, so raise it whenever they hold something else."""


class ColumnChunk(msgspec.Struct, frozen=True, array_like=True):
    """The columns of the matches of one range of numbers: int64 (`q`), int32 (`i`), float64 or float32."""

    key: bytes
    positions: bytes
    """q, one for each match, like the four below: its place in the schedule, or −1."""
    numbers: bytes
    cycles: bytes
    rotations: bytes
    done: bytes
    match_ids: list[str]
    series: list[str]
    """The ids of series, each once, in order of appearance."""
    series_codes: bytes
    """i, for each match: the place of its series in `series`."""
    outside: list[tuple[str, int]]
    """The pairing, and the place in these columns, of each match that is not in the schedule."""
    seat_matches: bytes
    """q, for each seat: the number of its match."""
    bots: list[str]
    bot_codes: bytes
    """i, for each seat: the place of its bot in `bots`."""
    packed: bytes
    """q, for each seat: its `SEAT_BITS`."""
    points: bytes
    returns: bytes
    adjusted: bytes
    think_max_s: bytes
    times: list[bytes]
    """For each bot, the float32 times of all its seats, in their order."""
    lengths: list[bytes]
    """i, for each bot: how many times each of its seats has."""
    faults: list[list[int]]
    """The columns of the seats with faults: match, seat, and a count of each kind of fault."""

    @property
    def is_sound(self) -> bool:
        """Whether the lengths of the columns fit together."""
        matches, seats = len(self.match_ids), len(self.seat_matches) // 8
        wide = (self.positions, self.numbers, self.cycles, self.rotations, self.done)
        by_seat = (
            *(self.seat_matches, self.packed, self.points),
            *(self.returns, self.adjusted, self.think_max_s),
        )
        return (
            all(len(column) == 8 * matches for column in wide)
            and all(len(column) == 8 * seats for column in by_seat)
            and _are_places(self.series_codes, matches, len(self.series))
            and _are_places(self.bot_codes, seats, len(self.bots))
            and len(self.times) == len(self.lengths) == len(self.bots)
            and sum(map(len, self.lengths)) == 4 * seats
            and all(
                4 * sum(array("i", each)) == len(times)
                for each, times in zip(self.lengths, self.times, strict=True)
            )
            and len({len(column) for column in self.faults}) == 1
            and all(0 <= place < matches for _, place in self.outside)
        )


def _are_places(codes: bytes, count: int, size: int) -> bool:
    places = set(array("i", codes))
    return len(codes) == 4 * count and all(0 <= place < size for place in places)


_decoder, _encoder = msgspec.msgpack.Decoder(ColumnChunk), msgspec.msgpack.Encoder()


def kept_chunks(store: Database, *, builds: bool = False) -> Iterator[ColumnChunk]:
    """The columns of the first whole ranges, up to the first of which no file is kept.

    `builds`: what is missing is read from the database and kept.
    """
    if not is_keepable(store):
        return
    for place in range(whole_ranges(store)):
        chunk = _read(store, place)
        if chunk is None:
            if not builds:
                return
            chunk = keep_columns(store, place, sums_of(store, place))
        yield chunk


def _key(store: Database, sums: Sequence[Row]) -> bytes:
    schedule = list(store.rows("SELECT count, sum FROM checksums WHERE part = ?", SCHEDULE))
    return hashed(_encoder.encode((FORMAT, sys.byteorder, schedule, sums)))


def _read(store: Database, place: int) -> ColumnChunk | None:
    """The kept columns of a range; None if there are none, or they are damaged or of other matches."""
    octets = kept_octets(store, f"{place:06}")
    if octets is None:
        return None
    try:
        chunk = _decoder.decode(octets)
    except ValueError:  # msgspec's own are ValueErrors
        return None
    return chunk if chunk.is_sound and chunk.key == _key(store, sums_of(store, place)) else None


def keep_columns(store: Database, place: int, sums: Sequence[Row]) -> ColumnChunk:
    """Reads the columns of a range from the database, and keeps them if there is room.

    `sums`: what `sums_of` returns for it.
    """
    chunk = _built(store, place, _key(store, sums))
    keep_octets(store, f"{place:06}", _encoder.encode(chunk))
    return chunk


def _built(store: Database, place: int, key: bytes) -> ColumnChunk:
    """Reads the columns of a range from the database."""
    numbers = numbers_of(place)
    matches = _joined(chunks.match_places(store, numbers), 8)
    positions, own, match_ids, series, cycles, rotations, done, pairings = matches
    seats = _joined(chunks.seats(store, numbers), 8)
    seat_matches, bots, packed, points, returns, adjusted, think_max_s, times = seats
    series_names, series_codes = _coded(series)
    bot_names, bot_codes = _coded(bots)
    answers: list[list[bytes]] = [[] for _ in bot_names]
    for code, own_times in zip(bot_codes, times, strict=True):
        answers[code].append(own_times)
    return ColumnChunk(
        key=key,
        positions=array("q", positions).tobytes(),
        numbers=array("q", own).tobytes(),
        cycles=array("q", cycles).tobytes(),
        rotations=array("q", rotations).tobytes(),
        done=array("q", done).tobytes(),
        match_ids=match_ids,
        series=series_names,
        series_codes=series_codes.tobytes(),
        outside=[(pairing, index) for index, pairing in enumerate(pairings) if pairing is not None],
        seat_matches=array("q", seat_matches).tobytes(),
        bots=bot_names,
        bot_codes=bot_codes.tobytes(),
        packed=array("q", packed).tobytes(),
        points=array("d", points).tobytes(),
        returns=array("d", returns).tobytes(),
        adjusted=array("d", adjusted).tobytes(),
        think_max_s=array("d", think_max_s).tobytes(),
        times=[b"".join(each) for each in answers],
        lengths=[array("i", [len(one) // 4 for one in each]).tobytes() for each in answers],
        faults=_joined(chunks.faults(store, numbers), 2 + len(FAULT_KINDS)),
    )


def _joined(parts: Iterable[Columns], size: int) -> list[list[Any]]:
    """Joins the columns of all chunks; `size`: how many columns each has."""
    found: list[list[Any]] = [[] for _ in range(size)]
    for part in parts:
        for column, more in zip(found, part, strict=True):
            column += more
    return found


def _coded(names: Sequence[str]) -> tuple[list[str], array[int]]:
    """Each name once, in order of appearance; and for each of all names, its place among these."""
    codes: dict[str, int] = {}
    places = array("i", [codes.setdefault(name, len(codes)) for name in names])
    return list(codes), places
