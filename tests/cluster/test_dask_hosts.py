"""A game of one's own, and a bot that is built, on a Dask cluster of several hosts: each has only what came to it."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from calls import call
from clusters import HOUSE, DaskCluster, last_heard
from tournaments import exact, rows

pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="no Dask: runs on a cluster were not tested"
)

WORKERS = ("alpha", "alpha", "beta")
"""The host of each."""
GAME = """
import os, pathlib
(pathlib.Path({marks!r}) / f"game-{{os.getpid()}}").write_text(__file__)
"""
"""At the end of the game's file: every process that imports it notes from where."""
BOT_TOML = """
name = "built"
version = "1"
run = "python3 made.py"
build = "cp source.py made.py; echo built >> builds"
"""
BOT = """
import os, pathlib, time
from arena.sdk import Bot, choose, run

class Built(Bot):
    def move(self, state, options):
        if "parcels" in __file__:  # elsewhere: all workers play, as each has its first match when the others have
            marks = pathlib.Path({marks!r})
            (marks / f"bot-{{os.getpid()}}").touch()
            ends_at = time.monotonic() + 30
            while len(list(marks.glob("bot-*"))) < {workers} and time.monotonic() < ends_at:
                time.sleep(0.02)
        return choose(options, self.rng)

run(Built)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = DaskCluster(tmp_path_factory.mktemp("dask"))
    try:
        for host in WORKERS:
            made.add_worker(host)
        assert made.has_all()
        yield made
    finally:
        made.close()


@pytest.fixture
def words(tmp_path, monkeypatch) -> tuple[str, ...]:
    """What is played in the working directory, with a game and a bot that leave marks in `marks`."""
    monkeypatch.chdir(tmp_path)
    marks = str(tmp_path / "marks")
    Path("marks").mkdir()
    kuhn = (HOUSE / "examples" / "kuhn.py").read_text()
    Path("mygame.py").write_text(kuhn + GAME.format(marks=marks))
    Path("built").mkdir()
    Path("built/bot.toml").write_text(BOT_TOML)
    Path("built/source.py").write_text(BOT.format(marks=marks, workers=len(WORKERS)))
    shutil.copy(HOUSE / "bots" / "random" / "random_bot.py", "other.py")
    play = ("--game", "mygame.py", "./built", "other.py", "--series", "15", "--seed", "1")
    # off: who is in a box leaves no mark
    return *play, "--first-move-time", "60s", "--move-time", "60s", "--sandbox", "off", "--quiet"


@pytest.mark.slow
def test_a_game_and_a_built_bot_travel_to_each_host(cluster, words, tmp_path, capsys, monkeypatch):
    """They are imported and built there, once, and the exact columns are those of a run in one process."""
    run = cluster.arena("run", *words, "--concurrency", str(len(WORKERS)), "--out", "there", cwd=tmp_path)
    said = last_heard(run)
    assert 0 == run.returncode, said
    assert 0 == call(capsys, monkeypatch, "run", *words, "--out", "here")[0]
    assert exact(tmp_path / "here") == exact(tmp_path / "there")
    played = {(row["host"], row["worker"]) for row in rows(tmp_path / "there", "matches")}
    assert sorted(WORKERS) == sorted(host for host, _ in played), played
    assert len(WORKERS) == json.loads((tmp_path / "there" / "run.json").read_text())["workers"]
    builds = [path.read_text() for path in cluster.place.glob("*/cache/**/files/builds")]
    assert ["built\n"] * len(set(WORKERS)) == builds
    games = {Path(path.read_text()) for path in (tmp_path / "marks").glob("game-*")}
    came_to = {path.relative_to(cluster.place).parts[0] for path in games - {tmp_path / "mygame.py"}}
    assert set(WORKERS) == came_to
    assert [] == cluster.others()
