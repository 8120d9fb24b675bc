"""A match as rows and back: what the tables keep of an `Entry`."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from math import fsum
from typing import Any, Literal, TypeAlias

import attrs

from arena.errors import FAULT_KINDS
from arena.record import Decision, Entry
from arena.schedule import PairingId, Points
from arena.store.capsules import Room, capsule_rows
from arena.store.checksums import MatchRows
from arena.store.schema import OPPONENTS_SEPARATOR, Row
from arena.words import printable

Columns: TypeAlias = tuple[Sequence[Any], ...]
"""Some rows, turned: a tuple a column."""


@attrs.frozen
class StoredBot:
    """A row of bots.csv."""

    bot: str
    version: str = ""
    path: str = ""
    command: str = ""
    language: str = ""
    fingerprint: str = ""
    status: str = "ok"
    """`ok`, `withdrawn` or `left out`."""
    margin_s: float = 0.0
    box: str = ""
    """What it ran under; empty for a connecting bot, and where none was asked for."""


@attrs.frozen
class StoredSeat:
    """What one bot did in one match: its row of seats.csv without the keys."""

    seat: int
    bot: str
    version: str
    rank: int
    returns: float
    points: float
    win: bool
    tie: bool
    too_late: int
    malformed: int
    illegal: int
    gone: int
    not_asked: int
    lagged: int
    abandoned: bool
    withdrawn: bool
    decisions: int
    think_s: float
    think_max_s: float

    @property
    def faults(self) -> int:
        return self.too_late + self.malformed + self.illegal + self.gone


SEAT_FIELDS = tuple(field.name for field in attrs.fields(StoredSeat))


@attrs.frozen
class StoredMatch:
    """A match as it was kept, with what a replay needs."""

    match_id: str
    pairing_id: PairingId
    series_id: str
    cycle: int
    rotation: int
    game: str
    game_version: int
    deals: str
    status: Literal["done", "aborted"]
    turns: int
    decisions: int
    duration_s: float
    started_at: float
    seed: int
    error: str | None
    """The traceback of an aborted match."""
    packed: bytes
    seats: tuple[StoredSeat, ...]

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(seat.bot for seat in self.seats)

    @property
    def versions(self) -> tuple[str, ...]:
        return tuple(seat.version for seat in self.seats)


@attrs.frozen
class Finished:
    """What a run that goes on must know of a match it need not play: flags by seat."""

    match_id: str
    aborted: bool
    points: Points
    """Empty if aborted."""
    returns: tuple[float, ...]
    faults: tuple[int, ...]
    abandoned: tuple[bool, ...]
    crashed: tuple[bool, ...]
    """The bot was gone at least once."""
    withdrawn: tuple[bool, ...]


@attrs.frozen
class SeriesState:
    """How far one series has come: counts of matches."""

    series_id: str
    planned: int
    """As the schedule has it; 0: the schedule does not name this series."""
    missing: int
    """Planned and not there yet."""
    stored: int
    aborted: int

    @property
    def is_closed(self) -> bool:
        return self.missing == 0


@attrs.frozen
class FaultCount:
    """How often a bot failed in one way, for one reason."""

    bot: str
    fault: str
    reason: str
    """Empty where the run kept no row of its own for the decision."""
    count: int


def insert(db: sqlite3.Connection, entry: Entry, room: Room) -> bytes:
    """Adds the rows of one match, with the capsules that there is room for; gives its checksum."""
    rows = MatchRows(
        _match_row(entry),
        list(_seat_rows(entry)),
        [(place, *_decision_row(decision)) for place, decision in enumerate(entry.decisions)],
        capsule_rows(db, entry, room),
    )
    insert_rows(db, rows)
    return rows.checksum


def insert_rows(db: sqlite3.Connection, rows: MatchRows) -> None:
    """Adds a match as it is stored; `note_matches` must be told."""
    match = (*rows.match, rows.checksum)
    number = db.execute(f"INSERT INTO matches VALUES (NULL, {_marks(len(match))})", match).lastrowid
    for table, others in (("seats", rows.seats), ("decisions", rows.decisions), ("capsules", rows.capsules)):
        if others:
            marks = _marks(1 + len(others[0]))
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", [(number, *row) for row in others])


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def bot_row(bot: StoredBot) -> Row:
    """A row of `bots`."""
    return tuple(printable(value) if isinstance(value, str) else float(value) for value in attrs.astuple(bot))


def _match_row(entry: Entry) -> Row:
    """A row of `matches` without its number and its checksum."""
    pairing, record = entry.pairing, entry.record
    status = "done" if record.error is None else "aborted"
    return (
        *(entry.match_id, pairing.id, pairing.series, pairing.cycle, pairing.rotation, pairing.game),
        *(len(pairing.bots), entry.deals, status, len(record.turns), len(record.decisions)),
        *(_rounded(record.duration_s), _rounded(entry.started_at)),
        *(f"{pairing.seed:x}", record.error and printable(record.error, keep="\n"), entry.packed),
    )


def _seat_rows(entry: Entry) -> Iterator[Row]:
    """Rows of `seats` without the match's number; a match that was aborted has no ranks: zeros."""
    bots, record = entry.pairing.bots, entry.record
    nothing = (0,) * len(bots)
    ranks, returns, points = (given or nothing for given in (record.ranks, record.returns, entry.points))
    shares_first = ranks.count(1) > 1
    for seat, bot in enumerate(bots):
        opponents = OPPONENTS_SEPARATOR.join(bots[:seat] + bots[seat + 1 :])
        won = ranks[seat] == 1
        decisions = [decision for decision in record.decisions if decision.seat == seat]
        faults = [decision.fault for decision in decisions if decision.fault]
        times = [decision.elapsed_s for decision in decisions if decision.asked]
        yield (
            *(seat, bot, entry.versions[seat], opponents, ranks[seat]),
            *(float(returns[seat]) + 0.0, float(points[seat]) + 0.0),  # + 0.0: no -0.0
            *(int(won and not shares_first), int(won and shares_first)),
            *(faults.count(kind) for kind in FAULT_KINDS),
            len(decisions) - len(times),
            sum(decision.lagged for decision in decisions),
            *(int(any(record.abandoned[seat : seat + 1])), int(entry.withdrawn[seat]), len(decisions)),
            *(_rounded(fsum(times)), _rounded(max(times, default=0.0)), array("f", times).tobytes()),
        )


def _decision_row(decision: Decision) -> Row:
    return (
        *(decision.turn, int(decision.seat), printable(str(decision.move)), _rounded(decision.elapsed_s)),
        *(decision.fault or "", printable(decision.reason), int(decision.asked), int(decision.lagged)),
    )


def finished_from(rows: list[Row]) -> Finished:
    """From (match_id, status, points, returns, faults, abandoned, gone, withdrawn) of each seat."""
    match_ids, statuses, points, returns, faults, *flags = zip(*rows, strict=True)
    aborted = statuses[0] == "aborted"
    abandoned, crashed, withdrawn = (tuple(map(bool, flag)) for flag in flags)
    return Finished(
        match_ids[0], aborted, () if aborted else points, returns, faults, abandoned, crashed, withdrawn
    )


def seat_from(row: Row) -> StoredSeat:
    """From the columns `SEAT_FIELDS`."""
    flags = ("win", "tie", "abandoned", "withdrawn")
    values: dict[str, Any] = dict(zip(SEAT_FIELDS, row, strict=True))
    return StoredSeat(**values | {flag: bool(values[flag]) for flag in flags})


def _rounded(time_s: float) -> float:
    """To the microsecond: more would be noise in the tables."""
    return round(time_s, 6) + 0.0
