"""Copies of the epochs of a ladder that have ended, which everybody may have and verify.

A copy is a results folder like any other: matches, tables, seal and opening.  It has ids for names, and of
bots only what their matches show: no logs, no evidence of faults, nothing that they wrote into reasons of
faults, no files, commands, addresses or hosts, and no seed but its own.
`python -m arena.tournament.folder.published FOLDER NUMBER` makes those that are missing of epochs before one.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import trio

from arena.analysis import export
from arena.store import DATABASE, TABLE_FILES, Row, Store, StoredBot, StoredEpoch
from arena.store.checksums import MatchRows, note_all, stored_rows
from arena.store.files import made, make_private
from arena.store.rows import insert_rows
from arena.store.schema import STORED, insertion
from arena.tournament.folder.epochs import published_plan
from arena.tournament.folder.seal import OPENING_FILE, SEAL, SEAL_FILE, Seal, open_seal, opening_of, show_seal
from arena.tournament.folder.stored import DECISIONS

EPOCHS = "epochs"
"""The folder within a league's in which the copies lie."""
DRAFT = ".copy-"
"""How the names of folders begin in which copies are made."""
KEPT = (
    *("game_version", DECISIONS, "rated_by", "returns_bound"),
    *("returns_unit", "adjusts_luck", "ranked_by"),
)
"""What a copy has of what the league's folder keeps, beside what its opening says."""
LEFT_OUT = "left out"
"""Stands for the traceback of an aborted match, which names files of the host."""
AGAIN_S = 300.0
"""How long until copies are tried again that could not be made."""
AT_ONCE = 2_000
"""How many matches are copied at a time."""
LOOK_S, LOOKS_MAX = 0.1, 100
"""How often, and how many times, it is looked whether the writer has come to the end of an epoch."""


def archive_of(folder: Path, number: int) -> Path:
    """Where the copy of an epoch lies, once it is made."""
    return folder / EPOCHS / f"{number}.zip"


async def publish_epochs(folder: Path, before: int) -> None:
    """Has another process make the copies of all epochs before one, which have ended, or do so now."""
    if all(archive_of(folder, number).exists() for number in range(before)):
        return
    command = [sys.executable, "-m", "arena.tournament.folder.published", str(folder), str(before)]
    with suppress(OSError):  # no process can be started now: the copy is made at the next occasion
        await trio.run_process(command, check=False, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})


def publish_ended(folder: Path, before: int) -> None:
    """Makes the copies that are missing of the epochs before one; what has not ended is left out."""
    with Store.open(folder) as store:
        for _ in range(LOOKS_MAX):
            epochs = store.epochs()
            if len(epochs) > before:
                break
            time.sleep(LOOK_S)
        for left in (folder / EPOCHS).glob(f"{DRAFT}*"):  # by a process that was killed
            shutil.rmtree(left, ignore_errors=True)
        for epoch, after in pairwise(epochs):
            if not archive_of(folder, epoch.number).exists():
                _publish(store, epoch, after)


def _publish(store: Store, epoch: StoredEpoch, after: StoredEpoch) -> None:
    archive = archive_of(store.folder, epoch.number)
    with TemporaryDirectory(dir=made(archive.parent), prefix=DRAFT) as place:
        name = f"{store.folder.name}-{epoch.number}"
        copy = Path(place) / name
        _copy(store, epoch, after, copy)
        draft = Path(place) / archive.name
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in (DATABASE, *TABLE_FILES, SEAL_FILE, OPENING_FILE):
                packed.write(copy / file, f"{name}/{file}")
        draft.replace(archive)
    make_private(archive)  # its league's server, perhaps another user, hands it out


