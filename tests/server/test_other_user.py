"""Leagues that another user plays: over a socket, with no more of the server's folder than they need."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from needs import needs

from arena.errors import ConfigError
from arena.ladder.listening import listen_for_leagues
from arena.ladder.messages import BeginLadder, CannotPlay, FromLadder
from arena.server.league.other_user import connected_player, share_with_players
from arena.tournament.workers.pipe import Pipe

DRIVER = Path(__file__).with_name("other_user.py")
SYSTEMD = Path(__file__).parents[2] / "arena" / "server" / "league" / "systemd"


@pytest.mark.nightly
@pytest.mark.slow
@needs("bubblewrap")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_a_league_is_played_by_a_user_who_cannot_read_what_people_are_called(tmp_path: Path) -> None:
    """The owner sees matches and log; the other user reads what was handed in and the results, and nothing else."""
    top = Path("/srv") / f"arena-test-{os.getpid()}"  # not in /tmp, where each box has one of its own
    top.mkdir(mode=0o755)
    try:
        words = ["unshare", "--mount", sys.executable, str(DRIVER), str(top)]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)
    finally:
        shutil.rmtree(top)
    assert 0 == ended.returncode, ended.stderr[-3000:]
    found = json.loads(ended.stdout.splitlines()[-1])
    assert found["matches"] > 0
    assert "I am here" in found["log"]["text"]
    assert {"server.db", "hosts.json"} <= {*found["places"]}
    assert {place.partition("/")[0] for place in found["read"]} == {"bots", "leagues"}


async def test_a_socket_plays_one_league_a_connection(tmp_path: Path, nursery: trio.Nursery) -> None:
    """What is said there is what a child is told; and a socket that was left is taken over, one in use is not."""
    path = tmp_path / "socket"
    left = trio.socket.socket(trio.socket.AF_UNIX)
    await left.bind(str(path))
    left.close()
    await nursery.start(listen_for_leagues, path)
    assert 0o660 == stat.S_IMODE(path.stat().st_mode)
    with pytest.raises(ConfigError, match="leagues are played there already"):
        await listen_for_leagues(path)
    bots, passed = socket.socketpair()
    with bots, passed:
        async with connected_player(path, passed.fileno()) as player:
            pipe = Pipe[FromLadder](player.stream, FromLadder)
            await pipe.send(BeginLadder(str(tmp_path / "class"), '{"game": "no-such-game"}'))
            said = await pipe.receive()
    assert isinstance(said, CannotPlay)
    assert "no-such-game" in said.why


async def test_a_path_that_cannot_be_a_socket_is_told(tmp_path: Path) -> None:
    for path in tmp_path / "missing" / "socket", tmp_path, tmp_path / ("long" * 30):
        with pytest.raises(ConfigError, match="no socket can be made there"):
            await listen_for_leagues(path)


def test_the_folder_is_shut_to_others_but_for_two_folders_of_the_group(tmp_path: Path) -> None:
    socket, data = tmp_path / "socket", tmp_path / "data"
    with pytest.raises(ConfigError, match="nobody who plays leagues listens"):
        share_with_players(data, socket)
    os.mknod(socket, stat.S_IFSOCK | 0o660)
    (data / "reports").mkdir(parents=True)
    (data / "server.db").touch(0o644)
    before = os.umask(0o022)
    try:
        share_with_players(data, socket)
    finally:
        os.umask(before)
    rights = {place.name: stat.S_IMODE(place.stat().st_mode) for place in (data, *data.iterdir())}
    assert rights == {"data": 0o711, "reports": 0o700, "server.db": 0o600, "bots": 0o2750, "leagues": 0o2770}


@pytest.mark.nightly
@needs("systemd")
def test_systemd_reads_the_units_that_come_along(tmp_path: Path) -> None:
    units = []
    for unit in SYSTEMD.iterdir():
        text = unit.read_text().replace("/opt/arena/bin/arena", sys.executable)
        units.append(tmp_path / unit.name)
        units[-1].write_text(text)
    assert len(units) == 2
    words = ["systemd-analyze", "verify", "--man=no", *map(str, units)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert "" == "".join(line for line in ended.stderr.splitlines(True) if str(tmp_path) in line)
