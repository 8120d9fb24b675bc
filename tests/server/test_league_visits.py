"""Bots that connect to leagues, between their program and the process that plays: bytes, and whose they are."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from arena.league.joining import ban_owner, hash_of_token, join_league, revoke_tokens
from arena.league.league import LeagueSettings
from arena.players.transport import SocketTransport, Transport
from arena.refusal import Refusal
from arena.server.league.leagues import OpenLeague
from arena.server.league.visits import LeagueVisit, LeagueVisits
from arena.wire.connection import ArenaConnection
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
