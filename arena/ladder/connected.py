"""The bots of a ladder that connect by themselves: who is here, and what follows from being away.

A server has found out which version each of them is, and carries their bytes to a socket that it has passed
to this process.  There they introduce themselves as anywhere, under the id of the version.

Who is away is not paired.  A series in which a match has begun is played to its end nevertheless, and counts:
else a bot could leave whenever it is losing.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

import trio

from arena.ladder.messages import FieldVersion, VisitSaid
from arena.match.game import Seat
from arena.players.allowance import Allowance
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.players.tcp import Absences, accept_all, introduce, send_last
from arena.players.transport import Transport
from arena.schedule import Pairing
from arena.wire.connection import ArenaConnection

VISIT_MARGIN_S = 0.25
"""What a bot that connects gets on top of every limit, for the way to it and back."""
EXPECTED_S = 10.0
"""How long a connection waits until the field has its version, of which the server tells at the same time."""
CONNECTED_MAX = 1_024
PLAYS_NO_MORE = "this version plays no more"


class VisitingBot(StreamPlayer):
    """A bot that connects, which says when a match of it is over."""

    note_over: Callable[[], None] = staticmethod(lambda: None)

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        super().end(ranks, returns)
        self.note_over()


class ConnectedHost(Protocol):
    """The ladder in which they play."""

    async def let_in(self, version: FieldVersion) -> str | None:
        """Has a version play whose bot has connected; returns why not, if it cannot."""

    def tell_visit(self, said: VisitSaid) -> None:
        """Is told who has come or gone."""


class PassedSockets:
    """Sockets that another process passes to this one, with a byte for each."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(False)

    def fileno(self) -> int:
        return self._socket.fileno()

    def accept(self) -> tuple[socket.socket, object]:
        """The next socket.  Raises BlockingIOError if there is none, and OSError once nobody passes any."""
        octets, fds, _, _ = socket.recv_fds(self._socket, 1, 1)
        if not fds:
            raise OSError("nobody passes sockets any more" if not octets else "a byte came without a socket")
        return socket.socket(fileno=fds[0]), None

    def close(self) -> None:
        self._socket.close()


def fd_with_stdin() -> int:
    """The descriptor that came with the first byte of standard input, if that is a socket; else -1."""
    if not stat.S_ISSOCK(os.fstat(0).st_mode):
        return -1
    with socket.socket(fileno=os.dup(0)) as stdin:
        _, fds, _, _ = socket.recv_fds(stdin, 1, 1)
    return fds[0] if fds else -1


