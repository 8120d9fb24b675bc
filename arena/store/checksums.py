"""Checksums: they tell whether a match, or another part of the database, is as it was written.

SQLite notices that a page is broken, not that a number in it has changed.  Every match has a checksum over
all its rows.  The table `checksums` has one for each other part: every row of `meta` and `bots`; and all
matches, all rows of the schedule, all epochs and all batches of a ladder, each of which combines theirs, so
that none gets lost, and one more costs the same however many there are.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs
import msgspec

from arena.store.schema import MARK, Row, stored_columns

SIZE_BYTES = 8
"""The length of a checksum: one damaged match in 2⁶⁴ would go unnoticed."""
MATCHES, SCHEDULE, EPOCHS, BATCHES = "matches", "schedule", "epochs", "batches"
META, BOT = "meta ", "bot "
"""The names of parts in the table `checksums`; these two are followed by a key, or a bot's name."""
HANGING = {
    "seats": "seat",
    "decisions": "number",
    "capsules": "seat, number",
    "games": "version",
    "places": "host",
}
"""Tables whose rows belong to matches -> the order of a match's rows."""

_encoded = msgspec.msgpack.Encoder().encode
"""Canonical for what SQLite returns: None, numbers, text, bytes.  A bool is encoded unlike its number."""


@attrs.frozen
class MatchRows:
    """All that is stored of a match, without the number that ties its rows together."""

    match: Row
    seats: Sequence[Row]
    decisions: Sequence[Row] = ()
    capsules: Sequence[Row] = ()
    games: Sequence[Row] = ()
    places: Sequence[Row] = ()

    @property
    def checksum(self) -> bytes:
        """The checksum of these rows; the same whenever and wherever they are stored."""
        # Rows that few matches have are left out where there are none: checksums from before these tables
        # existed stay true.
        later = (self.games, self.places) if self.places else (self.games,) if self.games else ()
        return checksum((self.match, self.seats, self.decisions, self.capsules, *later))


def checksum(value: Any) -> bytes:
    """The checksum of rows, or of a tuple of them."""
    return hashlib.blake2b(_encoded(value), digest_size=SIZE_BYTES).digest()


# Writing checksums.


def note_matches(db: sqlite3.Connection, sums: Iterable[bytes], added: int) -> None:
    """Notes that matches with these checksums were added; removed if `added`, their number, is negative."""
    _note_more(db, MATCHES, sums, added)


def note_more_rows(db: sqlite3.Connection, part: str, rows: Sequence[Row], *, are_gone: bool = False) -> None:
    """Notes that rows of the schedule, epochs or batches were added to the others, or removed from them."""
    _note_more(db, part, map(checksum, rows), -len(rows) if are_gone else len(rows))


def _note_more(db: sqlite3.Connection, part: str, sums: Iterable[bytes], added: int) -> None:
    row = db.execute("SELECT count, sum FROM checksums WHERE part = ?", (part,)).fetchone()
    count, sum = row or (0, bytes(SIZE_BYTES))
    _put(db, part, count + added, together([sum, *sums]))


def together(sums: Iterable[bytes]) -> bytes:
    """Combines checksums into one, whatever their order; two equal ones cancel out."""
    whole = 0
    for each in sums:
        whole ^= int.from_bytes(each, "big")
    return whole.to_bytes(SIZE_BYTES, "big")


def note_rows(db: sqlite3.Connection, part: str, rows: Iterable[Row]) -> None:
    """Notes that these rows are in place; `part`: `META` or `BOT`, to which their first cell is added."""
    for name, (count, sum) in _sums(part, rows).items():
        _put(db, name, count, sum)


def note_schedule(db: sqlite3.Connection) -> None:
    """Notes the schedule as it is now."""
    _put(db, SCHEDULE, *sum_of_rows(db, SCHEDULE))


def note_all(db: sqlite3.Connection) -> None:
    """Notes the checksums of all parts again; the matches' own must be in their rows already."""
    db.execute("DELETE FROM checksums")
    sums = [sum for (sum,) in db.execute("SELECT checksum FROM matches")]
    for part, (count, sum) in parts(db, sums).items():
        _put(db, part, count, sum)


