"""What a database says: everything that is read of it, whoever opened it."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

import arena
from arena.errors import FAULT_KINDS, ConfigError
from arena.game import Seat
from arena.record import Decision
from arena.schedule import PairingId
from arena.store.checksums import is_meta_whole
from arena.store.files import DATABASE, Table, sentences
from arena.store.rows import (
    SEAT_FIELDS,
    Columns,
    FaultCount,
    Finished,
    StoredBot,
    StoredMatch,
    finished_from,
    seat_from,
)
from arena.store.schema import IN_ORDER, MARK, TABLES, Row, header, names, packed_seat, quoted, rows_of
from arena.store.soundness import Damage

CHUNK = 20_000
"""Rows that are Python objects at one time, where there may be millions."""


class Reading:
    """An open database of a results folder, as a reader sees it; used by one thread at a time."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.connection = connection
        self.damage: Damage | None = None
        """What of the database is damaged, if this shows a copy of what is sound of it."""

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Everything read inside belongs to one moment, whatever a run adds meanwhile."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("ROLLBACK")

    def meta(self) -> dict[str, Any]:
        """What was kept by `create` and `set_meta`; ConfigError if it is not as it was written."""
        path = self.folder / DATABASE
        if self.damage and "meta" in self.damage.parts:
            raise ConfigError(f"{self.damage}: {self.damage.advice}")
        with sentences(path):
            try:
                if self._pragma("user_version") > 1 and not is_meta_whole(self.connection):
                    raise ValueError("a row is not as it was written")
                rows = self.connection.execute("SELECT key, value FROM meta ORDER BY key").fetchall()
                return {key: json.loads(value) for key, value in rows if key != MARK}
            except (ValueError, TypeError) as error:
                raise ConfigError(
                    f"{path} is damaged: what it says of its plan; --fresh starts over"
                ) from error

    def mark(self) -> str | None:
        """What is another after every change, and never comes again; None in a folder of an older arena."""
        # counts too: an older arena may have added matches, and left the mark as it was
        counts = "(SELECT COUNT(*) FROM matches), (SELECT MAX(number) FROM matches)"
        rows = self._rows(f"SELECT value, {counts} FROM meta WHERE key = ?", MARK)
        marks = [f"{value} {count} {last}" for value, count, last in rows]
        return f"{marks[0]} {arena.__version__}" if marks else None

    def size(self) -> int:
        """How many matches there are."""
        return next(int(size) for (size,) in self._rows("SELECT COUNT(*) FROM matches"))

    def planned(self) -> int:
        """How many matches the schedule names."""
        return next(int(size) for (size,) in self._rows("SELECT COUNT(*) FROM schedule"))

    def game(self) -> str:
        """The name of the game; empty before the first match."""
        return next((name for (name,) in self._rows("SELECT game FROM matches LIMIT 1")), "")

    def bots(self) -> list[StoredBot]:
        """All bots by name."""
        return [StoredBot(*row) for row in self._rows(f"SELECT {names('bots')} FROM bots ORDER BY bot")]

    def finished(self) -> dict[PairingId, Finished]:
        """The matches that are there, aborted ones included, in schedule order."""
        found: dict[PairingId, list[Row]] = {}
        for pairing_id, *row in self._rows(
            f'SELECT pairing_id, match_id, status, points, "returns", {" + ".join(FAULT_KINDS)},'
            " abandoned, gone, withdrawn"
            f" FROM shown_seats ORDER BY {IN_ORDER}, seat"
        ):
            found.setdefault(pairing_id, []).append(row)
        return {pairing_id: finished_from(rows) for pairing_id, rows in found.items()}

    def players(self) -> set[str]:
        """The names of all bots that sat in a match."""
        return {bot for (bot,) in self._rows("SELECT DISTINCT bot FROM seats")}

    def matches(self, *, bot: str | None = None, fault: str | None = None) -> Iterator[StoredMatch]:
        """Matches in schedule order: all, those of a bot, those with a fault (a kind, or `any`), or both."""
        if fault is not None and fault not in ("any", *FAULT_KINDS):
            raise ConfigError(f"{fault} is no kind of fault: any, {', '.join(FAULT_KINDS)}")
        test = " + ".join(FAULT_KINDS) if fault == "any" else fault or "1"
        return self._matches(
            f"number IN (SELECT match FROM seats WHERE {test} > 0 AND (?1 IS NULL OR bot = ?1))", bot
        )

    def match(self, prefix: str) -> StoredMatch:
        """The one match whose id begins so; ConfigError if there is none or more than one."""
        # from the index on match_id, and not from a walk through a million matches
        begins = "match_id BETWEEN ?1 AND ?1 || char(1114111) AND substr(match_id, 1, length(?1)) = ?1"
        found = list(self._matches(begins, prefix)) if prefix else []
        if len(found) == 1:
            return found[0]
        if not found:
            hint = f" (and {self.damage})" if self.damage else ""
            raise ConfigError(
                f"no match in {self.folder} begins with {prefix!r}{hint}: `arena matches` lists them"
            )
        some = ", ".join(match.match_id for match in found[:3])
        raise ConfigError(
            f"{len(found)} matches in {self.folder} begin with {prefix!r} ({some}, …): say more of it"
        )

    def decisions(self, match_id: str) -> list[Decision]:
        """The decisions of a match that got rows of their own; `move` is JSON text."""
        rows = self._rows(
            "SELECT turn, seat, move, elapsed_s, NULLIF(fault, ''), reason, asked, lagged FROM decisions"
            " WHERE match = (SELECT number FROM matches WHERE match_id = ?) ORDER BY number",
            match_id,
        )
        return [
            Decision(turn, Seat(seat), move, elapsed_s, fault, reason, bool(asked), bool(lagged))
            for turn, seat, move, elapsed_s, fault, reason, asked, lagged in rows
        ]

    def faults(self, *, published: bool = False) -> list[FaultCount]:
        """The tally of all faults by bot, kind and reason; the most frequent of each bot first.

        `published`: without the reasons of series that are not closed, which may tell of a hand.
        """
        counts = Counter[tuple[str, str, str]]()
        rows = "shown_decisions" if published else "decisions d JOIN seats s USING (match, seat)"
        for bot, fault, reason, count in self._rows(
            f"SELECT bot, fault, reason, COUNT(*) FROM {rows} WHERE fault <> '' GROUP BY 1, 2, 3"
        ):
            counts[bot, fault, reason] += count
            counts[bot, fault, ""] -= count
        sums = ", ".join(f"SUM({kind})" for kind in FAULT_KINDS)
        for bot, *totals in self._rows(
            f"SELECT bot, {sums} FROM seats WHERE {' + '.join(FAULT_KINDS)} > 0 GROUP BY bot"
        ):
            counts.update({(bot, kind, ""): total for kind, total in zip(FAULT_KINDS, totals, strict=True)})
        tally = (FaultCount(*key, count) for key, count in counts.items() if count > 0)
        return sorted(tally, key=lambda row: (row.bot, -row.count, row.fault, row.reason))

    def match_chunks(self) -> Iterator[Columns]:
        """(position, number, match_id, series_id, cycle, rotation, is done, pairing_id) of all, in chunks.

        In no order: to sort a million rows takes SQLite longer than to read them.  The position is the place
        in the schedule, or −1, and only then is there a pairing_id, else None; the number is what `match` in
        `seat_chunks` means.
        """
        return self._chunks(
            "SELECT COALESCE(p.position, -1), m.number, m.match_id, m.series_id, m.cycle, m.rotation,"
            " m.status = 'done', CASE WHEN p.position IS NULL THEN m.pairing_id END"
            " FROM matches m LEFT JOIN schedule p USING (pairing_id)"
        )

    def unplayed(self) -> Iterator[Row]:
        """(position, series_id) of everything planned that is not there."""
        return self._rows("SELECT position, series_id FROM unplayed")

    def seat_chunks(self) -> Iterator[Columns]:
        """(match, bot, packed, points, returns, think_max_s, times) of the seats of all matches, in chunks.

        Aborted ones too, and in no order.  `match` is the number of the match; `packed` holds the columns of
        `SEAT_BITS`; `times` are the thinking times of the asked decisions, as the bytes of an `array("f")`.
        """
        return self._chunks(
            f'SELECT match, bot, {packed_seat()}, points, "returns", think_max_s, times FROM seats'
        )

    def fault_chunks(self) -> Iterator[Columns]:
        """(match, seat, and a count of each kind of fault) of the seats that had any, in chunks."""
        kinds = ", ".join(FAULT_KINDS)
        return self._chunks(f"SELECT match, seat, {kinds} FROM seats WHERE {' + '.join(FAULT_KINDS)} > 0")

    def version_chunks(self) -> Iterator[Columns]:
        """(match, bot, version) of the seats of all matches, the latest first, in chunks."""
        return self._chunks("SELECT match, bot, version FROM seats ORDER BY match DESC, seat DESC")

    def tables(self) -> dict[str, Table]:
        """The tables as they are exported; rows are read as they are asked for."""
        return {name: self.table(name, as_cells=True) for name in TABLES}

    def table(self, name: str, *, as_cells: bool = False) -> Table:
        """One of `TABLES`; `as_cells`: text as it is written in CSVs."""
        return header(TABLES[name]), self._table(name, as_cells)

    def _table(self, name: str, as_cells: bool) -> Iterator[Row]:
        yield from self._rows(rows_of(name, is_whole=self._is_whole(), as_cells=as_cells))

    def _is_whole(self) -> bool:
        """Whether the schedule names all matches that are there, and no others."""
        outside = (
            "SELECT 1 FROM matches m LEFT JOIN schedule p USING (pairing_id) WHERE p.position IS NULL LIMIT 1"
        )
        return self.planned() == self.size() and not list(self._rows(outside))

    def _matches(self, where: str, *values: Any) -> Iterator[StoredMatch]:
        matches = [field.name for field in attrs.fields(StoredMatch)][:-1]
        seats = quoted(SEAT_FIELDS)
        for number, *row in self._rows(
            f"SELECT number, {quoted(matches)} FROM shown_matches WHERE {where} ORDER BY {IN_ORDER}", *values
        ):
            match = dict(zip(matches, row, strict=True))
            match["seed"] = int(match["seed"], 16)
            rows = self._rows(f"SELECT {seats} FROM seats WHERE match = ? ORDER BY seat", number)
            yield StoredMatch(**match, seats=tuple(map(seat_from, rows)))

    def _rows(self, sql: str, *values: Any) -> Iterator[Row]:
        with sentences(self.folder / DATABASE):
            # Not `yield from`, which would close the cursor after the database.
            for row in self.connection.execute(sql, values):  # noqa: UP028
                yield row

    def _chunks(self, sql: str) -> Iterator[Columns]:
        with sentences(self.folder / DATABASE):
            cursor = self.connection.execute(sql)
            while rows := cursor.fetchmany(CHUNK):
                yield tuple(zip(*rows, strict=True))

    def _pragma(self, name: str) -> int:
        return int(self.connection.execute(f"PRAGMA {name}").fetchone()[0])
