"""Target: a results folder with damaged files, and rows that say odd things."""

from __future__ import annotations

import shutil
import sqlite3
from functools import cache, partial
from pathlib import Path
from typing import Any

import attrs
import trio

from arena.analysis.ranking import leaderboard
from arena.errors import ConfigError
from arena.store import DATABASE, Store, chunks, exports
from arena.store.schema import TABLES
from arena.telling.replay import EVERYBODY, replay_of
from arena.terminal.match import retold
from arena.tournament.folder.stored import stored_form, stored_game, stored_plan
from arena.tournament.plan import Plan, identity

from .files import check_sentence, scratch
from .tape import Tape

ODD = (
    None,
    0,
    -1,
    2**62,
    0.5,
    float("nan"),
    1e308,
    "",
    "x",
    "0",
    "\x1b[2J",
    "é" * 500,
    b"",
    b"\xff\x00",
    "{}",
    "[[",
)
SIDES = (
    ".tables.json",
    f".{DATABASE}.digest",
    f"{DATABASE}-wal",
    f"{DATABASE}-shm",
    "run.json",
    "matches.csv",
)


@cache
def pristine() -> Path:
    """The folder of a short tournament with faults in it, as its run left it."""
    try:
        from tournaments import SHORT, play
    except ImportError:
        from tests.tournaments import SHORT, play

    folder = scratch() / "pristine"
    trio.run(play, folder)
    with Store.open(folder, write=True) as store:  # what a run of the command line keeps besides
        plan = Plan(seed=1, series=2, rules=attrs.asdict(SHORT))
        store.set_meta("identity", identity(plan, SHORT))
        store.set_meta("plan", stored_form(plan, folder))
    return folder


@cache
def _whole() -> dict[str, Any]:
    with Store.checked(pristine()) as store:
        return _facts(store)


def _facts(store: Store) -> dict[str, Any]:
    """All that can be read in a folder."""
    return {
        "meta": store.meta(),
        "counts": (store.size(), store.planned(), store.game(), store.players()),
        "bots": store.bots(),
        "matches": {match.match_id: attrs.evolve(match) for match in store.matches()},
        "finished": {each.match_id: each for each in store.finished().values()},
        "decisions": {match.match_id: store.decisions(match.match_id) for match in store.matches()},
        "faults": (faults := store.faults(published=True)),
        "logs": [store.log_of(each.capsule) for each in faults if each.capsule],
        "chunks": sorted(
            map(repr, (*chunks.seats(store), *chunks.match_places(store), *chunks.faults(store)))
        ),
        "tables": {name: list(exports.table(store, name)[1]) for name in TABLES},
    }


def stored(data: bytes) -> None:
    """Damage is told of: what is read as sound is what was written, and the rest is one sentence."""
    tape, folder = Tape(data), scratch() / "stored"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(pristine(), folder)
    (_bytes_changed, _bytes_changed, _rows_changed, _sides_changed)[tape.below(4)](folder, tape)
    is_ranked = data[-1:] < b"\x20"  # 20 ms: one in eight
    for read in (partial(_read, is_ranked=is_ranked), stored_plan):
        try:
            read(folder)
        except ConfigError as error:
            check_sentence(error)


def _read(folder: Path, is_ranked: bool) -> None:
    with Store.checked(folder) as store:
        found, whole = _facts(store), _whole()
        if not store.damage:
            assert whole == found, f"damaged unnoticed: {[key for key in whole if whole[key] != found[key]]}"
        for key in ("matches", "finished"):
            assert found[key].items() <= whole[key].items(), "a match is shown that never was"
        assert all(
            whole["decisions"][match] == rows or not rows for match, rows in found["decisions"].items()
        )
        for match in list(store.matches())[:1]:
            assert all(map(str.isprintable, retold(replay_of(store, match, stored_game(store)), EVERYBODY)))
        if is_ranked:
            leaderboard(store)


def _bytes_changed(folder: Path, tape: Tape) -> None:
    """Some bytes of the database are others, missing, or too many."""
    content = bytearray((folder / DATABASE).read_bytes())
    for _ in range(1 + tape.below(4)):
        place, how = tape.below(1 << 24) % max(1, len(content)), tape.below(8)
        if how == 0:
            del content[place:]
        elif how == 1:
            del content[place : place + 1 + tape.below(4096)]
        elif how == 2:
            content[place:place] = tape.chunk(1 + tape.below(16))
        elif how == 3:
            content[place : place + 64] = bytes(len(content[place : place + 64]))
        elif content:
            content[place] ^= 1 << how
    (folder / DATABASE).write_bytes(content)


def _rows_changed(folder: Path, tape: Tape) -> None:
    """Some values are others, as if somebody had put them there."""
    db = sqlite3.connect(folder / DATABASE)
    for _ in range(1 + tape.below(2)):
        table, column = tape.pick(_columns())
        number = tape.below(64)
        try:
            keys = [row[0] for row in db.execute(f'SELECT "{column}" FROM {table} LIMIT 1 OFFSET {number}')]
            db.execute(
                f'UPDATE {table} SET "{column}" = ? WHERE "{column}" IS ?',
                (tape.pick(ODD), *(keys or [None])),
            )
        except sqlite3.Error:
            pass  # a row of that kind cannot be
    db.commit()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


@cache
def _columns() -> tuple[tuple[str, str], ...]:
    db = sqlite3.connect(pristine() / DATABASE)
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = tuple((table, row[1]) for table in tables for row in db.execute(f"PRAGMA table_info({table})"))
    db.close()
    return found


def _sides_changed(folder: Path, tape: Tape) -> None:
    """What stands beside the database is something else."""
    name = tape.pick(SIDES)
    path = folder / name
    if tape.below(8) == 0:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        path.mkdir()
    else:
        path.write_bytes(tape.rest())
