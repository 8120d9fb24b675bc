"""Client programs at tables of the arena, or of anything else that listens, and what they are told."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from typing import Any

import msgspec
import trio

from arena.bench.clients import Client
from arena.players.lag import LagWatch, open_watch
from arena.players.stream import StreamPlayer
from arena.players.tcp import accept_all, introduce, listen
from arena.players.transport import RECEIVE_BYTES, Transport
from arena.wire.connection import ArenaConnection

PATIENCE_S = 30.0
"""Within this all clients have connected, or something is wrong."""

Saying = tuple[Any, ...]
"""What the arena says between two answers, as JSON values: a question, in the full protocol after events."""
Wrapped = Callable[[Transport, str], Transport]
"""Gives what is used in place of a transport, from it and the name of who is there."""


@asynccontextmanager
async def seated_clients(
    client: Client,
    seats: int,
    wrapped: Wrapped = lambda transport, name: transport,
) -> AsyncIterator[tuple[list[StreamPlayer], LagWatch]]:
    """This many clients, connected and introduced as in a run, in the order of their names.

    Each plays over what `wrapped` makes of its transport.
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
        await player.serve(wrapped(transport, player.name), connection)

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
    """This many processes of the client, ended on exit."""
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


class RecordingTransport(Transport):
    """A transport that keeps what is sent, grouped by the answers in between."""

    def __init__(self, inner: Transport) -> None:
        super().__init__()
        self._inner = inner
        self._said = [b""]

    def send_now(self, octets: bytes | memoryview) -> int:
        sent = self._inner.send_now(octets)
        self._said[-1] += bytes(octets[:sent])
        return sent

    async def send_some(self, octets: memoryview) -> int:
        sent = await self._inner.send_some(octets)
        self._said[-1] += bytes(octets[:sent])
        return sent

    async def receive(self, most: int = RECEIVE_BYTES) -> bytes:
        received = await self._inner.receive(most)
        if received:
            self._said.append(b"")
        return received

    def close(self) -> None:
        self._inner.close()

    @property
    def said(self) -> bytes:
        """All that was sent."""
        return b"".join(self._said)

    def sayings(self) -> list[Saying]:
        """All groups but the last, which no answer followed; encoded again they are the same bytes."""
        groups = [said for said in self._said[:-1] if said]
        sayings = [tuple(map(msgspec.json.decode, said.splitlines())) for said in groups]
        for said, saying in zip(groups, sayings, strict=True):
            assert said == b"".join(msgspec.json.encode(value) + b"\n" for value in saying), said
        return sayings
