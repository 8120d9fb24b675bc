"""The database of a results folder."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

import arena
from arena.errors import ConfigError
from arena.game import Seat
from arena.record import FAULT_KINDS, Decision, Entry
from arena.schedule import Pairing, PairingId
from arena.store.capsules import FOLDER as FAULTS
from arena.store.capsules import publish, publish_matches, withdraw
from arena.store.checksums import BOT, META, is_meta_whole, note_matches, note_rows, note_schedule
from arena.store.digest import write_digest
from arena.store.files import DATABASE, Table, code_of, connect, made, sentences, write_tables
from arena.store.rows import (
    SEAT_FIELDS,
    Columns,
    FaultCount,
    Finished,
    StoredBot,
    StoredMatch,
    bot_row,
    finished_from,
    insert,
    seat_from,
)
from arena.store.schema import (
    APPLICATION_ID,
    IN_ORDER,
    MARK,
    SCHEMA_VERSION,
    TABLES,
    Row,
    header,
    names,
    packed_seat,
    quoted,
    rows_of,
)
from arena.store.soundness import Damage, is_sound, lay_out, migrate, salvaged


class Store:
    """The database of one results folder; used by one thread at a time."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.connection = connection
        self.damage: Damage | None = None
        """What of the database is damaged, if this shows a copy of what is sound of it."""
        self._writes = False

    # opening

    @classmethod
    def create(cls, folder: str | Path, *, meta: Mapping[str, Any]) -> Store:
        """A new store; `meta` must hold `game_version`.  ConfigError if the folder holds anything already."""
        path = made(Path(folder)) / DATABASE

        def lay_out(store: Store) -> None:
            if not store._is_blank():
                store._check()
                raise ConfigError(
                    f"{folder} holds a tournament already: --resume goes on, --fresh plays anew"
                )
            store._lay_out(meta)

        with sentences(path):
            return cls._opened(path, "rwc", lay_out)

    @classmethod
    def open(cls, folder: str | Path, *, write: bool = False) -> Store:
        """The store of a folder; ConfigError if there is none that this arena can read.

        Only its plan is known to be as it was written: `checked` looks at all of it.  One of an older arena
        becomes one of this if it is to be written, all at once.
        """
        path = Path(folder) / DATABASE
        if not path.is_file():
            raise ConfigError(f"{folder} is no results folder: there is no {DATABASE} in it")

        def check(store: Store) -> None:
            store._check()
            store._tune()
            if (version := store._pragma("user_version")) < SCHEMA_VERSION:
                with store._transaction() as db:
                    migrate(db, version)

        with sentences(path):
            return (
                cls._opened(path, "rw", check) if write else cls._opened_to_read(path, Store._check_to_read)
            )

    @classmethod
    def checked(cls, folder: str | Path) -> Store:
        """The store of a folder, to read; of a damaged one what is sound, and its `damage`.

        Raises ConfigError as `open` does.
        """
        store = cls.open(folder)
        path = store.folder / DATABASE
        try:
            with sentences(path):
                if is_sound(store.connection, path):
                    return store
                return cls._salvaged(store)
        except BaseException:
            store.close()
            raise

    @classmethod
    def _salvaged(cls, store: Store) -> Store:
        copy, damage = salvaged(store.connection, store.folder / DATABASE)
        store.close()
        sound = cls(store.folder, copy)
        sound.damage = damage
        if "schedule" in damage.parts:  # nobody knows which series are closed, and what they hid may be told
            for table in ("decisions", "capsules"):
                copy.execute(f"DELETE FROM {table}")
        copy.execute("PRAGMA query_only = 1")
        return sound

    @classmethod
    def _opened(cls, path: Path, mode: str, prepare: Callable[[Store], object]) -> Store:
        store = cls(path.parent, connect(path, mode))
        try:
            prepare(store)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def _opened_to_read(cls, path: Path, prepare: Callable[[Store], object]) -> Store:
        try:
            store = cls._opened(path, "rw", prepare)
        except sqlite3.OperationalError as error:
            if code_of(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            # A folder we may not write to: SQLite cannot put its shared memory beside the file, and needs
            # none, as nobody is writing.
            return cls._opened(path, "ro&immutable=1", prepare)
        # Not mode=ro from the start: such a reader leaves its -wal and -shm files behind.
        store.connection.execute("PRAGMA query_only = 1")
        return store

    def close(self) -> None:
        self.connection.close()
        if self._writes:
            write_digest(self.folder / DATABASE)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _is_blank(self) -> bool:
        """Whether nothing was ever committed: a new file, or one whose maker was killed at once."""
        tables = self.connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
        return bool(tables == 0 and self._pragma("user_version") == 0)

    def _lay_out(self, meta: Mapping[str, Any]) -> None:
        self._tune()
        with self._transaction() as db:
            lay_out(db)
            self._put_meta(meta)

    def _check(self) -> None:
        path = self.folder / DATABASE
        if self._is_blank():
            raise ConfigError(f"{path} is empty: its run ended before it began; start it again")
        if self._pragma("application_id") != APPLICATION_ID:
            raise ConfigError(f"{path} is no database of the arena")
        if (version := self._pragma("user_version")) > SCHEMA_VERSION:
            raise ConfigError(
                f"{path} was written by a newer arena (schema {version}; this one knows {SCHEMA_VERSION}): "
                "update this one"
            )
        try:
            self.connection.execute("SELECT COUNT(*) FROM meta").fetchone()
        except sqlite3.OperationalError as error:
            if code_of(error) == sqlite3.SQLITE_ERROR:  # another layout than any of ours
                raise ConfigError(f"{path} is damaged: --fresh plays anew") from error
            raise

    def _check_to_read(self) -> None:
        self._check()
        if self._pragma("user_version") == 1:  # in the connection, not in the file
            self.connection.execute("CREATE TEMP VIEW bots AS SELECT *, '' AS box FROM main.bots")

    def _tune(self) -> None:
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last matches only

    def _pragma(self, name: str) -> int:
        return int(self.connection.execute(f"PRAGMA {name}").fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._writes = True
        with sentences(self.folder / DATABASE):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self._put_meta({MARK: secrets.token_hex(8)})
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:  # a full disk has rolled back already
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Everything read inside belongs to one moment, whatever a run adds meanwhile."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("ROLLBACK")

    # writing

    def add(self, entry: Entry) -> None:
        """Keeps a match; its pairing must not be there yet."""
        self.add_many((entry,))

    def add_many(self, entries: Iterable[Entry]) -> None:
        """Keeps several matches, all or none."""
        with self._transaction() as db:
            sums = [insert(db, entry) for entry in entries]
            note_matches(db, sums, len(sums))

    def remove(self, match_ids: Iterable[str]) -> None:
        """Forgets matches that have to be played again; unknown ids are passed over."""
        ids = [(match_id,) for match_id in dict.fromkeys(match_ids)]
        number = "(SELECT number FROM matches WHERE match_id = ?)"
        with self._transaction() as db:
            sought = "SELECT checksum FROM matches WHERE match_id = ?"
            sums = [sum for id in ids for (sum,) in db.execute(sought, id)]
            db.executemany(f"DELETE FROM decisions WHERE match = {number}", ids)
            db.executemany(f"DELETE FROM capsules WHERE match = {number}", ids)
            db.executemany(f"DELETE FROM seats WHERE match = {number}", ids)
            db.executemany("DELETE FROM matches WHERE match_id = ?", ids)
            note_matches(db, sums, -len(sums))
            withdraw(self.folder, (id for (id,) in ids))

    def publish(self, match_ids: Iterable[str] | None = None) -> None:
        """Writes capsules as files: all that are missing of closed series, or those of these matches.

        The series of these matches must be closed.
        """
        with sentences(self.folder / FAULTS):
            if match_ids is None:
                publish(self.connection, self.folder)
            else:
                publish_matches(self.connection, self.folder, match_ids)

    def set_schedule(self, pairings: Iterable[Pairing]) -> None:
        """The whole plan in order of play, in the place of the one before.

        Rows are exported in this order, and it says which series are closed.
        Call it before play, so that a killed run has it too.
        """
        with self._transaction() as db:
            db.execute("DELETE FROM schedule")
            rows = ((place, pairing.id, pairing.series) for place, pairing in enumerate(pairings))
            db.executemany("INSERT INTO schedule VALUES (?, ?, ?)", rows)
            note_schedule(db)

    def put_bots(self, bots: Iterable[StoredBot]) -> None:
        """Adds bots, or puts them in the place of those with the same names."""
        rows = [bot_row(bot) for bot in bots]
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO bots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            note_rows(db, BOT, rows)

    def set_status(self, bot: str, status: str) -> None:
        """`ok`, `withdrawn` or `left out`."""
        with self._transaction() as db:
            db.execute("UPDATE bots SET status = ? WHERE bot = ?", (status, bot))
            note_rows(db, BOT, db.execute("SELECT * FROM bots WHERE bot = ?", (bot,)).fetchall())

    def set_meta(self, key: str, value: Any) -> None:
        """Keeps a JSON value under a key."""
        with self._transaction():
            self._put_meta({key: value})

    def _put_meta(self, meta: Mapping[str, Any]) -> None:
        rows = [(key, json.dumps(value, ensure_ascii=False)) for key, value in meta.items()]
        self.connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
        note_rows(self.connection, META, [row for row in rows if row[0] != MARK])

    # reading

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
                    f"{path} is damaged: what it says of its plan; --fresh plays anew"
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
            raise ConfigError(f"no match in {self.folder} begins with {prefix!r}: `arena matches` lists them")
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
        return {name: (header(columns), self._table(name)) for name, columns in TABLES.items()}

    def table(self, name: str) -> Table:
        """One of `TABLES`."""
        return header(TABLES[name]), self._table(name)

    def export(self) -> None:
        """Writes the tables as CSVs beside the database; `arena.analysis.export` adds its own."""
        with self.frozen():
            write_tables(self.folder, self.tables())
            self.publish()

    def _table(self, name: str) -> Iterator[Row]:
        yield from self._rows(rows_of(name, is_whole=self._is_whole()))

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


CHUNK = 20_000
"""Rows that are Python objects at one time, where there may be millions."""


def holds_tournament(folder: str | Path) -> bool:
    """Whether there is something to open; a database whose run was killed before it began is nothing."""
    path = Path(folder) / DATABASE
    if not path.is_file():
        return False
    with sentences(path), Store._opened_to_read(path, Store._is_blank) as store:
        return not store._is_blank()
