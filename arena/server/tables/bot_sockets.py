"""Bots over a WebSocket: the same messages as over TCP, each in a text frame."""

from __future__ import annotations

import trio
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.players.transport import RECEIVE_BYTES, Transport
from arena.server.http.connection import Connection
from arena.server.tables.api import address_of
from arena.server.tables.tcp_door import TcpDoor

PATH = "/ws/bots"
SEND_S = 5.0
"""How long a bot may take to read one message."""
MESSAGE_BYTES_MAX = 1 << 20
"""The longest message to a bot; what the league's process sends without an end costs no more."""


class WebSocketTransport(Transport):
    """A WebSocket as a stream of bytes: what goes out is cut into frames at its newlines."""

    is_polled = False

    def __init__(self, websocket: WebSocket) -> None:
        super().__init__()
        self.peer = address_of(websocket)
        self._websocket = websocket
        self._unread = b""
        """The rest of a frame of which a part was read."""
        self._unsent = b""
        """The beginning of a message."""
        self._receiving = trio.CancelScope()
        self._is_closed = False

    @property
    def round_trip_s(self) -> float | None:
        connection: Connection | None = self._websocket.scope.get("state", {}).get("connection")
        return None if connection is None else connection.round_trip_s

    def send_now(self, octets: bytes | memoryview) -> int:
        return 0

    async def send_some(self, octets: memoryview) -> int:
        if self._is_closed:
            raise trio.ClosedResourceError
        *messages, self._unsent = (self._unsent + octets).split(b"\n")
        if len(self._unsent) > MESSAGE_BYTES_MAX:
            self.close()
            raise trio.BrokenResourceError
        for message in messages:
            with trio.move_on_after(SEND_S) as sending:
                try:
                    await self._websocket.send_text(message.decode())
                except (WebSocketDisconnect, RuntimeError, UnicodeDecodeError):
                    raise trio.BrokenResourceError from None
            if sending.cancelled_caught:
                self.close()
                raise trio.BrokenResourceError
        return len(octets)

    async def receive(self, most: int = RECEIVE_BYTES) -> bytes:
        if not self._unread and not self._is_closed:
            with trio.CancelScope() as self._receiving:
                self._unread = await self._frame()
        if self._is_closed:
            return b""
        octets, self._unread = self._unread[:most], self._unread[most:]
        return octets

    async def _frame(self) -> bytes:
        """The next frame as a line; `b""` at the end."""
        try:
            message = await self._websocket.receive()
        except RuntimeError:  # it is closed already
            return b""
        text = message.get("text")
        return b"" if text is None else f"{text}\n".encode()

    def close(self) -> None:
        self._is_closed = True
        self._receiving.cancel()


def bot_routes(door: TcpDoor) -> list[WebSocketRoute]:
    """Where bots connect over a WebSocket."""

    async def serve(websocket: WebSocket) -> None:
        await websocket.accept()
        await door.serve_over(WebSocketTransport(websocket))
        try:
            await websocket.close()
        except (WebSocketDisconnect, RuntimeError):  # the bot was quicker
            pass

    return [WebSocketRoute(PATH, serve)]
