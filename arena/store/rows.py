"""Turns matches into rows and back: what the tables keep of an `Entry`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any, Literal, TypeAlias

import attrs

from arena.errors import FAULT_KINDS
from arena.match.record import Decision, Entry, OwnGame, is_lagged
from arena.schedule import Deals, PairingId, Points
from arena.store.capsules import Room, capsule_rows
from arena.store.checksums import HANGING, MatchRows
from arena.store.schema import OPPONENTS_SEPARATOR, STORED, Row, insertion
from arena.words import printable

Columns: TypeAlias = tuple[Sequence[Any], ...]
"""Some rows, transposed: a tuple for each column."""


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
    """The bot's status: `ok`, `withdrawn`, `left out`, `replaced` or `without`."""
    margin_s: float = 0.0
    box: str = ""
    """The box it ran in; empty for a connecting bot, and if none was asked for."""


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


BOT_FIELDS = tuple(field.name for field in attrs.fields(StoredBot))
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
    deals: Deals
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
    own_game: OwnGame | None = None
    """The game of a match at a server's table; all matches of a tournament share one."""

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(seat.bot for seat in self.seats)

    @property
    def versions(self) -> tuple[str, ...]:
        return tuple(seat.version for seat in self.seats)


MATCH_FIELDS = tuple(
    field.name for field in attrs.fields(StoredMatch) if field.name not in ("seats", "own_game")
)


@attrs.frozen
class FinishedMatch:
    """What a continued run must know of a match it need not play; the tuples hold a value for each seat."""

    match_id: str
    aborted: bool
    points: Points
    """The points of each seat; empty if the match was aborted."""
    returns: tuple[float, ...]
    """The returns of each seat as bots are rated by them: luck-adjusted where the game declares luck."""
    faults: tuple[int, ...]
    abandoned: tuple[bool, ...]
    lagged: tuple[bool, ...]
    """Whether the arena's own lag may have caused at least half of the bot's faults."""
    crashed: tuple[bool, ...]
    """Whether the bot was gone at least once."""
    withdrawn: tuple[bool, ...]


@attrs.frozen
class SeriesState:
    """How far one series has come: counts of matches."""

    series_id: str
    planned: int
    """How many matches the schedule has for this series; 0 if it does not name the series."""
    missing: int
    """How many of the planned matches are not played yet."""
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
    """The reason; empty if the run kept no row of its own for the decision."""
    count: int
    seats: int = 0
    """How many seats of matches had it; 0 if the run kept no rows of their own for the decisions."""
    not_asked: int = 0
    """How many decisions in these seats followed for which the bot was not asked any more."""
    capsule: str = ""
    """The file of the evidence of the first of these faults that has any, within the results folder."""


def insert(db: sqlite3.Connection, entries: Iterable[Entry], room: Room) -> list[bytes]:
    """Adds the rows of matches, with the capsules that there is room for; returns their checksums."""
    return insert_rows(db, [_rows_of(db, entry, room) for entry in entries])


def _rows_of(db: sqlite3.Connection, entry: Entry, room: Room) -> MatchRows:
    return MatchRows(
        _match_row(entry),
        _seat_rows(entry),
        [_decision_row(number, decision) for number, decision in enumerate(entry.decisions)],
        capsule_rows(db, entry, room) if entry.record.capsules else (),
        () if entry.own_game is None else [_game_row(entry.own_game)],
        () if entry.place is None else [_place_row(entry.place.host, entry.place.worker)],
    )


def rows_without_capsules(entry: Entry) -> MatchRows:
    """The rows of a match of the folder's game, without its capsules, for which there must be room."""
    return MatchRows(
        _match_row(entry),
        _seat_rows(entry),
        [_decision_row(number, decision) for number, decision in enumerate(entry.decisions)],
    )


def insert_rows(db: sqlite3.Connection, matches: Sequence[MatchRows]) -> list[bytes]:
    """Adds matches as they are stored; returns their checksums, which `note_matches` must be told."""
    ((last,),) = db.execute("SELECT COALESCE(MAX(number), 0) FROM matches")
    numbered = list(enumerate(matches, last + 1))
    sums = [rows.checksum for rows in matches]
    db.executemany(
        insertion("matches", "number", "checksum"),
        [(number, sum, *rows.match) for (number, rows), sum in zip(numbered, sums, strict=True)],
    )
    for table, rows_in in _HANGING:
        if others := [(number, *row) for number, rows in numbered for row in rows_in(rows)]:
            db.executemany(insertion(table, "match"), others)
    return sums


_HANGING: Sequence[tuple[str, Callable[[MatchRows], Sequence[Row]]]] = [
    (table, attrgetter(table)) for table in HANGING
]


def bot_row(bot: StoredBot) -> Row:
    """A row of `bots`."""
    cells = attrs.asdict(bot).items()
    return _row(
        "bots", **{name: printable(cell) if isinstance(cell, str) else float(cell) for name, cell in cells}
    )


def _match_row(entry: Entry) -> Row:
    """A row of `matches`, in the order of `_MATCH`."""
    pairing, record = entry.pairing, entry.record
    return (
        entry.match_id,
        pairing.id,
        pairing.series,
        pairing.cycle,
        pairing.rotation,
        pairing.game,
        len(pairing.bots),
        entry.deals,
        "done" if record.error is None else "aborted",
        len(record.turns),
        sum([totals.decisions for totals in entry.totals]),
        _rounded(record.duration_s),
        _rounded(entry.started_at),
        f"{pairing.seed:x}",
        record.error and printable(record.error, keep="\n"),
        entry.packed,
    )


