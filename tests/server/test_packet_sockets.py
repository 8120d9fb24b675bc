"""Packets over real sockets: what one client sends costs it alone, and the lobby is found by all."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from arena.server.http.routing import Routing
from arena.server.open_tables import OpenTables
from arena.server.packets.packet_api import PacketApi
from tests.server.halls import a_house
from tests.server.raw_http import BINARY, TEXT, Raw, frame, served, upgraded

LOBBY = "/ws/chamber"


@asynccontextmanager
async def opened() -> AsyncIterator[tuple[OpenTables, int]]:
    """A server with the packets alone."""
    async with a_house() as house, served(Routing(PacketApi(house).routes())) as port:
        yield house, port


async def connect(port: int, path: str = LOBBY) -> Raw:
    return await upgraded(port, path)


async def say(raw: Raw, packet: str, **fields: Any) -> None:
    await raw.text(json.dumps({"packet": packet, **fields}))


async def hear(raw: Raw, packet: str) -> dict[str, Any]:
    """The next packet of this name."""
    with trio.fail_after(10):
        while True:
            kind, payload = await raw.hear()
            assert kind == TEXT, (kind, payload)
            told: dict[str, Any] = json.loads(payload)
            if told["packet"] == packet:
                return told


async def test_all_find_the_same_lobby_also_after_a_restart() -> None:
    """Once everybody has left it, whoever is still connected goes on at a new one."""
    async with opened() as (house, port):
        ann, bob = await connect(port), await connect(port, LOBBY + "/")
        await say(ann, "JoinGame", username="ann")
        assert "ann" == (await hear(bob, "PlayerJoined"))["player"]["username"]
        (live,) = house
        assert live is PacketApi(house)._lobby()
        cid = await connect(port, f"/ws/tables/{live.table.id}")  # the same room
        await say(cid, "GameDataRequest")
        assert "ann" == (await hear(cid, "GameDataSync"))["gameHost"]
        await say(ann, "LeaveGame")
        assert "this table is closed: everybody has left" == (await hear(bob, "ShowAlert"))["message"]
        told = await hear(bob, "GameDataSync")
        assert ([], None) == (told["players"], told["gameHost"])
        assert live.table.id != told["gameID"]
        assert told == await hear(ann, "GameDataSync"), "also who left"
        await say(bob, "JoinGame", username="bob")
        assert "bob" == (await hear(ann, "HostSet"))["username"]
        await say(ann, "JoinGame", username="ann")
        await hear(bob, "HostSet")
        assert "ann" == (await hear(bob, "PlayerJoined"))["player"]["username"]


async def test_a_table_that_is_not_there_says_so() -> None:
    """In a frame, which a page can read, and as the reason of the end."""
    async with opened() as (_, port):
        for path in ("/ws/tables/x", "/ws/tables/00000000-0000-4000-8000-000000000000"):
            raw = await connect(port, path)
            assert "no open table has this id" == (await hear(raw, "ShowAlert"))["message"]
            assert (1008, "no open table has this id") == await raw.goodbye()


@pytest.mark.parametrize(
    ("octets", "code"),
    [
        (frame(TEXT, b'{"packet": "JoinGame", "username": "' + b"x" * (1 << 15) + b'"}'), 1009),
        (frame(BINARY, b'{"packet": "GameDataRequest"}'), 1003),
        (frame(TEXT, b"\xff\xfe{}"), 1007),
    ],
    ids=["oversized", "binary", "not UTF-8"],
)
async def test_a_frame_that_is_no_text_ends_its_connection_alone(octets: bytes, code: int) -> None:
    async with opened() as (_, port):
        ann, rude = await connect(port), await connect(port)
        await say(ann, "JoinGame", username="ann")
        await hear(ann, "HostSet")
        await rude.send(octets)
        with trio.fail_after(10):
            assert code == (await rude.goodbye())[0]
        await say(ann, "SendNewChatMessage", message="still here")
        assert "still here" == (await hear(ann, "NewChatMessageSent"))["message"]


@pytest.mark.slow
async def test_ten_thousand_packets_are_read_slowly() -> None:
    """Others are served at once; whoever sends them is read later, and its memory is the kernel's."""
    async with opened() as (house, port):
        ann, rude = await connect(port), await connect(port)
        await say(rude, "JoinGame", username="rude")
        await hear(rude, "HostSet")
        (live,) = house
        flood = frame(TEXT, b'{"packet": "StartGame"}') * 10_000
        async with trio.open_nursery() as nursery:
            nursery.start_soon(rude.send, flood)
            await trio.sleep(0.2)
            began = trio.current_time()
            await say(ann, "JoinGame", username="ann")
            await hear(ann, "PlayerJoined")
            await hear(ann, "GameStarted")
            for number in range(3):
                await say(ann, "SendNewChatMessage", message=str(number))
                assert str(number) == (await hear(ann, "NewChatMessageSent"))["message"]
            assert trio.current_time() - began < 2.0
            nursery.cancel_scope.cancel()
        assert live.table.is_playing
