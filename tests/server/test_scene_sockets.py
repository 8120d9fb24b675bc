"""The WebSocket of scenes over real sockets: the first frame, tables that are not there, and floods."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

import arena.server.site.scenes
from arena.server.http.routing import Routing
from arena.server.http.sockets import FORBIDDEN, GONE
from arena.server.open_tables import OpenTables
from arena.server.site.scene_api import SceneApi
from arena.server.tables.live import LiveTable
from tests.server.halls import a_house
from tests.server.raw_http import BINARY, TEXT, Raw, frame, served, upgraded

HELLO = '{"key": null, "match": null, "steps": 0}'


@asynccontextmanager
async def opened() -> AsyncIterator[tuple[OpenTables, LiveTable, int]]:
    """A server with a table, at which ann sits."""
    async with a_house() as house, served(Routing(SceneApi(house).routes())) as port:
        live = house.create("liars-dice", {}, 30.0)
        live.join("ann")
        yield house, live, port


async def looking(port: int, live: LiveTable, hello: str | None = HELLO, **more: Any) -> Raw:
    raw = await upgraded(port, f"/ws/scenes/{live.table.id}", **more)
    if hello is not None:
        await raw.text(hello)
    return raw


async def hear(raw: Raw) -> dict[str, Any]:
    """The next frame."""
    with trio.fail_after(10):
        kind, payload = await raw.hear()
    assert TEXT == kind
    told: dict[str, Any] = json.loads(payload)
    return told


async def test_a_page_looks_at_a_table() -> None:
    """It hears of everything at once, and what its seat may do with its key."""
    async with opened() as (_, live, port):
        raw = await looking(port, live)
        assert ["ann"] == (await hear(raw))["table"]["nicknames"]
        _, key = live.join("bob")
        assert ["ann", "bob"] == (await hear(raw))["table"]["nicknames"]
        bob = await looking(port, live, json.dumps({"key": key}))
        assert "bob" == (await hear(bob))["table"]["you"]["nickname"]
        live.begin(live.table.members[0])
        told = await hear(raw)
        while "film" not in told:
            told = await hear(raw)
        assert "spectator" == told["film"]["sees"]
        assert told["table"]["you"] is None
        live.stop()
        with trio.fail_after(10):
            code, reason = await raw.goodbye()
        assert (GONE, "the server stops: your key is good for when it runs again") == (code, reason)


async def test_a_table_that_is_not_there_says_so() -> None:
    async with opened() as (_, _, port):
        for path in ("/ws/scenes/x", "/ws/scenes/00000000-0000-4000-8000-000000000000"):
            raw = await upgraded(port, path)
            assert {"bye": "no open table has this id"} == await hear(raw)
            assert (FORBIDDEN, "no open table has this id") == await raw.goodbye()


async def test_a_wrong_key_is_told() -> None:
    async with opened() as (_, live, port):
        raw = await looking(port, live, '{"key": "wrong"}')
        assert "nobody at this table has this key" in (await hear(raw))["bye"]
        assert FORBIDDEN == (await raw.goodbye())[0]


async def test_who_does_not_say_who_it_is_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena.server.site.scenes, "HELLO_S", 0.05)
    async with opened() as (_, live, port):
        raw = await looking(port, live, None)
        assert "say who you are first" in (await hear(raw))["bye"]
        with trio.fail_after(10):
            assert FORBIDDEN == (await raw.goodbye())[0]


async def test_who_goes_is_forgotten() -> None:
    """Before it has said who it is, and after."""
    async with a_house() as house:
        api = SceneApi(house)
        async with served(Routing(api.routes())) as port:
            live = house.create("liars-dice", {}, 30.0)
            for hello in (None, HELLO):
                raw = await looking(port, live, hello)
                if hello is not None:
                    await hear(raw)
                await raw.stream.aclose()
            room = api.room(live)
            with trio.fail_after(10):
                while room._clients:  # noqa: ASYNC110 - nobody is told of it
                    await trio.sleep(0.005)


@pytest.mark.parametrize(
    ("octets", "code"),
    [
        (frame(TEXT, b'{"key": "' + b"x" * (1 << 15) + b'"}'), 1009),
        (frame(BINARY, HELLO.encode()), 1003),
        (frame(TEXT, b"\xff\xfe{}"), 1007),
        (frame(TEXT, b'{"key": "' + b"x" * 2000 + b'"}'), FORBIDDEN),
    ],
    ids=["oversized", "binary", "not UTF-8", "long"],
)
async def test_a_frame_that_is_no_hello_ends_its_connection_alone(octets: bytes, code: int) -> None:
    async with opened() as (_, live, port):
        page, rude = await looking(port, live), await looking(port, live, None)
        await hear(page)
        await rude.send(octets)
        with trio.fail_after(10):
            assert code == (await rude.goodbye())[0]
        live.join("bob")
        assert ["ann", "bob"] == (await hear(page))["table"]["nicknames"]


async def test_a_flood_of_hellos_is_read_slowly() -> None:
    """Each would be answered with a film: five at once, and then one in a second."""
    async with opened() as (_, live, port):
        page, rude = await looking(port, live), await looking(port, live)
        await hear(page)
        await rude.send(frame(TEXT, HELLO.encode()) * 1_000)
        heard = 0
        with trio.move_on_after(0.5):
            while True:
                await rude.hear()
                heard += 1
        assert heard <= 8
        live.join("bob")
        assert ["ann", "bob"] == (await hear(page))["table"]["nicknames"]


@pytest.mark.slow
async def test_a_page_that_does_not_read_costs_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for it is one frame, however much happens; the others are told at once."""
    async with a_house() as house:
        api = SceneApi(house)
        async with served(Routing(api.routes())) as port:
            live = house.create("liars-dice", {}, 30.0)
            live.join("ann")
            deaf = await looking(port, live, window_bytes=4096)
            page = await looking(port, live)
            await hear(page)
            for number in range(400):
                live.hand_over(live.table.members[0], live.table.members[0].player_id)
                live.make_public(live.table.members[0], number % 2 == 0)
                await hear(page)
            waiting = [client.wire.waiting for client in api.room(live)._clients]
            assert max(waiting) <= 1
            await deaf.stream.aclose()
