"""Results folders from strangers: reading one deletes nothing, writes nothing outside of it, and comes to an end."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import zlib
from contextlib import AbstractContextManager, chdir, closing, suppress
from pathlib import Path

import pytest
from click import ClickException

from arena.analysis import COLUMNS, load
from arena.cli import cli
from arena.errors import ArenaError, ConfigError
from arena.store import DATABASE, LOCK, Store, capsules, mended, store_lock
from arena.store.files import draft_path

READERS = (
    ("leaderboard", "it"),
    ("report", "it"),
    ("matches", "it"),
    ("replay", "0", "it"),
    ("verify", "it"),
    ("compare", "odds", "random", "--out", "it"),
    ("run", "--resume", "it"),
    ("run", "odds", "random", "--out", "it"),
    ("run", "odds", "random", "--out", "it", "--fresh"),
)
"""Every command that reads a folder."""
readers = pytest.mark.parametrize("words", READERS, ids=" ".join)


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Path:
    """Six series between two bots: the database and its tables."""
    top = tmp_path_factory.mktemp("stored")
    folder = top / "it"
    words = ("stored_bots:Even", "stored_bots:Odd", "--rule", "dice=2", "--series", "6", "--seed", "1")
    with chdir(top):  # where results/latest is made
        assert 0 == (cli.main(["run", *words, "-q", "--out", str(folder)], standalone_mode=False) or 0)
    kept = {DATABASE, "bots.csv", "decisions.csv", "matches.csv", "seats.csv"}
    for path in [path for path in folder.iterdir() if path.name not in kept]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return folder


@pytest.fixture
def it(stored, tmp_path, monkeypatch) -> Path:
    """A sound folder, of which a test makes a hostile one; a file of the reader's lies beside it."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(stored, "it")
    Path("precious").write_text("precious")
    return Path("it")


def refusal(*words: str) -> str:
    """What a command says that refuses the folder, in one sentence; nothing of the reader's was touched."""
    with pytest.raises((ArenaError, ClickException)) as caught:
        cli.main(words, standalone_mode=False)
    assert "precious" == Path("precious").read_text()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def forge(folder: Path, *statements: str) -> None:
    """Changes a database as anybody can who has SQLite."""
    with closing(sqlite3.connect(folder / DATABASE)) as db, db:
        for statement in statements:
            db.execute(statement)


# What lies in it.


def forge_journal(folder: Path, *, beside: str = DATABASE, victim: str = "precious") -> None:
    """A journal that has SQLite delete another file as soon as it reads the database."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), os.fsencode(os.path.abspath(victim))
    pages = (folder / DATABASE).stat().st_size // 4096
    head = magic + b"".join(number.to_bytes(4, "big") for number in (0, 0, pages, 512, 4096))
    tail = b"".join(number.to_bytes(4, "big") for number in (len(name), sum(name)))
    last_page = ((1 << 30) // 4096 + 1).to_bytes(4, "big")
    journal = head.ljust(512, b"\0") + last_page + name + tail + magic
    (folder / f"{beside}-journal").write_bytes(journal)


@readers
def test_a_journal_is_not_obeyed(it, words):
    """SQLite would delete whichever file it names."""
    forge_journal(it)
    assert f"it/{DATABASE}-journal is a journal" in refusal(*words)


def test_a_journal_of_another_file_in_the_folder_is_not_obeyed(it):
    """Nor that of the copy which is made of a damaged database."""
    draft = draft_path(it, DATABASE, os.getpid())
    shutil.copy(it / DATABASE, draft)
    forge_journal(it, beside=draft.name)
    with pytest.raises(ConfigError, match="is a journal"):
        mended(it)
    assert Path("precious").exists()


def test_a_new_folder_never_has_a_journal(tmp_path, monkeypatch):
    """Else our own folder would be refused after a `kill -9` at its very beginning."""
    monkeypatch.setattr("arena.store.store.check_folder", lambda _: None)
    transaction, journal = Store.transaction, tmp_path / f"{DATABASE}-journal"

    def with_a_wal(store: Store) -> AbstractContextManager[sqlite3.Connection]:
        journal.rmdir()
        monkeypatch.undo()
        return transaction(store)

    monkeypatch.setattr(Store, "transaction", with_a_wal)
    journal.mkdir()  # where SQLite would write one, and fail
    Store.create(tmp_path, meta={"game_version": 1}).close()


def test_what_somebody_left_in_the_place_of_a_copy_is_not_used(it):
    """A damaged database is copied to a new file, whatever lies where that will be."""
    draft = draft_path(it, DATABASE, os.getpid())
    draft.write_bytes(b"somebody's")
    forge(it, "UPDATE matches SET duration_s = duration_s + 1 WHERE number = 1")
    assert mended(it)
    assert not draft.exists()


@pytest.mark.parametrize(
    ("said", "statement"),
    [
        ("not the id of a match", "UPDATE matches SET match_id = '../../precious' WHERE number = 1"),
        ("damaged, or larger", "SELECT 1"),
    ],
)
def test_evidence_is_written_below_the_folder_and_bounded(it, said, statement):
    """Neither an id that is a path nor a bomb has its way."""
    forge(it, statement)
    with closing(sqlite3.connect(it / DATABASE)) as db, db:
        text = b"{}" if "id" in said else bytes(30_000_000)
        db.execute("INSERT INTO capsules VALUES (1, 0, 0, ?)", (zlib.compress(text),))
        with pytest.raises(ConfigError, match=said):
            capsules.publish_matches(db, it, [id for (id,) in db.execute("SELECT match_id FROM matches")])
    assert not list(Path().glob("*.jsonl"))
    assert sum(path.stat().st_size for path in it.glob("faults/*")) < 1_000_000


@readers
@pytest.mark.parametrize("name", [DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "matches.csv", "faults"])
def test_no_link_is_followed(it, words, name):
    """Neither to read what it points to nor to write there."""
    (it / name).unlink(missing_ok=True)
    (it / name).symlink_to("../precious")
    assert f"it/{name} is a link" in refusal(*words)


@pytest.mark.parametrize(
    "name",
    [DATABASE, f"{DATABASE}-wal", f"{DATABASE}.before", LOCK, "matches.csv", "run.json", "report.html"],
)
@pytest.mark.parametrize("option", ["--dry-run", "--fresh", "--quiet"])
def test_a_folder_in_the_place_of_a_file_is_refused(it, name, option):
    """Before anything is played or promised."""
    (it / name).unlink(missing_ok=True)
    (it / name).mkdir()
    assert f"it/{name} is a folder" in refusal("run", "odds", "random", "--out", "it", option)


def test_a_file_in_the_place_of_a_folder_is_refused(it):
    """Before anything is played or promised."""
    (it / "logs").write_text("mine")
    assert "it/logs is a file" in refusal("run", "odds", "random", "--out", "it", "--dry-run")
    assert "mine" == (it / "logs").read_text()


def test_a_database_that_was_put_aside_is_named(it):
    """By those who only read; whoever goes on gets it back."""
    (it / DATABASE).rename(it / f"{DATABASE}.before")
    assert f"put it aside as {DATABASE}.before" in refusal("leaderboard", "it")
    assert 0 == cli.main(["run", "--resume", "it", "--dry-run"], standalone_mode=False)
    assert (it / DATABASE).is_file()


@pytest.mark.parametrize("name", [".tables.json", "run.json", "logs/odds-1.log", "faults/a.jsonl", LOCK])
def test_no_link_is_followed_anywhere_below(it, name):
    """In whichever folder of the arena's it lies."""
    (it / name).parent.mkdir(exist_ok=True)
    (it / name).symlink_to(os.path.abspath("precious"))
    assert f"it/{name} is a link" in refusal("leaderboard", "it")
    with pytest.raises(ConfigError, match="is a link"), store_lock(it):
        pass
    assert "precious" == Path("precious").read_text()