def _put(db: sqlite3.Connection, part: str, count: int, sum: bytes) -> None:
    db.execute("INSERT OR REPLACE INTO checksums VALUES (?, ?, ?)", (part, count, sum))


# Reading checksums, and computing what they ought to be.


def noted(db: sqlite3.Connection) -> dict[str, tuple[int, bytes]]:
    """What `checksums` says: part -> count of rows, checksum."""
    rows = db.execute("SELECT part, count, sum FROM checksums")
    return {str(part): (count, sum) for part, count, sum in rows}  # a damaged part may not be text


def parts(db: sqlite3.Connection, matches: Sequence[bytes]) -> dict[str, tuple[int, bytes]]:
    """What `checksums` ought to say; `matches`: the checksums of all matches."""
    meta = db.execute("SELECT key, value FROM meta").fetchall()  # the mark too: it must be readable
    bots = db.execute(f"SELECT {stored_columns('bots')} FROM bots").fetchall()
    return {
        MATCHES: (len(matches), together(matches)),
        SCHEDULE: sum_of_rows(db, SCHEDULE),
        EPOCHS: sum_of_rows(db, EPOCHS),
        BATCHES: sum_of_rows(db, BATCHES),
        **_sums(META, [(key, text) for key, text in meta if key != MARK]),
        **_sums(BOT, bots),
    }


def is_meta_whole(db: sqlite3.Connection) -> bool:
    """Whether `meta` is as it was written."""
    rows = db.execute("SELECT key, value FROM meta").fetchall()
    found = _sums(META, [(key, text) for key, text in rows if key != MARK])
    # By the index, as there is a row for each bot too.
    range = "SELECT part, count, sum FROM checksums WHERE part BETWEEN ? AND ? || char(1114111)"
    kept = db.execute(range, (META, META))
    return found == {part: (count, sum) for part, count, sum in kept}


def _sums(part: str, rows: Iterable[Row]) -> dict[str, tuple[int, bytes]]:
    """What `checksums` ought to say about these rows; `part`: as for `note_rows`."""
    return {f"{part}{name}": (1, checksum((name, *others))) for name, *others in rows}


def sum_of_rows(db: sqlite3.Connection, part: str) -> tuple[int, bytes]:
    """How many rows the schedule has, or epochs or batches there are, and their checksum."""
    count, whole = 0, 0
    for row in db.execute(f"SELECT {stored_columns(part)} FROM {part}"):
        whole ^= int.from_bytes(checksum(row), "big")
        count += 1
    return count, whole.to_bytes(SIZE_BYTES, "big")


def stored_rows(
    db: sqlite3.Connection, numbers: tuple[int, int] = (-(1 << 63), (1 << 63) - 1)
) -> Iterator[tuple[int, bytes, MatchRows]]:
    """(number, checksum as stored, rows) of all matches, in the order in which they are stored.

    `numbers`: of the first one and the last one that are wanted.
    """
    others = [_Tail(db, table, order, numbers) for table, order in HANGING.items()]
    matches = f"SELECT number, checksum, {stored_columns('matches')} FROM matches"
    for number, sum, *row in db.execute(f"{matches} WHERE number BETWEEN ? AND ? ORDER BY number", numbers):
        yield number, sum, MatchRows(row, *[other.of(number) if other.next else () for other in others])


class _Tail:
    """The rows of a table that belong to matches, asked for by rising numbers of matches."""

    def __init__(self, db: sqlite3.Connection, table: str, order: str, numbers: tuple[int, int]) -> None:
        # A row whose number is not a number is damaged, and missing from its match.
        is_number = "typeof(match) = 'integer' AND match BETWEEN ? AND ?"
        columns = f"match, {stored_columns(table)}"
        wanted = f"SELECT {columns} FROM {table} WHERE {is_number} ORDER BY match, {order}"
        self.cursor = db.execute(wanted, numbers)
        self.next: Row | None = next(self.cursor, None)

    def of(self, number: int) -> list[Row]:
        """The rows of the match with this number; rows of skipped numbers belong to no match."""
        found: list[Row] = []
        while self.next is not None:
            match, *row = self.next
            if match > number:
                break
            if match == number:
                found.append(row)
            self.next = next(self.cursor, None)
        return found
