"""anycorn's HTTP/1.1 and WebSocket, with what it leaves open closed.

- HTTP/1.1 and 1.0 alone: no change to cleartext HTTP/2, whose streams would have no limits.
- Not more than `HEADERS_MAX` headers; the refusal of a broken request says why, as JSON.
- A WebSocket takes text alone, in messages of at most `config.websocket_max_message_size` bytes.  What is
  anything else is answered with the code that names it (1003, 1007, 1009), and the connection ends;
  anycorn goes on reading after an oversized message and keeps all of it, and ends without a code after
  invalid UTF-8.
- What comes with the upgrade is read before what comes after it, also while the upgrade is being answered.
- Of the pings that arrive in one piece the last is answered, as RFC 6455 allows.
- Sending to a WebSocket that is gone raises OSError, as ASGI says; anycorn returns at once and yields to
  nobody.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, cast

import h11
import msgspec
from anycorn.events import Closed, RawData
from anycorn.protocol.events import Body, Data, Event, Request, StreamClosed
from anycorn.protocol.h11 import STREAM_ID, H11Protocol, H11WSConnection
from anycorn.protocol.http_stream import HTTPStream
from anycorn.protocol.ws_stream import WSStream
from anycorn.typing import WebsocketAcceptEvent
from wsproto.connection import ConnectionState
from wsproto.events import BytesMessage, CloseConnection, Ping, TextMessage
from wsproto.frame_protocol import CloseReason

HEADERS_MAX = 100


class Http11(H11Protocol):
    """The HTTP/1.1 side of one connection."""

    _head = b""
    """The head of an answer, until there is something of its body: both leave in one packet."""

    def take_frames(self) -> int:
        """How many frames of a WebSocket came since this was last asked."""
        if not isinstance(self.stream, Socket):
            return 0
        frames, self.stream.frames = self.stream.frames, 0
        return frames

    @property
    def is_in_head(self) -> bool:
        """Whether part of a request's head has come."""
        return bool(self.connection.trailing_data[0])

    async def _check_protocol(self, event: h11.Request) -> None:
        """Never switches to another protocol, whatever the client asks for."""

    async def _create_stream(self, request: h11.Request) -> None:
        if request.http_version not in (b"1.0", b"1.1"):
            return await self.refuse(505)
        if len(request.headers) > HEADERS_MAX:
            return await self.refuse(431)
        if _is_upgrade(request):
            self.stream = Socket(*self._stream_arguments())
            self.connection = H11WSConnection(cast(h11.Connection, self.connection))
        else:
            self.stream = HTTPStream(*self._stream_arguments())
        await self.stream.handle(
            Request(
                stream_id=STREAM_ID,
                headers=list(request.headers),
                http_version=request.http_version.decode(),
                method=request.method.decode("ascii").upper(),
                raw_path=request.target,
                state=self.connection_state,
            )
        )
        self.keep_alive_requests += 1
        return None

    async def _send_h11_event(self, event: Any) -> None:
        try:
            octets = self._head + (self.connection.send(event) or b"")
        except h11.LocalProtocolError:
            if self.connection.their_state != h11.ERROR:
                raise
            return
        self._head = octets if isinstance(event, h11.Response) else b""
        if octets and not self._head:
            await self.send(RawData(data=octets))

    def _stream_arguments(self) -> tuple[Any, ...]:
        return (
            self.app,
            self.config,
            self.context,
            self.task_group,
            self.client,
            self.server,
            self.stream_send,
            STREAM_ID,
            self.tls,
        )

    async def refuse(self, status: int) -> None:
        """Answers with an error instead of asking the application, and closes."""
        await self._send_error_response(status)
        await self.send(Closed())

    async def _send_error_response(self, status_code: int) -> None:
        status = HTTPStatus(status_code)
        kind = "too_large" if status_code == 431 else "bad_request"
        body = msgspec.json.encode({"error": kind, "message": status.phrase.lower(), "field": None})
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *self.config.response_headers("h11"),
        ]
        await self._send_h11_event(h11.Response(status_code=status_code, headers=headers))
        await self._send_h11_event(h11.Data(data=body))
        await self._send_h11_event(h11.EndOfMessage())


