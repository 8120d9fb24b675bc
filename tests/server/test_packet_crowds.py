"""Many who look on, seats that do not read, and clients that send anything; in virtual time."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
import trio

from arena.games import GAMES
from arena.players.base import Player
from arena.players.desk import Question, Slot
from arena.players.local import LocalPlayer
from arena.players.wrapped import WrappedPlayer
from arena.server.http.sockets import SocketLimits, SocketOwner
from arena.server.packets.packet_room import BEHIND, PacketClient, PacketRoom
from arena.server.tables.table import Member
from tests.server.halls import AnyMove, a_house
from tests.server.pages import Page, a_room, kinds, only
from tests.server.test_packets_of_games import play
from tests.server.test_sockets import Client

Clock = trio.testing.MockClock


class Swift(WrappedPlayer):
    """A bot that answers a millisecond after it was asked."""

    def __init__(self, name: str, nursery: trio.Nursery) -> None:
        super().__init__(LocalPlayer(name, AnyMove()))
        self._nursery = nursery

    def ask(self, question: Question, slot: Slot) -> None:
        self._nursery.start_soon(self._ask, question, slot)

    async def _ask(self, question: Question, slot: Slot) -> None:
        await trio.sleep(0.001)
        self.player.ask(question, slot)


async def connected(
    room: PacketRoom, nursery: trio.Nursery, client: Client, limits: SocketLimits | None = None
) -> PacketClient:
    """A client with a socket of its own."""
    await client.websocket.accept()
    owner = SocketOwner(client.websocket, limits)
    packet_client = PacketClient(owner)
    room.enter(packet_client)

    async def run() -> None:
        await owner.run(lambda text: room.receive(packet_client, text))
        room.exit(packet_client)

    nursery.start_soon(run)
    return packet_client


def only_syncs(frames: list[str]) -> list[str]:
    return [frame for frame in frames if "GameDataSync" in frame]


class SlowReader(Client):
    """Reads a frame now and then."""

    async def send(self, message: Any) -> None:
        await trio.sleep(0.5)
        await super().send(message)


@pytest.mark.slow
async def test_two_hundred_look_on_at_a_fast_match(nursery: trio.Nursery, autojump_clock: Clock) -> None:
    """All stay connected, each message is encoded once for all of them, and the slow ones are up to date in
    the end without having read everything."""

    def open_program(table: str, member: Member) -> Player:
        return Swift(member.nickname, nursery)

    async with a_house(open_program=open_program) as house:
        room = a_room(house, "liars-dice", dice=5)
        live = room.live
        programs = [live.join(name, way="program")[0] for name in ("ann", "bob", "cid")]
        crowd = [SlowReader() if number % 10 == 0 else Client() for number in range(200)]
        for client in crowd:
            await connected(room, nursery, client)
        for _ in range(2):
            if live.table.status == "finished":
                live.rematch(live.table.member(live.table.host or ""))
            else:
                live.begin(programs[0])
            while live.table.is_playing:
                await live.changed(live.version)
        await trio.sleep(300.0)
        assert not [client.closed for client in crowd if client.closed or client.aborted]
        quick, slow = crowd[1].heard, crowd[0].heard
        encoded = {id(frame) for client in crowd for frame in client.heard}  # all kept: no id is used twice
        assert len(encoded) <= len(quick) + len(only_syncs(slow)), "once for all of them"
        for client in crowd:
            assert len(client.heard) == len(slow if isinstance(client, SlowReader) else quick)
        assert len(slow) < BEHIND + 20 < len(quick)
        last = [json.loads(only_syncs(heard)[-1]) for heard in (quick, slow)]
        assert last[0] == last[1]
        assert (False, live.version) == (last[1]["gameStarted"], last[1]["version"])


async def test_a_spectator_far_behind_misses_frames_of_the_match_only() -> None:
    async with a_house() as house:
        room = a_room(house, "blef")
        pages = {name: Page(room).join(name) for name in ("ann", "bob")}
        watcher = Page(room)
        watcher.wire.is_slow = True
        pages["ann"].say("StartGame")
        await trio.testing.wait_all_tasks_blocked()
        watcher.wire.frames += ["{}"] * (BEHIND + 1)
        watcher.news()
        first = pages[room.live.table.names[0]]
        first.say("Bet", action_id=3)
        first.say("SendNewChatMessage", message="three")
        assert ["NewChatMessageSent"] == kinds(watcher.news())
        newest = json.loads(watcher.wire.latest["sync"]())
        assert room.live.version == newest["version"]
        assert ["Bet", "GameDataSync", "TurnEnd", "TurnStart", "NewChatMessageSent"] == kinds(
            only(first.heard, "Bet", "GameDataSync", "TurnEnd", "TurnStart", "NewChatMessageSent")[-5:]
        )


async def test_a_seat_that_does_not_read_is_closed_and_comes_back(
    nursery: trio.Nursery, autojump_clock: Clock
) -> None:
    """Its queue is bounded and never has gaps; with its key it is told everything anew."""
    async with a_house() as house:
        room = a_room(house, "blef", move_s=None)
        ann, client = Page(room).join("ann"), Client()
        await connected(room, nursery, client, SocketLimits(frames_max=30, send_s=10_000.0))
        client.say('{"packet": "JoinGame", "username": "bob"}')
        await trio.testing.wait_all_tasks_blocked()
        key = json.loads(client.heard[0])["key"]
        client.stop_reading()
        ann.say("StartGame")
        for _ in range(40):
            await trio.sleep(2.0)
            ann.say("SendNewChatMessage", message="hello?")
        assert ann.news() == []
        client.is_reading.set()
        await trio.testing.wait_all_tasks_blocked()
        assert (1013, "too much was waiting for you; connect again") == client.closed
        again = Page(room)
        told = again.say("JoinGame", key=key)
        assert ["PlayerJoined", "GameDataSync"] == kinds(told)
        assert "hello?" == told[1]["chat"][-1]["message"]


# Anything


NASTY: list[Any] = [
    None,
    True,
    -1,
    10**17,
    1.5,
    1e300,
    "",
    " ",
    "ann",
    "live",
    "\x00",
    "\u202e<b>",
    "a\nb",
    "\U0001f600" * 30,
    "x" * 5000,
    [],
    ["ann"] * 50,
    [[[[[]]]]],
    {},
    {"packet": "ShootPlayer", "username": "ann"},
    {"action": 1, "betAmount": -5},
    {"play": [1, None], "claim": {}},
]
NAMES = [
    "JoinGame",
    "GameDataRequest",
    "SetHost",
    "StartGame",
    "Ready",
    "SendNewChatMessage",
    "LeaveGame",
    "Move",
    "ShootPlayer",
    "UseSkipItem",
    "UseDoubleDamageItem",
    "UseChamberCheckItem",
    "UseRebalancerItem",
    "UseQuickshotItem",
    "UseStealItem",
    "UseAddLifeItem",
    "Pass",
    "Bid",
    "Challenge",
    "Bet",
    "Check",
    "Fold",
    "Play",
    "Accuse",
    "PlayerJoined",
    "GameDataSync",
    "TurnStart",
    "TurnEnd",
    "Load",
    "Roll",
    "Deal",
    "Forfeit",
    "Nonsense",
    "__class__",
    "packet",
]
FIELDS = [
    "username",
    "key",
    "spectate",
    "message",
    "target",
    "item",
    "skip_target",
    "ammo",
    "move",
    "face",
    "count",
    "action_id",
    "betAmount",
    "action",
    "play",
    "cards",
    "claim",
    "packet",
    "name",
    "self",
    "fields",
]


@pytest.mark.parametrize("game", GAMES)
async def test_anything_in_any_field_is_answered_or_ignored(game: str, autojump_clock: Clock) -> None:
    """No exception, nobody else is told that something failed, and the match goes on to its end."""
    luck = Random(game)
    async with a_house() as house:
        room = a_room(house, game, **{"hands": 2} if game == "holdem" else {})
        pages = [Page(room).join(name) for name in ("ann", "bob")]
        rude, looking = Page(room), Page(room).join("cid", spectate=True)
        for _ in range(2):
            for number in range(600):
                page = (rude, looking, *pages)[number % 4]
                name = luck.choice(NAMES)
                if page in pages and name in ("LeaveGame", "StartGame", "SetHost", "Ready", "JoinGame"):
                    continue
                if page is looking and name == "LeaveGame":
                    continue
                fields = {field: luck.choice(NASTY) for field in luck.sample(FIELDS, luck.randint(0, 6))}
                fields.pop("packet", None)
                others = [each for each in (rude, looking, *pages) if each is not page]
                for each in others:
                    each.news()
                page.room.receive(page.client, json.dumps({"packet": name, **fields}))
                for each in others:
                    assert not only(each.news(), "ActionFailed", "PlayerJoinRejected")
                if page is looking:
                    assert not only(page.news(), "ActionFailed") or name == "SendNewChatMessage"
            if room.live.table.status == "waiting":
                pages[0].say("StartGame")
                await trio.testing.wait_all_tasks_blocked()
        await play(pages, luck)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "[]",
        "null",
        "5",
        '"JoinGame"',
        "{}",
        '{"packet": null}',
        '{"packet": 5}',
        '{"packet": ["JoinGame"]}',
        '{"packet": "' + "x" * 65 + '"}',
        '{"packet": "JoinGame", "username": "\\ud800"}',
        '{"packet": "JoinGame", "username": 1e999}',
        '{"packet": "JoinGame", "username": ' + "9" * 5000 + "}",
        "[" * 10_000,
        '{"packet":' * 3_000,
        '{"a":"\x00"}',
        "\ud800",
        "{'packet': 'JoinGame'}",
    ],
    ids=range(19),
)
async def test_what_is_no_packet_is_told_so(text: str) -> None:
    async with a_house() as house:
        room = a_room(house)
        page, other = Page(room), Page(room)
        room.receive(page.client, text)
        (told,) = page.news()
        assert "ShowAlert" == told["packet"]
        assert '{"packet": "JoinGame", "username": "ann"}' in told["message"]
        assert [] == other.news()
