"""Bots that connect to a league: found out by their owner's token, and passed on to its process.

Here are neither turns nor questions: bytes are carried both ways between a bot and the process that plays,
as many as that takes.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import msgspec
import trio

from arena.league.connecting import connect_bot
from arena.league.joining import hash_of_token
from arena.league.league import Owner
from arena.players.transport import Transport
from arena.server.league.leagues import Leagues, OpenLeague
from arena.wire.connection import ArenaConnection
from arena.wire.messages import PROTOCOL, Hello, encode


class PlainName(msgspec.Struct):
    """How a plain bot begins."""

    name: str


@attrs.frozen(eq=False)
class LeagueVisit:
    """A connection that plays for a version of a bot in a league."""

    _live: OpenLeague
    _owner: str
    _token_hash: str
    _id: str
    _is_plain: bool
    _inside: Transport

    async def serve(self, bot: Transport) -> None:
        """Carries bytes both ways until either side closes, or the owner's tokens change."""
        self._live.routes[self._id] = bot
        try:
            with trio.CancelScope() as scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._watch, scope)
                    nursery.start_soon(_carry, bot, self._inside, scope)
                    await _send_all(self._inside, self._introduction())
                    await _carry(self._inside, bot, scope)
        except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            self._inside.close()
            if self._live.routes.get(self._id) is bot:
                del self._live.routes[self._id]

    def _introduction(self) -> bytes:
        """What the bot has said of itself, without its token, under the id of its version."""
        return encode(PlainName(self._id) if self._is_plain else Hello(PROTOCOL, self._id))

    async def _watch(self, scope: trio.CancelScope) -> None:
        """Ends the connection once its token is revoked, or its owner banned."""
        live = self._live
        while _is_valid(live.league.owners[self._owner], self._token_hash):
            await live.changed(live.league.version)
        scope.cancel()


class LeagueVisits:
    """Who connects to the leagues of a server."""

    def __init__(self, leagues: Leagues) -> None:
        self._leagues = leagues

    async def find(self, connection: ArenaConnection) -> LeagueVisit | None:
        """The visit of a connection that has said who it is; None if no league knows its token.

        Raises Refusal if its owner's bot cannot connect now.
        """
        token_hash = hash_of_token(connection.token or "")
        leagues = list(self._leagues)
        # There may be 50 with 2,000 owners each.
        found = await trio.to_thread.run_sync(_holder, leagues, token_hash) if leagues else None
        if found is None:
            return None
        self._leagues.records.check()
        live, owner = found
        after, version = connect_bot(live.league, owner.id, connection.name or "", live.now())
        if version.is_new:
            live.change(after)
            await live.kept()
        inside = live.open_visit()
        return LeagueVisit(live, owner.id, token_hash, version.id, connection.protocol is None, inside)


def _holder(leagues: Sequence[OpenLeague], token_hash: str) -> tuple[OpenLeague, Owner] | None:
    """The league and the owner for whom the holder of a token acts."""
    for live in leagues:
        if (owner := live.league.holder(token_hash)) is not None:
            return live, owner
    return None


def _is_valid(owner: Owner, token_hash: str) -> bool:
    return not owner.ban and any(person.token_hash == token_hash for person in owner.persons)


async def _carry(source: Transport, sink: Transport, scope: trio.CancelScope) -> None:
    """Passes on what comes, as quickly as it is taken; its end is the end of the visit."""
    while octets := await source.receive():
        await _send_all(sink, octets)
    scope.cancel()


async def _send_all(sink: Transport, octets: bytes) -> None:
    sent = sink.send_now(octets)
    while sent < len(octets):
        sent += await sink.send_some(memoryview(octets)[sent:])
