"""House bots of the server: only those that can play here are offered, and one that cannot be started is told."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import trio

from arena.box.processes import NICENESS
from arena.games import GAMES
from arena.players.base import GonePlayer
from arena.players.start import BotBroken
from arena.refusal import Refusal
from arena.server.http.sockets import Code
from arena.server.open_tables import OpenTables
from arena.server.packets.packet_room import PacketClient, PacketRoom
from arena.server.tables import bots
from arena.server.tables.bots import HouseBots
from arena.server.tables.live import LiveTable
from arena.terminal.news import News
from arena.tournament.bots.entrants import bot_at, builtin_bots
from tests.server.halls import BROKEN, a_house, people


def house(nursery: trio.Nursery, data: Path, told: list[str]) -> HouseBots:
    box: Any = None  # nothing is started here
    return HouseBots(nursery, box, data, note=told.append)


@pytest.mark.parametrize("is_built", [False, True])
async def test_a_bot_that_is_not_built_is_not_offered(
    is_built: bool, tmp_path: Path, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What must be compiled first is neither offered nor seated until it is; every game has others."""
    monkeypatch.setattr(bots, "needs_build", lambda entrant: bool(entrant.build) and not is_built)
    offered = house(nursery, tmp_path, [])
    compiled = {name for name, folder in builtin_bots().items() if (found := bot_at(folder)) and found.build}
    assert "anvil" in compiled
    for game in GAMES:
        names = offered.names(game)
        assert len(set(names) - compiled) > 1
        assert is_built or not set(names) & compiled
    if not is_built:
        with pytest.raises(Refusal, match="no house bot of this name plays liars-dice: choose "):
            offered.check("anvil", "liars-dice")
    else:
        assert "anvil" in offered.names("liars-dice")


async def test_a_bot_that_cannot_be_started_is_told(
    tmp_path: Path, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server's log says which and why, and a table is given a player that is gone."""

    async def broken(entrant: Any, **others: Any) -> None:
        raise BotBroken(entrant.name, "its program is missing")

    monkeypatch.setattr(bots, "run_process", broken)
    told: list[str] = []
    async with house(nursery, tmp_path, told).seated("random", "random") as player:
        assert isinstance(player, GonePlayer)
    assert ["the house bot random could not be started: its program is missing"] == told


@pytest.fixture
def program() -> Iterator[int]:
    """A program that runs."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


@pytest.mark.parametrize("gives_way", [False, True])
async def test_a_bot_that_is_asked_at_a_moment_yields_to_all_else(
    gives_way: bool, program: int, tmp_path: Path, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those at the tables do not."""

    async def running(
        entrant: Any, note_running: Callable[[int], None], task_status: Any, **others: Any
    ) -> None:
        note_running(program)
        task_status.started(SimpleNamespace(close=lambda: None))

    monkeypatch.setattr(bots, "run_process", running)
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    async with house(nursery, tmp_path, []).seated("random", "random", gives_way=gives_way):
        found = os.getpriority(os.PRIO_PROCESS, program)
    assert (NICENESS if gives_way else usual) == found


async def test_people_are_not_told_where_the_servers_files_are(
    tmp_path: Path, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server's own notes have the path of what could not be read; the table has the name of the file."""
    file = builtin_bots()["random"] / "random_bot.py"
    printed = f"its process ended with exit code 2: /usr/bin/python3: can't open file '{file}': no permission"

    async def broken(entrant: Any, **others: Any) -> None:
        raise BotBroken(entrant.name, printed)

    monkeypatch.setattr(bots, "run_process", broken)
    told: list[str] = []
    async with house(nursery, tmp_path, told).seated("random", "random") as player:
        assert isinstance(player, GonePlayer)
        why = "its process ended with exit code 2: python3: can't open file 'random_bot.py': no permission"
        assert player.reason == why
    assert [f"the house bot random could not be started: {printed}"] == told


async def test_a_table_is_told_that_a_bot_could_not_be_started(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Chat, packets and terminal say which and why; the bot's seat is free, and another match can begin."""
    async with a_house(broken=("bluffer",)) as house:
        live = house.create("liars-dice", {}, 10.0)
        (ann,) = people(live, "ann")
        wire = Heard(house, live)
        live.give_seat(ann, "bluffer")
        live.begin(ann)
        await trio.sleep(1.0)
        why = f"the match is called off, as bluffer could not be started: {BROKEN}"
        assert ("waiting", ["ann"], None) == (
            live.table.status,
            [member.nickname for member in live.table.players],
            live.match,
        )
        told = house.views(live).table_fields(ann)
        assert [("", why)] == [(line.nickname, line.message) for line in told["chat"]]
        assert why in [frame.get("message") for frame in wire.frames]
        shown = msgspec.json.decode(house.views(live).table(ann))
        assert why in list(News().lobby(shown))
        live.give_seat(ann, "odds")
        live.begin(ann)
        await trio.sleep(1.0)
        assert live.table.is_playing
        assert 2 == live.table.matches


class Heard:
    """A client of packets that writes down what it is sent."""

    waiting = 0

    def __init__(self, house: OpenTables, live: LiveTable) -> None:
        self.frames: list[dict[str, Any]] = []
        room = PacketRoom(live, house.views(live), house.hall)
        room.enter(PacketClient(self))

    def put(self, frame: str) -> None:
        self.frames.append(msgspec.json.decode(frame))

    def put_latest(self, key: str, make: Callable[[], str]) -> None:
        self.put(make())

    def close(self, reason: str, code: Code = 1000) -> None:
        pass
