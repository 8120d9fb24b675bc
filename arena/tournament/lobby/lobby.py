"""The lobby for bots that connect by themselves, from their first message to the last goodbye."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs
import trio

from arena.players.allowance import Allowance
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.players.tcp import Absences, hear_introduction, send_last
from arena.players.transport import Transport
from arena.reading.units import format_duration
from arena.tournament.lobby.places import LobbyPlace, Places
from arena.tournament.lobby.quotas import ADDRESS_CONNECTIONS_MAX, Quotas
from arena.tournament.lobby.trial import REMARKS_MAX, SAID_A_LOT, answers, hear_nothing
from arena.wire.connection import ArenaConnection
from arena.wire.short_json import short_json
from arena.wire.states import State
from arena.words import printable

REFUSALS_NOTED_MAX = 20
"""How many reasons for refusals are shown, each once: a bot that keeps trying must not fill the screen."""
COMINGS_NOTED_MAX = 500
"""How many lines are shown about bots that come and go; forty bots with six instances need half of that."""
SILENCES = 10
"""How many waits for a name (ten seconds in all) pass before a silent connection is asked a question.

It may be a bot or a scanner; scanners wait up to six seconds for a greeting, send something, and leave.  It
gets a place only if it answers, or says its name after all, however long that takes.
"""
TURNS_TO_LEAVE = 10
"""How many turns of the event loop free the place of an ended connection, with some to spare."""


@attrs.define(eq=False)
class _Silent:
    """A connection that has not said who it is, and waits for play to begin or for a name to come."""

    peer: str
    asked_at: float
    """When it will have been silent for long enough to be asked a question."""
    has_answered: bool = False
    """Whether it answered the trial's question, so that it is a bot."""
    listening: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    player: StreamPlayer | None = None
    """Its player, once play begins."""