_MATCH = (
    *("match_id", "pairing_id", "series_id", "cycle", "rotation", "game", "seats", "deals", "status"),
    *("turns", "decisions", "duration_s", "started_at", "seed", "error", "packed"),
)
assert STORED["matches"] == _MATCH, (
    "rows of which there are millions are made by place: it takes half as long"
)


@lru_cache(maxsize=1024)
def _place_row(host: str, worker: str) -> Row:
    return _row("places", host=printable(host), worker=printable(worker))


def _seat_rows(entry: Entry) -> list[Row]:
    """Rows of `seats`, in the order of `_SEATS`; ranks are 0 if the match was aborted."""
    bots, record, versions, withdrawn = entry.pairing.bots, entry.record, entry.versions, entry.withdrawn
    abandoned = record.abandoned if True in record.abandoned else ()
    nothing = (0,) * len(bots)
    results = _results(
        record.ranks or nothing,
        record.returns or nothing,
        record.adjusted or nothing,
        entry.points or nothing,
    )
    return [
        (
            seat,
            bot,
            versions[seat],
            names_of_others(bots, seat),
            *results[seat],
            *totals.faults,
            totals.not_asked,
            totals.lagged,
            int(any(abandoned[seat : seat + 1])) if abandoned else 0,
            int(withdrawn[seat]),
            totals.decisions,
            _rounded(totals.think_s),
            _rounded(totals.think_max_s),
            totals.times,
        )
        for seat, (bot, totals) in enumerate(zip(bots, entry.totals, strict=True))
    ]


_RESULT = ("rank", "returns", "luck_adjusted_returns", "points", "win", "tie")
_SEATS = (
    *("seat", "bot", "version", "opponents"),
    *_RESULT,
    *FAULT_KINDS,
    *("not_asked", "lagged", "abandoned", "withdrawn", "decisions", "think_s", "think_max_s", "times"),
)
assert STORED["seats"] == _SEATS, "as rows of `matches`"


def names_of_others(bots: Sequence[str], seat: int) -> str:
    """The names of all others at the table, joined as `seats` holds them."""
    if len(bots) == 2:
        return bots[1 - seat]
    return OPPONENTS_SEPARATOR.join((*bots[:seat], *bots[seat + 1 :]))


def result_cells(
    ranks: Sequence[int], returns: Sequence[float], adjusted: Sequence[float], points: Sequence[float]
) -> list[dict[str, Any]]:
    """Each seat's cells of the result in `seats`; zeros for an aborted match."""
    return [dict(zip(_RESULT, cells, strict=True)) for cells in _results(ranks, returns, adjusted, points)]


def _results(
    ranks: Sequence[int], returns: Sequence[float], adjusted: Sequence[float], points: Sequence[float]
) -> list[tuple[int, float, float, float, int, int]]:
    """Each seat's result as a row, in the order of `_RESULT`."""
    shares_first = ranks.count(1) > 1
    return [
        (
            rank,
            float(returns[seat]) + 0.0,  # + 0.0: no -0.0
            float(adjusted[seat]) + 0.0,
            float(points[seat]) + 0.0,
            int(rank == 1 and not shares_first),
            int(rank == 1 and shares_first),
        )
        for seat, rank in enumerate(ranks)
    ]


def _decision_row(number: int, decision: Decision) -> Row:
    return _row(
        "decisions",
        number=number,
        turn=decision.turn,
        seat=int(decision.seat),
        move=printable(str(decision.move)),
        elapsed_s=_rounded(decision.elapsed_s),
        fault=decision.fault or "",
        reason=printable(decision.reason),
        asked=int(decision.asked),
        lagged=int(decision.lagged),
    )


def _game_row(own: OwnGame) -> Row:
    rules, kinds = (json.dumps(value, ensure_ascii=False) for value in (dict(own.rules), own.kinds))
    return _row("games", version=own.version, rules=rules, kinds=kinds)


def _row(table: str, **values: Any) -> Row:
    """The values as a row of a table, in the order of `STORED`, which must name exactly these."""
    assert len(STORED[table]) == len(values), "a value for every column"
    return _IN_ORDER[table](values)


_IN_ORDER: Mapping[str, Callable[[Any], Row]] = {
    table: itemgetter(*columns) for table, columns in STORED.items()
}


def finished_from(rows: list[Row]) -> FinishedMatch:
    """Builds a finished match from the rows of its seats, as `Store.finished` reads them."""
    match_ids, statuses, points, returns, faults, too_late, lags, *flags = zip(*rows, strict=True)
    aborted = statuses[0] == "aborted"
    abandoned, crashed, withdrawn = (tuple(map(bool, flag)) for flag in flags)
    return FinishedMatch(
        match_id=match_ids[0],
        aborted=aborted,
        points=() if aborted else points,
        returns=returns,
        faults=faults,
        abandoned=abandoned,
        lagged=tuple(map(is_lagged, faults, too_late, lags)),
        crashed=crashed,
        withdrawn=withdrawn,
    )


def own_game_from(version: int, rules: str, kinds: str) -> OwnGame | None:
    """Builds a match's own game from the columns of `games`, as views show them; None if it has none."""
    return OwnGame(version, json.loads(rules), tuple(json.loads(kinds))) if rules else None


def seat_from(row: Row) -> StoredSeat:
    """Builds a seat from the columns `SEAT_FIELDS`."""
    flags = ("win", "tie", "abandoned", "withdrawn")
    values: dict[str, Any] = dict(zip(SEAT_FIELDS, row, strict=True))
    return StoredSeat(**values | {flag: bool(values[flag]) for flag in flags})


def _rounded(time_s: float) -> float:
    """Rounds a time to the microsecond: more would be noise in the tables."""
    return round(time_s, 6) + 0.0
