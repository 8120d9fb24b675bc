"""Measures the arena's processor time for a question over TCP, with clients that answer at once."""

from __future__ import annotations

import time

import attrs
import trio

from arena.bench.clients import Client, clients
from arena.bench.measures import Effort, Measure
from arena.bench.seats import Wrapped, seated_clients
from arena.match.clock import Control
from arena.referee import Conduct, Seating, play_match
from arena.schedule import derive_seed

TABLES = 8
SEATS = 2


@attrs.frozen
class Sample:
    """How much processor time a few seconds of questions and answers took."""

    messages: int
    """How many questions were answered."""
    cpu_s: float
    """The processor time of this process, without the clients."""

    @property
    def cpu_us(self) -> float:
        """The processor time per question, in microseconds."""
        return 1e6 * self.cpu_s / self.messages


def measure_tcp(effort: Effort) -> list[Measure]:
    """Measures the arena's processor time for a question, for every kind of client."""
    found = []
    for client in trio.run(clients):
        samples = [
            trio.run(play_tables, client, TABLES, effort.seconds).cpu_us for _ in range(effort.repeats)
        ]
        what = f"arena, {client.game.name}, {client.what}"
        found.append(Measure("tcp", what, "µs CPU/question", tuple(samples)))
    return found


async def play_tables(client: Client, tables: int, seconds: float, wrapped: Wrapped | None = None) -> Sample:
    """Plays matches between clients, one after another at each table, with all of a run but the store."""
    questions = 0

    async def table(number: int) -> None:
        nonlocal questions
        sitting = players[number * SEATS : (number + 1) * SEATS]
        match = 0
        while trio.current_time() < deadline or not match:
            match += 1
            record = await play_match(
                client.game,
                sitting,
                seed=derive_seed(0, number, match),
                control=Control(),
                conduct=Conduct(),
                seating=Seating(f"{match:012x}", tuple(player.name for player in sitting), (1,) * SEATS),
                lag=watch.since,
            )
            assert not record.capsules, f"a client failed: {record.capsules[0].decision.reason}"
            questions += len(record.decisions)

    async with seated_clients(client, tables * SEATS, wrapped) as (players, watch):
        began, deadline = time.process_time(), trio.current_time() + seconds
        async with trio.open_nursery() as nursery:
            for number in range(tables):
                nursery.start_soon(table, number)
        return Sample(questions, time.process_time() - began)
