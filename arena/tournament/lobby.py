"""The lobby: who comes in that connects by itself, under which name, and who takes whose place."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf

import attrs
import trio

from arena.players.allowance import Allowance
from arena.players.codec import shown
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.players.tcp import Absences, introduce, send_last
from arena.players.transport import Transport
from arena.tournament.places import Place, is_lost, last_lost, owner_of, stand_of, unique_name
from arena.tournament.quotas import Quotas
from arena.units import format_duration
from arena.wire.connection import ArenaConnection, State
from arena.wire.messages import check_name
from arena.wire.names import looks_like, told_apart

CONNECTIONS_MAX = 1024
"""Open connections a lobby bears; more are turned away."""
REFUSALS_NOTED_MAX = 20
"""Different reasons shown to people, each once: a bot that tries again and again fills no screen."""
COMINGS_NOTED_MAX = 500
"""Lines of who comes, leaves and loses its connection; forty bots with six instances have half as many."""
SILENCES = 10
"""A silent connection fills a place only after so many times the wait for a name: ten seconds.

It can be a bot, or a scanner; those wait up to six seconds for a greeting, say something, and leave.
"""
REMARKS_MAX = 32
"""What a connection may say while it waits, and not say who it is."""
TURNS_TO_LEAVE = 10
"""Turns of the loop from the end of a connection to its place being free, and some more."""
TOKEN_BYTES = 16
DEPARTED_MAX = 256
"""Tokens remembered of bots that left before play: they are no wrong tokens when they come again."""

FULL = "the table is full"
BEGUN = "play has begun"
WITHDRAWN = "it is withdrawn: it failed match after match"


@attrs.define(eq=False)
class _Silent:
    """A connection that has not said who it is, and waits for play to begin or for a name to come."""

    peer: str
    counts_at: float
    """From then on it fills a place."""
    listening: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    player: StreamPlayer | None = None
    """Who it is, once play begins."""


class Lobby:
    """Where bots come in that connect by themselves.

    With tokens, a token ties a connection to its entrant; another one with it is another
    instance.  Without, whoever comes is an entrant until `expect` of them are there; those
    that say who they are come first.  Before play, who leaves gives the place back.  After
    `begin` only those come in that had a place and lost their connection.
    """

    def __init__(
        self,
        *,
        tokens: Mapping[str, str],
        expect: int = 0,
        taken: frozenset[str] = frozenset(),
        margin_s: float = 0.2,
        name_wait_s: float = 1.0,
        reconnect_s: float = 10.0,
        watch: LagWatch | None = None,
        note: Callable[[str], None] = lambda line: None,
        note_bug: Callable[[str], None] = lambda traceback_text: None,
    ) -> None:
        self._tokens = dict(tokens)
        self._expect = expect
        self._taken = taken
        self.margin_s = margin_s
        self._name_wait_s = name_wait_s
        self.reconnect_s = reconnect_s
        self._watch = watch
        self._note = note
        self.note_bug = note_bug
        """Told the traceback when what a connection said makes the arena raise."""
        self._strangers = Allowance()
        """That of all together who have not said who they are."""
        self._quotas = Quotas()
        self._absences = Absences(reconnect_s)
        self._withdrawn: set[str] = set()
        self._arrived = trio.Event()
        self._noted: set[str] = set()
        self._comings = 0
        self._places: dict[StreamPlayer, Place] = {}
        self._silent: list[_Silent] = []
        """In the order in which they came; the first ones get the places that nobody with a name takes."""
        self._departed: list[str] = []
        self.address = ""
        """Where it listens, HOST:PORT, for people."""
        self.has_begun = False
        """Set when play begins: nobody new comes in any more."""
        self.players: dict[str, list[StreamPlayer]] = {name: [] for name in tokens.values()}
        """Entrants by name, each with its connections, lost ones included."""

    # Before play

    @property
    def missing(self) -> list[str]:
        """Who has not come yet: names where known, else how many."""
        here = {place.player.name for place in self._here()}
        names = [name for name in self._tokens.values() if name not in here]
        return names if trio.current_time() >= self.fills_at else [*names, f"{self._free} more"]

    @property
    def fills_at(self) -> float:
        """From when on the places of bots without a token are filled, if nobody comes or leaves."""
        heirs = self._heirs()
        return inf if len(heirs) < self._free else max((silent.counts_at for silent in heirs), default=-inf)

    @property
    def _free(self) -> int:
        """How many places there are for bots that come without a token."""
        return max(0, self._expect - sum(place.player.name not in self._named for place in self._here()))

    def _heirs(self) -> Sequence[_Silent]:
        """The silent connections that would play if play began now."""
        return self._silent[: self._free]

    @property
    def _named(self) -> frozenset[str]:
        """The entrants with a token."""
        return frozenset(self._tokens.values())

    def _here(self) -> Iterator[Place]:
        """The places whose bots are connected; during play those of the others are kept."""
        return (place for place in self._places.values() if self.has_begun or place.player.is_connected)

    async def arrived(self) -> None:
        """Returns when somebody has come in, or has left before play."""
        await self._arrived.wait()

    def begin(self) -> list[str]:
        """Play begins with those who are here; gives who they are and where from, for people.

        Connections that were silent long enough get the places that are left, under the names `bot-1`,
        `bot-2`, …; there is none for the others.
        """
        self._clear_out()
        for silent in [heir for heir in self._heirs() if heir.counts_at <= trio.current_time()]:
            silent.player = self._add(unique_name(None, self._named_already), silent.peer, None, None)
            self._places[silent.player].is_told = True
        self.has_begun = True
        were_silent = {silent.player for silent in self._silent}
        for silent in self._silent:
            silent.listening.cancel()
        self._silent.clear()
        return [
            f"{place.player.name} ({place.peer}{', silent so far' if player in were_silent else ''})"
            for player, place in self._places.items()
        ]

    def withdraw(self, name: str) -> None:
        """The bot plays no more: its connections end, and none of it is let in again."""
        self._withdrawn.add(name)
        for player in self.players.get(name, ()):
            player.dismiss(WITHDRAWN)

    # One connection

    async def serve(self, transport: Transport) -> None:
        """One connection, from its first word until nobody comes back in its place."""
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
            self._welcome(player)
            try:
                await self._absences.play(player, transport, connection)
            except trio.Cancelled:
                player.dismiss("the arena was stopped")
                raise
        if not player.is_connected and not player.is_gone and player in self._places:
            await self._miss(player)

    async def _hear(self, transport: Transport, connection: ArenaConnection) -> StreamPlayer | str:
        """The player that this connection is, or why there is no place for it.

        Raises trio.BrokenResourceError if it closes before it has said who it is.
        """
        with self._quotas.unnamed(transport.peer):
            reason = None
            with trio.move_on_after(self._name_wait_s):
                reason = await introduce(transport, connection, inf, self._strangers)
            if reason is not None or _said_who(connection):
                await _let_others_leave()
                return reason or self._seat(transport.peer, connection)
            if self._expect and not self.has_begun:
                return await self._hold(transport, connection)
        _enter(connection)
        return self._seat(transport.peer, connection)

    async def _hold(self, transport: Transport, connection: ArenaConnection) -> StreamPlayer | str:
        """Who this is that has said nothing: known when it says it at last, or when play begins."""
        counts_at = trio.current_time() + (SILENCES - 1) * self._name_wait_s
        silent = _Silent(transport.peer, counts_at)
        self._silent.append(silent)
        self._note_once(
            f"a connection from {transport.peer} says nothing: it fills a place in "
            f"{format_duration((SILENCES - 1) * self._name_wait_s)}, and whoever says a name comes first"
        )
        self._wake()
        reason = None
        try:
            with silent.listening:
                reason = await self._said_at_last(transport, connection)
                if silent.player is None:
                    return reason or self._seat(transport.peer, connection)
        except trio.BrokenResourceError:
            if silent.player is None:
                raise
        finally:
            if silent in self._silent:
                self._silent.remove(silent)
                self._wake()
        if silent.player is None:
            return self._no_place()
        if reason is not None:  # it was refused in the moment in which play began
            silent.player.leave(reason)
            return reason
        _enter(connection)
        return silent.player

    async def _said_at_last(self, transport: Transport, connection: ArenaConnection) -> str | None:
        """Hears a connection until it has said who it is; gives why it is refused, or None."""
        for _ in range(REMARKS_MAX):
            reason = await introduce(transport, connection, inf, self._strangers)
            if reason is not None or _said_who(connection):
                await _let_others_leave()
                return reason
        return "it said much and not who it is"

    async def _miss(self, player: StreamPlayer) -> None:
        """A player has lost its connection."""
        if self.has_begun:
            self._announce(f"{player.name} lost its connection: {player.gone_reason}")
            if await self._absences.wait(player):
                player.stop_waiting()
        else:
            self._give_up(self._places[player])

    def _clear_out(self) -> None:
        """Before play: frees the places of those whose connection has just closed."""
        for place in [place for place in self._places.values() if not place.player.is_connected]:
            self._give_up(place)

    def _give_up(self, place: Place) -> None:
        """Before play: who has left has no place any more."""
        player = place.player
        del self._places[player]
        self.players[player.name].remove(player)
        if not self.players[player.name] and player.name not in self._named:
            del self.players[player.name]
            self._departed = [*self._departed[1 - DEPARTED_MAX :], *filter(None, [place.token])]
        self._announce(f"{player.name} has left: {player.gone_reason}")

    def _welcome(self, player: StreamPlayer) -> None:
        place = self._places[player]
        if not place.is_told:
            self._announce(f"{player.name} {'is connected' if player.lost_at is None else 'is back'}")
        place.is_told = False
        self._wake()

    def _announce(self, news: str) -> None:
        self._comings += 1
        if self._comings <= COMINGS_NOTED_MAX:
            self._note(news)
        elif self._comings == COMINGS_NOTED_MAX + 1:
            self._note("who else comes and goes is not shown any more")
        self._wake()

    def _wake(self) -> None:
        self._arrived.set()
        self._arrived = trio.Event()

    async def _refuse(self, transport: Transport, connection: ArenaConnection, reason: str) -> None:
        name = "without a name" if connection.name is None else f"as {shown(connection.name)}"
        self._note_once(f"a connection from {transport.peer} {name} was refused: {reason}")
        await send_last(transport, connection.bye(reason))

    def _note_once(self, news: str) -> None:
        if news not in self._noted and len(self._noted) < REFUSALS_NOTED_MAX:
            self._noted.add(news)
            self._note(news)

    # Who is who

    def _seat(self, peer: str, connection: ArenaConnection) -> StreamPlayer | str:
        """The player that this connection is, or why there is no place for it."""
        said, token = connection.name, connection.token
        if token is not None and (entrant := owner_of(token, self._tokens.items())) is not None:
            return self._with_token(entrant, peer, said, token)
        if said is not None and (reason := check_name(said)) is not None:
            return reason
        if token is not None:
            guests = ((place.token, place) for place in self._places.values() if place.token is not None)
            if (place := owner_of(token, guests)) is not None:
                return place.player if is_lost(place) else f"{place.player.name} {stand_of(place)}"
            if self._tokens and token not in self._departed:
                return "nobody has this token"
        if said is not None and said in self._named:
            return f"{said} takes part with a token: send it beside the name"
        return self._without_token(peer, connection)

    def _with_token(self, name: str, peer: str, said: str | None, token: str) -> StreamPlayer | str:
        if name in self._withdrawn:
            return WITHDRAWN
        lost = [place for player in self.players[name] if is_lost(place := self._places[player])]
        if self.has_begun and lost:
            return last_lost(lost)
        if self.has_begun and not self.players[name]:
            return f"play has begun without {name}"
        return self._add(name, peer, said, token)

    def _without_token(self, peer: str, connection: ArenaConnection) -> StreamPlayer | str:
        said, is_plain = connection.name, connection.protocol is None
        if not self.has_begun:
            if said is not None and (other := self._double_of(said)) is not None:
                return (
                    f"{told_apart(said)} looks like {told_apart(other)}, who takes part: choose another name"
                )
            if not self._free:
                return FULL
            token = None if is_plain else secrets.token_hex(TOKEN_BYTES)
            return self._add(unique_name(said, self._named_already), peer, said, token)
        guests = (place for place in self._places.values() if place.player.name not in self._named)
        lost = [place for place in guests if place.said == said and is_lost(place)]
        own = [place for place in lost if is_plain and place.token is None and place.peer == peer]
        if own:
            return last_lost(own)
        if lost:
            proof = "the same address" if lost[0].token is None else "the token of its welcome"
            return f"the place of {lost[0].player.name} is kept for whoever had it, known by {proof}"
        return self._no_place()

    def _double_of(self, said: str) -> str | None:
        """Who takes part under a name that people could take this one for; the very same gets a number."""
        others = sorted(self._named_already - {said})
        return next((other for other in others if looks_like(said, other)), None)

    @property
    def _named_already(self) -> frozenset[str]:
        return self._taken | self.players.keys()

    def _no_place(self) -> str:
        return BEGUN if self._free else FULL

    def _add(self, name: str, peer: str, said: str | None, token: str | None) -> StreamPlayer:
        players = self.players.setdefault(name, [])
        player = StreamPlayer(
            name,
            margin_s=self.margin_s,
            reconnect_s=self.reconnect_s,
            watch=self._watch,
            allowance=players[0].allowance if players else None,
            note_bug=self.note_bug,
        )
        player.token = token
        player.secrets = (*self._tokens, *filter(None, [token]))
        self._places[player] = Place(player, peer, said, token)
        players.append(player)
        return player


def _said_who(connection: ArenaConnection) -> bool:
    return any(said is not None for said in (connection.name, connection.token, connection.protocol))


async def _let_others_leave() -> None:
    """Who closes and connects again may do both in one moment: the end of the old one is heard first."""
    for _ in range(TURNS_TO_LEAVE):
        await trio.lowlevel.checkpoint()


def _enter(connection: ArenaConnection) -> None:
    if connection.state is State.NAMING:
        connection.enter()
