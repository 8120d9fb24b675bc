"""What stands in the place of processes, of sockets' bookkeeping and of `secrets` while a world is played."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from random import Random
from typing import Any

import trio

import arena.tournament.play.match
from arena.match.record import MatchRecord
from arena.players.entrant import Entrant
from arena.players.log import BotLog
from arena.players.process import ProcessPlayer
from arena.players.stream import StreamPlayer
from arena.players.tcp import Absences, introduce
from arena.referee import Seating
from arena.testing import Peer
from arena.wire.connection import ArenaConnection

from .bots import Character, Mind, play
from .network import ArenaEnd, BotEnd, Line, Network
from .transcripts import Play


class Program:
    """In the place of processes: bots that the arena starts, each over a line of its own."""

    def __init__(self, network: Network, cast: dict[str, Character], minds: dict[str, Mind]) -> None:
        self.network = network
        self.cast = cast
        self.minds = minds

    @asynccontextmanager
    async def open_box(self, *_: object, **__: object) -> AsyncIterator[None]:
        """In the place of the box: what is never started needs none."""
        yield None

    async def run_process(
        self,
        entrant: Entrant,
        *_: object,
        margin_s: float,
        name_wait_s: float,
        reconnect_s: float,
        note_bug: Callable[[str], None],
        task_status: trio.TaskStatus[ProcessPlayer],
        **__: object,
    ) -> None:
        """What the real one does, without a process: it connects once, and ends with its connection."""
        character, mind = self.cast[entrant.name], self.minds[entrant.name]
        player = ProcessPlayer(
            entrant, BotLog(None), margin_s=margin_s, reconnect_s=reconnect_s, note_bug=note_bug
        )
        line = self.network.line(entrant.name, character.weather)
        self.network.trace.note("started", entrant.name)

        async def run() -> None:
            peer = Peer(BotEnd(line), Random(line.to_bot.name))
            await play(peer, character, mind, None)
            await peer.close()
            player.leave("its process ended with exit code 1")

        async def serve() -> None:
            connection, end = ArenaConnection(), ArenaEnd(line)
            with suppress(trio.BrokenResourceError):
                if (
                    await introduce(end, connection, name_wait_s, player.allowance) is None
                    and not player.is_gone
                ):
                    player.entered.set()
                    await Absences(0.0).play(player, end, connection)
            end.close()
            player.leave("its process ended with exit code 1")

        async with trio.open_nursery() as nursery:
            try:
                nursery.start_soon(run)
                nursery.start_soon(serve)
                await player.entered.wait()
                task_status.started(player)
                await player.wait_closing()
            finally:
                player.dismiss("the arena is done with this instance")
                nursery.cancel_scope.cancel()
        player.ended.set()


class Dice:
    """In the place of the module `secrets`."""

    def __init__(self, seed: str) -> None:
        self._rng = Random(f"secrets/{seed}")

    def token_hex(self, size: int) -> str:
        return self._rng.randbytes(size).hex()


@contextmanager
def patched(module: Any, **others: Any) -> Iterator[None]:
    """These stand in a module for a while."""
    before = {name: getattr(module, name) for name in others}
    for name, other in others.items():
        setattr(module, name, other)
    try:
        yield
    finally:
        for name, other in before.items():
            setattr(module, name, other)


@contextmanager
def noted_plays() -> Iterator[None]:
    """Each line learns of the matches that are played over it."""
    plays: dict[str, Play] = {}
    lines: dict[int, tuple[ArenaConnection, Line]] = {}
    play_match, serve, begin_match = (
        arena.tournament.play.match.play_match,
        StreamPlayer.serve,
        ArenaConnection.begin_match,
    )

    async def played(*args: Any, seating: Seating, **more: Any) -> MatchRecord:
        play = plays[seating.match_id] = Play(seating.match_id, seating.names)
        play.record = await play_match(*args, seating=seating, **more)
        return play.record

    async def served(player: StreamPlayer, transport: ArenaEnd, connection: ArenaConnection) -> None:
        transport.line.player = player.name
        transport.line.is_full = connection.protocol is not None
        transport.line.trials = connection.game_number
        lines[id(connection)] = (connection, transport.line)
        await serve(player, transport, connection)

    def begun(connection: ArenaConnection, *, match_id: str, **more: Any) -> bytes:
        lines[id(connection)][1].plays.append(plays[match_id])
        return begin_match(connection, match_id=match_id, **more)

    with (
        patched(arena.tournament.play.match, play_match=played),
        patched(StreamPlayer, serve=served),
        patched(ArenaConnection, begin_match=begun),
    ):
        yield
