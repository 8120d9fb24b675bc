"""The layout of the database, and the tables that people see of it: all columns are listed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, groupby
from typing import Any, Literal, TypeAlias

import attrs

from arena.store.cells import harmless_sql

Row: TypeAlias = Sequence[Any]
"""A row of a table."""

SCHEMA_VERSION = 6
"""The version of `SCHEMA`, kept in every database; one of another version is refused."""
APPLICATION_ID = 0x4172656E
"""`Aren`: tells our databases from other programs'."""

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bots (
    bot TEXT PRIMARY KEY, version TEXT NOT NULL, path TEXT NOT NULL, command TEXT NOT NULL,
    language TEXT NOT NULL, fingerprint TEXT NOT NULL, status TEXT NOT NULL, margin_s REAL NOT NULL
, box TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE TABLE schedule (
    position INTEGER PRIMARY KEY, pairing_id TEXT NOT NULL UNIQUE, series_id TEXT NOT NULL
);
CREATE INDEX schedule_series ON schedule (series_id);
CREATE TABLE epochs (
    number INTEGER PRIMARY KEY, began_at REAL NOT NULL, ended_at REAL, first_batch INTEGER NOT NULL,
    first_match INTEGER NOT NULL, sha256 TEXT NOT NULL, opening TEXT NOT NULL
);
CREATE TABLE batches (number INTEGER PRIMARY KEY, row TEXT NOT NULL);
CREATE TABLE matches (
    number INTEGER PRIMARY KEY, match_id TEXT NOT NULL UNIQUE, pairing_id TEXT NOT NULL UNIQUE,
    series_id TEXT NOT NULL, cycle INTEGER NOT NULL, rotation INTEGER NOT NULL, game TEXT NOT NULL,
    seats INTEGER NOT NULL, deals TEXT NOT NULL, status TEXT NOT NULL, turns INTEGER NOT NULL,
    decisions INTEGER NOT NULL, duration_s REAL NOT NULL, started_at REAL NOT NULL,
    seed TEXT NOT NULL, error TEXT, packed BLOB NOT NULL
, checksum BLOB NOT NULL DEFAULT x'');
CREATE TABLE seats (
    match INTEGER NOT NULL, seat INTEGER NOT NULL, bot TEXT NOT NULL, version TEXT NOT NULL,
    opponents TEXT NOT NULL, rank INTEGER NOT NULL, "returns" REAL NOT NULL,
    luck_adjusted_returns REAL NOT NULL, points REAL NOT NULL,
    win INTEGER NOT NULL, tie INTEGER NOT NULL, too_late INTEGER NOT NULL, malformed INTEGER NOT NULL,
    illegal INTEGER NOT NULL, gone INTEGER NOT NULL, not_asked INTEGER NOT NULL, lagged INTEGER NOT NULL,
    abandoned INTEGER NOT NULL, withdrawn INTEGER NOT NULL, decisions INTEGER NOT NULL,
    think_s REAL NOT NULL, think_max_s REAL NOT NULL, times BLOB NOT NULL,
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;
CREATE INDEX seats_bot ON seats (bot, match);
CREATE TABLE decisions (
    match INTEGER NOT NULL, number INTEGER NOT NULL, turn INTEGER NOT NULL, seat INTEGER NOT NULL,
    move TEXT NOT NULL, elapsed_s REAL NOT NULL, fault TEXT NOT NULL, reason TEXT NOT NULL,
    asked INTEGER NOT NULL, lagged INTEGER NOT NULL,
    PRIMARY KEY (match, number)
) WITHOUT ROWID;
CREATE TABLE capsules (
    match INTEGER NOT NULL, seat INTEGER NOT NULL, number INTEGER NOT NULL, packed BLOB NOT NULL,
    PRIMARY KEY (match, seat, number)
);
CREATE TABLE checksums (part TEXT PRIMARY KEY, count INTEGER NOT NULL, sum BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE games (
    match INTEGER PRIMARY KEY, version INTEGER NOT NULL, rules TEXT NOT NULL, kinds TEXT NOT NULL
);
CREATE TABLE places (match INTEGER PRIMARY KEY, host TEXT NOT NULL, worker TEXT NOT NULL);

CREATE VIEW unplayed AS
    SELECT p.* FROM schedule p LEFT JOIN matches m USING (pairing_id) WHERE m.number IS NULL;
CREATE VIEW shown_matches AS
    SELECT m.*, p.position, COALESCE(g.rules, '') AS rules, COALESCE(g.kinds, '') AS kinds,
        CAST(COALESCE(g.version, (SELECT value FROM meta WHERE key = 'game_version'), 0) AS INTEGER)
            AS game_version
    FROM matches m LEFT JOIN schedule p USING (pairing_id) LEFT JOIN games g ON g.match = m.number;
CREATE VIEW shown_seats AS
    SELECT s.*, m.match_id, m.pairing_id, m.series_id, m.cycle, m.rotation, m.game, m.seats, m.status,
        p.position, COALESCE(b.margin_s, 0.0) AS margin_s
    FROM matches m JOIN seats s ON s.match = m.number
        LEFT JOIN schedule p USING (pairing_id) LEFT JOIN bots b ON b.bot = s.bot;
CREATE VIEW shown_decisions AS
    SELECT d.*, s.bot, s.version, m.match_id, m.pairing_id, m.series_id, m.cycle, m.rotation, p.position
    FROM matches m JOIN decisions d ON d.match = m.number
        JOIN seats s ON s.match = d.match AND s.seat = d.seat LEFT JOIN schedule p USING (pairing_id)
    WHERE m.series_id NOT IN (SELECT series_id FROM unplayed);
"""
# `unplayed` guards what a match hid: moves are shown only once no bot can still be playing their series.

MARK = "mark"
"""The key in `meta` of the value that differs after every change."""

TABLES_OF_SERVER = "tables of a server"
"""The key in `meta` of a folder whose matches are not a tournament, and have games of their own."""

IN_ORDER = "position IS NULL, position, pairing_id"
"""Schedule order; matches that the schedule does not name come last."""
LATEST_FIRST = "position IS NOT NULL, position DESC, pairing_id DESC, seat DESC"
"""Seats from the last one in schedule order on."""


@attrs.frozen
class Column:
    """A column of a table that people read; results/README.md says what it means."""

    name: str
    type: Literal["text", "integer", "real", "boolean"]
    exact: bool = True
    """Whether its values are the same, byte for byte, however a run was interrupted; else it is measured."""


def columns(spec: str) -> tuple[Column, ...]:
    """Builds columns from `name:type` words; a `~` after the type marks a measured one."""
    words = (word.partition(":") for word in spec.split())
    return tuple(Column(name, type.rstrip("~"), not type.endswith("~")) for name, _, type in words)  # type: ignore[arg-type]


_TYPES: Mapping[Any, Any] = {"int": "integer", "str": "text", "float": "real", "bool": "boolean"}


def as_columns(row: type[attrs.AttrsInstance], *, measured: Iterable[str] = ()) -> tuple[Column, ...]:
    """The columns of a table whose rows are instances of an attrs class.

    Its module must import `annotations` from `__future__`, so that types are names.
    """
    return tuple(
        Column(field.name, _TYPES[field.type], field.name not in measured) for field in attrs.fields(row)
    )


_MATCH_KEYS = "match_id:text series_id:text cycle:integer rotation:integer"
_SEAT_KEYS = f"{_MATCH_KEYS} seat:integer bot:text version:text"

TABLES: Mapping[str, tuple[Column, ...]] = {
    "matches": columns(
        f"{_MATCH_KEYS} pairing_id:text game:text game_version:integer seats:integer deals:text bots:text "
        "winners:text status:text turns:integer decisions:integer duration_s:real~ started_epoch_s:real~ "
        "started_at:text~ host:text~ worker:text~"
    ),
    "seats": columns(
        f"{_SEAT_KEYS} game:text seats:integer opponents:text status:text rank:integer returns:real "
        "luck_adjusted_returns:real points:real win:boolean tie:boolean too_late:integer malformed:integer "
        "illegal:integer gone:integer not_asked:integer lagged:integer~ abandoned:boolean withdrawn:boolean "
        "decisions:integer think_s:real~ think_max_s:real~ margin_s:real"
    ),
    "bots": columns(
        "bot:text version:text path:text command:text language:text fingerprint:text status:text "
        "margin_s:real box:text"
    ),
    "decisions": columns(
        f"{_SEAT_KEYS} turn:integer move:text elapsed_s:real~ fault:text reason:text~ asked:boolean "
        "lagged:boolean~"
    ),
}
"""The tables that the store exports, each as `<name>.csv`; the seeds are in none of them."""

ID_BEGINS = "match_id BETWEEN :id AND :id || char(1114111) AND substr(match_id, 1, length(:id)) = :id"
"""Whether a match's id begins with `:id`; by the index on `match_id`, as there may be a million."""

OPPONENTS_SEPARATOR = "; "
"""Stands between the names in `opponents`, `bots` and `winners`.  A name may hold it too, a match_id not."""


def _place(cell: str) -> str:
    """The SQL of a cell that says where a match was played; empty if the run itself played it."""
    return f"COALESCE((SELECT {cell} FROM places WHERE match = number), '')"


DERIVED: Mapping[tuple[str, str], Callable[[Callable[[str], str]], str]] = {
    ("matches", "bots"): lambda cell: (
        f"(SELECT {cell('bot')} || '{OPPONENTS_SEPARATOR}' || opponents FROM seats"
        " WHERE match = number AND seat = 0)"
    ),
    ("matches", "winners"): lambda cell: (
        f"(SELECT {cell('names')} FROM"
        f" (SELECT COALESCE(group_concat(bot, '{OPPONENTS_SEPARATOR}'), '') AS names FROM"
        " (SELECT bot FROM seats WHERE match = number AND rank = 1 ORDER BY seat)))"
    ),
    ("matches", "host"): lambda cell: _place(cell("host")),
    ("matches", "worker"): lambda cell: _place(cell("worker")),
    ("matches", "started_epoch_s"): lambda cell: "started_at",
    ("matches", "started_at"): lambda cell: "strftime('%Y-%m-%dT%H:%M:%f+00:00', started_at, 'unixepoch')",
}
"""(table, column) -> the SQL of columns that are computed from others, so that folders of any age have them.

The function given makes a cell of a text; applied to a whole subquery, it would run the subquery twice.
"""

FROM = {
    "matches": f"shown_matches ORDER BY {IN_ORDER}",
    "seats": f"shown_seats ORDER BY {IN_ORDER}, seat",
    "bots": "bots ORDER BY bot",
    "decisions": f"shown_decisions ORDER BY {IN_ORDER}, number",
}
FROM_PLAN = {
    "matches": "schedule o CROSS JOIN shown_matches v ON v.pairing_id = o.pairing_id ORDER BY o.position",
    "seats": "schedule o CROSS JOIN shown_seats v ON v.pairing_id = o.pairing_id ORDER BY o.position, v.seat",
    "decisions": "schedule o CROSS JOIN shown_decisions v ON v.pairing_id = o.pairing_id"
    " ORDER BY o.position, v.number",
}
"""The same rows if the schedule names every match: read in its order, so that millions need no sorting."""
NUMBERED = {"matches": "number", "seats": "match"}
"""The column of a table's view that holds the number of the match."""
SEAT_BITS = {"seat": 12, "rank": 12, "win": 1, "tie": 1, "decisions": 32}
"""Small columns of `seats` -> their bits in one number: each number more costs 0.2 s per million rows."""


def packed_seat() -> str:
    """The SQL of the one number that holds the columns of `SEAT_BITS`, the first one lowest."""
    shifts = accumulate(SEAT_BITS.values(), initial=0)
    return " | ".join(f"({name} << {shift})" for name, shift in zip(SEAT_BITS, shifts, strict=False))


def statements() -> list[str]:
    """The SQL that lays out a database."""
    return SCHEMA.strip().split(";\n")


STORED: Mapping[str, tuple[str, ...]] = {
    table: tuple(columns.split())
    for table, columns in {
        "meta": "key value",
        "bots": "bot version path command language fingerprint status margin_s box",
        "schedule": "position pairing_id series_id",
        "epochs": "number began_at ended_at first_batch first_match sha256 opening",
        "batches": "number row",
        "matches": "match_id pairing_id series_id cycle rotation game seats deals status turns decisions"
        " duration_s started_at seed error packed",
        "seats": "seat bot version opponents rank returns luck_adjusted_returns points win tie too_late"
        " malformed illegal gone not_asked lagged abandoned withdrawn decisions think_s think_max_s times",
        "decisions": "number turn seat move elapsed_s fault reason asked lagged",
        "capsules": "seat number packed",
        "games": "version rules kinds",
        "places": "host worker",
    }.items()
}
"""The columns of each table's rows, in the order in which checksums take them, which must never change.

What only ties rows together is left out: the number of a match, and the checksum of its rows.
"""


def stored_columns(table: str) -> str:
    """The columns of `STORED`, for SQL; unquoted, as SQLite takes a quoted unknown name for a text."""
    return ", ".join(STORED[table])


@cache
def insertion(table: str, *more: str, or_: str = "ABORT") -> str:
    """The SQL that adds a row of `STORED`, with the columns `more` before it."""
    columns = (*more, *STORED[table])
    return f"INSERT OR {or_} INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def column_names(columns: Iterable[Column]) -> list[str]:
    return [column.name for column in columns]


_ALWAYS_HARMLESS = {"match_id", "game", "deals", "status", "fault", "fingerprint"}
"""Text columns that hold digits, or words of our own."""


def rows_of(table: str, *, is_whole: bool, as_cells: bool = False) -> str:
    """The SQL of a table's rows; `is_whole`: whether the schedule names exactly the stored matches.

    `as_cells`: text as it is written in CSVs.
    """
    is_sorted = not is_whole or table == "bots"
    of = "" if is_sorted else "v."
    told = told_columns(table, of, as_cells=as_cells)
    return f"SELECT {told} FROM {(FROM if is_sorted else FROM_PLAN)[table]}"


def told_columns(table: str, of: str = "", *, as_cells: bool = False) -> str:
    """The SQL of a table's columns, in a row as it is exported."""
    return ", ".join(_told(table, column, of, as_cells=as_cells) for column in TABLES[table])


def parts_of_rows(table: str) -> str:
    """The SQL of the rows of matches from one number to another, as cells, each after its match's number.

    Columns between reals are joined into one text; `line_format` makes lines of these values.
    """
    values = []
    for is_real, group in groupby(TABLES[table], lambda column: column.type == "real"):
        columns = [*group]
        told = [_told(table, column, "v.", as_cells=True) for column in columns]
        line = ",".join("%s" if column.type == "text" else "%d" for column in columns)
        values += told if is_real else [f"printf('{line}', {', '.join(told)})"]
    number = NUMBERED[table]
    where = f"WHERE v.{number} BETWEEN ? AND ? ORDER BY v.{number}{', v.seat' * (table == 'seats')}"
    return f"SELECT v.{number}, {', '.join(values)} FROM shown_{table} v {where}"


def line_format(table: str) -> str:
    """The `%` format of a line of a CSV, for the values that `parts_of_rows` selects."""
    kinds = groupby(column.type == "real" for column in TABLES[table])
    return ",".join(",".join(["%r"] * len([*group])) if is_real else "%s" for is_real, group in kinds) + "\n"


def _told(table: str, column: Column, of: str, *, as_cells: bool) -> str:
    """The SQL of a column."""
    as_cell = harmless_sql if as_cells and _is_foreign(column) else str
    derived = DERIVED.get((table, column.name))
    return as_cell(f'{of}"{column.name}"') if derived is None else derived(as_cell)


def _is_foreign(column: Column) -> bool:
    return column.type == "text" and column.name not in _ALWAYS_HARMLESS


def quoted_names(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
