"""What the fast path of an answer gains: a question's processor time with each part of the path left out.

An answer usually goes from the kernel to the next question in one step of one task (arena/README.md describes
the path).  Each slower variant here does one part of it in the obvious way, and everything else the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from unittest.mock import patch

import trio

from arena.bench.clients import clients
from arena.bench.measures import Effort, Measure
from arena.bench.tcp import TABLES, play_tables
from arena.players.desk import Desk, Slot
from tests.bench.figures import ratios


class AwaitingDesk(Desk):
    """The last answer sets an event; the match resumes when Trio next runs the task that awaits it.

    Deadlines are judged as in `Desk`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._all_in = trio.Event()

    def note_settled(self) -> None:
        self.missing -= 1
        if not self.missing:
            self._all_in.set()

    async def carry(self, turns: Iterator[Sequence[Slot]]) -> None:
        for slots in turns:
            self._slots = slots
            if self.missing:
                await self._sleep()
            else:
                await trio.lowlevel.checkpoint()

    async def _settled_by(self, deadline: float, now: float) -> bool:
        self._all_in = trio.Event()
        with trio.move_on_at(deadline):
            await self._all_in.wait()
        return False


WAYS: Mapping[str, Callable[[], AbstractContextManager[object]]] = {
    "as it is": nullcontext,
    "matches await their answers": lambda: patch("arena.referee.Desk", AwaitingDesk),
    "only Trio polls": lambda: patch("arena.players.switchboard.AT_A_STRETCH_S", 0.0),
    "each connection waits for itself": lambda: patch("arena.players.switchboard.IS_HERE", False),
}
FEW_TABLES = 2
"""So few that an answer seldom comes together with another table's."""


def measure_loop(effort: Effort) -> list[Measure]:
    """For every client: the arena as it is, and how many times as much each slower variant takes."""
    found = []
    every = trio.run(clients)
    for client, tables in [*((client, TABLES) for client in every), (every[0], FEW_TABLES)]:
        took: dict[str, list[float]] = {way: [] for way in WAYS}
        for _ in range(effort.repeats):
            for way, patched in WAYS.items():
                with patched():
                    took[way].append(trio.run(play_tables, client, tables, effort.seconds).cpu_us)
        quick, *slower = WAYS
        what = f"{client.what}, {tables} tables"
        found.append(Measure("loop", f"{quick}, {what}", "µs CPU/question", tuple(took[quick])))
        found += [
            Measure("loop", f"{way} ÷ {quick}, {what}", "×", ratios(took[way], took[quick])) for way in slower
        ]
    return found
