"""The HTTP side: it answers, and what one client does costs that client alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from arena.players.tcp import listen
from arena.server.http import HttpOptions, serve_http


async def hello(request: Request) -> JSONResponse:
    return JSONResponse({"hello": "world"})


@asynccontextmanager
async def served(app: object, options: HttpOptions | None = None) -> AsyncIterator[int]:
    """A server on a free port, which must not note any bug."""
    bugs: list[str] = []
    listener = listen("127.0.0.1", 0)
    async with trio.open_nursery() as nursery:
        await nursery.start(
            partial(
                serve_http,
                app,
                [listener],
                options or HttpOptions(),
                note=lambda text: None,
                note_bug=bugs.append,
            )
        )
        yield listener.getsockname()[1]
        nursery.cancel_scope.cancel()
    listener.close()
    assert [] == bugs


async def said_by(port: int, octets: bytes) -> bytes:
    """All that the server says to these bytes until it closes."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    await stream.send_all(octets)
    said = b""
    async with stream:
        async for piece in stream:
            said += piece
    return said


async def test_an_application_answers() -> None:
    """A GET gets its JSON, without a Server header."""
    async with served(Starlette(routes=[Route("/", hello)])) as port:
        said = await said_by(port, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert b"server:" not in head.lower()
    assert b'{"hello":"world"}' == body
