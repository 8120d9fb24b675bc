"""A folder of another development version is refused in a sentence, and left as it is, byte for byte."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.cli import cli
from arena.cli.mistakes import told_mistake
from arena.errors import ConfigError
from arena.schedule import ORDER, SEEDING
from arena.server.kept.database import LAYOUT_VERSION
from arena.server.kept.keeping import open_keeper
from arena.store import DATABASE, SCHEMA_VERSION, Store, holds_tournament

COMMANDS = (
    ("leaderboard", "it"),
    ("leaderboard", "it", "--bot", "Even"),
    ("matches", "it"),
    ("replay", "0", "it"),
    ("report", "it"),
    ("verify", "it"),
    ("check", "odds", "--game", "liars-dice", "--recorded", "it"),
    ("compare", "odds", "random", "--out", "it"),
    ("run", "--resume", "it"),
    ("run", "--resume", "it", "--dry-run"),
    ("run", "stored_bots:Even", "stored_bots:Odd", "--out", "it"),
)
"""Every command that opens a folder."""
ASIDE = {"arena.lock"}
"""What a run makes before it looks."""


@pytest.fixture
def it(tmp_path, monkeypatch) -> Path:
    """A folder with two matches."""
    monkeypatch.chdir(tmp_path)
    assert 0 == arena("run", "stored_bots:Even", "stored_bots:Odd", *RULES, "--out", "it")
    return Path("it")


RULES = ("--rule", "dice=2", "--series", "1", "--seed", "1", "-q")


def arena(*words: str) -> int:
    return cli.main(words, standalone_mode=False) or 0


def set_back(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {version}")
        db.commit()


def files(folder: Path) -> dict[str, bytes]:
    """Of all files what is in them."""
    there = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in ASIDE)
    return {str(path.relative_to(folder)): path.read_bytes() for path in there}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_folder_of_an_older_layout_is_refused(it, words):
    """Whatever is to be done with it; the sentence says both layouts, and what to do."""
    set_back(it / DATABASE, SCHEMA_VERSION - 1)
    (it / "arena.lock").unlink()
    before = files(it)
    with pytest.raises(ConfigError) as told:
        arena(*words)
    assert not (it / "arena.lock").exists()
    assert told_mistake(told.value) == (
        f"it/{DATABASE} was written by an older development version of the arena (schema {SCHEMA_VERSION - 1}; "
        f"this one knows {SCHEMA_VERSION}): use that version; --fresh starts over"
    )
    assert before == files(it)


def test_it_is_played_again_from_the_start(it):
    """With --fresh, as the sentence says."""
    set_back(it / DATABASE, SCHEMA_VERSION - 1)
    assert holds_tournament(it)
    assert 0 == arena("run", "stored_bots:Even", "stored_bots:Odd", *RULES, "--out", "it", "--fresh")
    with Store.checked(it) as store:
        assert (None, 2) == (store.damage, store.size())


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("seeding", f"draws its matches in way 1, and this arena in {SEEDING}"),
        ("order", f"plays its matches in order 1, and this arena in {ORDER}"),
    ],
)
@pytest.mark.parametrize("command", ["run --resume it --series 2", "verify it", "check odds --recorded it"])
def test_a_folder_that_draws_or_orders_otherwise_is_refused(it, key, said, command):
    """Its matches would be others; those that only read what was played read it."""
    with Store.open(it, write=True) as store:
        store.set_meta("identity", store.meta()["identity"] | {key: 1})
    before = files(it)
    with pytest.raises(ConfigError, match=f"it {said}: use the version"):
        arena(*command.split())
    assert before == files(it)
    assert 0 == arena("matches", "it")


def test_a_server_refuses_one_too(tmp_path):
    """Its folder is left as it is."""
    with open_keeper(tmp_path, tell=print):
        pass
    set_back(tmp_path / "server.db", LAYOUT_VERSION - 1)
    before = files(tmp_path)
    with pytest.raises(ConfigError) as told:
        arena("serve", "--http", "127.0.0.1:0", "--listen", "none", "--data", str(tmp_path))
    assert str(told.value) == (
        f"{tmp_path}/server.db was written by an older development version of the arena (version 0; this one "
        "knows 1): use that version, or set data to another folder"
    )
    assert before == files(tmp_path)
