"""Keeps the lines of the largest CSVs beside the columns: an export only puts them in order.

SQLite makes a line as far as it can: it joins the columns between reals into one text, and leaves the reals,
which it writes otherwise, to Python.  If any cell has to be quoted, `csv.writer` writes the whole table.

As with the columns, the key of a file is a hash of the matches' numbers and checksums, and of all else that
a line depends on: the version of the game, the bots' margins, and the SQL that makes the line.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

import attrs
import msgspec

from arena.store.chunks import ALL, Numbers
from arena.store.database import Database
from arena.store.files import sentences
from arena.store.kept.ranges import (
    hashed,
    is_keepable,
    keep_octets,
    kept_octets,
    numbers_of,
    sums_of,
    whole_ranges,
)
from arena.store.lines import CellsToQuote, is_plain
from arena.store.schema import IN_ORDER, TABLES, Row, line_format, parts_of_rows

IN_LINES = ("matches", "seats")
"""The tables that are written in lines; `decisions` has moves in JSON, which all have to be quoted."""
ROWS_AT_ONCE = 2_000
"""How many rows are Python objects at a time."""
_IN_PLAN = "SELECT number FROM schedule CROSS JOIN matches USING (pairing_id) ORDER BY position"
_IN_ORDER = f"SELECT number FROM shown_matches ORDER BY {IN_ORDER}"


class LineChunk(msgspec.Struct, frozen=True, array_like=True):
    """The lines of the matches of one range of numbers."""

    key: bytes
    numbers: bytes
    """int64, ascending: the numbers of the matches."""
    lengths: bytes
    """int32: how many characters the lines of each match have."""
    text: str


_decoder, _encoder = msgspec.msgpack.Decoder(LineChunk), msgspec.msgpack.Encoder()


@attrs.frozen(eq=False)
class _Lines:
    """The lines of a range, ready to be looked up."""

    numbers: array[int]
    ends: array[int]
    """Where the lines of each match begin in `text`, and where the last ones end."""
    text: str

    @classmethod
    def of(cls, chunk: LineChunk) -> _Lines:
        return cls(
            array("q", chunk.numbers),
            array("q", accumulate(array("i", chunk.lengths), initial=0)),
            chunk.text,
        )

    @property
    def is_sound(self) -> bool:
        return len(self.numbers) + 1 == len(self.ends) and self.ends[-1] == len(self.text)


def texts(store: Database, name: str, *, is_whole: bool) -> Iterator[str]:
    """The lines of one of `IN_LINES` in schedule order, some at a time; what is missing is made and kept.

    `is_whole`: whether the schedule names exactly the stored matches.  Raises CellsToQuote.
    """
    whole = whole_ranges(store)
    found = [
        _kept(store, name, place) or _keep(store, name, place, sums_of(store, place))
        for place in range(whole)
    ]
    found.append(_Lines.of(_made(store, name, (numbers_of(whole)[0], ALL[1]), b"")))
    with sentences(store.path):
        cursor = store.connection.execute(_IN_PLAN if is_whole else _IN_ORDER)
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            yield "".join(_found(found, [number for (number,) in rows]))


def _found(chunks: list[_Lines], numbers: list[int]) -> Iterator[str]:
    """The lines of these matches; those that are neighbours in a chunk are yielded in one piece."""
    last, size = len(chunks) - 1, numbers_of(0)[1]
    lines, begin, end = chunks[0], 0, 0
    for number in numbers:
        now = chunks[min(last, (number - 1) // size)]
        place = bisect_left(now.numbers, number)
        if now is not lines or place != end:
            yield lines.text[lines.ends[begin] : lines.ends[end]]
            lines, begin = now, place
        end = place + 1
    yield lines.text[lines.ends[begin] : lines.ends[end]]


def keep_lines(store: Database, place: int, sums: Sequence[Row]) -> None:
    """Keeps the lines of a range, unless a cell has to be quoted; `sums`: what `sums_of` returns for it."""
    for name in IN_LINES:
        try:
            _keep(store, name, place, sums)
        except CellsToQuote:
            pass


def _keep(store: Database, name: str, place: int, sums: Sequence[Row]) -> _Lines:
    chunk = _made(store, name, numbers_of(place), _key(store, name, sums))
    if is_keepable(store):
        keep_octets(store, f"{place:06}.{name}", _encoder.encode(chunk))
    return _Lines.of(chunk)


def _kept(store: Database, name: str, place: int) -> _Lines | None:
    """The kept lines of a range; None if there are none, or they are damaged or of other matches."""
    octets = kept_octets(store, f"{place:06}.{name}") if is_keepable(store) else None
    if octets is None:
        return None
    try:
        chunk = _decoder.decode(octets)
        lines = _Lines.of(chunk)
    except ValueError:  # msgspec's own are ValueErrors
        return None
    return lines if lines.is_sound and chunk.key == _key(store, name, sums_of(store, place)) else None


def _key(store: Database, name: str, sums: Sequence[Row]) -> bytes:
    others = (
        list(store.rows("SELECT value FROM meta WHERE key = 'game_version'")),
        list(store.rows("SELECT bot, margin_s FROM bots ORDER BY bot")),
        parts_of_rows(name),
        line_format(name),
    )
    return hashed(_encoder.encode((others, sums)))


def _made(store: Database, name: str, numbers: Numbers, key: bytes) -> LineChunk:
    """Reads the lines of these matches from the database, by number.  Raises CellsToQuote."""
    line, columns = line_format(name), len(TABLES[name])
    own, lengths, parts = array("q"), array("i"), list[str]()
    with sentences(store.path):
        cursor = store.connection.execute(parts_of_rows(name), numbers)
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            lines = [line % row[1:] for row in rows]
            parts.append("".join(lines))
            if not is_plain(parts[-1], len(rows), columns):
                raise CellsToQuote(name)
            for (number, *_), text in zip(rows, lines, strict=True):
                if own and own[-1] == number:  # another seat
                    lengths[-1] += len(text)
                else:
                    own.append(number)
                    lengths.append(len(text))
    return LineChunk(key, own.tobytes(), lengths.tobytes(), "".join(parts))
