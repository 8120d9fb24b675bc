"""One client's TCP connection: what it may send, how long it may take, and that it ends.

The bytes are understood by anycorn's HTTP/1.1 (`protocol.py`); reading, writing, time and the tasks of one
connection are ours, because anycorn's own reading and writing (a) wait for ever for a client that does not
read, shielded even from being cancelled, (b) say nothing to whoever writes to a connection that was reset,
(c) limit a ping flood by nothing, and (d) keep a closed WebSocket's memory until its next ping is due.

Every connection is in one of three conditions: *idle* (no request, or part of one), *serving* (a request
is with the application), or an open *WebSocket*.
"""

from __future__ import annotations

import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

import attrs
import trio
from anycorn.config import Config
from anycorn.events import Closed, Event, RawData, Updated
from anycorn.worker_context import WorkerContext

from arena.players.allowance import Bucket
from arena.players.transport import round_trip_of
from arena.server.http.postman import Postman, framed
from arena.server.http.protocol import Http11, Socket
from arena.server.http.tls import HANDSHAKE_S, TlsSession

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An ASGI application: Starlette's, or one wrapped around it."""

READ_BYTES = 1 << 14
"""How much is read at once.  h11 checks the size of a head only while it is incomplete: this bounds what
comes in one piece."""
SOCKET_READ_BYTES = 1 << 10
"""The same for a WebSocket: not more than 170 pings, which take 5 ms."""
FRAME_BYTES = 256
"""How many bytes a frame of a WebSocket counts as, whatever its length."""
SOCKET_BYTES_PER_S, SOCKET_BURST_BYTES = 1 << 16, 1 << 17
"""What a WebSocket may send in a second and at once; what is beyond is read later, which costs its sender
alone."""
SEND_BUFFER_BYTES = 1 << 17
"""What the kernel holds for a client that does not read; by default it would hold megabytes."""
LINGER_S, LINGER_BYTES = 1.0, 8 << 20
"""After our last byte the client's are read and thrown away for this long: closing at once would send a
reset, which can overtake the answer.  nginx takes that for a failure, and answers 502: it may send some
megabytes of an upload before it looks whether the answer is there."""
SEALED_READ_BYTES = 1 << 12
"""How much is read at once of an encrypted connection: asking for new keys costs the other end 27 bytes."""
_NO_TLS = b'{"error":"bad_request","message":"this server speaks HTTPS: ask for https://","field":null}'
NO_TLS = (
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%b"
) % (len(_NO_TLS), _NO_TLS)
"""The answer to http:// where https:// is spoken."""
FINISH_S = 5.0
"""How long an application may go on with a request whose client says no more; a half-closed one gets its
answer."""
APP_QUEUE = 8
"""Messages of the client that wait for the application; then nothing more is read."""


@attrs.frozen
class Patience:
    """How long a connection may take, in seconds."""

    head_s: float = 10.0
    """The time from the first byte of a request's head to its last."""
    handshake_s: float = HANDSHAKE_S
    """The time until it is encrypted, where there is a certificate."""
    idle_s: float = 20.0
    """The time without a request."""
    send_s: float = 5.0
    """The time until the kernel has taken one piece of an answer, or one frame."""
    ping_s: float = 20.0
    """How long a WebSocket may be silent until it is pinged, and after that until it is closed."""


