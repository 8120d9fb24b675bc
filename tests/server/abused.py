"""A server for `test_abuses.py`, in a process of its own: `python tests/server/abused.py`.

Prints its port, then every traceback that it notes, and ends with its standard input.  It is as it is for users but
for its patience, so that the tests need not wait.
"""

from __future__ import annotations

import sys
from functools import partial

import trio
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from arena.players.tcp import listen
from arena.server.http.connection import Patience
from arena.server.http.http import HttpOptions, serve_http
from arena.server.http.routing import Routing
from arena.server.http.sockets import SocketLimits, SocketOwner

LIMITS = SocketLimits(send_s=0.5)
PATIENCE = Patience(head_s=0.7, send_s=0.5, ping_s=5.0)

owners: set[SocketOwner] = set()


async def count(request: Request) -> JSONResponse:
    """How many WebSockets have an owner."""
    return JSONResponse(len(owners))


async def slow(request: Request) -> JSONResponse:
    await trio.sleep(0.1)
    return JSONResponse("at last")


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    owner = SocketOwner(websocket, LIMITS)
    owners.add(owner)
    try:
        await owner.run(owner.put)
    finally:
        owners.discard(owner)


async def flood(websocket: WebSocket) -> None:
    """Sends without end, as fast as it is taken."""
    await websocket.accept()
    owner = SocketOwner(websocket, LIMITS)
    owners.add(owner)

    async def fill() -> None:
        while not owner.is_closing:
            if owner.waiting < 8:
                owner.put("x" * 8_000)
            await trio.sleep(0.001)

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fill)
            await owner.run(lambda text: None)
            nursery.cancel_scope.cancel()
    finally:
        owners.discard(owner)


async def main() -> None:
    app = Routing(
        [
            Route("/count", count),
            Route("/slow", slow),
            WebSocketRoute("/ws", echo),
            WebSocketRoute("/flood", flood),
        ]
    )
    listener = listen("127.0.0.1", 0)
    print(listener.getsockname()[1], flush=True)
    tell = partial(print, flush=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            partial(serve_http, app, [listener], HttpOptions(patience=PATIENCE), note=tell, note_bug=tell)
        )
        await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main)
