"""Folders of older arenas: reading leaves them alone, going on in one makes it a folder of today."""

from __future__ import annotations

import csv
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from tournaments import exact

from arena.analysis import load
from arena.analysis.ranking import leaderboard
from arena.cli import cli
from arena.errors import ConfigError
from arena.schedule import ORDERS, SEEDINGS
from arena.store import DATABASE, SCHEMA_VERSION, TABLES, Store, exports
from arena.telling.replay import EVERYBODY, replay_of
from arena.terminal.match import retold
from arena.tournament.folder.stored import stored_game

HERE = Path(__file__).parent
BOTS = "stored_bots"
OF_WORKERS = {"host", "worker"}
NEWER = {"box", "bots", "winners", "started_epoch_s", *OF_WORKERS}
"""Columns that older folders did not have."""


@pytest.fixture
def there(tmp_path, monkeypatch) -> Path:
    """A folder with the bots of the older tournaments, and room for copies of those."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    shutil.copy(HERE / f"{BOTS}.py", tmp_path)
    yield tmp_path / "stored"
    sys.modules.pop(BOTS, None)


@pytest.fixture
def schema1(there) -> Path:
    """A copy of a tournament of schema 1: six series between two bots, three faults."""
    return Path(shutil.copytree(HERE / "stored" / "schema1", there / "schema1"))


@pytest.fixture(params=range(1, SCHEMA_VERSION), ids="schema{}".format)
def older(there, request) -> Path:
    """The same of each older schema; the later ones draw and order the matches as today."""
    name = f"schema{request.param}"
    return Path(shutil.copytree(HERE / "stored" / name, there / name))


def arena(*words: str) -> int:
    return cli.main(words, standalone_mode=False) or 0


def version(folder: Path) -> int:
    db = sqlite3.connect(folder / DATABASE)
    found = db.execute("PRAGMA user_version").fetchone()[0]
    db.close()
    return found


def layout(folder: Path) -> set[tuple[str]]:
    with closing(sqlite3.connect(folder / DATABASE)) as db:
        return set(db.execute("SELECT sql FROM sqlite_master"))


def test_reading_an_older_folder_works_and_leaves_its_bytes_alone(older):
    """Leaderboard, matches, a replay, all tables: as the arena of its time showed them."""
    before, made = (older / DATABASE).read_bytes(), version(older)
    with Store.checked(older) as store:
        assert (None, ["Even", "Odd"]) == (store.damage, [row.bot for row in leaderboard(store).rows])
        match = next(store.matches())
        assert list(retold(replay_of(store, match, stored_game(store)), EVERYBODY))
        tables = {name: exports.table(store, name) for name in TABLES}
        for name, (header, rows) in tables.items():
            with (older / f"{name}.csv").open(newline="") as file:
                told = list(csv.DictReader(file))
            now = [dict(zip(header, map(str, row), strict=True)) for row in rows]
            assert told == [as_of_schema1(row) if made == 1 else without_workers(row) for row in now]
    assert [""] == sorted(set(load(older).bots["box"]))
    assert (before, made) == ((older / DATABASE).read_bytes(), version(older))


def without_workers(row: dict[str, str]) -> dict[str, str]:
    """A row from before it was kept who played a match: the run itself."""
    assert {row.get(column, "") for column in OF_WORKERS} == {""}
    return {key: value for key, value in row.items() if key not in OF_WORKERS}


def as_of_schema1(row: dict[str, str]) -> dict[str, str]:
    """A row with the columns that there were: without a box, who played and won; the time in seconds."""
    if "started_epoch_s" in row:
        row = {**row, "started_at": row["started_epoch_s"]}
    return {key: value for key, value in row.items() if key not in NEWER}


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """All files of a folder: which file it is, and what is in it."""
    return {
        str(path.relative_to(folder)): (path.stat().st_ino, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    "words",
    [
        "leaderboard {folder} --bot Even",
        "matches {folder}",
        "matches {folder} --fault any --json",
        "replay {match} {folder}",
        "replay {match} {folder} --as Even",
        "report {folder} --out page.html",
    ],
)
def test_a_command_that_reads_writes_nothing_there(older, words):
    """No file of an older folder is touched, none is added: no lock, no journal, no index."""
    before = files(older)
    with Store.open(older) as store:
        match = next(store.matches()).match_id
    assert before == files(older)
    assert 0 == arena(*words.format(folder=older, match=match).split())
    assert before == files(older)


def test_the_leaderboard_writes_tables_alone(older):
    """It makes the exports anew; what they are made of stays as it is."""
    before = files(older)
    assert 0 == arena("leaderboard", str(older))
    after = files(older)
    assert before[DATABASE] == after[DATABASE]
    exports = {".tables.json", "head_to_head.csv", "leaderboard.csv", "series.csv"}
    assert exports == {name for name in after.keys() - before.keys() if not name.startswith("faults/")}


def test_loading_writes_nothing(older):
    """DataFrames of the database, whatever tables lie beside it."""
    before = files(older)
    assert 12 == len(load(older).matches)
    assert before == files(older)


def backwards(seed: int, key: tuple[str | int, ...]) -> int:
    """Another way to derive seeds, as a later version may have."""
    return int.from_bytes(sha256(repr((key, seed)).encode()).digest()[:16], "big")


@pytest.mark.parametrize("seeding", [1, 2, 3])
def test_an_older_folder_goes_on_as_its_own_arena_would_have(schema1, monkeypatch, seeding):
    """Two series more are those that the arena of schema 1 played, by the exact columns that it wrote.

    Also where new tournaments derive their seeds in another way: a folder keeps its own.
    """
    monkeypatch.setitem(SEEDINGS, 3, backwards)
    monkeypatch.setattr("arena.schedule.pairing.SEEDING", seeding)
    monkeypatch.setattr("arena.tournament.plan.checking.SEEDING", seeding)
    assert 0 == arena("run", "--resume", str(schema1), "--series", "8", "-q")
    words = ["--rule", "dice=2", "--seed", "1", "--series", "8", "-q"]
    assert 0 == arena("run", f"{BOTS}:Even", f"{BOTS}:Odd", *words, "--out", "new")
    tables = {
        name: [column for column in TABLES[name] if column.name not in NEWER]
        for name in ("matches", "seats", "decisions")
    }
    played = exact(HERE / "stored" / "schema1_goes_on", tables)
    assert played == exact(schema1, tables)
    assert (seeding == 1) == (played == exact(Path("new"), tables))
    with Store.open(Path("new")) as store:
        assert seeding == store.meta()["identity"]["seeding"]


FIELD = [f"{BOTS}:Even", f"{BOTS}:Odd", f"third={BOTS}:Even", f"fourth={BOTS}:Odd"]


@pytest.mark.slow
def test_a_folder_goes_on_in_the_order_in_which_it_began(schema1, monkeypatch):
    """One from before orders were recorded, too; the matches of a new folder come in another order."""
    words = ["run", *FIELD, "--rule", "dice=2", "--seed", "1", "-q", "--out"]
    with monkeypatch.context() as earlier:
        earlier.setattr("arena.tournament.plan.checking.ORDER", 1)
        for folder, series in (("whole", "2"), ("begun", "1")):
            assert 0 == arena(*words, folder, "--series", series)
    with Store.open(Path("begun"), write=True) as store:
        identity = store.meta()["identity"]
        assert 1 == identity.pop("order")
        store.set_meta("identity", identity)
    assert 0 == arena("run", "--resume", "begun", "--series", "2", "-q")
    assert 0 == arena(*words, "new", "--series", "2")
    assert exact(Path("whole")) == exact(Path("begun"))
    matches = [exact(Path(folder))["matches"] for folder in ("whole", "new")]
    assert sorted(matches[0]) == sorted(matches[1])
    assert matches[0] != matches[1]


@pytest.mark.parametrize(
    ("later_way", "said"),
    [("SEEDING", "draws its matches in way 9"), ("ORDER", "plays its matches in order 9")],
)
def test_a_folder_of_a_later_way_is_left_alone(schema1, monkeypatch, later_way, said):
    """One sentence, and not a match that its own arena would not have played."""
    with monkeypatch.context() as later:
        later.setitem(SEEDINGS, 9, backwards)
        later.setitem(ORDERS, 9, ORDERS[1])
        later.setattr(f"arena.tournament.plan.checking.{later_way}", 9)
        words = [f"{BOTS}:Even", f"{BOTS}:Odd", "--rule", "dice=2", "--series", "1", "-q", "--out", "new"]
        assert 0 == arena("run", *words)
    before = files(Path("new"))[DATABASE]
    with pytest.raises(ConfigError, match=f"new {said}, which this arena does not know"):
        arena("run", "--resume", "new", "--series", "2", "-q")
    assert before == files(Path("new"))[DATABASE]


@pytest.mark.slow
def test_going_on_in_an_older_folder_makes_it_one_of_today(older, tmp_path, monkeypatch):
    """It plays two series more, and every exact column is that of a run in one go in the way of its time."""
    assert 0 == arena("run", "--resume", str(older), "--series", "8", "-q")
    monkeypatch.setattr("arena.schedule.pairing.SEEDING", 1)
    monkeypatch.setattr("arena.tournament.plan.checking.SEEDING", 1)
    words = ["--rule", "dice=2", "--seed", "1", "--series", "8", "-q"]
    assert 0 == arena("run", f"{BOTS}:Even", f"{BOTS}:Odd", *words, "--out", "new")
    assert exact(tmp_path / "new") == exact(older)
    assert SCHEMA_VERSION == version(older)
    with Store.checked(older) as store:
        assert (None, 16) == (store.damage, store.size())
    assert layout(older) == layout(Path("new"))


def test_an_older_folder_is_migrated_whole_or_not_at_all(older, monkeypatch):
    """A process that is killed on the way leaves what was there."""
    before, made = (older / DATABASE).read_bytes(), version(older)
    monkeypatch.setattr("arena.store.checksums.note_all", lambda db: sys.exit("killed"))
    with pytest.raises(SystemExit):
        Store.open(older, write=True)
    assert made == version(older)
    monkeypatch.undo()
    with Store.open(older) as store:
        assert 12 == len(store.finished())
    Path(older, "unchanged").write_bytes(before)
    Store.open(older, write=True).close()
    with Store.checked(older) as store:
        assert (None, 12, SCHEMA_VERSION) == (store.damage, store.size(), version(older))


KILLED = """
import os, sqlite3, sys
from arena.store import Store, files

