"""Two workers beside one process, and beside two runs that know nothing of each other; and what a run costs.

The bots are objects in the workers' processes and choose at random, so that the arena's own work is all there
is.  Each sample is a run in a process of its own, timed from when all workers are there.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from arena.bench.measures import Effort, Measure, at_least, at_most, ratios
from arena.games import GAMES
from arena.sdk import Bot
from arena.sdk.moves import choose

SERIES_PER_S = 100
"""About how many series take a second; it only determines the length of a sample."""
ALIKE_GOAL, FASTER_GOAL = 0.95, 1.8
OWN_GOAL = 5.0
"""Per cent of a core at DECISIONS_PER_S."""
DECISIONS_PER_S = 10_000
PATIENCE_S = 600.0


class Careless(Bot):
    """Any legal move."""

    def move(self, state: Mapping[str, Any], options: Sequence[Mapping[str, Any]]) -> Any:
        return choose(options, self.rng)


@attrs.frozen
class WorkersReport:
    """What one run did."""

    decisions: int
    wall_s: float
    own_cpu_s: float
    """Of the run's own process, without its workers."""

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return self.decisions / self.wall_s

    @property
    def own_share(self) -> float:
        """Per cent of a core that the run's own process would need for DECISIONS_PER_S."""
        return 100 * DECISIONS_PER_S * self.own_cpu_s / self.decisions


def measure_workers(effort: Effort) -> list[Measure]:
    """One worker, two workers, and two runs side by side, in turn."""
    series = max(2, round(SERIES_PER_S * effort.seconds))
    first, *others = GAMES
    one, two, apart = [], [], []
    own: dict[str, list[float]] = {game: [] for game in GAMES}
    for _ in range(effort.repeats):
        one.append(side_by_side((first, 1, series))[0].rate)
        both = side_by_side((first, 2, 2 * series))[0]
        two.append(both.rate)
        own[first].append(both.own_share)
        for game in others:
            own[game].append(side_by_side((game, 2, max(2, series // 5)))[0].own_share)
        apart.append(sum(report.rate for report in side_by_side((first, 1, series), (first, 1, series))))
    what = f"the run's own CPU at {DECISIONS_PER_S:,} decisions/s"
    return [
        Measure("workers", "one process", "decisions/s", tuple(one)),
        Measure("workers", "two workers", "decisions/s", tuple(two)),
        Measure("workers", "two runs side by side", "decisions/s", tuple(apart)),
        Measure("workers", "two workers ÷ two runs", "×", ratios(two, apart), at_least(ALIKE_GOAL)),
        Measure("workers", "two workers ÷ one process", "×", ratios(two, one), at_least(FASTER_GOAL)),
        Measure("workers", "two runs ÷ one process", "×", ratios(apart, one)),
        *(
            Measure("workers", f"{what}, {game}", "% of a core", tuple(shares), at_most(OWN_GOAL))
            for game, shares in own.items()
        ),
    ]


def side_by_side(*runs: tuple[str, int, int]) -> list[WorkersReport]:
    """Runs of this game with so many workers and series, all at once, each in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "arena.bench.workers", *map(str, run), f"{folder}/{number}"],
                stdout=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
            )
            for number, run in enumerate(runs)
        ]
        said = [process.communicate(timeout=PATIENCE_S)[0] for process in started]
    return [WorkersReport(**msgspec.json.decode(each)) for each in said]


# The program.


def main() -> None:
    """Plays with so many workers; prints the report as JSON."""
    words = argparse.ArgumentParser(prog="python -m arena.bench.workers", description=__doc__)
    words.add_argument("game", choices=GAMES)
    words.add_argument("workers", type=int)
    words.add_argument("series", type=int)
    words.add_argument("folder", type=Path)
    said = words.parse_args()
    report = play_careless(said.game, said.workers, said.series, said.folder)
    print(msgspec.json.encode(attrs.asdict(report)).decode())


def play_careless(name: str, workers: int, series: int, folder: Path) -> WorkersReport:
    """A round-robin of two careless bots, kept in a store as any other."""
    import_module("arena.cli")  # this process has loaded everything that `arena run` has
    from arena.schedule.admission import Capacity
    from arena.store import Store
    from arena.tournament.entrants import resolve, unique_names
    from arena.tournament.plan import Plan, identity
    from arena.tournament.reporting import Silent
    from arena.tournament.run import Run
    from arena.tournament.runner import run_tournament
    from arena.tournament.summary import Summary

    bot = resolve("careless=arena.bench.workers:Careless", base=Path(__file__).parent)
    game = GAMES[name]()
    plan = Plan(game=game.name, seed=1, series=series, matches_max=10**9)
    times: list[tuple[float, float]] = []
    decisions = 0

    class Counting(Silent):
        def begins(self, course: Any, done: int) -> None:
            times.append((time.perf_counter(), time.process_time()))

        def played(self, entry: Any) -> None:
            nonlocal decisions
            decisions += sum(totals.decisions for totals in entry.totals)
            times[1:] = [(time.perf_counter(), time.process_time())]

    meta = {"identity": identity(plan, game), "game_version": game.version}
    folder.mkdir()
    with Store.create(folder / "out", meta=meta) as store:
        run = Run(
            plan=plan,
            game=game,
            entrants=unique_names([bot, bot]),
            tokens={},
            capacity=Capacity.fixed(workers),
            folder=folder / "out",
            store=store,
            workers=workers,
        )
        trio.run(run_tournament, run, Counting(), Summary())
    (wall_from, cpu_from), (wall_to, cpu_to) = times
    return WorkersReport(decisions, wall_to - wall_from, cpu_to - cpu_from)


if __name__ == "__main__":
    main()
