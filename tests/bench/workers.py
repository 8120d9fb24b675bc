"""Two workers beside one process, and beside two runs that know nothing of each other; and what a run costs.

Most bots here are objects in the workers' processes and choose at random, so that the arena's own work is
all there is; the others are compiled programs.  Each sample is a run in a process of its own.

It is timed by the moments at which matches ended, where they were played: from when a tenth of them were
over, as bots start before, until nine tenths were; two runs side by side while both are between the two.  At
the very end one worker has nothing left, or one of two runs has the machine to itself, for some tenths of a
second: a large part of a sample, and none to speak of in a run that is worth workers.
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
from typing import Any, TypeAlias

import attrs
import msgspec
import trio

from arena.bench.clients import COMPILED, compiled
from arena.bench.measures import Effort, Measure, at_least, at_most
from arena.errors import ConfigError
from arena.games import GAMES
from arena.sdk import Bot
from arena.sdk.moves import choose
from tests.bench.figures import ratios

from .talking import HOUSE

SERIES_PER_S, COMPILED_SERIES_PER_S = 250, 125
"""About how many series one process plays in a second; they only determine the length of a sample."""
OWN_SERIES_PER_S = 200
"""The same for what the run itself takes in other games.  Not fewer: of 40 matches of Bluff its own process
takes 10 %, of 400 of them 4 %."""
ALIKE_GOAL, FASTER_GOAL = 0.95, 1.8
OWN_GOAL = 5.0
"""Per cent of a core at DECISIONS_PER_S."""
DECISIONS_PER_S = 10_000
PATIENCE_S = 600.0
EDGE_PART = 10
"""One match of so many ends before what is measured, and one after it."""


RunSaid: TypeAlias = tuple[str, int, int]
"""What is played, by how many workers, how many series."""


class Careless(Bot):
    """Any legal move."""

    def move(self, state: Mapping[str, Any], options: Sequence[Mapping[str, Any]]) -> Any:
        return choose(options, self.rng)


@attrs.frozen
class WorkersReport:
    """What one run did."""

    ended: tuple[tuple[float, int], ...]
    """When each match was over, by the system's clock, in this order, and how many decisions it had."""
    own_cpu_s: float
    """Of the run's own process, without its workers."""

    @property
    def decisions(self) -> int:
        return sum(decisions for _, decisions in self.ended)

    @property
    def own_share(self) -> float:
        """Per cent of a core that the run's own process would need for DECISIONS_PER_S."""
        return 100 * DECISIONS_PER_S * self.own_cpu_s / self.decisions


