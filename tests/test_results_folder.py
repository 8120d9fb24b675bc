"""The results folder itself: who may read it, what becomes of a run whose folder goes away."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arena.analysis import export
from arena.cli import cli
from arena.errors import ConfigError
from arena.store import DATABASE, Store, aside, exports

BOTS = """
import os, shutil
from arena.sdk import Bot

class Even(Bot):
    asked = 0
    def move(self, state, options):
        Even.asked += 1
        if Even.asked == 20:
            {act}
        if state["other_hands"][0][0] != "yourself":
            return "pass"
        return "challenge" if state["last_bid"][1] else [2, 1]
"""
SEED = 98765432109876543210


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("going_bots", None)


def test_seeds_are_for_the_owner_alone(tmp_path):
    """The folder that a run makes, its database and what SQLite keeps beside it; tables may be handed on."""
    before = os.umask(0o022)
    try:
        with Store.create(tmp_path / "made" / "run", meta={"seed": SEED}) as store:
            store.set_meta("more", 1)
            exports.write(store)
            found = {path.name: mode(path) for path in store.folder.iterdir()}
    finally:
        os.umask(before)
    assert (0o700, 0o755) == (mode(tmp_path / "made" / "run"), mode(tmp_path / "made"))
    assert {0o600} == {found.pop(f"{DATABASE}{suffix}") for suffix in ("", "-wal", "-shm")}
    assert {0o644} == set(found.values())


def test_a_folder_of_ones_own_stays_as_it_is(tmp_path):
    """Only the database in it becomes private, one that was made readable too."""
    tmp_path.chmod(0o755)
    Store.create(tmp_path, meta={}).close()
    assert (0o755, 0o600) == (mode(tmp_path), mode(tmp_path / DATABASE))
    (tmp_path / DATABASE).chmod(0o644)
    Store.open(tmp_path, write=True).close()
    assert 0o600 == mode(tmp_path / DATABASE)


def test_no_process_is_told_the_seed(tmp_path, monkeypatch):
    """Neither in its words nor in its environment: any user may see the words of a process."""
    told = []

    class Started(subprocess.Popen):
        def __init__(self, words, **more):
            told.append(repr((words, more)))
            super().__init__(words, **more)

    monkeypatch.setattr(subprocess, "Popen", Started)
    monkeypatch.setattr("arena.analysis.LARGE", 0)
    monkeypatch.setattr(aside, "LARGE", 0)
    with Store.create(tmp_path, meta={"identity": {"seed": SEED}}) as store:
        export(store)
    assert told
    assert not [words for words in told if str(SEED) in words or f"{SEED:x}" in words]


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        pytest.param("shutil.rmtree('out')", "out was removed while a run was writing it", id="removed"),
        pytest.param(
            "os.rename('out', 'elsewhere')",
            "out was moved while a run was writing it: its matches are in {home}/elsewhere",
            id="moved",
        ),
    ],
)
def test_a_run_whose_folder_goes_away_says_so(home, act, sentence, capsys):
    """No `results in out`, where nothing is, and no exit code 0; what was moved can be gone on with."""
    Path("going_bots.py").write_text(BOTS.format(act=act))
    words = (
        "run",
        "going_bots:Even",
        "going_bots:Even",
        "--rule",
        "dice=2",
        "--series",
        "60",
        "--out",
        "out",
    )
    with pytest.raises(ConfigError, match=sentence.format(home=home.resolve())):
        cli.main([*words, "--seed", "1"], standalone_mode=False)
    assert "results in" not in capsys.readouterr().err
    if act.startswith("os"):
        with Store.checked("elsewhere") as store:
            assert store.damage is None


def test_a_folder_that_another_took_the_place_of_is_noticed(tmp_path):
    """It is another file, whatever it is called."""
    with Store.create(tmp_path / "run", meta={}) as store:
        (tmp_path / "run").rename(tmp_path / "before")
        Store.create(tmp_path / "run", meta={}).close()
        with pytest.raises(ConfigError, match="was moved while a run was writing it"):
            store.set_meta("a", 1)
