"""Bytes out and in: a socket, a pair of pipes, or any Trio stream, all with the same four calls.

Sockets and pipes are used without Trio's stream classes: a question goes out in the same step that asks it,
with no task switch, and what the kernel does not take at once is left to the writer task.
"""

from __future__ import annotations

import os
import socket
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from functools import partial
from sys import intern
from typing import Any

import trio
import trio.abc

from arena.players import switchboard
from arena.players.allowance import Bucket

RECEIVE_BYTES = 4096
"""How many bytes are read in one step; the worst 4 kB cost 0.7 ms, and an answer has a hundred bytes.  With
64 kB, as it once was, everybody else waited up to 204 ms."""

VANISHED = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 4}
"""The keep-alive options: after 30 s of silence a probe every 5 s; after 4 without an answer it is gone."""


RTT_AT = 68
"""Where in Linux' `tcp_info` the smoothed round trip is, in microseconds."""


class Transport(ABC):
    """A connection for bytes.

    A broken one reads as closed (`b""`) and refuses to send (OSError, trio.BrokenResourceError).
    """

    __slots__ = ("is_let_in", "pace")

    peer: str = "this process"
    """Who is at the other end, in words."""
    is_polled: bool = True
    """Whether bytes are noticed by Trio's poll, so that the lag watch knows when they can have come."""

    def __init__(self) -> None:
        self.pace: Bucket | None = None
        """The bucket that its acceptance was charged to."""
        self.is_let_in = False

    def let_in(self) -> None:
        """Takes back the charge for its acceptance, as it has got a place."""
        if self.pace is not None and not self.is_let_in:
            self.pace.add(-1)
        self.is_let_in = True

    @abstractmethod
    def send_now(self, octets: bytes | memoryview) -> int:
        """Hands over what is taken without waiting; returns how many bytes.  Raises OSError if broken."""

    @abstractmethod
    async def send_some(self, octets: memoryview) -> int:
        """Waits until some bytes can be handed over; returns how many were."""

    @abstractmethod
    async def receive(self, most: int = RECEIVE_BYTES) -> bytes:
        """Waits for bytes and returns at most `most`; `b""` when the other side is gone."""

    async def listen(self, hear: Callable[[bytes], bool]) -> bool:
        """Calls `hear` with bytes as they come.  True once that returns False; False if the peer is gone."""
        while octets := await self.receive():
            if not hear(octets):
                return True
        return False

    @property
    def ends(self) -> tuple[tuple[str, int], tuple[str, int]] | None:
        """Our address and port, and theirs, for a connection that others could have made."""
        return None

    @property
    def round_trip_s(self) -> float | None:
        """How long the way to the other end and back takes, as the system has measured it; None: unknown."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Closes at once and wakes any task that waits."""


class SocketTransport(Transport):
    """A connected, non-blocking TCP socket; Nagle's algorithm is switched off."""

    __slots__ = ("_socket", "peer")

    def __init__(self, sock: socket.socket) -> None:
        super().__init__()
        self._socket = sock
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            self.peer = intern(str(sock.getpeername()[0]))
        sock.setblocking(False)
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _notice_vanishing(sock)

    @property
    def ends(self) -> tuple[tuple[str, int], tuple[str, int]] | None:
        if self._socket.family != socket.AF_INET:
            return None
        return self._socket.getsockname(), self._socket.getpeername()

    @property
    def round_trip_s(self) -> float | None:
        return round_trip_of(self._socket)

    def send_now(self, octets: bytes | memoryview) -> int:
        try:
            return self._socket.send(octets)
        except (BlockingIOError, InterruptedError):
            return 0

    async def send_some(self, octets: memoryview) -> int:
        if self._socket.fileno() < 0:
            raise trio.ClosedResourceError
        await trio.lowlevel.wait_writable(self._socket)
        return self.send_now(octets)

    async def receive(self, most: int = RECEIVE_BYTES) -> bytes:
        while self._socket.fileno() >= 0:  # all closed sockets have number -1, and Trio would mix them up
            try:
                await trio.lowlevel.wait_readable(self._socket)
                return self._socket.recv(most)
            except (BlockingIOError, InterruptedError):
                continue
            except (OSError, ValueError, trio.ClosedResourceError):
                break
        return b""

    def listen(self, hear: Callable[[bytes], bool]) -> Coroutine[Any, Any, bool]:
        if not switchboard.IS_HERE:
            return super().listen(hear)
        return _listen(self._socket.fileno(), self._socket.recv, hear)

    def close(self) -> None:
        if self._socket.fileno() >= 0:
            switchboard.hang_up(self._socket.fileno())
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()


