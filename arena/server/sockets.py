"""One owner for each WebSocket: who else wants to send puts a frame into its queue, and never waits.

    async def watch(websocket: WebSocket) -> None:
        await websocket.accept()
        owner = SocketOwner(websocket)
        table.attach(owner)
        try:
            await owner.run(receive=lambda text: table.heard(owner, text))
        finally:
            table.detach(owner)

`put`, `put_latest` and `close` are synchronous and never raise or block: a listener of a table may call
them.  What a client does costs that client alone: whoever sends too much is read later, whoever does not
read is dropped.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Literal, TypeAlias

import attrs
import trio
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.players.allowance import Bucket

Code: TypeAlias = Literal[1000, 1001, 1003, 1008, 1013]

GONE: Code = 1001
"""The server stops."""
TEXT_ALONE: Code = 1003
FORBIDDEN: Code = 1008
TOO_SLOW: Code = 1013
"""Too much was waiting for it; who connects again gets everything anew."""

REASON_BYTES_MAX = 120
"""A close frame has room for 123."""


@attrs.frozen
class SocketLimits:
    """What one WebSocket may cost."""

    frames_max: int = 256
    """Frames that wait to be sent."""
    bytes_max: int = 1 << 18
    """The characters of all of them together."""
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
        self._woken.set()

    def put_latest(self, key: str, make: Callable[[], str]) -> None:
        """Sends what `make` gives when its turn comes, in place of what waits under the same key.

        It goes behind everything that was put before, so that a newest state follows the events that led
        to it. `make` should give the same string to all who ask for the same state: it is encoded once
        for all of them.
        """
        if self._goodbye is not None:
            return
        self._queue.pop(key, None)
        self._queue[key] = make
        self._woken.set()

    def close(self, reason: str, code: Code = 1000) -> None:
        """Closes the socket once what was put before is sent; `reason` is a sentence for the client."""
        if self._goodbye is None:
            self._goodbye = code, _shortened(reason)
            self._woken.set()

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

    async def _write(self, scope: trio.CancelScope) -> None:
        while self._queue or self._goodbye is None:
            if not self._queue:
                self._woken = trio.Event()
                await self._woken.wait()
            elif not await self._send(self._next()):
                break
        else:
            with trio.move_on_after(self._limits.send_s):
                await self._say_goodbye()
        scope.cancel()

    def _next(self) -> str:
        _key, frame = self._queue.popitem(last=False)
        if isinstance(frame, str):
            self._characters -= len(frame)
            return frame
        return frame()

    async def _send(self, frame: str) -> bool:
        """Sends one frame; gives whether the connection is still there."""
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
        connection = self._websocket.scope.get("state", {}).get("connection")
        if connection is not None:
            connection.abort()

    def _forget(self) -> None:
        self._queue.clear()
        self._characters = 0


def _shortened(reason: str) -> str:
    return reason.encode()[:REASON_BYTES_MAX].decode(errors="ignore")
