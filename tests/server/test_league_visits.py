"""Bots that connect to leagues, between their program and the process that plays: bytes, and whose they are."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from arena.ladder.messages import VisitSaid
from arena.league.joining import ban_owner, hash_of_token, join_league, revoke_tokens
from arena.league.league import LeagueSettings
from arena.players.transport import SocketTransport, Transport
from arena.refusal import Refusal
from arena.server.league.leagues import OpenLeague
from arena.server.league.visits import LeagueVisit, LeagueVisits
from arena.wire.connection import ArenaConnection
from tests.server.league_rest import AT, BOT, league_rest
from tests.server.league_server import FakeProcess, a_league_server

MANY = 4_000_000
"""More bytes than any two sockets hold."""


class Passing(FakeProcess):
    """A process that plays nothing, and keeps the other ends of what it is passed."""

    def open_visit(self) -> Transport:
        ours, self.inside = socket.socketpair()
        self.inside.setblocking(False)
        return SocketTransport(ours)


def said(**fields: Any) -> ArenaConnection:
    """A connection that has introduced itself."""
    connection = ArenaConnection()
    connection.receive(b'{"name":"dicer","token":"ann\'s"}\n' if not fields else b"")
    connection.token = fields.get("token", connection.token)
    return connection


async def a_league() -> tuple[OpenLeague, LeagueVisits, Passing]:
    leagues = a_league_server().leagues
    live, _ = await leagues.create(LeagueSettings(name="class", game="liars-dice", join="open"), "host", "")
    joined, _ = join_league(live.league, "Ann", None, hash_of_token("ann's"), 1.0)
    live.change(joined)
    live.attach(process := Passing())
    return live, LeagueVisits(leagues), process


@asynccontextmanager
async def a_visit() -> AsyncIterator[tuple[OpenLeague, socket.socket, socket.socket]]:
    """A league, and the two outer ends of a visit: the bot's, and the playing process's."""
    live, visits, process = await a_league()
    visit = await visits.find(said())
    assert visit is not None
    bot, ours = socket.socketpair()
    bot.setblocking(False)
    async with trio.open_nursery() as nursery:
        with bot, process.inside:
            nursery.start_soon(served, visit, SocketTransport(ours))
            await trio.testing.wait_all_tasks_blocked()
            yield live, bot, process.inside
            nursery.cancel_scope.cancel()


async def served(visit: LeagueVisit, bot: Transport) -> None:
    try:
        await visit.serve(bot)
    finally:
        bot.close()


def pushed(end: socket.socket) -> int:
    """How many bytes an end takes that are never read at the other side."""
    taken = 0
    try:
        while taken < MANY:
            taken += end.send(b" " * 65536)
    except BlockingIOError:
        pass
    return taken


async def test_the_process_learns_the_version_and_not_the_token():
    async with a_visit() as (_, bot, inside):
        assert b'{"name":"b1@1"}\n' == inside.recv(999)
        for source, sink in ((bot, inside), (inside, bot)):
            source.send(b'{"any":"thing"}\n')
            await trio.testing.wait_all_tasks_blocked(0.01)
            assert b'{"any":"thing"}\n' == sink.recv(999)


async def test_what_nobody_reads_is_not_kept_here():
    """A flooder, and a bot that never reads: each holds up its own bytes alone."""
    async with a_visit() as (_, bot, inside):
        for end in (bot, inside):
            in_all = 0
            while more := pushed(end):
                in_all += more
                await trio.testing.wait_all_tasks_blocked(0.01)
            assert in_all < MANY / 2


@pytest.mark.parametrize(
    "act", [revoke_tokens, lambda league, id, who, now: ban_owner(league, id, who, "", now)]
)
async def test_a_connection_ends_with_its_token(act):
    async with a_visit() as (live, bot, _):
        live.change(act(live.league, "o1", "eva", 5.0))
        with trio.fail_after(5):
            await trio.lowlevel.wait_readable(bot)
        assert b"" == bot.recv(999)
        assert not live.routes


async def test_who_has_no_token_of_a_league_is_not_its_visitor():
    _, visits, _ = await a_league()
    assert await visits.find(said(token="guessed")) is None
    assert await visits.find(said(token=None)) is None


async def test_a_league_that_is_not_played_asks_to_connect_again():
    live, visits, _ = await a_league()
    live.detach("")
    with pytest.raises(Refusal, match="connect again in a few seconds"):
        await visits.find(said())


# Over HTTP


async def test_where_there_is_no_box_bots_connect_and_are_not_handed_in():
    """Which is said when the league is made; whoever hands in is told how else."""

    async def lacks_box() -> str:
        return "bubblewrap is missing"

    async with league_rest() as rest:
        rest.server.leagues.lacks_box = lacks_box
        new = {"name": "class", "game": "liars-dice", "join": "open"}
        made = await rest.post("/api/leagues", new, rest.server.host)
        assert (False, True) == (made["league"]["hand_ins"], "bubblewrap is missing" in made["said"])
        token = (await rest.post(f"{AT}/owners", {"name": "Ann"}))["token"]
        status, told = await rest.ask("POST", f"{AT}/versions?file=bot.py", BOT, token)
        assert (409, True) == (status, "they connect" in told["message"])
        await rest.post(f"{AT}/connecting", {}, token)


async def test_a_version_that_connects_is_named_and_shown_and_has_no_files():
    async with league_rest() as rest:
        await rest.league(join="open", code="")
        token = (await rest.post(f"{AT}/owners", {"name": "Ann"}))["token"]
        for number in (1, 2):
            named = await rest.post(f"{AT}/connecting", {}, token)
            assert f"Ann version {number} waits for its connection" == named["said"]
        bot = await rest.get(f"{AT}/bots/b1", token)
        assert {"is_connected": False, "has_answered": False, "round_trip_ms": None} == bot["connection"]
        assert [("replaced", True, None), ("waiting", True, None)] == [
            (each["state"], each["connects"], each["hash"]) for each in bot["versions"]
        ]
        rest.live.note_visit(VisitSaid("b1@2", True, True))
        assert (await rest.get(f"{AT}/bots/b1", token))["connection"]["has_answered"]
        status, told = await rest.ask("GET", f"{AT}/bots/b1/versions/2", token=token)
        assert (404, "b1@2 connects: its files are where it runs") == (status, told["message"])
        assert [(True, "b1@2")] == [(each.connects, each.id) for each in rest.process.field]
