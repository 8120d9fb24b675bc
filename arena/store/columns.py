"""What tables are computed from, in columns, kept beside the database as matches come in.

SQLite gives millions of rows value by value, which takes most of the time of a leaderboard.  So for every
`SIZE` matches, by the numbers under which they are stored, there is a file of columns: exactly what `chunks`
reads of them, nothing summed or rounded.  A run writes it when the last of these matches is stored, an export
if it is missing or not true any more.

A file is of these matches and no others: its key is a hash of their numbers and checksums, as the database
has them now, and of the schedule.  If a match was removed, replaced or added, or the schedule is another, so
is the key.  Whether a row is what its checksum says is not told by it: `Store.checked` looks at that first.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from arena.errors import FAULT_KINDS
from arena.store import chunks
from arena.store.checksums import SCHEDULE
from arena.store.database import Database
from arena.store.files import COLUMNS_FOLDER, draft_path
from arena.store.rows import Columns
from arena.strict import read_regular

SIZE = 10_000
"""Matches in a file.  A run reads them again to write it, which takes a tenth of a second."""
FORMAT = 1
"""One higher whenever the files hold something else."""
BYTES_MAX = 1 << 28
"""The largest file: 5,000 decisions a match.  Longer matches are read from the database."""
_KEY_BYTES = 16


class ColumnChunk(msgspec.Struct, frozen=True, array_like=True):
    """The columns of the matches of one range of numbers: int64 (`q`), int32 (`i`), float64 or float32."""

    key: bytes
    positions: bytes
    """q, as all of matches: −1 outside of the schedule."""
    numbers: bytes
    cycles: bytes
    rotations: bytes
    done: bytes
    match_ids: list[str]
    series: list[str]
    """Each once, in order of appearance."""
    series_codes: bytes
    """i: by match, the place in `series`."""
    outside: list[tuple[str, int]]
    """Pairing and place of the matches that are not in the schedule."""
    seat_matches: bytes
    """q, by seat: the number of its match."""
    bots: list[str]
    bot_codes: bytes
    """i, by seat."""
    packed: bytes
    """q, by seat."""
    points: bytes
    returns: bytes
    think_max_s: bytes
    times: list[bytes]
    """By bot: the float32 times of its seats, in their order."""
    lengths: list[bytes]
    """i, by bot: how many times each of its seats has."""
    faults: list[list[int]]
    """Columns: match, seat, and a count of each kind of fault."""

    @property
    def is_sound(self) -> bool:
        """Whether its columns fit together."""
        matches, seats = len(self.match_ids), len(self.seat_matches) // 8
        wide = (self.positions, self.numbers, self.cycles, self.rotations, self.done)
        by_seat = (self.seat_matches, self.packed, self.points, self.returns, self.think_max_s)
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
    """The first ranges of numbers, each whole, as far as there are files of them.

    `builds`: what is missing is read from the database, and kept.
    """
    if store.damage is not None or store.pragma("user_version") < 2:  # older ones have no checksums
        return
    for place in range(_whole_ranges(store)):
        chunk = _read(store, place)
        if chunk is None:
            if not builds:
                return
            chunk = _write(store, place)
        yield chunk


class ColumnKeeper:
    """Keeps the columns of ranges that become whole while a run writes."""

    def __init__(self, store: Database) -> None:
        self._store = store
        self._whole = _whole_ranges(store)

    def keep(self) -> None:
        """Writes the files of ranges that have become whole; to be called when matches were stored."""
        before, self._whole = self._whole, _whole_ranges(self._store)
        for place in range(before, self._whole):
            _write(self._store, place)


def keep_all(store: Database) -> None:
    """Writes the files of all ranges that are whole, as the run that stored them would have."""
    for place in range(_whole_ranges(store)):
        _write(store, place)


def numbers_of(place: int) -> tuple[int, int]:
    """The first and the last number of a range."""
    return place * SIZE + 1, (place + 1) * SIZE


def _whole_ranges(store: Database) -> int:
    ((last,),) = store.rows("SELECT COALESCE(MAX(number), 0) FROM matches")
    return int(last) // SIZE


def _path(store: Database, place: int) -> Path:
    return store.folder / COLUMNS_FOLDER / f"{place:06}"


def _key(store: Database, place: int) -> bytes:
    sums = "SELECT number, checksum FROM matches WHERE number BETWEEN ? AND ? ORDER BY number"
    schedule = list(store.rows("SELECT count, sum FROM checksums WHERE part = ?", SCHEDULE))
    of = (FORMAT, sys.byteorder, SIZE, schedule, list(store.rows(sums, *numbers_of(place))))
    return _hash(_encoder.encode(of))


def _hash(octets: bytes) -> bytes:
    return blake2b(octets, digest_size=_KEY_BYTES).digest()


def _read(store: Database, place: int) -> ColumnChunk | None:
    """What is kept of a range; None if that is nothing, not what was written, or of other matches."""
    try:
        octets = read_regular(_path(store, place), BYTES_MAX)
        if octets[:_KEY_BYTES] != _hash(octets[_KEY_BYTES:]):
            return None
        chunk = _decoder.decode(octets[_KEY_BYTES:])
    except (OSError, ValueError):  # msgspec's own are ValueErrors
        return None
    return chunk if chunk.is_sound and chunk.key == _key(store, place) else None


def _write(store: Database, place: int) -> ColumnChunk:
    """Reads a range from the database, and keeps it if there is room."""
    chunk = _built(store, place)
    octets = _encoder.encode(chunk)
    path = _path(store, place)
    if len(octets) + _KEY_BYTES <= BYTES_MAX:
        draft = draft_path(path.parent, path.name, os.getpid())
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            try:
                draft.write_bytes(_hash(octets) + octets)
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)
    return chunk


def _built(store: Database, place: int) -> ColumnChunk:
    """The columns of a range, from the database."""
    numbers = numbers_of(place)
    matches = _joined(chunks.match_places(store, numbers), 8)
    positions, own, match_ids, series, cycles, rotations, done, pairings = matches
    seats = _joined(chunks.seats(store, numbers), 7)
    seat_matches, bots, packed, points, returns, think_max_s, times = seats
    series_names, series_codes = _coded(series)
    bot_names, bot_codes = _coded(bots)
    answers: list[list[bytes]] = [[] for _ in bot_names]
    for code, own_times in zip(bot_codes, times, strict=True):
        answers[code].append(own_times)
    return ColumnChunk(
        key=_key(store, place),
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
        think_max_s=array("d", think_max_s).tobytes(),
        times=[b"".join(each) for each in answers],
        lengths=[array("i", [len(one) // 4 for one in each]).tobytes() for each in answers],
        faults=_joined(chunks.faults(store, numbers), 2 + len(FAULT_KINDS)),
    )


def _joined(parts: Iterable[Columns], size: int) -> list[list[Any]]:
    """The columns of all chunks, of which there are so many."""
    found: list[list[Any]] = [[] for _ in range(size)]
    for part in parts:
        for column, more in zip(found, part, strict=True):
            column += more
    return found


def _coded(names: Sequence[str]) -> tuple[list[str], array[int]]:
    """Each name once, in order of appearance, and the place of each of all."""
    codes: dict[str, int] = {}
    places = array("i", [codes.setdefault(name, len(codes)) for name in names])
    return list(codes), places
