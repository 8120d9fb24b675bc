"""Bots that connect to a league: who gets a place, who is paired, and what being away costs."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
import trio
from needs import needs
from trio.testing import memory_stream_pair

from arena.ladder import play
from arena.ladder.connected import EXPECTED_S, PLAYS_NO_MORE, ConnectedBots
from arena.ladder.messages import FieldVersion, StandingsSaid, VersionSaid, VisitSaid
from arena.league.joining import hash_of_token, join_league
from arena.league.league import LeagueSettings
from arena.players.lag import open_watch
from arena.players.tcp import accept_all, listen
from arena.players.transport import StreamTransport, Transport
from arena.schedule import Pairing
from arena.server.league.ladder_child import passed_on
from arena.server.league.leagues import OpenLeague
from arena.server.league.visits import LeagueVisits
from arena.server.tables.programs import Programs
from arena.server.tables.tcp_door import TcpDoor
from arena.store import Store
from tests.ladder.ladders import FIELD, league
from tests.server.halls import a_house
from tests.server.league_server import a_league_server
from tests.verify.folders import verified

ANN, BOB = (FieldVersion(f"b{n}@1", f"o{n}", "", connects=True) for n in (7, 8))
HELLO = b'{"type":"hello","protocol":1,"name":"b7@1"}\n'


@attrs.define(eq=False)
class Rig:
    """Bots that connect to nothing but places."""

    nursery: trio.Nursery
    bots: ConnectedBots = attrs.field(init=False)
    begun: set[str] = attrs.field(factory=set)
    said: list[VisitSaid] = attrs.field(factory=list)
    refusal: str | None = None

    async def let_in(self, version: FieldVersion) -> str | None:
        await trio.lowlevel.checkpoint()
        return self.refusal

    def tell_visit(self, said: VisitSaid) -> None:
        self.said.append(said)

    async def comes(self, hello: bytes = HELLO) -> trio.StapledStream[Any, Any]:
        """A bot that has introduced itself."""
        ours, theirs = memory_stream_pair()
        self.nursery.start_soon(self.bots.serve, StreamTransport(theirs))
        await ours.send_all(hello)
        return ours


@pytest.fixture
async def rig(autojump_clock, nursery) -> Rig:
    made = Rig(nursery)
    with open_watch() as watch:
        made.bots = ConnectedBots(10.0, watch, pytest.fail, lambda bot: frozenset(made.begun))
    made.bots.host = made
    made.bots.set([ANN, BOB])
    return made


async def heard(stream: Any) -> Any:
    """The next message, or None at the end."""
    octets = await stream.receive_some(4096)
    return json.loads(octets.splitlines()[0]) if octets else None


async def test_a_bot_is_welcomed_under_the_id_of_its_version(autojump_clock, rig):
    bot = await rig.comes()
    assert {"type": "welcome", "name": "b7@1", "protocol": 1} == await heard(bot)
    await trio.testing.wait_all_tasks_blocked()
    assert VisitSaid("b7@1", True) == rig.said[-1]
    (player,) = rig.bots.players["b7@1"]
    assert 0.25 == player.margin_s, "the allowance that the document states"


async def test_a_second_connection_for_the_same_bot_is_refused_and_the_first_one_stays(autojump_clock, rig):
    first = await rig.comes()
    await heard(first)
    second = await rig.comes()
    assert "connected already" in (await heard(second))["reason"]
    assert rig.bots.is_here("b7@1")


async def test_a_connection_may_come_before_its_version_is_known(autojump_clock, rig):
    """The server says both at once, on two ways."""
    rig.bots.set([BOB])
    early, late = await rig.comes(), await rig.comes(HELLO.replace(b"7", b"9"))
    await trio.sleep(EXPECTED_S / 2)
    rig.bots.set([ANN, BOB])
    assert "welcome" == (await heard(early))["type"]
    assert PLAYS_NO_MORE == (await heard(late))["reason"]


async def test_why_a_version_may_not_play_is_told(autojump_clock, rig):
    rig.refusal = "it has failed"
    assert "it has failed" == (await heard(await rig.comes()))["reason"]
    assert not rig.bots.players.get("b7@1")


async def test_who_is_away_is_not_paired_unless_it_owes_what_it_has_begun(autojump_clock, rig):
    """Else it could leave whenever it is losing."""
    playing = {"b1@1": "o1", "b7@1": "o7"}
    assert ["b1@1"] == [*rig.bots.present(playing)]
    bot = await rig.comes()
    await heard(bot)
    assert playing == rig.bots.present(playing)
    rig.begun = {"begun"}
    await bot.aclose()
    await trio.testing.wait_all_tasks_blocked()
    begun, new = (Pairing(f"{name}/0", "", ("b1@1", "b7@1"), 0, name, 0, 0) for name in ("begun", "new"))
    assert playing == rig.bots.present(playing)
    assert (True, False) == (rig.bots.may_begin(begun), rig.bots.may_begin(new))
    rig.begun.clear()
    assert ["b1@1"] == [*rig.bots.present(playing)]
    assert not rig.bots.may_begin(begun)


async def test_who_comes_back_soon_has_its_place_again_and_later_a_fresh_one(autojump_clock, rig):
    """A program that was started anew may take long for its first answer."""
    bot = await rig.comes()
    await heard(bot)
    (player,) = rig.bots.players["b7@1"]
    for away_s, is_same in ((1.0, True), (11.0, False)):
        await bot.aclose()
        await trio.sleep(away_s)
        bot = await rig.comes()
        await heard(bot)
        assert is_same == (rig.bots.players["b7@1"] == [player])


async def test_who_is_withdrawn_is_sent_away_and_its_place_is_gone(autojump_clock, rig):
    bot = await rig.comes()
    await heard(bot)
    rig.bots.withdraw("b7@1")
    rig.bots.set([BOB])
    assert await heard(bot) is None
    planned = Pairing("new/0", "", ("b1@1", "b7@1"), 0, "new", 0, 0)
    assert not rig.bots.may_begin(planned), "nobody would sit there"


# The whole way


class LadderHere:
    """The process of a league, which is this one, as its server has it."""

    def __init__(self, live: OpenLeague, server: Any, passing: socket.socket) -> None:
        self._live, self._server, self._passing = live, server, passing
        self._fields: list[Any] = []
        self._changed = trio.Event()

    def set_field(self, versions: Any) -> None:
        theirs = [
            FieldVersion(one.id, one.owner, "", one.received_at, connects=one.connects) for one in versions
        ]
        self._fields.append([*FIELD, *theirs])
        self._changed.set()

    def set_paused(self, is_paused: bool) -> None:
        pass

    def open_visit(self) -> Transport:
        return passed_on(self._passing)

    async def tell(self) -> None:
        while True:
            while self._fields:
                await self._server.wants(*self._fields.pop(0))
            self._changed = trio.Event()
            await self._changed.wait()

    async def hear(self) -> None:
        while True:
            said = await self._server.hear(VisitSaid, VersionSaid, StandingsSaid)
            if isinstance(said, VisitSaid):
                self._live.note_visit(said)
            elif isinstance(said, StandingsSaid):
                self._live.note_standings(said)
            else:
                self._live.report(said.id, said.state, said.reason)


@attrs.frozen
class Connectable:
    """A league of this process to which bots connect over TCP, and the token of Ann, an owner."""

    live: OpenLeague
    address: tuple[str, int]
    token: str = "ann's"

    async def until(self, is_so: Callable[[], object]) -> None:
        with trio.fail_after(60):
            while not is_so():  # noqa: ASYNC110
                await trio.sleep(0.02)

    async def play(self, name: str, token: str, questions: int, **more: Any) -> list[Any]:
        """Challenges, or bids the least, so often; returns what was heard."""
        heard: list[Any] = []
        stream = await trio.open_tcp_stream(*self.address)
        async with stream:
            await stream.send_all(json.dumps({"name": name, "token": token, **more}).encode() + b"\n")
            rest = b""
            while questions and (octets := await stream.receive_some(4096)):
                *lines, rest = (rest + octets).split(b"\n")
                for line in lines:
                    heard.append(message := json.loads(line))
                    if "message_id" in message:
                        questions -= 1
                        state = message.get("state", message)
                        is_mine = state["other_hands"][0][0] == "yourself"
                        _, count = state["last_bid"]
                        move = "pass" if not is_mine else "challenge" if count else [6, 1]
                        answer = {"message_id": message["message_id"], "move": move}
                        await stream.send_all(json.dumps(answer).encode() + b"\n")
        return heard


@asynccontextmanager
async def connectable(folder: Any) -> AsyncIterator[Connectable]:
    leagues = a_league_server(folder / "data").leagues
    live, _ = await leagues.create(LeagueSettings(name="class", game="liars-dice", join="open"), "host", "")
    joined, _ = join_league(live.league, "Ann", None, hash_of_token("ann's"), 1.0)
    live.change(joined)
    async with a_house() as house:
        door = TcpDoor(house, Programs(house.hall.nursery, house.table), None, LeagueVisits(leagues))
        passing, passed = socket.socketpair()
        with passing:
            async with (
                league(folder / "league", bots_fd=passed.detach()) as server,
                trio.open_nursery() as nursery,
            ):
                process = LadderHere(live, server, passing)
                nursery.start_soon(process.tell)
                nursery.start_soon(process.hear)
                listener = listen("127.0.0.1", 0)
                nursery.start_soon(accept_all, listener, door.serve, 100, pytest.fail)
                live.attach(process)
                yield Connectable(live, listener.getsockname())
                nursery.cancel_scope.cancel()


@pytest.mark.slow
@needs("bubblewrap")
async def test_a_program_connects_with_its_owners_token_and_plays(tmp_path, monkeypatch):
    """Over TCP, in both protocols; what it played is verified, and its deals never came twice."""
    monkeypatch.setattr(play, "LEAST_S", 0.05)
    async with connectable(tmp_path) as here:
        (bye,) = await here.play("dicer", "guessed", 1)
        assert "no league" in bye["reason"]
        for more in ({}, {"type": "hello", "protocol": 1}):
            heard = await here.play("dicer", here.token, 12, **more)
            assert heard
            assert "ann's" not in json.dumps(heard[1:]), "nor does the process that plays know it"
        found = here.live.league.find_version("b1@1")
        assert found is not None
        assert ("dicer", "playing", True) == (found[0].name, found[1].state, found[1].connects)
        await here.until(lambda: here.live.visits["b1@1"] == VisitSaid("b1@1", False))
        await here.play("dicer", here.token, 12)
    with Store.open(tmp_path / "league") as store:
        deals = {("b1@1" in match.bots, match.deals) for match in store.matches()}
        (bot,) = [bot for bot in store.bots() if bot.bot == "b1@1"]
    assert {(True, "fresh"), (False, "same")} == deals
    assert ("connects", "", "ok", 0.25) == (bot.path, bot.fingerprint, bot.status, bot.margin_s)
    assert verified(tmp_path / "league")[0] == 0
