"""All matches of a store at once, in columns and chunks, for computing over millions of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from arena.errors import FAULT_KINDS
from arena.store.database import Database
from arena.store.rows import Columns
from arena.store.schema import Row, packed_seat

Numbers: TypeAlias = tuple[int, int]
"""A range of matches: the number of the first and of the last."""
ALL: Numbers = (-(1 << 63), (1 << 63) - 1)


def match_places(store: Database, numbers: Numbers = ALL) -> Iterator[Columns]:
    """(position, number, match_id, series_id, cycle, rotation, is done, pairing_id) of matches, in chunks.

    They come unsorted: SQLite takes longer to sort a million rows than to read them.  The position is the
    place in the schedule; a match that is not in it has −1, and its pairing_id, which is else None.  The
    number is what `match` in `seats` means.
    """
    return store.chunks(
        "SELECT COALESCE(p.position, -1), m.number, m.match_id, m.series_id, m.cycle, m.rotation,"
        " m.status = 'done', CASE WHEN p.position IS NULL THEN m.pairing_id END"
        " FROM matches m LEFT JOIN schedule p USING (pairing_id) WHERE m.number BETWEEN ? AND ?",
        *numbers,
    )


def unplayed(store: Database) -> Iterator[Row]:
    """(position, series_id) of every planned match that is missing."""
    return store.rows("SELECT position, series_id FROM unplayed")


def seats(store: Database, numbers: Numbers = ALL) -> Iterator[Columns]:
    """(match, bot, packed, points, returns, adjusted, think_max_s, times) of all matches' seats, in chunks.

    Includes aborted matches, in no order.  `match` is the number of the match; `packed` holds the columns of
    `SEAT_BITS`; `times` are the thinking times of the asked decisions, as the bytes of an `array("f")`.
    """
    return store.chunks(
        f'SELECT match, bot, {packed_seat()}, points, "returns", luck_adjusted_returns, think_max_s,'
        " times FROM seats WHERE match BETWEEN ? AND ?",
        *numbers,
    )


def faults(store: Database, numbers: Numbers = ALL) -> Iterator[Columns]:
    """(match, seat, and a count of each kind of fault) of the seats that had any, in chunks."""
    kinds = ", ".join(FAULT_KINDS)
    where = f"{' + '.join(FAULT_KINDS)} > 0 AND match BETWEEN ? AND ?"
    return store.chunks(f"SELECT match, seat, {kinds} FROM seats WHERE {where}", *numbers)


def versions(store: Database) -> Iterator[Columns]:
    """(match, bot, version) of the seats of all matches, the latest first, in chunks."""
    return store.chunks("SELECT match, bot, version FROM seats ORDER BY match DESC, seat DESC")
