"""One owner for each WebSocket: whoever wants to send puts a frame into its queue, and never waits.

    async def watch(websocket: WebSocket) -> None:
        await websocket.accept()
        owner = SocketOwner(websocket)
        await owner.run(receive=lambda text: table.heard(owner, text))

`put`, `put_latest` and `close` are synchronous and never raise or block: a listener of a table may call
them.  What a client does costs that client alone: whoever sends too much is read later, whoever does not
read is dropped.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from itertools import islice
from typing import Literal, TypeAlias

import attrs
import trio
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.players.allowance import Bucket
from arena.server.http.connection import Connection

Code: TypeAlias = Literal[1000, 1001, 1003, 1008, 1013]

GONE: Code = 1001
"""The server stops."""
STOPS = "the server stops: your key is good for when it runs again"
TEXT_ALONE: Code = 1003
FORBIDDEN: Code = 1008
TOO_SLOW: Code = 1013
"""Too much waited for this client; after it has connected again it is told everything anew."""

FRAMES_TOGETHER = 16
"""Frames that go to the kernel in one call: a move with the state and the turn after it are four."""
REASON_BYTES_MAX = 120
"""A close frame has room for 123."""


@attrs.frozen
class SocketLimits:
    """What one WebSocket may cost."""

    frames_max: int = 256
    """Frames that wait to be sent."""
    bytes_max: int = 1 << 18
    """The characters of all waiting frames together."""
    send_s: float = 5.0
    """How long one frame may take to be sent."""
    messages_per_s: float = 10.0
    """Messages of the client over time, of which `messages_at_once` may come in one moment."""
    messages_at_once: float = 40.0


class SocketOwner:
    """Owns one accepted WebSocket: sends what was put, in that order, and hands over what arrives."""

    def __init__(self, websocket: WebSocket, limits: SocketLimits | None = None) -> None:
        self._websocket = websocket
        self._limits = limits or SocketLimits()
        self._queue: OrderedDict[str | int, str | Callable[[], str]] = OrderedDict()
        self._put = 0
        self._characters = 0
        self._goodbye: tuple[Code, str] | None = None
        self._woken = trio.Event()
        self._is_due = False
        """Whether the postman will come."""
        self._is_writing = False
        """Whether a frame is being sent that has to wait."""
        self._error: Exception | None = None
        self._connection: Connection | None = websocket.scope.get("state", {}).get("connection")
        """What lies below, if this is our own server; elsewhere there is no postman."""

    @property
    def is_closing(self) -> bool:
        """Whether nothing more will be sent."""
        return self._goodbye is not None

    @property
    def waiting(self) -> int:
        """Frames that wait to be sent."""
        return len(self._queue)

    def put(self, frame: str) -> None:
        """Sends a text frame after those before it.

        If too many wait, the socket is closed: a client that misses one frame of an ordered stream must
        connect again and be told everything.
        """
        if self._goodbye is not None:
            return
        limits = self._limits
        if len(self._queue) >= limits.frames_max or self._characters + len(frame) > limits.bytes_max:
            self._forget()
            self.close("too much was waiting for you; connect again", TOO_SLOW)
            return
        self._put += 1
        self._characters += len(frame)
        self._queue[self._put] = frame
        self._wake()

    def put_latest(self, key: str, make: Callable[[], str]) -> None:
        """Sends what `make` returns when its turn comes, in place of what waits under the same key.

        It goes behind everything that was put before, so that a newest state follows the events that led
        to it. `make` should return the same string to all who ask for the same state: it is encoded once
        for all of them.
        """
        if self._goodbye is not None:
            return
        self._queue.pop(key, None)
        self._queue[key] = make
        self._wake()

    def close(self, reason: str, code: Code = 1000) -> None:
        """Closes the socket once what was put before is sent; `reason` is a sentence for the client."""
        if self._goodbye is None:
            self._goodbye = code, reason.encode()[:REASON_BYTES_MAX].decode(errors="ignore")
            self._wake()

    async def run(self, receive: Callable[[str], None]) -> None:
        """Sends and receives until one of the two sides closes; `receive` is called with each text.

        Raises what `receive` raises: a bug, which ends this connection alone.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write, nursery.cancel_scope)
            await self._read(receive)
            nursery.cancel_scope.cancel()
        self._forget()
        self._goodbye = self._goodbye or (1000, "")

    async def _read(self, receive: Callable[[str], None]) -> None:
        said = Bucket(self._limits.messages_per_s)
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None:
                self.close("text frames alone", TEXT_ALONE)
                await trio.sleep_forever()  # until the goodbye is said
            receive(text)
            said.add(1.0)
            await trio.sleep(said.over_s(self._limits.messages_at_once))

    def _wake(self) -> None:
        if self._connection is None or not self._queue:
            self._woken.set()
        elif not self._is_due:
            self._is_due = True
            self._connection.postman.call(self._deliver)

    def _deliver(self) -> None:
        """Sends what the kernel takes at once; the rest is the writer's."""
        self._is_due = False
        assert self._connection is not None
        if self._is_writing:
            return
        while self._queue:
            together = list(islice(self._queue.items(), FRAMES_TOGETHER))
            try:
                frames = [waiting if isinstance(waiting, str) else waiting() for _, waiting in together]
            except Exception as error:  # a bug of whoever made it: it ends this socket, not the postman
                self._error = error
                break
            if not self._connection.send_now(*frames):
                break
            for key, _ in together:
                self._take(key)
        if self._queue or self._goodbye is not None or self._connection.has_rest:
            self._woken.set()

    def _take(self, key: str | int) -> str | Callable[[], str]:
        waiting = self._queue.pop(key)
        if isinstance(waiting, str):
            self._characters -= len(waiting)
        return waiting

    async def _write(self, scope: trio.CancelScope) -> None:
        while self._queue or self._goodbye is None:
            self._is_writing = False
            await self._woken.wait()
            self._woken = trio.Event()
            self._is_writing = True
            if not await self._send_all():
                scope.cancel()
                return
        with trio.move_on_after(self._limits.send_s):
            await self._say_goodbye()
        scope.cancel()

    async def _send_all(self) -> bool:
        """Sends what waits; returns whether the connection is still there."""
        if self._error is not None:
            raise self._error
        if (
            self._connection is not None
            and self._connection.has_rest
            and not await self._connection.write(b"")
        ):
            return False
        while self._queue:
            waiting = self._take(next(iter(self._queue)))
            if not await self._send(waiting if isinstance(waiting, str) else waiting()):
                return False
        return True

    async def _send(self, frame: str) -> bool:
        """Sends one frame; returns whether the connection is still there."""
        with trio.move_on_after(self._limits.send_s):
            try:
                await self._websocket.send({"type": "websocket.send", "text": frame})
            except WebSocketDisconnect:
                return False
            # A server may send to a connection that was reset without raising or yielding: the reader
            # must hear of it.
            await trio.lowlevel.checkpoint()
            return True
        self._drop()
        return False

    async def _say_goodbye(self) -> None:
        assert self._goodbye is not None
        code, reason = self._goodbye
        try:
            await self._websocket.close(code, reason)
        except (WebSocketDisconnect, RuntimeError):  # the client was quicker
            pass

    def _drop(self) -> None:
        """Ends the TCP connection: a client that reads nothing reads no goodbye."""
        self._goodbye = self._goodbye or (TOO_SLOW, "")
        self._forget()
        if self._connection is not None:
            self._connection.abort()

    def _forget(self) -> None:
        self._queue.clear()
        self._characters = 0