def _copy(store: Store, epoch: StoredEpoch, after: StoredEpoch, place: Path) -> None:
    """Copies an epoch into a folder that does not exist yet."""
    numbers = epoch.first_match, after.first_match - 1
    seal, opening = Seal(epoch.sha256, epoch.opening), opening_of(Seal(epoch.sha256, epoch.opening))
    known = store.meta()
    meta: dict[str, Any] = {
        "identity": {**opening.terms, "seed": opening.seed},
        "plan": {**opening.plan, "seed": None},
        "tokens": {},
        SEAL: attrs.asdict(seal),
        **{key: known[key] for key in KEPT if key in known},
    }
    with Store.create(place, meta=meta) as copy:
        copy.put_bots(_bots(store, numbers))
        matches = (_public(rows) for _, _, rows in stored_rows(store.connection, numbers))
        while some := list(islice(matches, AT_ONCE)):
            with copy.transaction() as db:
                insert_rows(db, some)
        with copy.transaction() as db:
            db.executemany(insertion("schedule"), enumerate_rows(_schedule(store, numbers)))
            batches = store.batches(epoch.first_batch, after.first_batch)
            db.executemany(insertion("batches"), enumerate_rows((row,) for _, row in batches))
            alone = attrs.evolve(epoch, first_batch=0, first_match=1)
            db.execute(insertion("epochs"), attrs.astuple(alone))
            note_all(db)
        show_seal(copy)
        open_seal(copy)
    with Store.open(place) as copy:
        export(copy)


def remove_private(folder: Path) -> None:
    """Takes out of a results folder what only its host and the owners of its bots may know."""
    with Store.open(folder, write=True) as store:
        plan = published_plan(store.meta())
        with store.transaction() as db:
            told = (
                "SELECT number FROM matches WHERE error IS NOT NULL UNION SELECT match FROM decisions"
                " WHERE reason != '' UNION SELECT match FROM capsules UNION SELECT match FROM places"
            )
            for (number,) in db.execute(told).fetchall():
                ((_, _, rows),) = stored_rows(db, (number, number))
                public = attrs.evolve(_public(rows), games=rows.games)
                error = public.match[STORED["matches"].index("error")]
                row = (error, public.checksum, number)
                db.execute("UPDATE matches SET error = ?, checksum = ? WHERE number = ?", row)
            db.execute("UPDATE decisions SET reason = ''")
            db.execute("UPDATE bots SET path = '', command = '', language = '', fingerprint = ''")
            store.put_meta({"plan": plan})
            db.execute("DELETE FROM capsules")
            db.execute("DELETE FROM places")
            note_all(db)
        store.connection.execute("VACUUM")  # what was deleted would stay in free pages


def enumerate_rows(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows with their places, from 0, before them."""
    return ((place, *row) for place, row in enumerate(rows))


def _schedule(store: Store, numbers: tuple[int, int]) -> Iterator[Row]:
    return store.rows(
        "SELECT p.pairing_id, p.series_id FROM matches m JOIN schedule p USING (pairing_id)"
        " WHERE m.number BETWEEN ? AND ? ORDER BY p.position",
        *numbers,
    )


def _bots(store: Store, numbers: tuple[int, int]) -> Iterator[StoredBot]:
    """The bots that played.  Equal fingerprints would tell who handed in the same."""
    played = {
        bot for (bot,) in store.rows("SELECT DISTINCT bot FROM seats WHERE match BETWEEN ? AND ?", *numbers)
    }
    for bot in store.bots():
        if bot.bot in played:
            yield StoredBot(bot.bot, bot.version, margin_s=bot.margin_s, box=bot.box)


def _public(rows: MatchRows) -> MatchRows:
    """A match without what only its host and the owners of its bots may know."""
    return MatchRows(
        _changed("matches", rows.match, error=LEFT_OUT),
        rows.seats,
        [_changed("decisions", row, reason="") for row in rows.decisions],
    )


def _changed(table: str, row: Row, **to: str) -> Row:
    """A row with other texts in place of those that it has."""
    return [to.get(name, cell) if cell else cell for name, cell in zip(STORED[table], row, strict=True)]


def main() -> None:
    publish_ended(Path(sys.argv[1]), int(sys.argv[2]))


if __name__ == "__main__":
    main()
