"""A bot that the arena starts: its processes in a box, its port or pipes, its log, and its certain end."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import trio

from arena.box.box import Box, Running
from arena.box.demand import demand_s_below
from arena.box.peers import comes_from
from arena.players.access import place_of
from arena.players.allowance import Allowance
from arena.players.crash import why_ended
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch
from arena.players.log import BotLog
from arena.players.start import BotBroken, NeverConnected, StartedProgram, ending, log_name, settle, start
from arena.players.stream import StreamPlayer
from arena.players.tcp import Absences, accept_all, introduce, send_last
from arena.players.transcript import blanked
from arena.players.transport import Transport
from arena.wire.connection import ArenaConnection
from arena.wire.states import Malformed, Noted, Received

GRACE_S = 1.0
"""How long a bot has to end by itself after goodbye, and again after SIGTERM."""
EXIT_S = 0.2
"""How long, after a bot's standard output ends, to wait for the end of its process, which says more."""
CONNECTIONS_MAX = 16
"""The most connections to one instance's port at a time; one of them plays."""
ARRIVAL_BYTES = 1 << 15
"""The charge for finding out whose a connection is: eight a second, after the first few."""
STRANGERS_MAX = 4
"""How many of these may come from processes that are not the instance's and have shown no token yet."""


class ProcessPlayer(StreamPlayer):
    """An instance that is a process of ours."""

    def __init__(self, entrant: Entrant, log: BotLog, **options: Any) -> None:
        super().__init__(entrant.name, **options)
        self.log = log
        self.entered = trio.Event()
        """Set when the bot has connected, or never will."""
        self.ended = trio.Event()
        """Set when the process and all its children are gone."""
        self.is_offline = False
        """Whether its box has no network except its connection to the arena."""
        self.guard = 0
        """The id of the process above all of the program's own; 0 before it runs."""
        self.extra_evidence = self._printed
        self._closing = trio.Event()

    def begin(self, start: Any) -> None:
        self.log.mark()
        super().begin(start)

    def _printed(self) -> tuple[Mapping[str, Any], ...]:
        """The name of its log, and the end of what it printed in this match."""
        path, text = self.log.path, blanked(self.log.since_mark(), self.secrets)
        where: tuple[Mapping[str, Any], ...] = () if path is None else ({"log": log_name(path)},)
        return (*where, {"stderr": text}) if text else where

    def why(self, ending: str) -> str:
        """How the bot ended, with the exception or the last line that it printed."""
        self.log.take_rest()
        printed = blanked(self.log.kept(), self.secrets)
        return why_ended(ending, printed, is_offline=self.is_offline)

    def demand_s(self) -> float | None:
        return demand_s_below(self.guard) if self.guard else None

    def leave(self, reason: str) -> None:
        if not self.is_gone:
            super().leave(reason)
        self.entered.set()

    def close(self) -> None:
        """Ends the instance: says goodbye and, after a grace period, kills it with all its children."""
        self._closing.set()

    async def wait_closing(self) -> None:
        await self._closing.wait()


async def run_process(
    entrant: Entrant,
    *,
    box: Box | None,
    field: tuple[Entrant, ...] = (),
    results: tuple[Path, ...] = (),
    log_path: Path | None,
    margin_s: float = 0.0,
    name_wait_s: float = 1.0,
    reconnect_s: float = 10.0,
    connect_s: float | None = None,
    is_patient: bool = True,
    note_running: Callable[[int], object] = lambda guard: None,
    note_sticky: Callable[[], object] = lambda: None,
    watch: LagWatch | None = None,
    note_bug: Callable[[str], None] = lambda traceback_text: None,
    task_status: trio.TaskStatus[ProcessPlayer],
) -> None:
    """Starts one instance, reports its player once it has connected, and ends it when told to.

    The instance sees neither the `results` nor the others of the `field`.  `note_running` is called, once its
    program runs, with the process above all of the program's own.  Unless `is_patient`, the instance is
    killed without time to end by itself; `note_sticky` is called if that time was not enough.  Raises
    BotBroken if the bot cannot be started or does not connect within `connect_s`, by default its own, and
    ConfigError if its log cannot be written.
    """
    assert box is not None, "processes are started in a box"
    token = secrets.token_hex(16)
    log = BotLog(log_path)
    player = ProcessPlayer(
        entrant, log, margin_s=margin_s, reconnect_s=reconnect_s, watch=watch, note_bug=note_bug
    )
    player.secrets = (token,)
    player.is_offline = box.has_own_network and not entrant.network
    connect_s = entrant.connect_s if connect_s is None else connect_s
    broken: BotBroken | None = None
    try:
        with ExitStack() as ours:
            async with trio.open_nursery() as drain:
                try:
                    started = await start(entrant, box, place_of(entrant, field, results), token, ours, drain)
                except BotBroken as error:
                    broken = error  # raised below, where no nursery wraps it in a group
                else:
                    note_running(started.running.guard)
                    drain.start_soon(log.drain, started.output_fd)
                    door = _Door(player, started, name_wait_s)
                    end = partial(_end, started.running, GRACE_S if is_patient else 0.0, note_sticky)
                    broken = await _live(player, started, door, connect_s, end, task_status)
        if broken is not None:
            broken.is_boxed = box.means != "limits"
            raise broken
    finally:
        log.close()
        player.ended.set()


