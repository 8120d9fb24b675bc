"""The lobby: who comes in that connects by itself, under which name, and who takes whose place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import trio

from arena.players.allowance import Allowance
from arena.players.codec import shown
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.players.tcp import Absences, introduce, send_last
from arena.players.transport import Transport
from arena.wire.connection import ArenaConnection
from arena.wire.messages import NAME_LENGTH_MAX, check_name

CONNECTIONS_MAX = 1024
"""Open connections a lobby bears; more are turned away."""
REFUSALS_NOTED_MAX = 20
"""Different reasons shown to people, each once: a bot that tries again and again fills no screen."""

WITHDRAWN = "it is withdrawn: it failed match after match"


class Lobby:
    """Where bots come in that connect by themselves.

    With tokens, a token ties a connection to its entrant; another one with it is another
    instance.  Without, whoever comes is an entrant until `expect` of them are there.  Before
    play, who leaves gives the place back; once `is_full` is set only those come in that take
    the place of a lost connection.
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
        self._absences = Absences(reconnect_s)
        self._withdrawn: set[str] = set()
        self._arrived = trio.Event()
        self._refusals: set[str] = set()
        self._said: dict[str, str | None] = {}
        """What those without a token called themselves, by the name they play under."""
        self.address = ""
        """Where it listens, HOST:PORT, for people."""
        self.is_full = False
        """Set when play begins: nobody new comes in any more."""
        self.players: dict[str, list[StreamPlayer]] = {name: [] for name in tokens.values()}
        """Entrants by name, each with its connections, lost ones included."""

    @property
    def missing(self) -> list[str]:
        """Who has not come yet: names where known, else how many."""
        names = [name for name in self._tokens.values() if not self.players[name]]
        free = self._expect - self._guests
        return names + ([f"{free} more"] if free > 0 else [])

    @property
    def _guests(self) -> int:
        """How many entrants are here without a token."""
        return len(self.players) - len(set(self._tokens.values()))

    async def arrived(self) -> None:
        """Returns when somebody has come in, or has left before play."""
        await self._arrived.wait()

    def withdraw(self, name: str) -> None:
        """The bot plays no more: its connections end, and none of it is let in again."""
        self._withdrawn.add(name)
        for player in self.players.get(name, ()):
            player.dismiss(WITHDRAWN)

    def _announce(self, news: str) -> None:
        self._note(news)
        self._arrived.set()
        self._arrived = trio.Event()

    async def serve(self, transport: Transport) -> None:
        """One connection, from its first word until nobody comes back in its place."""
        connection = ArenaConnection()
        try:
            refusal = await introduce(transport, connection, self._name_wait_s, self._strangers)
        except trio.BrokenResourceError:
            return
        player = refusal or self._seat(connection)
        if isinstance(player, str):
            await self._refuse(transport, connection, player)
            return
        self._announce(f"{player.name} is connected")
        try:
            await self._absences.play(player, transport, connection)
        except trio.Cancelled:
            player.dismiss("the arena was stopped")
            raise
        if self._is_at_home(player):
            await self._miss(player)

    def _is_at_home(self, player: StreamPlayer) -> bool:
        return player in self.players.get(player.name, ()) and not player.is_gone

    async def _miss(self, player: StreamPlayer) -> None:
        """A player has lost its connection."""
        if self.is_full:
            self._note(f"{player.name} lost its connection: {player.gone_reason}")
            if await self._absences.wait(player):
                player.stop_waiting()
        else:
            self.players[player.name].remove(player)
            if not self.players[player.name] and player.name not in self._tokens.values():
                del self.players[player.name], self._said[player.name]
            self._announce(f"{player.name} has left: {player.gone_reason}")

    async def _refuse(self, transport: Transport, connection: ArenaConnection, reason: str) -> None:
        name = "without a name" if connection.name is None else f"as {shown(connection.name)}"
        news = f"a connection from {transport.peer} {name} was refused: {reason}"
        if news not in self._refusals and len(self._refusals) < REFUSALS_NOTED_MAX:
            self._refusals.add(news)
            self._note(news)
        await send_last(transport, connection.bye(reason))

    def _seat(self, connection: ArenaConnection) -> StreamPlayer | str:
        """The player that this connection is, or why there is no place for it."""
        if connection.token is not None and connection.token in self._tokens:
            entrant = self._tokens[connection.token]
            return WITHDRAWN if entrant in self._withdrawn else self._with_token(entrant)
        name = connection.name
        if name is not None and (reason := check_name(name)) is not None:
            return reason
        if connection.token is not None and self._tokens:
            return "nobody has this token"
        if name is not None and name in self._tokens.values():
            return f"{name} takes part with a token: send it beside the name"
        return self._without_token(name)

    def _with_token(self, name: str) -> StreamPlayer:
        return self._lost([name]) or self._add(name)

    def _without_token(self, said: str | None) -> StreamPlayer | str:
        lost = self._lost([name for name, was_said in self._said.items() if was_said == said])
        if lost is not None:
            return lost
        if self.is_full or self._guests >= self._expect:
            return "the table is full"
        name = self._unique(said)
        self._said[name] = said
        return self._add(name)

    def _lost(self, names: Iterable[str]) -> StreamPlayer | None:
        """Of the players with these names that have no connection the one that lost it last."""
        players = (player for name in names for player in self.players.get(name, ()))
        lost = [player for player in players if not player.is_connected and not player.is_gone]
        return max(lost, key=lambda player: player.lost_at or 0.0, default=None)

    def _add(self, name: str) -> StreamPlayer:
        players = self.players.setdefault(name, [])
        player = StreamPlayer(
            name,
            margin_s=self.margin_s,
            reconnect_s=self.reconnect_s,
            watch=self._watch,
            allowance=players[0].allowance if players else None,
            note_bug=self.note_bug,
        )
        player.secrets = tuple(self._tokens)
        players.append(player)
        return player

    def _unique(self, said: str | None) -> str:
        taken = self._taken | set(self.players)
        if said is not None and said not in taken:
            return said
        stem, number = ("bot", 1) if said is None else (said[: NAME_LENGTH_MAX - 5], 2)
        while f"{stem}-{number}" in taken:
            number += 1
        return f"{stem}-{number}"
