"""Seats client programs at tables of the arena, or starts them for anything else that listens."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial

import trio

from arena.bench.clients import Client
from arena.players.lag import LagWatch, open_watch
from arena.players.stream import StreamPlayer
from arena.players.tcp import accept_all, introduce, listen
from arena.players.transport import Transport
from arena.wire.connection import ArenaConnection

PATIENCE_S = 30.0
"""How long all clients may take to connect before something must be wrong."""

Wrapped = Callable[[Transport, str], Transport]
"""Wraps a transport; called with it and the name of its client, returns what is used in its place."""


@asynccontextmanager
async def seated_clients(
    client: Client,
    seats: int,
    wrapped: Wrapped | None = None,
) -> AsyncIterator[tuple[list[StreamPlayer], LagWatch]]:
    """Seats clients, connected and introduced as in a run; yields them in the order of their names.

    If `wrapped` is given, each client plays over what it returns for the client's transport.
    """
    players: list[StreamPlayer] = []
    everyone = trio.Event()

    async def serve(transport: Transport) -> None:
        connection = ArenaConnection()
        player = StreamPlayer("", watch=watch)
        assert await introduce(transport, connection, PATIENCE_S, player.allowance) is None
        player.name = connection.name or ""
        players.append(player)
        if len(players) == seats:
            players.sort(key=lambda player: int(player.name.rpartition("-")[2]))
            everyone.set()
        await player.serve(wrapped(transport, player.name) if wrapped else transport, connection)

    with open_watch() as watch, closing(listen("127.0.0.1", 0)) as listener:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(accept_all, listener, serve, connections_max=seats))
            with started_clients(client, listener.getsockname()[1], seats):
                with trio.fail_after(PATIENCE_S):
                    await everyone.wait()
                yield players, watch
                for player in players:
                    player.dismiss("measured")
            nursery.cancel_scope.cancel()


@contextmanager
def started_clients(client: Client, port: int, count: int) -> Iterator[None]:
    """Starts this many processes of the client, and ends them on exit."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "ARENA_HOST": "127.0.0.1",
        "ARENA_PORT": str(port),
    }
    processes = []
    try:
        for number in range(count):
            processes.append(
                subprocess.Popen(
                    list(client.command),
                    cwd=client.folder,
                    env=environment | {"ARENA_NAME": f"lean-{number}"},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
