"""One household cannot fill a table, or its chat; many households are many, and this machine is generous."""

from __future__ import annotations

import httpx
import pytest
import trio
from trio.testing import MockClock

from arena.refusal import Refusal
from arena.server import limits
from arena.server.packets.packet_room import PacketRoom
from arena.server.tables.live import LiveTable
from tests.server.halls import a_house
from tests.server.pages import Page
from tests.server.rest_client import app_of


def client_from(app: object, address: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app, client=(address, 4711))  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")


async def test_a_household_takes_part_of_a_table(autojump_clock: MockClock) -> None:
    """By HTTP from all addresses of a /64: then others still find a place, and who leaves makes room."""
    async with a_house() as house:
        live = house.create("holdem", {}, None)
        app, at = app_of(house), f"/api/tables/{live.table.id}/players"
        joined = []
        for number in range(limits.MEMBERS_PER_ADDRESS + 1):
            async with client_from(app, f"2001:db8::{number:x}") as http:
                body = {"nickname": f"n{number}", "spectate": number > 4}
                joined.append(await http.post(at, json=body))
        assert [each.status_code for each in joined] == [201] * limits.MEMBERS_PER_ADDRESS + [429]
        assert joined[-1].json()["key"] == "members_per_address"
        async with client_from(app, "2001:db8:0:1::1") as http:
            assert (await http.post(at, json={"nickname": "ann"})).status_code == 201
        live.leave(live.table.member(joined[0].json()["playerID"]))
        async with client_from(app, "2001:db8::1") as http:
            assert (await http.post(at, json={"nickname": "again"})).status_code == 201


async def test_joining_has_a_rate(autojump_clock: MockClock) -> None:
    """Who joins and leaves all the time is slowed; what is refused for another reason does not count."""
    async with a_house() as house:
        live = house.create("blef", {}, None)
        visitors = house.hall.visitors

        def join() -> None:
            with visitors.joining(live.table, "192.0.2.1") as note_joined:
                note_joined(live.join("ann")[0])

        bob = live.join("ann")[0]
        for _ in range(limits.JOINS_AT_ONCE):
            with pytest.raises(Refusal, match="ann is taken"):
                join()
        live.leave(bob)
        live = house.create("blef", {}, None)
        for _ in range(limits.JOINS_AT_ONCE):
            join()
            live.leave(live.table.members[0])
            if live.table.is_closed:
                live = house.create("blef", {}, None)
        with pytest.raises(Refusal, match=r"^too many people of your address have joined tables: wait 2 s$"):
            join()
        await trio.sleep(2.0)
        join()


async def test_joining_anew_gives_no_new_messages(autojump_clock: MockClock) -> None:
    """By packets: join, five messages, leave, and so on, from one address; somebody else still speaks."""
    async with a_house() as house:
        live = house.create("blef", {}, None)
        live.join("host")
        room = PacketRoom(live, house.views(live), house.hall)
        for number in range(6):
            flood(room, f"n{number}", "192.0.2.1")
        assert len(live.table.chat) == limits.CHAT_AT_ONCE_PER_ADDRESS
        flood(room, "bob", "192.0.2.2")
        assert len(live.table.chat) == limits.CHAT_AT_ONCE_PER_ADDRESS + limits.CHAT_AT_ONCE


def flood(room: PacketRoom, name: str, address: str) -> None:
    page = Page(room)
    page.client.address = address
    page.say("JoinGame", username=name)
    for _ in range(limits.CHAT_AT_ONCE):
        page.say("SendNewChatMessage", message="hi")
    page.say("LeaveGame")


async def test_this_machine_is_generous(autojump_clock: MockClock) -> None:
    """A proxy that nobody trusts speaks for many, but not for all places of a table."""
    async with a_house() as house:
        live = house.create("blef", {}, None)
        for number in range(limits.MEMBERS_PER_LOOPBACK):
            joined_from(live, "127.0.0.1", f"n{number}")
        with pytest.raises(Refusal, match="300 people of your address are at this table"):
            joined_from(live, "127.0.0.1", "late")
        joined_from(live, "192.0.2.1", "ann")


def joined_from(live: LiveTable, address: str, name: str) -> None:
    with live._hall.visitors.joining(live.table, address) as note_joined:
        note_joined(live.join(name, spectate=True)[0])
