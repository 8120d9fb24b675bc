"""Questions over TCP: the arena's processor time for one, and that of a bare Trio server for the same bytes.

Both serve the same client programs, each in its own process, over equally many connections, in turn, so that
a noisy moment of the machine affects both.  The bare server is the minimum possible with Trio: encode,
`send_all`, `receive_some`, decode.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from functools import partial
from itertools import cycle

import msgspec
import trio

from arena.bench.clients import Client, clients
from arena.bench.measures import Effort, Measure, at_most
from arena.bench.seats import PATIENCE_S, started_clients
from arena.bench.tcp import SEATS, TABLES, Sample, play_tables
from arena.players.transport import Transport
from tests.bench.figures import ratios

from .poker_clients import check_and_call, compiled_check_and_call
from .recordings import RecordingTransport, Saying

RATIO_GOAL = 1.4
HANDS = 25
"""Of a match that is played in hands: so short that a sample need not be much longer than it should."""


def measure_beside_bare(effort: Effort) -> list[Measure]:
    """For every client: the arena, the bare server, and how many times as much the arena takes."""
    found = []
    for client in _all_clients():
        sayings = trio.run(record_sayings, client, TABLES, min(0.3, effort.seconds))
        arena, bare = [], []
        for _ in range(effort.repeats):
            arena.append(trio.run(play_tables, client, TABLES, effort.seconds).cpu_us)
            bare.append(trio.run(ping_pong, client, TABLES * SEATS, sayings, effort.seconds).cpu_us)
        what = f"{client.game.name}, {client.what}"
        found += [
            Measure("tcp", f"arena, {what}", "µs CPU/question", tuple(arena)),
            Measure("tcp", f"bare Trio server, {what}", "µs CPU/message", tuple(bare)),
            Measure("tcp", f"arena ÷ bare, {what}", "×", ratios(arena, bare), at_most(RATIO_GOAL)),
        ]
    return found


def _all_clients() -> list[Client]:
    """Plain and full, at a game of short questions and at one of long ones."""
    compiled = compiled_check_and_call(hands=HANDS)
    if compiled is None:
        print("tcp: there is no g++, so the plain protocol is not measured", file=sys.stderr)
    return [
        *trio.run(clients),
        *([] if compiled is None else [compiled]),
        check_and_call("full", hands=HANDS),
    ]


async def record_sayings(client: Client, tables: int, seconds: float) -> list[Saying]:
    """What the arena says to such clients, on all connections."""
    heard: list[RecordingTransport] = []

    def recorded(transport: Transport, name: str) -> Transport:
        heard.append(RecordingTransport(transport))
        return heard[-1]

    await play_tables(client, tables, seconds, recorded)
    # what stands first was said at the start (welcome, match): it is no question's
    return [saying for recording in heard for saying in recording.sayings()[1:]]


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
        with started_clients(client, listener.socket.getsockname()[1], connections):
            with trio.fail_after(PATIENCE_S):
                await everyone.wait()
            began = time.process_time()
            deadline = trio.current_time() + seconds
            await over.wait()
            spent = time.process_time() - began
        accepting.cancel_scope.cancel()
    return Sample(messages, spent)
