"""Measures a whole tournament in its own arena process: questions per second, and peak memory.

`tournament` starts this module as a program, which plays, and prints what that took.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import attrs
import msgspec
import trio

import arena
from arena.bench.measures import Effort, Measure, at_least
from arena.box.box import LEVELS, Level
from arena.schedule.admission import Capacity
from arena.schedule.course import Course

RUNNER_TABLES, RUNNER_GOAL = 8, 10_000
MATCHES_PER_S = 250
"""About how many matches of lean bots are played per second; it only determines the length of a repeat."""
PATIENCE_S = 120.0
ROOT = Path(arena.__file__).resolve().parents[1]


@attrs.frozen
class RunnerReport:
    """How much time and memory a tournament took."""

    questions: int
    wall_s: float
    """The time from the start of the first match to the end of the last, including the start of bots."""
    cpu_s: float
    """The processor time of the arena's process in that time, without its bots."""
    peak_mb: float
    """The peak memory of the arena process so far, in 10⁶ bytes."""
    spoilt: int
    """How many matches had a fault, or failed in the rules."""
    median_ms: float
    """The median time from a question to its answer."""


def measure_runner(effort: Effort) -> list[Measure]:
    """Measures questions per second at 8 tables, by the wall clock and by the arena's processor time."""
    matches = max(2 * RUNNER_TABLES, round(MATCHES_PER_S * effort.seconds))
    reports = [tournament(RUNNER_TABLES, matches) for _ in range(effort.repeats)]
    wall = tuple(report.questions / report.wall_s for report in reports)
    cpu = tuple(report.questions / report.cpu_s for report in reports)
    busy = tuple(100 * report.cpu_s / report.wall_s for report in reports)
    what = f"{RUNNER_TABLES} tables"
    return [
        Measure("runner", f"{what}, by the wall clock", "questions/s", wall, at_least(RUNNER_GOAL)),
        Measure("runner", f"{what}, by the arena's CPU time", "questions/s", cpu),
        Measure("runner", f"{what}, share of a core the arena had", "%", busy),
    ]


def tournament(
    tables: int, matches: int, sandbox: Level = "shield", program: str = "arena.bench.runner"
) -> RunnerReport:
    """Plays a tournament in a fresh process, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", program, str(tables), str(matches), folder]
        command += ["--sandbox", sandbox]
        ended = subprocess.run(
            command,
            cwd=ROOT,
            check=True,
            stdout=subprocess.PIPE,
            timeout=PATIENCE_S,
            stdin=subprocess.DEVNULL,
        )
        report = msgspec.json.decode(ended.stdout)
    assert not report["spoilt"], (
        f"{report['spoilt']} of {matches} matches went wrong: the numbers mean nothing"
    )
    return RunnerReport(**report)


# The program.


def main() -> None:
    """Plays this many matches at this many tables; prints the report as JSON."""
    words = argparse.ArgumentParser(prog="python -m arena.bench.runner", description=__doc__)
    words.add_argument("tables", type=int)
    words.add_argument("matches", type=int)
    words.add_argument("folder", type=Path)
    words.add_argument("--sandbox", choices=LEVELS, default="shield")
    said = words.parse_args()
    report = play_lean(said.tables, said.matches, said.folder, said.sandbox)
    print(msgspec.json.encode(attrs.asdict(report)).decode())


def play_lean(tables: int, matches: int, folder: Path, sandbox: Level) -> RunnerReport:
    """Plays a round-robin of two lean bots, stored like any other."""
    from arena.bench.clients import LEAN_CLIENT, compiled
    from arena.games import GAMES
    from arena.store import Store
    from arena.tournament.bots.entrants import resolve, unique_names
    from arena.tournament.folder.run import Run
    from arena.tournament.plan import Plan, identity
    from arena.tournament.play.reporting import Silent
    from arena.tournament.play.summary import Summary
    from arena.tournament.runner import run_tournament

    bot = trio.run(compiled) or resolve(f"lean={sys.executable} {LEAN_CLIENT}", base=folder)
    name = next(iter(bot.games or GAMES))
    game = GAMES[name]()
    plan = Plan(game=name, seed=1, series=-(-matches // 2), matches_max=2 * matches + 2, sandbox=sandbox)
    times: list[tuple[float, float]] = []
    elapsed: list[float] = []
    asked = 0

    class Counting(Silent):
        def begins(self, course: Course, done: int) -> None:
            times.append((time.perf_counter(), time.process_time()))

        def played(self, entry: Any) -> None:
            nonlocal asked
            answered = [one.elapsed_s for one in entry.record.decisions if one.asked]
            asked += len(answered)
            elapsed.extend(answered)
            times[1:] = [(time.perf_counter(), time.process_time())]

    summary = Summary()
    with Store.create(
        folder / "out", meta={"identity": identity(plan, game), "game_version": game.version}
    ) as store:
        run = Run(
            plan=plan,
            game=game,
            entrants=unique_names([bot, bot]),
            tokens={},
            capacity=Capacity.fixed(tables),
            folder=folder / "out",
            store=store,
        )
        trio.run(run_tournament, run, Counting(), summary)
    (wall_from, cpu_from), (wall_to, cpu_to) = times
    return RunnerReport(
        asked,
        wall_to - wall_from,
        cpu_to - cpu_from,
        _peak_mb(),
        len(summary.aborted) + sum(summary.faults.values()),
        1000 * median(elapsed),
    )


def _peak_mb() -> float:
    """The peak memory of this process.

    Not from `ru_maxrss` on Linux, which starts with what the parent held when it forked us.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    main()