class Connection:
    """One TCP connection; `run` serves it until it ends."""

    def __init__(
        self,
        sock: socket.socket,
        app: Application,
        config: Config,
        context: WorkerContext,
        patience: Patience,
        postman: Postman,
        on_idle: Callable[[Connection, bool], None],
        tls: TlsSession | None = None,
    ) -> None:
        """`on_idle(connection, is_idle)` is told whenever the connection becomes idle, or busy."""
        self._plain = sock
        self._socket = trio.socket.from_stdlib_socket(sock)
        self._app = app
        self._config = config
        self._context = context
        self._patience = patience
        self._on_idle = on_idle
        self.postman = postman
        self._sending = trio.Lock()
        self._rest = b""
        """What the kernel did not take of a frame that was sent at once."""
        self._is_closed = False
        self._is_ending = False
        self._is_idle = True
        self._is_pinged = False
        self._tls = tls
        self._deadline = trio.current_time() + (patience.idle_s if tls is None else patience.handshake_s)
        self._reading: trio.CancelScope | None = None
        self._frames = Bucket(SOCKET_BYTES_PER_S)
        self._nursery: trio.Nursery
        self._protocol: Http11

    async def run(self) -> None:
        """Serves the connection until it ends, and closes it; never raises for what the client did."""
        try:
            _set_up(self._socket)
            client, server = self._socket.getpeername()[:2], self._socket.getsockname()[:2]
            async with trio.open_nursery() as self._nursery:
                self._protocol = Http11(
                    self._app,  # type: ignore[arg-type]  # called by our `spawn_app` alone
                    self._config,
                    self._context,
                    self,  # type: ignore[arg-type]  # the task group: `spawn_app` and `spawn`
                    {"connection": self},  # type: ignore[arg-type]  # scope["state"] of every request
                    client,
                    server,
                    self._protocol_send,
                    None if self._tls is None else {},
                )
                await self._read()
        except OSError:  # it was reset before we could ask who it is
            pass
        finally:
            self._close()

    def abort(self) -> None:
        """Ends the connection at once, with a reset: nothing of it is left, here or in the kernel."""
        if not self._is_closed:
            linger = struct.pack("ii", 1, 0)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self._close()

    def drop(self) -> None:
        """Ends an idle connection, from which nobody waits for anything."""
        self._close()

    @property
    def round_trip_s(self) -> float | None:
        """How long the way to the client, or to its proxy, and back takes; None: unknown."""
        return round_trip_of(self._plain)

    @property
    def has_rest(self) -> bool:
        """Whether `write` is due: the kernel did not take all of a frame."""
        return bool(self._rest)

    def send_now(self, *texts: str) -> bool:
        """Sends texts to an open WebSocket without waiting; returns whether they were taken, or left to
        `write`."""
        stream = self._protocol.stream
        if self._rest or self._is_ending or self._sending.locked():
            return False
        if not isinstance(stream, Socket) or not stream.may_send:
            return False
        octets = b"".join(map(framed, texts))
        try:
            if self._tls is not None:
                octets = self._rest = self._tls.sealed(octets)  # in its turn from now on, whoever sends it
            self._rest = octets[self._plain.send(octets) :]
        except OSError:  # it is full, or gone: whoever waits for it will know
            return bool(self._rest)
        return True

    async def write(self, octets: bytes) -> bool:
        """Sends the bytes within `send_s`, or aborts; returns whether the connection is still open.

        Always a checkpoint.
        """
        async with self._sending:
            if self._is_closed:
                return False
            with trio.move_on_after(self._patience.send_s) as scope:
                try:
                    octets = octets if self._tls is None else self._tls.sealed(octets)
                    octets, self._rest = self._rest + octets, b""
                    await _send_all(self._socket, octets)
                except (OSError, trio.ClosedResourceError):
                    self.abort()
            if scope.cancelled_caught:
                self.abort()
            return not self._is_closed

    # What anycorn calls

    async def spawn_app(
        self,
        app: Application,
        config: Config,
        scope: Scope,
        send: Callable[[Message | None], Awaitable[None]],
    ) -> Callable[[Message], Awaitable[None]]:
        """Starts the application for a request or WebSocket; returns what hands it the client's messages."""
        to_app, from_client = trio.open_memory_channel[Message](APP_QUEUE)
        self._nursery.start_soon(self._run_app, scope, from_client, send)

        async def put(message: Message) -> None:
            try:
                await to_app.send(message)
            except trio.BrokenResourceError:  # the application has finished
                pass

        return put

    def spawn(self, function: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        self._nursery.start_soon(function, *arguments)

    async def _run_app(
        self,
        scope: Scope,
        from_client: trio.MemoryReceiveChannel[Message],
        send: Callable[[Message | None], Awaitable[None]],
    ) -> None:
        async def receive() -> Message:
            try:  # without a checkpoint: Starlette looks for a disconnect inside a scope that is cancelled
                return from_client.receive_nowait()
            except trio.WouldBlock:
                return await from_client.receive()

        scope["extensions"].pop(
            "http.response.pathsend", None
        )  # these would write past `write` and its limit
        scope["extensions"].pop("http.response.zerocopysend", None)
        with from_client:
            await self._app(scope, receive, send)
        await send(None)

    async def _protocol_send(self, event: Event) -> None:
        if isinstance(event, RawData):
            await self.write(event.data)
        elif isinstance(event, Closed):
            self._is_ending = True
            self._set_deadline(0.0)
        elif isinstance(event, Updated) and event.idle != self._is_idle:
            self._is_idle = event.idle
            self._set_deadline(trio.current_time() + self._patience.idle_s if event.idle else float("inf"))
            self._on_idle(self, event.idle)

    # Reading

    async def _read(self) -> None:
        while not self._is_ending:
            piece = await self._receive()
            if piece:
                await self._protocol.handle(RawData(piece))
                continue
            if piece is None and self._is_silent_socket() and await self._ping():
                continue
            if piece is None and self._is_idle and not self._is_ending and self._protocol.is_in_head:
                await self._protocol.refuse(408)
            break
        self._nursery.cancel_scope.deadline = trio.current_time() + FINISH_S
        await self._protocol.handle(Closed())
        if self._is_ending:
            await self._linger()

    async def _receive(self) -> bytes | None:
        """What the client sends next: None if it was silent for too long, nothing at its end."""
        is_socket = self._is_socket
        if is_socket:
            await self._subside()
            self._deadline = trio.current_time() + self._patience.ping_s
        try:
            with trio.CancelScope(deadline=self._deadline) as self._reading:
                piece = await self._hear(SOCKET_READ_BYTES if is_socket else READ_BYTES)
                if is_socket:
                    self._is_pinged = False
                    self._frames.add(len(piece))
                elif self._is_idle and not self._protocol.is_in_head:
                    self._deadline = trio.current_time() + self._patience.head_s
                return piece
        except (OSError, trio.ClosedResourceError):
            return b""
        finally:
            self._reading = None
        return None

    async def _hear(self, most: int) -> bytes:
        """What the client says next, decrypted; nothing at its end."""
        if self._tls is None:
            return await self._socket.recv(most)
        try:
            return await self._unsealed(self._tls, most)
        except ssl.SSLError as error:
            if not self._is_closed:
                octets = NO_TLS if getattr(error, "reason", None) == "HTTP_REQUEST" else self._tls.sealed()
                self._plain.send(octets)  # an alert, or what somebody should know; in vain perhaps
                self._is_ending = True
            return b""

    async def _unsealed(self, tls: TlsSession, most: int) -> bytes:
        """Receives and decrypts at most `most` bytes.  Raises ssl.SSLError for what is not TLS."""
        await trio.lowlevel.checkpoint()  # more may have come in one record than is taken at once
        while not (piece := tls.take(most)) and not tls.is_ended:
            octets = await self._socket.recv(SEALED_READ_BYTES)
            if not octets:
                break
            was_open = tls.is_open
            tls.feed(octets)
            if tls.is_open and not was_open:
                self._set_deadline(trio.current_time() + self._patience.idle_s)
            if tls.has_output and not await self._flush():
                break
        return piece

    async def _flush(self) -> bool:
        """Sends what TLS itself has to say; returns whether the connection is still open."""
        try:
            return await self.write(b"")
        except BaseException:  # it was in the midst of it
            self.abort()
            raise

    async def _subside(self) -> None:
        """Waits until the client may send more frames."""
        self._frames.add(FRAME_BYTES * self._protocol.take_frames())
        over_s = self._frames.over_s(SOCKET_BURST_BYTES)
        if over_s:
            await trio.sleep(over_s)

    def _set_deadline(self, deadline: float) -> None:
        self._deadline = deadline
        if self._reading is not None:
            self._reading.deadline = deadline

    @property
    def _is_socket(self) -> bool:
        return isinstance(self._protocol.stream, Socket)

    def _is_silent_socket(self) -> bool:
        return self._is_socket and not self._is_ending and not self._is_closed

    async def _ping(self) -> bool:
        """Asks a silent WebSocket whether it is there; returns False if it was asked before."""
        if self._is_pinged:
            self.abort()
            return False
        self._is_pinged = True
        assert isinstance(self._protocol.stream, Socket)
        await self._protocol.stream.ping()
        return True

    async def _linger(self) -> None:
        """Throws away what the client was still sending, so that it reads our answer, which is complete."""
        said = 0
        try:
            if self._tls is not None and not self._rest:
                self._plain.send(self._tls.goodbye())
            self._socket.shutdown(socket.SHUT_WR)
            with trio.move_on_after(LINGER_S):
                while said < LINGER_BYTES and (piece := await self._socket.recv(READ_BYTES)):
                    said += len(piece)
        except (OSError, trio.ClosedResourceError):
            pass

    def _close(self) -> None:
        self._is_closed = True
        self._socket.close()


def _set_up(sock: trio.socket.SocketType) -> None:
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)


async def _send_all(sock: trio.socket.SocketType, octets: bytes) -> None:
    sent = await sock.send(octets)
    while sent < len(octets):
        sent += await sock.send(memoryview(octets)[sent:])