class ConnectedBots:
    """The bots that connect, as the pool of instances takes them."""

    host: ConnectedHost

    def __init__(
        self,
        reconnect_s: float,
        watch: LagWatch,
        note_bug: Callable[[str], None],
        begun_with: Callable[[str], frozenset[str]],
    ) -> None:
        """`begun_with` gives the series of a bot of which a match has begun and not all are over."""
        self.players: dict[str, list[StreamPlayer]] = {}
        self._reconnect_s = reconnect_s
        self._watch = watch
        self._note_bug = note_bug
        self._begun_with = begun_with
        self._absences = Absences(reconnect_s)
        self._strangers = Allowance()
        self._allowances: dict[str, Allowance] = {}
        """The allowance of each owner, of all its bots."""
        self._wanted: Mapping[str, FieldVersion] = {}
        self._known: set[str] = set()
        """All that ever connected, also those that play no more."""
        self._coming: set[str] = set()
        """Those that are being let in."""
        self._owed: dict[str, frozenset[str]] = {}
        """Who is away -> the series in which it had begun to play."""
        self._arrived = trio.Event()

    async def listen(self, fd: int) -> None:
        """Takes in those whom the server passes on over this descriptor, until it is cancelled."""
        await accept_all(PassedSockets(fd), self.serve, CONNECTED_MAX, self._note_bug)

    # Who is here

    def set(self, versions: Iterable[FieldVersion]) -> None:
        """Takes in which versions there are from now on; `withdraw` sends away who is none of them."""
        self._wanted = {version.id: version for version in versions if version.connects}
        self._known |= self._wanted.keys()
        self._owed = {id: series for id, series in self._owed.items() if id in self._wanted}
        owners = {version.owner for version in self._wanted.values()}
        self._allowances = {owner: each for owner, each in self._allowances.items() if owner in owners}
        self._wake()
        for id in self._wanted:  # a server that came back knows nothing
            self._say(id)

    def withdraw(self, name: str) -> None:
        """Ends the connection of a bot that plays no more."""
        self._owed.pop(name, None)
        for player in self.players.pop(name, ()):
            player.dismiss(PLAYS_NO_MORE)

    async def arrived(self) -> None:
        """Waits until somebody comes or goes."""
        await self._arrived.wait()

    def is_here(self, id: str) -> bool:
        """Whether a version that connects is connected."""
        return any(player.is_connected for player in self.players.get(id, ()))

    @property
    def connecting(self) -> Mapping[str, FieldVersion]:
        """The versions that connect, here or not."""
        return self._wanted

    def present(self, playing: Mapping[str, str]) -> Mapping[str, str]:
        """Those of these versions, with their owners, that can be paired, or owe what they have begun."""
        away = {id for id in self._wanted if id in playing and not self.is_here(id)}
        if not away:
            return playing
        self._owed |= {id: self._begun_with(id) for id in away if self._owed.get(id)}
        return {id: owner for id, owner in playing.items() if id not in away or self._owed.get(id)}

    def may_begin(self, pairing: Pairing) -> bool:
        """Whether all bots of a match are here, or owe it."""
        return all(
            bot not in self._known or self.is_here(bot) or pairing.series in self._owed.get(bot, ())
            for bot in pairing.bots
        )

    # One connection

    async def serve(self, transport: Transport) -> None:
        """Serves a connection that the server passes on, until nobody can come back to its place."""
        connection = ArenaConnection()
        try:
            why = await introduce(transport, connection, EXPECTED_S, self._strangers)
        except trio.BrokenResourceError:
            return
        id = connection.name or ""
        player = why or await self._seat(id)
        if isinstance(player, str):
            await send_last(transport, connection.bye(player))
            return
        transport.let_in()
        self._owed.pop(id, None)
        player.note_over = lambda: self._say(id)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._note_here, id)  # it runs once the player has its connection
                await self._absences.play(player, transport, connection)
        except BaseException:  # the process ends: the bot is not told that it is over, as it may come back
            player.hang_up("the league was stopped")
            raise
        if not player.is_gone:
            self._owed[id] = self._begun_with(id)
            self._say(id)
            if await self._absences.wait(player):
                player.stop_waiting()

    async def _note_here(self, id: str) -> None:
        self._coming.discard(id)
        self._say(id)

    async def _seat(self, id: str) -> VisitingBot | str:
        """The player of a version whose bot has come, or why there is none."""
        with trio.move_on_after(EXPECTED_S):
            while id not in self._wanted:
                await self._arrived.wait()
        version = self._wanted.get(id)
        if version is None:
            return PLAYS_NO_MORE
        if self.is_here(id) or id in self._coming:
            return f"{id} is connected already: end the other program first"
        self._coming.add(id)
        if (why := await self.host.let_in(version)) is not None:
            self._coming.discard(id)
            return why
        (known,) = self.players.get(id) or (None,)
        if isinstance(known, VisitingBot) and (self._owed.get(id) or self._is_awaited(known)):
            return known
        allowance = self._allowances.setdefault(version.owner, Allowance())
        player = VisitingBot(
            id,
            margin_s=VISIT_MARGIN_S,
            reconnect_s=self._reconnect_s,
            watch=self._watch,
            allowance=allowance,
            note_bug=self._note_bug,
        )
        self.players[id] = [player]
        return player

    def _is_awaited(self, player: StreamPlayer) -> bool:
        """Whether a player has lost its connection a moment ago, and may sit in a match."""
        return player.lost_at is not None and trio.current_time() - player.lost_at < self._reconnect_s

    def _say(self, id: str) -> None:
        here = [player for player in self.players.get(id, ()) if player.is_connected]
        self.host.tell_visit(VisitSaid(id, bool(here), any(player.has_answered for player in here)))
        self._wake()

    def _wake(self) -> None:
        self._arrived.set()
        self._arrived = trio.Event()