async def _live(
    player: ProcessPlayer,
    started: StartedProgram,
    door: _Door,
    connect_s: float,
    end: Callable[[], Awaitable[None]],
    task_status: trio.TaskStatus[ProcessPlayer],
) -> BotBroken | None:
    """Lives the life of an instance; returns what was wrong if it never came to play."""
    running, broken = started.running, None
    async with trio.open_nursery() as nursery:
        try:
            nursery.start_soon(_watch_exit, running, player)
            nursery.start_soon(_serve, started.link, player, door)
            player.guard = running.guard
            broken = await _wait_entered(player, connect_s)
            if broken is None:
                task_status.started(player)
                await player.wait_closing()
        finally:
            with trio.CancelScope(shield=True):
                player.dismiss("the arena is done with this instance")
                await end()
                await settle()
            nursery.cancel_scope.cancel()
            player.log.stop()
            running.close()
    if broken is not None:
        broken.log, broken.log_path = player.log.tail(), player.log.path
    return broken


async def _wait_entered(player: ProcessPlayer, connect_s: float) -> BotBroken | None:
    """Waits for the first connection; returns what is wrong if none came, without the log so far."""
    with trio.move_on_after(connect_s):
        await player.entered.wait()
    if player.is_gone:
        finished, reason = ending(0), player.gone_reason
        if not reason.startswith(finished):
            return BotBroken(player.name, reason)
        never = f"{finished}, and never connected"
        return NeverConnected(player.name, never, reason.removeprefix(finished), has_ended=True)
    if player.entered.is_set():
        return None
    never = f"did not connect within {connect_s:g} s"
    return NeverConnected(player.name, never, player.why(never).removeprefix(never))


async def _watch_exit(running: Running, player: ProcessPlayer) -> None:
    await running.ended.wait()
    await settle()
    if player.is_gone:  # it was told to end
        return
    player.leave(running.excess or player.why(ending(running.code)))


async def _serve(link: socket.socket | Transport, player: ProcessPlayer, door: _Door) -> None:
    """Plays over whatever connects to the instance's own port, or over its pipes."""
    if isinstance(link, socket.socket):
        await accept_all(link, door.serve, CONNECTIONS_MAX, player.note_bug)
    else:
        await door.serve(link)
        await settle()  # if the program's end closed them, let that be the reason
        await trio.sleep(EXIT_S)
        player.leave("closed its standard output")


class _Door:
    """Decides who plays as an instance: its own processes, or a connection that shows its token."""

    def __init__(self, player: ProcessPlayer, started: StartedProgram, name_wait_s: float) -> None:
        self._player = player
        self._started = started
        self._name_wait_s = name_wait_s
        is_port = isinstance(started.link, socket.socket)
        # Over pipes nobody can come back, but if the process has ended, its end says more.
        self._absences = Absences(player.reconnect_s if is_port else EXIT_S)
        self._connect = ArenaConnection if is_port else partial(_StdioConnection, player.log)
        self._strangers = 0
        self._arrivals = Allowance()
        self._of_strangers = Allowance()

    async def serve(self, transport: Transport) -> None:
        """Plays over one connection, until nobody comes back in its place."""
        if self._started.is_private or await self._is_own(transport):
            await self._serve(transport)
        elif self._strangers < STRANGERS_MAX:
            self._strangers += 1
            try:
                await self._serve(transport, strangers=self._of_strangers)
            finally:
                self._strangers -= 1

    async def _is_own(self, transport: Transport) -> bool:
        """Whether one of the bot's own processes made this connection.

        It is looked up in the background and at a limited pace: for a bot with hundreds of processes and
        files that takes some milliseconds, and it may connect again and again.
        """
        try:
            ends = transport.ends
        except OSError:  # the connection is gone already
            return False
        self._arrivals.charge(ARRIVAL_BYTES, 0)
        await self._arrivals.subside()
        return await trio.to_thread.run_sync(comes_from, ends, self._started.running.guard)

    async def _serve(self, transport: Transport, strangers: Allowance | None = None) -> None:
        """Serves one connection; with `strangers` it must show the token, and they pay until then."""
        player, connection = self._player, self._connect()
        try:
            refusal = await introduce(transport, connection, self._name_wait_s, strangers or player.allowance)
        except trio.BrokenResourceError:
            return
        if strangers is not None and connection.token not in tuple(player.secrets):
            await send_last(transport, connection.bye("this port belongs to one bot: send its token"))
            return
        if refusal is not None or player.is_connected:
            reason = refusal or "this port belongs to one instance, which is already connected"
            await send_last(transport, connection.bye(reason))
            if not player.entered.is_set():
                player.leave(f"was refused: {reason}")
            return
        if player.is_gone:
            return
        player.entered.set()
        await self._absences.play(player, transport, connection)
        if await self._absences.wait(player):  # its process may be alive, with another thread that connects
            player.leave(player.why(player.gone_reason))


class _StdioConnection(ArenaConnection):
    """A connection over standard output, where authors also print things that are not answers."""

    def __init__(self, log: BotLog) -> None:
        super().__init__()
        self._log = log

    def receive(self, data: bytes) -> list[Received]:
        return [self._explained(received) for received in super().receive(data)]

    def _explained(self, received: Received) -> Received:
        if not isinstance(received, Malformed | Noted) or _is_answer(received.reason):
            return received
        reason = f"printed to stdout; use stderr ({received.reason})"
        self._log.remark(reason)
        return msgspec.structs.replace(received, reason=reason)


def _is_answer(reason: str) -> bool:
    """Whether a reason is about something that was meant as an answer or a name."""
    return reason.startswith(("message_id ", 'no "move"', "an answer ", "a name "))


async def _end(running: Running, grace_s: float, note_sticky: Callable[[], object]) -> None:
    """Ends the program and everything that it started."""
    with trio.move_on_after(grace_s):
        await running.ended.wait()
    if grace_s and not running.ended.is_set():
        running.terminate()
        with trio.move_on_after(grace_s):
            await running.ended.wait()
    if not running.ended.is_set():
        note_sticky()
    await running.kill()
