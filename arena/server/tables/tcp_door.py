"""Where bots connect: with the key of a seat at a table, with the token of a league, or as guests."""

from __future__ import annotations

import hmac

import trio

from arena.players.allowance import Allowance
from arena.players.stream import StreamPlayer
from arena.players.tcp import introduce, send_last
from arena.players.transport import Transport
from arena.refusal import Refusal
from arena.server.http.certificate import Certificate
from arena.server.http.quotas import Rate
from arena.server.http.tls import NotSealed, TlsTransport
from arena.server.league.visits import LeagueVisit, LeagueVisits
from arena.server.limits import TOKENS_AT_ONCE, TOKENS_PER_S
from arena.server.open_tables import OpenTables
from arena.server.tables.gathering import hash_of
from arena.server.tables.guests import OpenTable
from arena.server.tables.live import LiveTable
from arena.server.tables.programs import ProgramPlace, Programs
from arena.server.tables.table import Member
from arena.tournament.lobby.quotas import Quotas
from arena.wire.connection import ArenaConnection

NAME_WAIT_S = 1.0
"""After this silence a connection is a guest without a name, as the document allows."""
TURNS_TO_LEAVE = 10
"""Turns of the loop for hearing that a bot's old connection has ended, before its new one is judged."""
STOPPED = "the server was stopped"
NO_GUESTS = "there is no open table here: send the key of a seat, or the token of a league, with the name"
TLS_ALONE = "bots come over TLS here: ARENA_TLS=1 for a bot of the SDK"


class TcpDoor:
    """Lets bots in, over TCP or a WebSocket, one task for each connection."""

    def __init__(
        self,
        house: OpenTables,
        programs: Programs,
        open_table: OpenTable | None,
        visits: LeagueVisits,
        *,
        certificate: Certificate | None = None,
    ) -> None:
        """`open_table`: where guests meet, if they can; `certificate`: for TLS, without which bots are then
        not let in over TCP."""
        self._house = house
        self._programs = programs
        self._open_table = open_table
        self._visits = visits
        self._certificate = certificate
        self._quotas = Quotas()
        self._strangers = Allowance()
        """The allowance shared by all connections that have not said who they are."""
        self._wrong_tokens = Rate("tokens", TOKENS_AT_ONCE, TOKENS_PER_S, "unknown tokens")

    async def serve(self, transport: Transport) -> None:
        """One connection over TCP, from its first word until nobody comes back in its place."""
        await self.serve_over(transport, self._certificate)

    async def serve_over(self, transport: Transport, certificate: Certificate | None = None) -> None:
        """The same over anything; `certificate`: for TLS, which then comes first."""
        connection, peer = ArenaConnection(), transport.peer
        if (refusal := self._quotas.refusal(peer)) is not None:
            if certificate is None:  # else it would have to shake hands first
                await send_last(transport, connection.bye(refusal))
            return
        with self._quotas.counted(peer):
            try:
                transport = await self._encrypted(transport, certificate)
                player = await self._let_in(transport, connection)
            except trio.BrokenResourceError:
                return
            except Refusal as refused:
                await send_last(transport, connection.bye(str(refused)))
                return
            transport.let_in()
            if isinstance(player, LeagueVisit):
                await player.serve(transport)
                transport.close()
                return
            try:
                await self._programs.absences.play(player, transport, connection)
            except BaseException:  # the server ends: Cancelled, in a group where several tasks are
                player.dismiss(STOPPED)
                raise
        transport.close()
        await self._programs.miss(player)

    async def _encrypted(self, transport: Transport, certificate: Certificate | None) -> Transport:
        """The connection as its bot speaks over it.

        Raises Refusal for a bot that speaks no TLS, or trio.BrokenResourceError if it says nothing.
        """
        if certificate is None:
            return transport
        sealed = TlsTransport(transport, certificate.session())
        with self._quotas.unnamed(transport.peer):
            try:
                if not await sealed.shake_hands():
                    raise trio.BrokenResourceError("no handshake")
            except NotSealed:
                raise Refusal("bad_request", TLS_ALONE) from None
        return sealed

    async def _let_in(self, transport: Transport, connection: ArenaConnection) -> StreamPlayer | LeagueVisit:
        """The player for this connection, or its visit to a league.

        Raises Refusal, or trio.BrokenResourceError if it closes before it has said who it is.
        """
        with self._quotas.unnamed(transport.peer):
            reason = await introduce(transport, connection, NAME_WAIT_S, self._strangers)
        if reason is not None:
            raise Refusal("bad_request", reason)
        for _ in range(TURNS_TO_LEAVE):  # a bot may close and connect again in one moment
            await trio.lowlevel.checkpoint()
        if connection.token is None:
            if self._open_table is None:
                raise Refusal("unauthorized", NO_GUESTS)
            return self._open_table.seat(transport.peer, connection)
        if (visit := await self._visits.find(connection)) is not None:
            return visit
        return self._with_key(connection.token, transport.peer)

    def _with_key(self, key: str, peer: str) -> StreamPlayer:
        """The player of the seat with this key.  Raises Refusal if there is none, or it cannot play now."""
        self._house.hall.records.check()
        live, member = self._holder(key, peer)
        live.use_program(member)
        place = self._programs.at(live, member.player_id) or self._programs.add(live, member)
        _check_away(place, member)
        place.player.secrets = (key,)
        return place.player

    def _holder(self, key: str, peer: str) -> tuple[LiveTable, Member]:
        """Whose key it is, at any table; the time this takes does not reveal how much of it is right."""
        hashed = hash_of(key)
        for live in self._house:
            for member in live.table.members:
                if hmac.compare_digest(member.key_hash, hashed):
                    return live, member
        self._wrong_tokens.take(peer)
        raise Refusal(
            "unauthorized",
            "no seat at an open table has this token, and no league: send the key or the token that you were "
            "given when you joined, or none to be a guest",
        )


def _check_away(place: ProgramPlace, member: Member) -> None:
    if place.player.is_connected:
        raise Refusal("conflict", f"{member.nickname} is connected already")
    if place.player.is_gone:
        raise Refusal("conflict", f"{member.nickname} plays no more")
