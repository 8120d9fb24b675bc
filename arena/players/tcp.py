"""Accepts connections, finds out who they are, and waits for lost ones to come back."""

from __future__ import annotations

import errno
import socket
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Protocol

import trio

from arena.errors import ConfigError
from arena.players.allowance import Allowance, Bucket
from arena.players.stream import StreamPlayer
from arena.players.transport import SocketTransport, Transport
from arena.wire import messages
from arena.wire.connection import ArenaConnection
from arena.wire.states import Introduced, Noted, Received, Refused, State

BACKLOG = 256
"""How many connections the kernel keeps until they are accepted, if no more are expected."""
RECEIVE_BUFFER_BYTES = 1 << 15
"""How much the kernel keeps of one connection that is not read; by default it would keep megabytes."""
LAST_WORD_S = 1.0
INTRODUCTION_BYTES_MAX = 4096
"""How much a connection may send without saying who it is; a name and a token take 200 bytes."""
INTRODUCTION_PIECE_BYTES = 512
"""How much is read at once from an unknown connection; many of them may come at the same moment."""
FULL = messages.encode(messages.Bye("too many connections are open"))
"""The last word to a connection for which there is no room."""
INTRODUCTION_VALUES_MAX = 8
"""How many broken values may come before the first whole one, which is the introduction."""
ACCEPTED_PER_S, ACCEPTED_AT_ONCE = 100.0, 64
"""The pace of accepting connections: one costs 0.5 ms until it is refused, so that floods have to wait.

Connections that get a place are not counted, so that thousands of bots need not wait for each other."""
ACCEPTED_IN_A_ROW = 16
"""How many are accepted before other tasks run: that takes 1 ms, and twice as long with a turn for each."""
STAYED_S = 1.0
"""How long a connection with a place must stay in order not to be counted."""
SOMAXCONN = Path("/proc/sys/net/core/somaxconn")
ACCEPT_PAUSE_S = 0.1
"""The pause before the next attempt when the machine is out of file descriptors."""