def test_tables_without_a_database_are_read_from_files_alone(it):
    """Who has only the CSVs of a folder reads those."""
    (it / DATABASE).unlink()
    (it / "seats.csv").unlink()
    (it / "seats.csv").symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match=r"seats\.csv is a link"):
        load(it)


# What reading writes.

CSVS = {f"{name}.csv" for name in COLUMNS}
KEPT = {
    ".columns",
    ".columns/000000",
    ".columns/000000.matches",
    ".columns/000000.seats",
    ".leaderboard.json",
}
"""Of a large folder."""
WRITES = {
    ("leaderboard", "it"): {*CSVS, ".tables.json", "faults", "faults/*", *KEPT},
    ("leaderboard", "it", "--bot", "Even"): set(),
    ("report", "it"): {"report.html"},
    ("matches", "it"): set(),
    ("matches", "it", "--fault", "any", "--json"): set(),
    ("replay", "{match}", "it"): set(),
    ("watch", "it"): set(),
    ("verify", "it"): set(),
    ("check", "odds", "--recorded", "it"): set(),
}
"""A command -> the files in the folder that it may write."""


def tree(root: Path) -> dict[str, object]:
    """Everything below: which file it is, and what is in it; for a link, where to."""
    return {
        str(path.relative_to(root)): path.readlink()
        if path.is_symlink()
        else path.is_dir() or (path.stat().st_ino, path.read_bytes())
        for path in sorted(root.rglob("*"))
    }


@pytest.mark.parametrize("words", WRITES, ids=" ".join)
def test_reading_writes_nothing_else(it, monkeypatch, words):
    """Not beside the folder either, where the last run's results are, nor into what another process keeps."""
    monkeypatch.setattr("arena.store.kept.digest.LARGE_BYTES", 1)  # as if it were large
    monkeypatch.setattr("arena.store.kept.ranges.SIZE", 10)
    for name in (*CSVS, "report.html", ".tables.json"):
        (it / name).unlink(missing_ok=True)
    with Store.open(it, write=True) as store:  # to have a digest
        store.set_meta("noted", 1)
        match = next(store.matches()).match_id
    shutil.copytree(it, "results/mine")
    Path("results/latest").symlink_to("mine")
    draft = it / ".matches.csv.1.tmp"  # of a process that runs
    draft.write_text("somebody's")
    before = tree(Path.cwd())
    with suppress(ConfigError):  # what can be asked there does not matter
        cli.main([word.format(match=match) for word in words], standalone_mode=False)
    after = tree(Path.cwd())
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert all(name.startswith("it/") for name in changed)
    patterns = WRITES[words]
    written = {re.sub("^faults/.+", "faults/*", name.removeprefix("it/")) for name in changed}
    assert written <= patterns
    assert written >= patterns - {"faults", "faults/*"} - KEPT


def test_a_folder_that_is_named_by_a_link_is_read(it, capsys):
    """As `results/latest` is."""
    Path("latest").symlink_to("it")
    assert not cli.main(("matches", "latest"), standalone_mode=False)
    assert capsys.readouterr().out
