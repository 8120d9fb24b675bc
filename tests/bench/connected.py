"""Fifty bots that connect by themselves, then five thousand: how quickly they are let in, how much memory
each takes, and how many questions are asked in a second while all are connected.

The arena is a run as `arena run --listen --expect` has it, in a process of its own (this module as a
program); all bots are one other process (`arriving`), which connects them in the same moment.  Both runs
have the same number of tables and of planned matches.  Memory is the growth of the arena's resident memory
from when it listens until the last of them but one is welcomed: then it has nothing to do but wait.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from arena.bench.measures import Effort, Measure, at_least, at_most
from arena.box.processes import memory_bytes
from arena.schedule.admission import Capacity
from tests.bench.figures import ratios

from .talking import talking_program

FEW, BOTS = 50, 5_000
"""Bots if a repeat takes a second; otherwise in proportion."""
TABLES = 8
MATCHES = 10_000
"""Planned in a cycle of either run, about: more than are played in the time."""
WARM_S, PLAYED_S = 1.0, 4.0
"""Play is measured so long after its first match, and for so long, if a repeat takes a second."""
REPEATS_MAX = 3
MEMORY_GOAL_KIB, ACCEPTS_GOAL, RATIO_GOAL = 12.0, 1_000.0, 0.8


@attrs.frozen
class Crowded:
    """What one run found."""

    bots: int
    arrived_s: float
    """From the first connection to the last welcome."""
    lost: int
    """Connections that were refused, closed, or not welcomed in time."""
    memory_kib: float
    """What the arena grew by for each bot as they connected."""
    playing_kib: float
    """The same until its play was over: with all that it knows of who played what."""
    questions_per_s: float
    questions_per_cpu_s: float
    """By the processor time of the arena."""


def measure_connected(effort: Effort) -> list[Measure]:
    """Few and many in turn, so that a noisy moment affects both."""
    share = min(1.0, effort.seconds)
    few, many = (max(least, round(count * share)) for count, least in ((FEW, 4), (BOTS, 8)))
    found: dict[int, list[Crowded]] = {few: [], many: []}
    for _ in range(min(effort.repeats, REPEATS_MAX)):
        for bots, runs in found.items():
            runs.append(run_crowded(bots, effort.seconds))
    crowd = f"{many:,} bots connect at once"

    def row(bots: int, what: str, unit: str, value: Any, goal: Any = None) -> Measure:
        return Measure("connected", what, unit, tuple(value(each) for each in found[bots]), goal)

    def ratio(what: str, figure: str, goal: Any = None) -> Measure:
        over, under = ([getattr(each, figure) for each in found[bots]] for bots in (many, few))
        return Measure("connected", f"{many:,} connected ÷ {few}, {what}", "×", ratios(over, under), goal)

    return [
        row(many, crowd, "accepts/s", lambda each: each.bots / each.arrived_s, at_least(ACCEPTS_GOAL)),
        row(many, f"{crowd}: refused or dropped", "lost", lambda each: each.lost, at_most(0)),
        row(many, "arena's memory of each", "KiB", lambda each: each.memory_kib, at_most(MEMORY_GOAL_KIB)),
        row(many, "the same after play", "KiB", lambda each: each.playing_kib),
        row(few, f"{few} connected, {TABLES} tables", "questions/s", lambda each: each.questions_per_s),
        row(many, f"{many:,} connected, {TABLES} tables", "questions/s", lambda each: each.questions_per_s),
        ratio("by the wall clock", "questions_per_s", at_least(RATIO_GOAL)),
        ratio("by the arena's CPU time", "questions_per_cpu_s"),
    ]


def run_crowded(bots: int, seconds: float) -> Crowded:
    """One run with so many bots that connect, in processes of their own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        talking_program("connected", bots, seconds, folder) as arena,
        talking_program("arriving", arena.hear()["port"]) as clients,
    ):
        clients.hear()
        before = memory_bytes([arena.process.pid])
        clients.tell(b"%d" % (bots - 1))
        arrived = clients.hear()
        connected = memory_bytes([arena.process.pid])
        clients.tell(b"1")
        lost = arrived["lost"] + clients.hear()["lost"]
        assert not lost, f"{lost} of {bots} bots were not let in"
        played = arena.hear()
    assert not played["faults"], f"{played['faults']} faults of honest bots: the numbers mean nothing"
    return Crowded(
        bots=bots - 1,
        arrived_s=arrived["seconds"],
        lost=lost,
        memory_kib=(connected - before) / (bots - 1) / 1024,
        playing_kib=(played["memory_bytes"] - before) / bots / 1024,
        questions_per_s=played["questions"] / played["wall_s"],
        questions_per_cpu_s=played["questions"] / played["cpu_s"],
    )


# The program.


def main() -> None:
    """Waits for so many bots and has them play for a while; says where it listens, then what that took."""
    words = argparse.ArgumentParser(prog="python -m tests.bench.connected", description=__doc__)
    words.add_argument("bots", type=int)
    words.add_argument("seconds", type=float)
    words.add_argument("folder", type=Path)
    said = words.parse_args()
    _say(trio.run(play_crowded, said.bots, said.seconds, said.folder))


async def play_crowded(bots: int, seconds: float, folder: Path) -> dict[str, float]:
    """A Swiss tournament, which plans few matches for many bots, until it has been measured."""
    from arena.games import GAMES
    from arena.reading.units import Address
    from arena.store import Store
    from arena.tournament.folder.run import Run
    from arena.tournament.plan import Plan, identity
    from arena.tournament.play.reporting import Silent
    from arena.tournament.play.summary import Summary
    from arena.tournament.runner import run_tournament

    plan = Plan(
        tournament="swiss",
        cycles=1,
        series=-(-MATCHES // bots),
        seed=1,
        expect=bots,
        listen=Address("127.0.0.1", 0),
        matches_max=4 * MATCHES,
    )
    game = GAMES[plan.game]()
    questions = faults = 0
    began = 0.0
    marks: list[tuple[float, float, int]] = []

    async with trio.open_nursery() as nursery:

        class Watching(Silent):
            def waiting(self, address: str, missing: Sequence[str]) -> None:
                if not self.is_told:
                    _say({"port": int(address.rpartition(":")[2])})
                self.is_told = True

            is_told = False

            def played(self, entry: Any) -> None:
                nonlocal questions, faults, began
                began = began or time.perf_counter()
                asked = [one for one in entry.record.decisions if one.asked]
                questions += len(asked)
                faults += sum(one.fault is not None for one in asked)
                now = time.perf_counter() - began
                if now >= (WARM_S * seconds, (WARM_S + PLAYED_S) * seconds)[len(marks)]:
                    marks.append((now, time.process_time(), questions))
                    if len(marks) == 2:
                        nursery.cancel_scope.cancel()

        meta = {"identity": identity(plan, game), "game_version": game.version}
        with Store.create(folder / "out", meta=meta) as store:
            run = Run(
                plan=plan,
                game=game,
                entrants=(),
                tokens={},
                capacity=Capacity.fixed(TABLES),
                folder=folder / "out",
                store=store,
            )
            await run_tournament(run, Watching(), Summary())
    (wall, cpu, before), (wall_to, cpu_to, after) = marks
    return {
        "questions": after - before,
        "wall_s": wall_to - wall,
        "cpu_s": cpu_to - cpu,
        "faults": faults,
        "memory_bytes": memory_bytes([os.getpid()]),
    }


def _say(value: object) -> None:
    print(msgspec.json.encode(value).decode(), flush=True)


if __name__ == "__main__":
    main()