def round_trip_of(sock: socket.socket) -> float | None:
    """The smoothed round trip of a TCP connection in seconds, where the system tells it."""
    if not sys.platform.startswith("linux") or sock.family not in (socket.AF_INET, socket.AF_INET6):
        return None
    try:
        told = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, RTT_AT + 4)
    except OSError:  # it is closed
        return None
    return int.from_bytes(told[RTT_AT:], sys.byteorder) / 1e6 if len(told) == RTT_AT + 4 else None


def _notice_vanishing(sock: socket.socket) -> None:
    """Makes the kernel end the connection to an unplugged machine within a minute, not in two hours."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in VANISHED.items():
        if hasattr(socket, option):  # not every system has it
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


class PipeTransport(Transport):
    """The two pipes of a child process: we read its standard output and write its standard input."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        super().__init__()
        self._read_fd, self._write_fd = read_fd, write_fd
        for fd in (read_fd, write_fd):
            os.set_blocking(fd, False)

    def send_now(self, octets: bytes | memoryview) -> int:
        if self._write_fd < 0:
            raise OSError("the pipe is closed")
        try:
            return os.write(self._write_fd, octets)
        except (BlockingIOError, InterruptedError):
            return 0

    async def send_some(self, octets: memoryview) -> int:
        if self._write_fd < 0:
            raise trio.ClosedResourceError
        await trio.lowlevel.wait_writable(self._write_fd)
        return self.send_now(octets)

    async def receive(self, most: int = RECEIVE_BYTES) -> bytes:
        while True:
            if self._read_fd < 0:
                return b""
            try:
                await trio.lowlevel.wait_readable(self._read_fd)
                return os.read(self._read_fd, most)
            except (BlockingIOError, InterruptedError):
                continue
            except (OSError, trio.ClosedResourceError):
                return b""

    def listen(self, hear: Callable[[bytes], bool]) -> Coroutine[Any, Any, bool]:
        if not switchboard.IS_HERE:
            return super().listen(hear)
        return _listen(self._read_fd, partial(os.read, self._read_fd), hear)

    def close(self) -> None:
        switchboard.hang_up(self._read_fd)
        for fd in {self._read_fd, self._write_fd} - {-1}:
            trio.lowlevel.notify_closing(fd)
            os.close(fd)
        self._read_fd = self._write_fd = -1


async def _listen(fd: int, receive: Callable[[int], bytes], hear: Callable[[bytes], bool]) -> bool:
    """Does what `Transport.listen` promises, with the switchboard.

    It reads once for each report, not until nothing is left: nearly always there was one answer, and a
    second call would find nothing.  What is left is reported again.
    """
    has_enough = False

    def take() -> bool:
        nonlocal has_enough
        try:
            octets = receive(RECEIVE_BYTES)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False
        if not octets:
            return False
        has_enough = not hear(octets)
        return not has_enough

    if fd >= 0:  # else it is closed
        await switchboard.whenever_readable(fd, take)
    return has_enough


class StreamTransport(Transport):
    """Any Trio stream, e.g. one end of a `memory_stream_pair` in a test."""

    is_polled = False

    def __init__(self, stream: trio.abc.Stream) -> None:
        super().__init__()
        self._stream = stream
        self._receiving = trio.CancelScope()
        self._is_closed = False

    def send_now(self, octets: bytes | memoryview) -> int:
        return 0

    async def send_some(self, octets: memoryview) -> int:
        await self._stream.send_all(bytes(octets))
        return len(octets)

    async def receive(self, most: int = RECEIVE_BYTES) -> bytes:
        octets = b""
        with trio.CancelScope() as self._receiving:
            if not self._is_closed:
                try:
                    octets = bytes(await self._stream.receive_some(most))
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    pass
        if self._is_closed:
            await trio.aclose_forcefully(self._stream)
            return b""
        return octets

    def close(self) -> None:
        """Lets the receiving task close the stream: a Trio stream cannot be closed at once."""
        self._is_closed = True
        self._receiving.cancel()
