"""A run followed from beside it: each match once, the standings, and a match of one's choice."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from tournaments import SHORT, play

from arena.errors import ConfigError
from arena.store import LOCK, Store, is_held
from arena.terminal.following import LINES_MAX, Follower
from arena.terminal.inks import PLAIN

PATIENCE_S = 60.0


@pytest.fixture(autouse=True)
def game_of_the_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """These folders name none."""
    monkeypatch.setattr("arena.terminal.following.stored_game", lambda *_: SHORT)


def news(follower: Follower, folder: Path, *, is_running: bool = True) -> list[str]:
    with Store.unchecked(folder) as store:
        return list(follower.news(store, is_running=is_running))


def follower(match: str | None = None) -> Follower:
    return Follower(match, None, PLAIN, 100)


@pytest.mark.slow
def test_each_match_is_told_once_as_it_is_stored_and_standings_at_the_end(tmp_path: Path) -> None:
    """First how it stands, then what came since, of many only the last ones."""
    trio.run(partial(play, tmp_path, series=1, stop_after=3))
    watching = follower()
    first = news(watching, tmp_path)
    assert "3 of 12 matches" in first
    assert [line for line in first if line.startswith("following the run")]
    assert [] == news(watching, tmp_path)
    trio.run(partial(play, tmp_path, series=1))
    told = news(watching, tmp_path)
    assert "(1 match before these)" == told[0]
    lines = [line for line in told if line.startswith("match ")]
    with Store.unchecked(tmp_path) as store:
        newest = store.newest(LINES_MAX)
    assert [f"match {match.match_id}" for match in newest] == [line.partition(":")[0] for line in lines]
    assert all(" wins against " in line for line in lines)
    last = news(watching, tmp_path, is_running=False)
    assert "12 of 12 matches" in told + last
    assert last[-1] == f"no run is writing {tmp_path} now: this is how it ended"


@pytest.mark.slow
def test_the_latest_match_is_told_in_sentences_and_then_the_next_one(tmp_path: Path) -> None:
    trio.run(partial(play, tmp_path, stop_after=2))
    watching = follower("latest")
    with Store.unchecked(tmp_path) as store:
        (latest,) = store.newest(1)
    told = news(watching, tmp_path)
    assert [line for line in told if line.startswith(f"match {latest.match_id} of Liar's Dice")]
    assert [line for line in told if " bids " in line]
    assert told[-1].startswith("result: 1. ")
    assert [] == news(watching, tmp_path)
    trio.run(partial(play, tmp_path, stop_after=1))
    again = [line for line in news(watching, tmp_path) if line.startswith("match ")]
    assert 1 == len(again)
    assert latest.match_id not in again[0]


@pytest.mark.slow
def test_a_match_of_ones_choice_is_told_as_soon_as_it_is_there(tmp_path: Path) -> None:
    """Until then it is waited for, which is said once; if the run ends without it, that is a mistake."""
    trio.run(partial(play, tmp_path, stop_after=1))
    with Store.unchecked(tmp_path) as store:
        (first,) = store.newest(1)
    told = news(follower(first.match_id[:6]), tmp_path)
    assert [line for line in told if line.startswith(f"match {first.match_id} of")]
    waiting = follower("zz")
    assert [line for line in news(waiting, tmp_path) if "no match in" in line and "told if it comes" in line]
    assert [] == news(waiting, tmp_path)
    with pytest.raises(ConfigError, match=r"no match in .* begins with 'zz'"):
        news(waiting, tmp_path, is_running=False)


@pytest.mark.slow
def test_a_folder_that_is_begun_anew_is_followed_anew(tmp_path: Path) -> None:
    trio.run(partial(play, tmp_path / "a", series=1, stop_after=3))
    trio.run(partial(play, tmp_path / "b", series=1, stop_after=1))
    watching = follower()
    news(watching, tmp_path / "a")
    assert "1 of 12 matches" in news(watching, tmp_path / "b")


def test_a_lock_is_seen_and_left_alone(tmp_path: Path) -> None:
    """A lock that nobody holds, or that is not there, says that no run is writing."""
    assert not is_held(tmp_path / LOCK)
    with (tmp_path / LOCK).open("w") as file:
        assert not is_held(tmp_path / LOCK)
        fcntl.flock(file, fcntl.LOCK_EX)
        assert is_held(tmp_path / LOCK)
        fcntl.flock(file, fcntl.LOCK_UN)
        assert not is_held(tmp_path / LOCK)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def arena(*words: str, folder: Path, **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "arena", *words], cwd=folder, text=True, **more)


@pytest.mark.nightly
@pytest.mark.slow
def test_a_run_is_followed_to_its_end_by_a_program_that_ends_by_itself(tmp_path: Path) -> None:
    """Another one is ended with Ctrl-C, and the run does not care."""
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    run = arena("run", "odds", "random", "--series", "40", "--out", "here", "-q", folder=tmp_path, **piped)
    began_at = time.monotonic()
    while not (tmp_path / "here" / "arena.db").exists():
        assert time.monotonic() < began_at + PATIENCE_S
        time.sleep(0.05)
    stopped = arena("watch", "here", folder=tmp_path, **piped)
    watching = arena("watch", "here", folder=tmp_path, **piped)
    assert stopped.stdout is not None
    stopped.stdout.readline()
    os.kill(stopped.pid, signal.SIGINT)
    assert 130 == stopped.wait(PATIENCE_S)
    told, errors = watching.communicate(timeout=PATIENCE_S)
    run.communicate(timeout=PATIENCE_S)
    assert 0 == run.returncode
    assert 0 == watching.returncode, errors
    assert "80 of 80 matches" in told
    assert told.endswith("no run is writing here now: this is how it ended\n")
    for stream in (stopped.stdout, stopped.stderr):
        assert stream is not None
        stream.close()