def rate_together(*reports: WorkersReport) -> float:
    """Decisions a second of runs side by side, while each was between its first and its last matches.

    Raises ConfigError if they never were at the same time.
    """
    edges = [len(report.ended) // EDGE_PART for report in reports]
    began = max(report.ended[edge][0] for report, edge in zip(reports, edges, strict=True))
    over = min(report.ended[-1 - edge][0] for report, edge in zip(reports, edges, strict=True))
    if began >= over:
        raise ConfigError("--seconds: samples were too short to be played side by side: expected 1 or more")
    inside = [decisions for report in reports for at, decisions in report.ended if began < at <= over]
    return sum(inside) / (over - began)


def measure_workers(effort: Effort) -> list[Measure]:
    """One worker, two workers, and two runs side by side, in turn."""
    series = max(2, round(SERIES_PER_S * effort.seconds))
    own_series = max(2, round(OWN_SERIES_PER_S * effort.seconds))
    first, *others = GAMES
    one, two, apart = [], [], []
    own: dict[str, list[float]] = {game: [] for game in GAMES}
    for _ in range(effort.repeats):
        one.append(rate_together(*side_by_side((first, 1, series))))
        both = side_by_side((first, 2, 2 * series))[0]
        two.append(rate_together(both))
        own[first].append(both.own_share)
        for game in others:
            own[game].append(side_by_side((game, 2, own_series))[0].own_share)
        apart.append(rate_together(*side_by_side((first, 1, series), (first, 1, series))))
    what = f"the run's own CPU at {DECISIONS_PER_S:,} decisions/s"
    return [
        Measure("workers", "one process", "decisions/s", tuple(one)),
        *_two_beside("", two, apart),
        Measure("workers", "two workers ÷ one process", "×", ratios(two, one), at_least(FASTER_GOAL)),
        Measure("workers", "two runs ÷ one process", "×", ratios(apart, one)),
        *_compiled_bots(effort),
        *(
            Measure("workers", f"{what}, {game}", "% of a core", tuple(shares), at_most(OWN_GOAL))
            for game, shares in own.items()
        ),
    ]


def _compiled_bots(effort: Effort) -> list[Measure]:
    """Two workers and two runs side by side, in turn, with compiled programs."""
    if trio.run(compiled) is None:
        print("workers: there is no g++, so compiled programs are not measured", file=sys.stderr)
        return []
    series = max(2, round(COMPILED_SERIES_PER_S * effort.seconds))
    two, apart = [], []
    for _ in range(effort.repeats):
        two.append(rate_together(*side_by_side((COMPILED, 2, 2 * series))))
        apart.append(rate_together(*side_by_side((COMPILED, 1, series), (COMPILED, 1, series))))
    return _two_beside(", compiled bots", two, apart)


def _two_beside(what: str, two: Sequence[float], apart: Sequence[float]) -> list[Measure]:
    return [
        Measure("workers", f"two workers{what}", "decisions/s", tuple(two)),
        Measure("workers", f"two runs side by side{what}", "decisions/s", tuple(apart)),
        Measure("workers", f"two workers ÷ two runs{what}", "×", ratios(two, apart), at_least(ALIKE_GOAL)),
    ]


def side_by_side(*runs: RunSaid) -> list[WorkersReport]:
    """These runs, all at once, each in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.bench.workers", *map(str, run), f"{folder}/{number}"],
                cwd=HOUSE,
                stdout=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
            )
            for number, run in enumerate(runs)
        ]
        said = [process.communicate(timeout=PATIENCE_S)[0] for process in started]
    return [msgspec.json.decode(each, type=WorkersReport) for each in said]


# The program.


def main() -> None:
    """Plays with so many workers; prints the report as JSON."""
    words = argparse.ArgumentParser(prog="python -m tests.bench.workers", description=__doc__)
    words.add_argument("what", choices=[*GAMES, COMPILED], help="a game, or the compiled bot at its own")
    words.add_argument("workers", type=int)
    words.add_argument("series", type=int)
    words.add_argument("folder", type=Path)
    said = words.parse_args()
    report = play_alike((said.what, said.workers, said.series), said.folder)
    print(msgspec.json.encode(report).decode())


def play_alike(said: RunSaid, folder: Path) -> WorkersReport:
    """A round-robin of two bots of one kind, kept in a store as any other."""
    import_module("arena.cli")  # this process has loaded everything that `arena run` has
    from arena.schedule.admission import Capacity
    from arena.store import Store
    from arena.tournament.bots.entrants import resolve, unique_names
    from arena.tournament.folder.run import Run
    from arena.tournament.plan import Plan, identity
    from arena.tournament.play.reporting import Silent
    from arena.tournament.play.summary import Summary
    from arena.tournament.runner import run_tournament

    what, workers, series = said
    bot = resolve(
        what if what == COMPILED else "careless=tests.bench.workers:Careless", base=Path(__file__).parent
    )
    game = GAMES[bot.games[0] if what == COMPILED else what]()
    plan = Plan(game=game.name, seed=1, series=series, matches_max=10**9)
    own_s: list[float] = []
    ended: list[tuple[float, int]] = []

    class Counting(Silent):
        def begins(self, course: Any, done: int) -> None:
            own_s.append(time.process_time())

        def played(self, entry: Any) -> None:
            assert not entry.faults, "nobody fails"
            decisions = sum(totals.decisions for totals in entry.totals)
            ended.append((entry.started_at + entry.record.duration_s, decisions))
            own_s[1:] = [time.process_time()]

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
    return WorkersReport(tuple(sorted(ended)), own_s[1] - own_s[0])


if __name__ == "__main__":
    main()
