"""A server whose disk fails while people play: what they are told, and that play goes on afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import trio
from trio.testing import MockClock

from arena.errors import ConfigError
from arena.server.kept.keeping import RETRY_S, open_keeper
from arena.server.kept.records import ServerRecords
from tests.server.halls import any_move
from tests.server.pages import Page, room_of
from tests.server.rest_client import Rest, rest
from tests.server.restarts import a_kept_house, at_once


class Disk:
    """Full whenever it is told to be."""

    is_full = False

    async def __call__(self, commit: Callable[[], None]) -> None:
        if self.is_full:
            raise ConfigError("the disk is full: make room for server.db")
        commit()


@asynccontextmanager
async def served(folder: Path, disk: Disk) -> AsyncIterator[Rest]:
    """The REST of tables, which are kept in this folder."""
    with open_keeper(folder, tell=lambda sentence: None, in_thread=disk) as keeper:
        async with trio.open_nursery() as nursery:
            await nursery.start(keeper.run)
            records = ServerRecords(keeper, lambda match: None, in_thread=at_once)
            async with rest(records=records) as client:
                yield client
            nursery.cancel_scope.cancel()


def told(answer: tuple[int, Any]) -> tuple[int, str]:
    """The status, and the key of a refusal."""
    return answer[0], answer[1].get("key", "")


async def test_a_full_disk_refuses_and_play_goes_on_once_there_is_room(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """The first who notices is told that its move counts; then nothing is done; then nothing was lost."""
    disk, luck = Disk(), Random(1)
    async with served(tmp_path, disk) as client:
        begun = await client.begun("liars-dice", rules={"challenge": "next"})
        name, options = await client.asked(begun)
        disk.is_full = True
        move = {"move": any_move(options, luck)}
        status, refusal = await client.post(f"{begun.at}/moves", move, begun.keys[name])
        assert (status, refusal["key"]) == (503, "not_kept")
        assert refusal["message"].startswith("it is done")
        before = (await client.get(begun.at))[1]
        assert before["match"]["turn"] == 2, "it is in effect"
        other, options = await client.asked(begun)
        move = {"move": any_move(options, luck)}
        key = begun.keys[other]
        for path, body in (
            (f"{begun.at}/moves", move),
            (f"{begun.at}/chat", {"message": "hello"}),
            (f"{begun.at}/players", {"nickname": "cid", "spectate": True}),
            ("/api/tables", {"game": "blef"}),
        ):
            status, refusal = await client.post(
                path, body, None if path.endswith(("players", "tables")) else key
            )
            assert (status, refusal["key"], refusal["seconds"]) == (503, "disk", RETRY_S), path
            assert refusal["message"].startswith("the server cannot write to its disk at the moment"), path
        page = Page(room_of(client.house, client.house.table(begun.at.rpartition("/")[2])))
        (rejected,) = page.say("JoinGame", username="dan")
        assert (rejected["packet"], rejected["reason"]) == ("PlayerJoinRejected", refusal["message"])
        assert (await client.get(begun.at))[1] == before | {
            "clocks": (await client.get(begun.at))[1]["clocks"]
        }
        disk.is_full = False
        await trio.sleep(2 * RETRY_S)
        assert told(await client.post(f"{begun.at}/moves", move, key)) == (200, "")
        turn = (await client.get(begun.at))[1]["match"]["turn"]
    async with a_kept_house(tmp_path) as kept:
        await trio.testing.wait_all_tasks_blocked()
        assert kept.table.match is not None
        assert kept.table.match.turn == turn


async def test_who_could_not_be_kept_has_not_come(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Nobody is told its key, so that nobody could use or leave the seat; a table without an id is not there."""
    disk = Disk()
    async with served(tmp_path, disk) as client:
        at = await client.table("blef")
        disk.is_full = True
        assert told(await client.post(f"{at}/players", {"nickname": "ann"})) == (503, "disk")
        assert (await client.get(at))[1]["players"] == []
        disk.is_full = False
        await trio.sleep(2 * RETRY_S)
        disk.is_full = True
        assert told(await client.post("/api/tables", {"game": "blef"})) == (503, "disk")
        assert [live.table.id for live in client.house if not live.table.is_closed] == [at.rpartition("/")[2]]
        disk.is_full = False
        await trio.sleep(2 * RETRY_S)
        await client.join(at, "ann")
    async with a_kept_house(tmp_path) as kept:
        assert [member.nickname for member in kept.table.table.members] == ["ann"]


async def test_matches_go_on_while_the_disk_fails(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Nobody can move, so that limits run out and defaults are played; it is archived when it starts again."""
    disk = Disk()
    async with served(tmp_path, disk) as client:
        begun = await client.begun("liars-dice", rules={"dice": 1}, move_time=5.0)
        disk.is_full = True
        live = client.house.table(begun.at.rpartition("/")[2])
        while live.table.is_playing:
            await live.changed(live.version)
        disk.is_full = False
        await trio.sleep(2 * RETRY_S)
        shown = (await client.get(begun.at))[1]["match"]
    async with a_kept_house(tmp_path) as kept:
        await trio.testing.wait_all_tasks_blocked()
        assert [match.match_id for match in kept.archived] == [shown["match_id"]]
        assert kept.table.table.status == "finished"
