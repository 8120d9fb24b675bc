"""Changes to a database: matches added and removed, the plan, the bots; each whole or not at all."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from arena.match.record import Entry
from arena.schedule import Pairing, PairingId
from arena.store.capsules import Room, sealed_again, withdraw
from arena.store.checksums import (
    BATCHES,
    BOT,
    EPOCHS,
    HANGING,
    META,
    SCHEDULE,
    note_matches,
    note_more_rows,
    note_rows,
    note_schedule,
)
from arena.store.database import Database
from arena.store.files import sentences
from arena.store.rows import StoredBot, bot_row, insert
from arena.store.schema import MARK, insertion, stored_columns
from arena.store.whereabouts import file_of, where_it_went


class Writing(Database):
    """An open database as its one writer sees it."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        super().__init__(folder, connection)
        self.has_written = False
        self._room: Room | None = None
        """How much room for capsules is left; None if it must be counted first."""
        self._file = file_of(self.path)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Makes all changes inside, or none of them; the mark of the database changes too."""
        self.has_written = True
        self.check_is_there()
        with sentences(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.put_meta({MARK: secrets.token_hex(8)})
                self.connection.execute("COMMIT")
            except BaseException:
                self._room = None  # it may count capsules that are not stored after all
                if self.connection.in_transaction:  # a full disk has rolled back already
                    self.connection.execute("ROLLBACK")
                raise

    def check_is_there(self) -> None:
        """Raises ConfigError if the folder was removed or moved away, which an open database outlives."""
        if self._file is not None and file_of(self.path) != self._file:
            raise ConfigError(where_it_went(self.path, self._file))

    def add(self, entry: Entry) -> None:
        """Stores a match; its pairing must not have one yet."""
        self.add_many((entry,))

    def add_many(self, entries: Iterable[Entry]) -> None:
        """Stores several matches, all or none."""
        with self.transaction() as db:
            room = self._room = self._room or Room(db)
            sums = insert(db, entries, room)
            note_matches(db, sums, len(sums))

    def remove(self, match_ids: Iterable[str]) -> None:
        """Deletes matches that have to be played again; unknown ids are ignored."""
        ids = [(match_id,) for match_id in dict.fromkeys(match_ids)]
        number = "(SELECT number FROM matches WHERE match_id = ?)"
        with self.transaction() as db:
            sought = "SELECT checksum FROM matches WHERE match_id = ?"
            sums = [sum for id in ids for (sum,) in db.execute(sought, id)]
            hidden = [again for (match_id,) in ids for again in sealed_again(db, match_id)]
            for table in HANGING:
                db.executemany(f"DELETE FROM {table} WHERE match = {number}", ids)
            db.executemany("DELETE FROM matches WHERE match_id = ?", ids)
            note_matches(db, sums, -len(sums))
            self._room = None  # their capsules are gone
            # Before the commit: if we are killed here, evidence is hidden too early, never shown too long.
            withdraw(self.folder, dict.fromkeys(hidden))

    def set_schedule(self, pairings: Iterable[Pairing]) -> None:
        """Sets the whole schedule, in order of play, in place of the one before.

        Rows are exported in this order, and it says which series are closed.
        Call it before play, so that a killed run has it too.
        """
        with self.transaction() as db:
            db.execute("DELETE FROM schedule")
            rows = ((place, pairing.id, pairing.series) for place, pairing in enumerate(pairings))
            db.executemany(insertion("schedule"), rows)
            note_schedule(db)

    def extend_schedule(self, pairings: Iterable[Pairing]) -> None:
        """Adds pairings to the end of the schedule."""
        with self.transaction() as db:
            _add_pairings(db, pairings)

    def add_batch(
        self, row: Mapping[str, Any], pairings: Iterable[Pairing], dropped: Iterable[PairingId]
    ) -> None:
        """Adds the next batch of a ladder, with the pairings that it begins with.

        `dropped`: the pairings without a match that are in the schedule no longer.
        """
        found = f"SELECT {stored_columns('schedule')} FROM schedule WHERE pairing_id = ?"
        with self.transaction() as db:
            ((number,),) = db.execute("SELECT COALESCE(MAX(number) + 1, 0) FROM batches")
            batch = number, json.dumps(row, ensure_ascii=False)
            db.execute(insertion("batches"), batch)
            note_more_rows(db, BATCHES, [batch])
            gone = [row for pairing in dropped for row in db.execute(found, (pairing,))]
            db.executemany("DELETE FROM schedule WHERE position = ?", [(place,) for place, *_ in gone])
            note_more_rows(db, SCHEDULE, gone, are_gone=True)
            _add_pairings(db, pairings)

    def begin_epoch(self, began_at: float, sha256: str, opening: str) -> None:
        """Ends the last epoch of a ladder, if there is one, and begins the next."""
        with self.transaction() as db:
            last = f"SELECT {stored_columns('epochs')} FROM epochs ORDER BY number DESC LIMIT 1"
            before = db.execute(last).fetchall()
            note_more_rows(db, EPOCHS, before, are_gone=True)
            db.execute("UPDATE epochs SET ended_at = ? WHERE ended_at IS NULL", (began_at,))
            ((batch,),) = db.execute("SELECT COALESCE(MAX(number) + 1, 0) FROM batches")
            ((match,),) = db.execute("SELECT COALESCE(MAX(number) + 1, 1) FROM matches")
            number = before[0][0] + 1 if before else 0
            db.execute(insertion("epochs"), (number, began_at, None, batch, match, sha256, opening))
            changed = f"SELECT {stored_columns('epochs')} FROM epochs ORDER BY number DESC LIMIT ?"
            note_more_rows(db, EPOCHS, db.execute(changed, (len(before) + 1,)).fetchall())

    def put_bots(self, bots: Iterable[StoredBot]) -> None:
        """Adds bots; they replace those with the same names."""
        rows = [bot_row(bot) for bot in bots]
        with self.transaction() as db:
            db.executemany(insertion("bots", or_="REPLACE"), rows)
            note_rows(db, BOT, rows)

    def set_status(self, bot: str, status: str) -> None:
        """Sets a bot's status: `ok`, `withdrawn`, `left out`, `replaced` or `without`."""
        with self.transaction() as db:
            db.execute("UPDATE bots SET status = ? WHERE bot = ?", (status, bot))
            row = f"SELECT {stored_columns('bots')} FROM bots WHERE bot = ?"
            note_rows(db, BOT, db.execute(row, (bot,)).fetchall())

    def set_meta(self, key: str, value: Any) -> None:
        """Stores a JSON value under a key."""
        with self.transaction():
            self.put_meta({key: value})

    def put_meta(self, meta: Mapping[str, Any]) -> None:
        """Stores JSON values under their keys, within a transaction of the caller's."""
        rows = [(key, json.dumps(value, ensure_ascii=False)) for key, value in meta.items()]
        self.connection.executemany(insertion("meta", or_="REPLACE"), rows)
        note_rows(self.connection, META, [(key, text) for key, text in rows if key != MARK])


def _add_pairings(db: sqlite3.Connection, pairings: Iterable[Pairing]) -> None:
    ((end,),) = db.execute("SELECT COALESCE(MAX(position) + 1, 0) FROM schedule")
    rows = [(place, pairing.id, pairing.series) for place, pairing in enumerate(pairings, end)]
    db.executemany(insertion("schedule"), rows)
    note_more_rows(db, SCHEDULE, rows)