def listen(host: str, port: int, backlog: int = BACKLOG) -> socket.socket:
    """A listening TCP socket.  Raises ConfigError if the address is not available."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=max(BACKLOG, backlog))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            why = "the port is in use; choose another one (port 0 takes any free one)"
        else:
            why = f"{error.strerror or error}; give an address of this machine, e.g. 127.0.0.1:8888"
        raise ConfigError(f"cannot listen on {host}:{port}: {why}") from None
    listener.setblocking(False)
    return listener


def backlog_most() -> int | None:
    """The longest backlog that this system allows (it silently shortens longer ones); None if unknown."""
    try:
        return int(SOMAXCONN.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


class Listener(Protocol):
    """What connections come from: a listening socket, or somebody who passes them on."""

    def fileno(self) -> int:
        """Becomes readable when there is one."""

    def accept(self) -> tuple[socket.socket, object]:
        """The next one; raises BlockingIOError if there is none."""

    def close(self) -> None:
        """Takes no more."""


async def accept_all(
    listener: Listener,
    serve: Callable[[Transport], Awaitable[None]],
    connections_max: int,
    note_bug: Callable[[str], None] = lambda traceback_text: None,
) -> None:
    """Accepts connections until cancelled, with a task for each; never raises because of a connection.

    It closes every connection when its `serve` returns, and the listener at the end.  `note_bug` is called
    with the traceback if `serve` raises.
    """

    pace, open_now = Bucket(ACCEPTED_PER_S), 0

    async def serve_one(transport: Transport) -> None:
        nonlocal open_now
        accepted_at = trio.current_time()
        try:
            await serve(transport)
        except Exception:  # our bug, set off by one connection: it costs that connection
            note_bug(traceback.format_exc())
        finally:
            transport.close()
            open_now -= 1
            if transport.is_let_in and trio.current_time() < accepted_at + STAYED_S:
                pace.add(1)

    try:
        async with trio.open_nursery() as nursery:
            while True:
                await trio.sleep(pace.over_s(ACCEPTED_AT_ONCE))
                await trio.lowlevel.wait_readable(listener)
                try:
                    for sock in _in_a_row(listener, pace):
                        transport = _transport(sock) if open_now < connections_max else None
                        if transport is None:
                            _turn_away(sock)
                        else:
                            transport.pace = pace
                            open_now += 1
                            nursery.start_soon(serve_one, transport)
                except OSError:
                    await trio.sleep(ACCEPT_PAUSE_S)
    finally:
        trio.lowlevel.notify_closing(listener)
        listener.close()


def _in_a_row(listener: Listener, pace: Bucket) -> Iterator[socket.socket]:
    """The connections that have arrived, charged to the pace.  Raises OSError if the system has no room."""
    for number in range(ACCEPTED_IN_A_ROW):
        if number and pace.over_s(ACCEPTED_AT_ONCE):  # not for the first: the caller has waited for its turn
            return
        try:
            sock, _ = listener.accept()
        except (BlockingIOError, InterruptedError):
            return
        except ConnectionAbortedError:
            pace.add(1)
            return
        pace.add(1)
        yield sock


def _turn_away(sock: socket.socket) -> None:
    """Says that there is no room, if the kernel takes the message at once."""
    with sock, suppress(OSError):
        sock.send(FULL)


def _transport(sock: socket.socket) -> Transport | None:
    """The transport for a new connection; None if it is broken already."""
    try:
        return SocketTransport(sock)
    except OSError:
        return None


async def introduce(
    transport: Transport, connection: ArenaConnection, name_wait_s: float, allowance: Allowance
) -> str | None:
    """Finds out who is connecting; returns why they are refused, or None.

    A connection that stays open and silent for `name_wait_s` enters without a name.  Raises
    trio.BrokenResourceError if it closes before that.  What it says is charged to the allowance.
    """
    with trio.move_on_after(name_wait_s):
        return await hear_introduction(transport, connection, allowance)
    connection.enter()
    return None


async def hear_introduction(
    transport: Transport,
    connection: ArenaConnection,
    allowance: Allowance,
    note: Callable[[str], None] = lambda remark: None,
) -> str | None:
    """Does the same as `introduce`, but without a time limit: the connection must say something to enter.

    `note` is called with what is wrong with what it says meanwhile, partly quoted.
    """
    said = values = 0
    while True:
        octets, heard = await hear_piece(transport, connection, allowance)
        said, values = said + octets, values + len(heard)
        for received in heard:
            if isinstance(received, Refused):
                return received.reason
            if isinstance(received, Introduced):
                return None
            if isinstance(received, Noted):
                note(received.reason)
        if connection.state is not State.NAMING:  # it spoke without giving a name: a plain bot
            return None
        if said > INTRODUCTION_BYTES_MAX or values > INTRODUCTION_VALUES_MAX:
            return "it said a lot, but not who it is"
        await allowance.subside()


async def hear_piece(
    transport: Transport, connection: ArenaConnection, allowance: Allowance
) -> tuple[int, list[Received]]:
    """Waits for what comes next from somebody who does not play yet: its bytes, and what they say.

    Raises trio.BrokenResourceError if the connection closes.  What is said is charged to the allowance.
    """
    octets = b"" if connection.has_more else await transport.receive(INTRODUCTION_PIECE_BYTES)
    if not octets and not connection.has_more:
        raise trio.BrokenResourceError("closed before play began")
    began = perf_counter()
    heard = connection.receive(octets) if octets else connection.read_on()
    allowance.charge(len(octets), len(heard))
    allowance.note_work(began)
    return len(octets), heard


async def send_last(transport: Transport, octets: bytes) -> None:
    """Sends a last message, if the other side takes it soon."""
    try:
        sent = transport.send_now(octets)
        with trio.move_on_after(LAST_WORD_S):
            while sent < len(octets):
                sent += await transport.send_some(memoryview(octets)[sent:])
    except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
        pass


class Absences:
    """The players that have lost their connection, and for how long each is waited for."""

    def __init__(self, reconnect_s: float) -> None:
        self._reconnect_s = reconnect_s
        self._waits: dict[StreamPlayer, trio.CancelScope] = {}

    async def play(self, player: StreamPlayer, transport: Transport, connection: ArenaConnection) -> None:
        """Plays over this connection until it is lost; the player is connected from the start."""
        wait = self._waits.pop(player, None)
        if wait is not None:
            wait.cancel()
        await player.serve(transport, connection)

    async def wait(self, player: StreamPlayer) -> bool:
        """Waits for a lost player as long as it is entitled to; returns whether it stayed away."""
        if player.is_connected:
            return False
        with trio.CancelScope() as scope:
            self._waits[player] = scope
            await trio.sleep(self._reconnect_s)
        if self._waits.get(player) is scope:
            del self._waits[player]
        return not scope.cancelled_caught and not player.is_connected
