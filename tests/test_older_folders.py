"""Folders of older arenas: reading leaves them alone, going on in one makes it a folder of today."""

from __future__ import annotations

import csv
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest
from tournaments import exact

from arena.analysis import load
from arena.analysis.ranking import leaderboard
from arena.cli import cli
from arena.replay import EVERYBODY, replay_of
from arena.show.match import retold
from arena.store import DATABASE, SCHEMA_VERSION, TABLES, Store
from arena.tournament.stored import stored_game

HERE = Path(__file__).parent
BOTS = "stored_bots"


@pytest.fixture
def schema1(tmp_path, monkeypatch) -> Path:
    """A copy of a tournament of schema 1: six series between two bots, three faults."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    shutil.copy(HERE / f"{BOTS}.py", tmp_path)
    yield Path(shutil.copytree(HERE / "stored" / "schema1", tmp_path / "stored" / "schema1"))
    sys.modules.pop(BOTS, None)


def arena(*words: str) -> int:
    return cli.main(words, standalone_mode=False) or 0


def version(folder: Path) -> int:
    db = sqlite3.connect(folder / DATABASE)
    found = db.execute("PRAGMA user_version").fetchone()[0]
    db.close()
    return found


def test_reading_an_older_folder_works_and_leaves_its_bytes_alone(schema1):
    """Leaderboard, matches, a replay, all tables: as the arena of its time showed them."""
    before = (schema1 / DATABASE).read_bytes()
    with Store.checked(schema1) as store:
        assert (None, ["Even", "Odd"]) == (store.damage, [row.bot for row in leaderboard(store).rows])
        match = next(store.matches())
        assert list(retold(replay_of(store, match, stored_game(store)), EVERYBODY))
        tables = {name: store.table(name) for name in TABLES}
        for name, (header, rows) in tables.items():
            with (schema1 / f"{name}.csv").open(newline="") as file:
                told = list(csv.DictReader(file))
            now = [dict(zip(header, map(str, row), strict=True)) for row in rows]
            assert told == [{key: value for key, value in row.items() if key != "box"} for row in now]
    assert [""] == sorted(set(load(schema1).bots["box"]))
    assert (before, 1) == ((schema1 / DATABASE).read_bytes(), version(schema1))


@pytest.mark.slow
def test_going_on_in_an_older_folder_makes_it_one_of_today(schema1, tmp_path):
    """It plays two series more, and every exact column is that of a run in one go."""
    assert 0 == arena("run", "--resume", str(schema1), "--series", "8", "-q")
    words = ["--rule", "dice=2", "--seed", "1", "--series", "8", "-q"]
    assert 0 == arena("run", f"{BOTS}:Even", f"{BOTS}:Odd", *words, "--out", "new")
    assert exact(tmp_path / "new") == exact(schema1)
    assert SCHEMA_VERSION == version(schema1)
    with Store.checked(schema1) as store:
        assert (None, 16) == (store.damage, store.size())
    layouts = [
        set(sqlite3.connect(folder / DATABASE).execute("SELECT sql FROM sqlite_master"))
        for folder in (schema1, Path("new"))
    ]
    assert layouts[0] == layouts[1]


def test_an_older_folder_is_migrated_whole_or_not_at_all(schema1, monkeypatch):
    """A process that is killed on the way leaves what was there."""
    before = (schema1 / DATABASE).read_bytes()
    monkeypatch.setattr("arena.store.checksums.note_all", lambda db: sys.exit("killed"))
    with pytest.raises(SystemExit):
        Store.open(schema1, write=True)
    assert 1 == version(schema1)
    monkeypatch.undo()
    with Store.open(schema1) as store:
        assert 12 == len(store.finished())
    Path(schema1, "unchanged").write_bytes(before)
    Store.open(schema1, write=True).close()
    with Store.checked(schema1) as store:
        assert (None, 12, SCHEMA_VERSION) == (store.damage, store.size(), version(schema1))
