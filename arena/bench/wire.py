"""Questions over TCP: the arena's processor time for one, and that of a bare Trio server for the same bytes.

Both serve the same client programs, each in its own process, over equally many connections, in turn, so that
a noisy moment of the machine affects both.  The bare server is the minimum possible with Trio: encode,
`send_all`, `receive_some`, decode.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import cycle
from typing import Any

import attrs
import msgspec
import trio

from arena.bench.clients import Client, clients
from arena.bench.measures import Effort, Measure, at_most, ratios
from arena.clock import Control
from arena.game import Game
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.players.tcp import accept_all, introduce, listen
from arena.players.transport import RECEIVE_BYTES, Transport
from arena.referee import Conduct, Seating, play_match
from arena.schedule import derive_seed
from arena.wire.connection import ArenaConnection

TABLES = 8
SEATS = 2
RATIO_GOAL = 2.0
PATIENCE_S = 30.0
"""Within this all clients have connected, or something is wrong."""

Saying = tuple[Any, ...]
"""What the arena says between two answers, as JSON values: a question, in the full protocol after events."""


@attrs.frozen
class Sample:
    """What a few seconds of questions and answers took."""

    messages: int
    """Questions, each with its answer."""
    cpu_s: float
    """Processor time of this process, without the clients."""

    @property
    def cpu_us(self) -> float:
        """Processor time per message, in microseconds."""
        return 1e6 * self.cpu_s / self.messages


def measure_tcp(effort: Effort) -> list[Measure]:
    """For every client: the arena, the bare server, and how many times as much the arena takes."""
    found = []
    for client in trio.run(clients):
        sayings = trio.run(record_sayings, client, TABLES, min(0.3, effort.seconds))
        arena, bare = [], []
        for _ in range(effort.repeats):
            arena.append(trio.run(play_tables, client, TABLES, effort.seconds).cpu_us)
            bare.append(trio.run(ping_pong, client, TABLES * SEATS, sayings, effort.seconds).cpu_us)
        found += [
            Measure("tcp", f"arena, {client.what}", "µs CPU/question", tuple(arena)),
            Measure("tcp", f"bare Trio server, {client.what}", "µs CPU/message", tuple(bare)),
            Measure("tcp", f"arena ÷ bare, {client.what}", "×", ratios(arena, bare), at_most(RATIO_GOAL)),
        ]
    return found


# The arena.


async def play_tables(client: Client, tables: int, seconds: float) -> Sample:
    """Matches between clients, one after the other at each table, with everything a run has but the store."""
    async with _seated(client, tables * SEATS) as (players, watch):
        return await _play_all(client.game, players, watch, seconds)


async def record_sayings(client: Client, tables: int, seconds: float) -> list[Saying]:
    """What the arena says to such clients, on all connections."""
    heard: list[_Recording] = []

    def recorded(transport: Transport) -> Transport:
        heard.append(_Recording(transport))
        return heard[-1]

    async with _seated(client, tables * SEATS, recorded) as (players, watch):
        await _play_all(client.game, players, watch, seconds)
    # what stands first was said at the start (welcome, match): it is no question's
    return [saying for recording in heard for saying in recording.sayings()[1:]]


@asynccontextmanager
async def _seated(
    client: Client, seats: int, wrapped: Any = lambda transport: transport
) -> AsyncIterator[tuple[list[StreamPlayer], LagWatch]]:
    """This many clients, connected and introduced as in a run."""
    players: list[StreamPlayer] = []
    everyone = trio.Event()
    watch = LagWatch()

    async def serve(transport: Transport) -> None:
        connection = ArenaConnection()
        player = StreamPlayer(f"lean-{len(players)}", watch=watch)
        assert await introduce(transport, connection, PATIENCE_S, player.allowance) is None
        players.append(player)
        if len(players) == seats:
            everyone.set()
        await player.serve(wrapped(transport), connection)

    listener = listen("127.0.0.1", 0)
    trio.lowlevel.add_instrument(watch)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(accept_all, listener, serve, connections_max=seats))
            async with _started(client, listener.getsockname()[1], seats):
                with trio.fail_after(PATIENCE_S):
                    await everyone.wait()
                yield players, watch
                for player in players:
                    player.dismiss("measured")
            nursery.cancel_scope.cancel()
    finally:
        listener.close()
        trio.lowlevel.remove_instrument(watch)


async def _play_all(
    game: Game[Any, Any], players: Sequence[StreamPlayer], watch: LagWatch, seconds: float
) -> Sample:
    questions = 0
    deadline = trio.current_time() + seconds

    async def table(number: int) -> None:
        nonlocal questions
        sitting = players[number * SEATS : (number + 1) * SEATS]
        match = 0
        while trio.current_time() < deadline or not match:
            match += 1
            record = await play_match(
                game,
                sitting,
                seed=derive_seed(0, number, match),
                control=Control(),
                conduct=Conduct(),
                seating=Seating(f"{match:012x}", tuple(player.name for player in sitting), (1,) * SEATS),
                lag=watch.since,
            )
            assert not record.capsules, f"a client failed: {record.capsules[0].decision.reason}"
            questions += len(record.decisions)

    began = time.process_time()
    async with trio.open_nursery() as nursery:
        for number in range(len(players) // SEATS):
            nursery.start_soon(table, number)
    return Sample(questions, time.process_time() - began)


class _Recording(Transport):
    """A transport that keeps what is sent, grouped by the answers in between."""

    def __init__(self, inner: Transport) -> None:
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

    def sayings(self) -> list[Saying]:
        """All groups but the last, which no answer followed."""
        return [tuple(map(msgspec.json.decode, said.splitlines())) for said in self._said[:-1] if said]


# The bare server.


async def ping_pong(client: Client, connections: int, sayings: Sequence[Saying], seconds: float) -> Sample:
    """The same questions and answers with nothing else."""
    messages, here, left = 0, 0, connections
    everyone, over = trio.Event(), trio.Event()
    deadline = float("inf")
    encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode

    async def serve(stream: trio.SocketStream) -> None:
        nonlocal messages, here, left
        here += 1
        number = here
        await stream.receive_some(65536)  # its name
        if here == connections:
            everyone.set()
        await everyone.wait()
        for saying in cycle(sayings[number * len(sayings) // (connections + 1) :]):
            await stream.send_all(b"".join([encode(value) + b"\n" for value in saying]))
            line = await stream.receive_some(65536)
            while line[-1:] != b"\n":
                more = await stream.receive_some(65536)
                assert more, "a client closed its connection"
                line += more
            decode(line)
            messages += 1
            if trio.current_time() >= deadline:
                break
        left -= 1
        if not left:
            over.set()

    listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
    async with trio.open_nursery() as accepting, trio.open_nursery() as serving:
        accepting.start_soon(partial(trio.serve_listeners, serve, [listener], handler_nursery=serving))
        async with _started(client, listener.socket.getsockname()[1], connections):
            with trio.fail_after(PATIENCE_S):
                await everyone.wait()
            began = time.process_time()
            deadline = trio.current_time() + seconds
            await over.wait()
            spent = time.process_time() - began
        accepting.cancel_scope.cancel()
    return Sample(messages, spent)


# The clients.


@asynccontextmanager
async def _started(client: Client, port: int, count: int) -> AsyncIterator[None]:
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
                subprocess.Popen(  # noqa: ASYNC220 - nothing is measured yet, so nobody minds the wait
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