def _is_upgrade(request: h11.Request) -> bool:
    if request.method != b"GET":
        return False
    upgrade = connection = b""
    for name, value in request.headers:  # h11 gives names in lower case
        if name == b"upgrade":
            upgrade = value.strip().lower()
        elif name == b"connection":
            connection = value.lower()
    return upgrade == b"websocket" and b"upgrade" in (token.strip() for token in connection.split(b","))


class Socket(WSStream):
    """One WebSocket."""

    frames = 0
    """Frames, or parts of them, that came since the connection last counted."""
    _is_open = False
    """Whether the upgrade is answered, and what came before is read."""
    _text = ""
    _text_bytes = 0

    @property
    def may_send(self) -> bool:
        """Whether a text frame may be sent now."""
        return self._is_open and not self.closed and self.connection.state is ConnectionState.OPEN

    async def ping(self) -> None:
        if self.handshake.accepted and not self.closed:
            await self._send_wsproto_event(Ping())

    async def handle(self, event: Event) -> None:
        if isinstance(event, Body | Data) and self.handshake.accepted and not self.closed:
            self.frames += 1
            if not self._is_open:
                return await self._keep(event.data)
        return await super().handle(event)

    async def _keep(self, octets: bytes) -> None:
        """Keeps in order what came with the upgrade and what arrives while that is answered, which
        anycorn mixes up."""
        self.pre_accept_data.extend(octets)
        if len(self.pre_accept_data) > self.config.websocket_max_message_size:
            self.pre_accept_data = bytearray()
            await self._end(CloseReason.MESSAGE_TOO_BIG, "too much before the upgrade was answered")

    async def _accept(self, message: WebsocketAcceptEvent) -> None:
        await super()._accept(message)
        while self.pre_accept_data and not self.closed:  # a goodbye may be in it
            octets, self.pre_accept_data = bytes(self.pre_accept_data), bytearray()
            self.connection.receive_data(octets)
            await self._handle_events()
        self._is_open = True

    async def app_send(self, message: Any) -> None:
        if self.closed and message is not None and message["type"] == "websocket.send":
            raise ConnectionResetError("the client of this WebSocket is gone")
        await super().app_send(message)

    async def _handle_events(self) -> None:
        ping: Ping | None = None
        for event in self.connection.events():
            self.frames += 1
            if isinstance(event, Ping):
                ping = event
            elif isinstance(event, TextMessage):
                if not await self._gather(event):
                    return None
            elif isinstance(event, BytesMessage):
                return await self._end(CloseReason.UNSUPPORTED_DATA, "text frames alone")
            elif isinstance(event, CloseConnection):
                return await self._end(event.code, event.reason or "")
        if ping is not None:
            await self._send_wsproto_event(ping.response())
        return None

    async def _gather(self, event: TextMessage) -> bool:
        """Adds a part of a message, and hands it over when it is complete; returns whether all is well."""
        self._text_bytes += len(event.data.encode())
        if self._text_bytes > self.config.websocket_max_message_size:
            await self._end(CloseReason.MESSAGE_TOO_BIG, "the message is too long")
            return False
        self._text += event.data
        if event.message_finished:
            assert self.app_put is not None
            text, self._text, self._text_bytes = self._text, "", 0
            await self.app_put({"type": "websocket.receive", "bytes": None, "text": text})
        return True

    async def _end(self, code: int, reason: str) -> None:
        """Says goodbye, answers the client's, or says what was wrong; the connection ends in each case."""
        self.close_code = code
        if code == CloseReason.NO_STATUS_RCVD:  # it sent no code, and this one must not be sent
            goodbye = CloseConnection(code=CloseReason.NORMAL_CLOSURE)
        else:
            goodbye = CloseConnection(code=code, reason=reason[:100])
        await self._send_wsproto_event(goodbye)
        await self.send(StreamClosed(stream_id=self.stream_id))
