"""A server under test, and clients that send it any bytes; they use nothing of the arena."""

from __future__ import annotations

import json
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import trio

from arena.players.tcp import listen
from arena.server.http.certificate import Certificate
from arena.server.http.connection import Application
from arena.server.http.http import HttpOptions, serve_http

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
UPGRADE = (
    b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


_clients: list[trio.SocketStream] = []
"""All that were connected to the server of this test, to be closed after it."""


@asynccontextmanager
async def served(
    app: Application,
    options: HttpOptions | None = None,
    bugs: list[str] | None = None,
    certificate: Certificate | None = None,
) -> AsyncIterator[int]:
    """A server on a free port; it must not note a bug that the test does not ask for."""
    noted: list[str] = []
    listener = listen("127.0.0.1", 0)
    note_bug = (noted if bugs is None else bugs).append
    serve = partial(
        serve_http,
        app,
        [listener],
        options or HttpOptions(),
        note=lambda text: None,
        note_bug=note_bug,
        certificate=certificate,
    )
    with listener:
        async with trio.open_nursery() as nursery:
            await nursery.start(serve)
            yield listener.getsockname()[1]
            nursery.cancel_scope.cancel()
    close_clients()
    assert [] == noted, noted[0]


def close_clients() -> None:
    while _clients:
        _clients.pop().socket.close()


def request(method: str, path: str, *headers: str, body: bytes = b"", close: bool = True) -> bytes:
    """The bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1", *headers]
    if not any(header.startswith("Host:") for header in headers):
        lines.append("Host: localhost")
    if body and not any(header.lower().startswith("content-length:") for header in headers):
        lines.append(f"Content-Length: {len(body)}")
    lines += ["Connection: close"] * close
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def connect(port: int, window_bytes: int | None = None) -> trio.SocketStream:
    """A connection; `window_bytes` is what the kernel takes for a client that does not read."""
    sock = trio.socket.socket()
    if window_bytes is not None:
        sock.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, window_bytes)
    await sock.connect(("127.0.0.1", port))
    stream = trio.SocketStream(sock)
    _clients.append(stream)
    return stream


async def said_by(port: int, octets: bytes) -> bytes:
    """All that the server says to these bytes until it closes."""
    async with await connect(port) as stream:
        await stream.send_all(octets)
        return await until_closed(stream)


async def until_closed(stream: trio.abc.Stream) -> bytes:
    said = b""
    try:
        async for piece in stream:
            said += piece
    except trio.BrokenResourceError:
        pass
    return said


async def answer_on(stream: trio.abc.Stream) -> bytes:
    """The next answer on a connection that stays open."""
    said = b""
    while b"\r\n\r\n" not in said or len(said.partition(b"\r\n\r\n")[2]) < int(
        headers_of(said)["content-length"]
    ):
        piece = await stream.receive_some()
        if not piece:
            return b""
        said += piece
    return said


def status_of(said: bytes) -> int:
    return int(said.split(b" ", 2)[1]) if said else 0


def headers_of(said: bytes) -> dict[str, str]:
    head = said.partition(b"\r\n\r\n")[0].decode()
    return {
        name.lower(): value for name, _, value in (line.partition(": ") for line in head.split("\r\n")[1:])
    }


def json_of(said: bytes) -> Any:
    return json.loads(said.partition(b"\r\n\r\n")[2])


def frame(
    kind: int,
    payload: bytes = b"",
    *,
    length: int | None = None,
    is_final: bool = True,
    mask: bytes = b"\1\2\3\4",
) -> bytes:
    """A frame as clients send it; `length` is what its head claims."""
    length = len(payload) if length is None else length
    head = bytes([kind | 0x80 * is_final])
    if length < 126:
        head += bytes([0x80 | length])
    elif length < 1 << 16:
        head += bytes([0x80 | 126]) + struct.pack(">H", length)
    else:
        head += bytes([0x80 | 127]) + struct.pack(">Q", length)
    return head + mask + bytes(octet ^ mask[place % 4] for place, octet in enumerate(payload))


class Raw:
    """A WebSocket spoken by hand."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self._buffer = b""

    async def send(self, *frames: bytes) -> None:
        await self.stream.send_all(b"".join(frames))

    async def text(self, text: str) -> None:
        await self.send(frame(TEXT, text.encode()))

    async def hear(self) -> tuple[int, bytes]:
        """The kind and payload of the next frame; (0, b"") at the end."""
        while (found := self._whole()) is None:
            try:
                piece = await self.stream.receive_some()
            except trio.BrokenResourceError:
                piece = b""
            if not piece:
                return 0, b""
            self._buffer += piece
        return found

    def _whole(self) -> tuple[int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        length, begin = buffer[1] & 127, 2
        if length == 126:
            length, begin = int.from_bytes(buffer[2:4], "big"), 4
        elif length == 127:
            length, begin = int.from_bytes(buffer[2:10], "big"), 10
        if len(buffer) < begin + length:
            return None
        self._buffer = buffer[begin + length :]
        return buffer[0] & 15, buffer[begin : begin + length]

    async def goodbye(self) -> tuple[int, str]:
        """The code and reason of the close frame, whatever came before it; (0, "") if there is none."""
        while True:
            kind, payload = await self.hear()
            if kind in (0, CLOSE):
                return (int.from_bytes(payload[:2], "big"), payload[2:].decode()) if payload else (0, "")


async def upgraded(port: int, path: str = "/ws", after: bytes = b"", window_bytes: int | None = None) -> Raw:
    """An open WebSocket; `after` is sent in one piece with the request."""
    return await upgraded_on(await connect(port, window_bytes), path, after)


async def upgraded_on(stream: trio.abc.Stream, path: str = "/ws", after: bytes = b"") -> Raw:
    """The same on a connection that is there."""
    await stream.send_all(UPGRADE % path.encode() + after)
    raw = Raw(stream)
    while b"\r\n\r\n" not in raw._buffer:
        piece = await stream.receive_some()
        assert piece, "closed instead of upgraded"
        raw._buffer += piece
    head, _, raw._buffer = raw._buffer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101"), head
    return raw