open_database, left = files.open_database, int(sys.argv[2])

def counting(path, mode):
    db = open_database(path, mode)
    db.set_trace_callback(count)
    return db

def count(statement):
    global left
    left -= 1
    if left < 0:
        os._exit(9)

files.open_database = counting
for name, module in list(sys.modules.items()):
    if name.startswith("arena.store") and getattr(module, "open_database", None) is open_database:
        module.open_database = counting
Store.open(sys.argv[1], write=True)
os._exit(0)
"""
"""Opens a folder for writing, and ends without a word before the n-th statement that SQLite is given."""


@pytest.mark.slow
def test_wherever_it_is_killed_an_older_folder_is_what_it_was_or_one_of_today(schema1, tmp_path):
    """Before every third of its statements: all matches are there, and the next run makes it one of today."""
    ended, versions = 9, []
    while ended == 9:
        folder = Path(shutil.copytree(schema1, tmp_path / "stored" / f"killed-{len(versions)}"))
        words = [sys.executable, "-c", KILLED, str(folder), str(3 * len(versions))]
        ended = subprocess.run(words, cwd=HERE.parent, check=False).returncode
        with Store.checked(folder) as store:
            assert (None, 12) == (store.damage, store.size())
        versions.append(version(folder))
        Store.open(folder, write=True).close()
        with Store.checked(folder) as store:
            assert (None, 12, SCHEMA_VERSION) == (store.damage, store.size(), version(folder))
    assert ended == 0
    assert sorted(versions) == versions, "it goes forward once"
    assert versions.count(1) > 6, "it was killed within"