class Lobby:
    """Lets in the bots that connect by themselves.

    A bot that says who it is gets a place at once, if one is free (`Places`).  Places that are free when play
    begins go to silent connections that have answered the trial's question.
    """

    def __init__(
        self,
        *,
        tokens: Mapping[str, str],
        expect: int = 0,
        reserved: frozenset[str] = frozenset(),
        taken: frozenset[str] = frozenset(),
        margin_s: float = 0.2,
        name_wait_s: float = 1.0,
        reconnect_s: float = 10.0,
        per_address: int = ADDRESS_CONNECTIONS_MAX,
        trial: bytes = b"{}",
        watch: LagWatch | None = None,
        note: Callable[[str], None] = lambda line: None,
        note_bug: Callable[[str], None] = lambda traceback_text: None,
    ) -> None:
        """`trial`: the state of the question that silent connections are asked, a JSON object."""
        self._expect = expect
        self._trial = trial
        self.margin_s = margin_s
        self._name_wait_s = name_wait_s
        self.reconnect_s = reconnect_s
        self._watch = watch
        self._note = note
        self.note_bug = note_bug
        """Called with the traceback if what a connection said makes the arena raise."""
        self._strangers = Allowance()
        """The allowance shared by all connections that have not said who they are."""
        self._quotas = Quotas(per_address)
        self._absences = Absences(reconnect_s)
        self._arrived = trio.Event()
        self._noted: set[str] = set()
        self._comings = 0
        self._places = Places(tokens, expect, reserved, taken, self._new_player)
        self._silent: list[_Silent] = []
        """The silent connections in order of arrival; the first ones get the places that are left."""
        self.address = ""
        """The address at which it listens, HOST:PORT, for people."""
        self.players = self._places.players
        """Name of each entrant -> its connections, lost ones included."""

    # Before play

    @property
    def missing(self) -> list[str]:
        """The bots that have not come yet: their names if known, else how many."""
        names, free = self._places.missing, self._places.free
        return names if len(self._heirs()) == free else [*names, f"{free} more"]

    def _heirs(self) -> Sequence[_Silent]:
        """The silent connections that would play if play began now."""
        return [silent for silent in self._silent if silent.has_answered][: self._places.free]

    async def arrived(self) -> None:
        """Waits until some connection comes in or, before play, leaves."""
        await self._arrived.wait()

    def begin(self) -> list[str]:
        """Begins play with the bots that are here; returns who they are and where from, for people.

        Silent connections that answered the trial's question get the places that are left, under the names
        `bot-1`, `bot-2`, …; the others get none.
        """
        for place in self._places.left():
            self._give_up(place)
        for silent in self._heirs():
            silent.player = self._places.seat_silent(silent.peer)
        self._places.has_begun = True
        were_silent = {silent.player for silent in self._silent}
        for silent in self._silent:
            silent.listening.cancel()
        self._silent.clear()
        return [
            f"{place.player.name} ({place.peer}{', silent so far' if place.player in were_silent else ''})"
            for place in self._places
        ]

    def withdraw(self, name: str) -> None:
        """Ends the connections of a bot that plays no more, and never lets it in again."""
        self._places.withdraw(name)

    # One connection

    async def serve(self, transport: Transport) -> None:
        """Serves one connection, from its first message until nobody can come back to its place."""
        connection = ArenaConnection()
        if (refusal := self._quotas.refusal(transport.peer)) is not None:
            await self._refuse(transport, connection, refusal)
            return
        with self._quotas.counted(transport.peer):
            try:
                player = await self._hear(transport, connection)
            except trio.BrokenResourceError:
                return
            if isinstance(player, str):
                await self._refuse(transport, connection, player)
                return
            transport.let_in()
            self._welcome(player)
            try:
                await self._absences.play(player, transport, connection)
            except trio.Cancelled:
                player.dismiss("the arena was stopped")
                raise
        place = self._places.of(player)
        if place is not None and not player.is_connected and not player.is_gone:
            await self._miss(place)

    async def _hear(self, transport: Transport, connection: ArenaConnection) -> StreamPlayer | str:
        """Seats a connection; returns its player, or why there is no place for it.

        Raises trio.BrokenResourceError if it closes before it has said who it is.
        """
        with self._quotas.unnamed(transport.peer):
            reason, remarks = None, list[str]()
            with trio.move_on_after(self._name_wait_s):
                reason = await hear_introduction(transport, connection, self._strangers, remarks.append)
            if reason is not None or _said_who(connection):
                if reason is None and not self._places.is_new(connection):
                    await _let_others_leave()
                return reason or self._places.seat(transport.peer, connection)
            if self._expect and not self._places.has_begun:
                return await self._hold(transport, connection, remarks)
        _enter(connection)
        return self._places.seat(transport.peer, connection)

    async def _hold(
        self, transport: Transport, connection: ArenaConnection, remarks: Sequence[str]
    ) -> StreamPlayer | str:
        """Waits until a silent connection says who it is, or play begins; returns its player, or a refusal.

        `remarks`: what it has said so far, which was not its name.
        """
        asked_at = trio.current_time() + (SILENCES - 1) * self._name_wait_s
        silent = _Silent(transport.peer, asked_at)
        self._silent.append(silent)
        self._note_once(
            f"a connection from {transport.peer} {_as_heard(remarks)}: it is asked a question in "
            f"{format_duration((SILENCES - 1) * self._name_wait_s)}, and gets a place if it answers"
        )
        self._wake()
        reason = None
        try:
            with silent.listening:
                reason = await self._said_or_answered(silent, transport, connection)
                if silent.player is None:
                    return reason or self._places.seat(transport.peer, connection)
        except trio.BrokenResourceError:
            if silent.player is None:
                raise
        finally:
            if silent in self._silent:
                self._silent.remove(silent)
                self._wake()
        if silent.player is None:
            return self._places.no_place()
        if reason is not None:  # it was refused in the very moment in which play began
            silent.player.leave(reason)
            return reason
        _enter(connection)
        return silent.player

    async def _said_or_answered(
        self, silent: _Silent, transport: Transport, connection: ArenaConnection
    ) -> str | None:
        """Listens to a connection until it has said who it is; returns why it is refused, or None.

        Does not return before play begins if it answers the trial's question instead.
        """
        with trio.move_on_at(silent.asked_at):
            return await self._said_at_last(transport, connection)
        reason = await answers(transport, connection, self._strangers, self._trial)
        if reason is None and not _said_who(connection):
            silent.has_answered = True
            self._wake()
            await hear_nothing(transport, connection, self._strangers)
        return reason

    async def _said_at_last(self, transport: Transport, connection: ArenaConnection) -> str | None:
        """Listens to a connection until it has said who it is; returns why it is refused, or None."""
        for _ in range(REMARKS_MAX):
            reason = await hear_introduction(transport, connection, self._strangers)
            if reason is not None or _said_who(connection):
                await _let_others_leave()
                return reason
        return SAID_A_LOT

    async def _miss(self, place: LobbyPlace) -> None:
        """Gives up the place of a player that lost its connection, or keeps it for a while."""
        player = place.player
        if not self._places.has_begun:
            self._give_up(place)
            return
        self._announce(f"{player.name} lost its connection: {player.gone_reason}")
        if await self._absences.wait(player):
            player.stop_waiting()

    def _give_up(self, place: LobbyPlace) -> None:
        self._places.give_up(place)
        self._announce(f"{place.player.name} has left: {place.player.gone_reason}")

    def _welcome(self, player: StreamPlayer) -> None:
        place = self._places.of(player)
        assert place is not None, "the player has just been seated"
        if not place.is_told:
            self._announce(f"{player.name} {'is connected' if player.lost_at is None else 'is back'}")
        place.is_told = False
        self._wake()

    def _announce(self, news: str) -> None:
        self._comings += 1
        if self._comings <= COMINGS_NOTED_MAX:
            self._note(news)
        elif self._comings == COMINGS_NOTED_MAX + 1:
            self._note("further connections are no longer shown")
        self._wake()

    def _wake(self) -> None:
        self._arrived.set()
        self._arrived = trio.Event()

    async def _refuse(self, transport: Transport, connection: ArenaConnection, reason: str) -> None:
        name = "without a name" if connection.name is None else f"as {short_json(connection.name)}"
        self._note_once(f"a connection from {transport.peer} {name} was refused: {reason}")
        await send_last(transport, connection.bye(reason))

    def _note_once(self, news: str) -> None:
        if news not in self._noted and len(self._noted) < REFUSALS_NOTED_MAX:
            self._noted.add(news)
            self._note(news)

    def _new_player(self, name: str, allowance: Allowance | None) -> StreamPlayer:
        return StreamPlayer(
            name,
            margin_s=self.margin_s,
            reconnect_s=self.reconnect_s,
            watch=self._watch,
            allowance=allowance,
            note_bug=self.note_bug,
        )


def _as_heard(remarks: Sequence[str]) -> str:
    """What a connection that has not said who it is does instead, as people are told."""
    return f"does not say who it is ({printable(remarks[0])})" if remarks else "says nothing"


def _said_who(connection: ArenaConnection) -> bool:
    return any(said is not None for said in (connection.name, connection.token, connection.protocol))


async def _let_others_leave() -> None:
    """Lets the end of an old connection be noticed first: a bot may close and reconnect in one moment."""
    for _ in range(TURNS_TO_LEAVE):
        await trio.lowlevel.checkpoint()


def _enter(connection: ArenaConnection) -> None:
    if connection.state is State.NAMING:
        connection.enter()
