"""Long runs: memory that does not grow, a leaderboard that is there at once, a database that stays small.

Memory is that of a process of its own, after a garbage collection and after the allocator has given back what
it can: what the kernel counts as resident, in bytes.  Its bots are objects that move at random.  The slope is
taken over the second half of the run, as caches of the rules fill in the first.

The folder of the leaderboard is generated, as in `scale`; the databases are of typical matches (`lines`).
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from arena.bench.measures import Effort, Measure, Threshold, at_most
from arena.games import GAMES
from arena.match.record import Entry
from arena.store import DATABASE, Store

from .entries import kept_entry
from .lines import line_of, players_of, refereed
from .scale import command_cost, make_folder
from .talking import HOUSE

MATCHES_MAX = 1_000_000
MATCHES = 250_000
"""Of the leaderboard, if a repeat takes a second; otherwise in proportion, and with fewer without a goal."""
DECISIONS = 500_000
"""Of the run whose memory is measured, if a repeat takes a second; otherwise in proportion."""
DECISIONS_MAX = 2_000_000
DECISIONS_STORED = 20_000
"""In each database, at least so many if a repeat takes a second."""
SERIES_DECISIONS = 90
"""About how many decisions a series of the first game takes between bots that move at random."""
SAMPLES = 40
"""How often the memory of a run is looked at."""
SLOPE_GOAL, PLANNED_GOAL = 1.0, 1024.0
UNCHANGED_GOAL_S, NEW_GOAL_S = 3.0, 12.0
"""For `MATCHES_MAX`; otherwise in proportion."""
DISK_GOAL = 60.0
PATIENCE_S = 3600.0
_PAGE = 4096


@attrs.frozen
class MemoryReport:
    """What a long run held."""

    planned: int
    """Matches."""
    before: int
    """Bytes before the schedule was made."""
    begun: int
    """Bytes when the first match began."""
    decisions: tuple[int, ...]
    """Played when the memory was looked at."""
    resident: tuple[int, ...]
    """Bytes then."""

    @property
    def bytes_a_match(self) -> float:
        """What a planned match takes before it is played."""
        return (self.begun - self.before) / self.planned

    @property
    def bytes_a_decision(self) -> float:
        """By how much the second half of the run grew."""
        half = len(self.decisions) // 2
        return (self.resident[-1] - self.resident[half]) / (self.decisions[-1] - self.decisions[half])


def measure_long(effort: Effort) -> list[Measure]:
    """Memory, the leaderboard's time, and the sizes of databases."""
    return [*_memory(effort), *_leaderboard(effort), *_disk(effort)]


def _memory(effort: Effort) -> list[Measure]:
    if not Path("/proc/self/statm").exists():  # elsewhere nothing tells what is resident now
        return []
    decisions = min(DECISIONS_MAX, round(DECISIONS * effort.seconds))
    series = max(SAMPLES, decisions // SERIES_DECISIONS)
    reports = [memory_of(series) for _ in range(min(effort.repeats, 2))]
    slope, planned = zip(*((each.bytes_a_decision, each.bytes_a_match) for each in reports), strict=True)
    played = reports[0].decisions[-1]
    return [
        Measure("long", f"memory over {played:,} decisions", "B/decision", slope, at_most(SLOPE_GOAL)),
        Measure(
            "long", f"memory of {2 * series:,} planned matches", "B/match", planned, at_most(PLANNED_GOAL)
        ),
    ]


def _leaderboard(effort: Effort) -> list[Measure]:
    matches, repeats = min(MATCHES_MAX, max(100, round(MATCHES * effort.seconds))), min(effort.repeats, 2)
    new, unchanged = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_folder(folder, matches)
        made = {path.name for path in folder.iterdir()}
        for _ in range(repeats):
            for path in folder.iterdir():
                if path.name not in made:
                    path.unlink()
            new.append(command_cost("leaderboard", name)[0])
            unchanged.append(command_cost("leaderboard", name)[0])
    what = f"leaderboard of {matches:,} matches"
    goals = [
        at_most(goal * matches / MATCHES_MAX) if matches >= MATCHES else None
        for goal in (NEW_GOAL_S, UNCHANGED_GOAL_S)
    ]
    return [
        Measure("long", f"{what}, all new", "s", tuple(new), goals[0]),
        Measure("long", f"{what}, unchanged", "s", tuple(unchanged), goals[1]),
    ]


def _disk(effort: Effort) -> list[Measure]:
    decisions, goal = max(1, round(DECISIONS_STORED * min(1.0, effort.seconds))), at_most(DISK_GOAL)
    return [_size_of(name, decisions, goal) for name in GAMES]


def _size_of(name: str, decisions: int, goal: Threshold) -> Measure:
    line = line_of(name)
    what = f"database of {line.what}, --decisions faults"
    return Measure("long", what, "B/decision", (disk_bytes(name, decisions),), goal)


def disk_bytes(name: str, decisions: int) -> float:
    """Bytes of a database a decision, of at least so many decisions in typical matches of a game."""
    line = line_of(name)
    _, players = players_of(line.bots)
    played = [trio.run(refereed, line.game, players, line.names, seed) for seed in line.seeds]
    stored, entries = 0, list[Entry]()
    while stored < decisions:
        record = played[len(entries) % len(played)]
        entries.append(kept_entry(line.game, line.names, len(entries) + 1, 1 << 127, record))
        stored += len(record.decisions)
    with tempfile.TemporaryDirectory() as folder:
        with Store.create(Path(folder), meta={"game_version": line.game.version}) as store:
            store.set_schedule(entry.pairing for entry in entries)
            store.add_many(entries)
        return (Path(folder) / DATABASE).stat().st_size / stored


def memory_of(series: int) -> MemoryReport:
    """The memory of a run of so many series, in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            [sys.executable, "-m", "tests.bench.long", str(series), folder],
            cwd=HOUSE,
            check=True,
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
        )
    return msgspec.convert(msgspec.json.decode(ended.stdout), MemoryReport)


# The program.


def main() -> None:
    """Plays so many series; prints the report as JSON."""
    words = argparse.ArgumentParser(prog="python -m tests.bench.long", description=__doc__)
    words.add_argument("series", type=int)
    words.add_argument("folder", type=Path)
    said = words.parse_args()
    print(msgspec.json.encode(attrs.asdict(play_long(said.series, said.folder))).decode())


def play_long(series: int, folder: Path) -> MemoryReport:
    """A round-robin of two careless bots, kept in a store as any other."""
    import_module("arena.cli")  # this process has loaded everything that `arena run` has
    from arena.schedule.admission import Capacity
    from arena.tournament.bots.entrants import resolve, unique_names
    from arena.tournament.folder.run import Run
    from arena.tournament.plan import Plan, identity
    from arena.tournament.play.reporting import Silent
    from arena.tournament.play.summary import Summary
    from arena.tournament.runner import run_tournament

    bot = resolve("careless=tests.bench.workers:Careless", base=Path(__file__).parent)
    game = next(iter(GAMES.values()))()
    plan = Plan(game=game.name, seed=1 << 100, series=series, matches_max=10**9)
    between = max(1, 2 * series // SAMPLES)
    played, seen = [0, 0], list[tuple[int, int]]()
    begun = 0

    class Looking(Silent):
        def begins(self, course: Any, done: int) -> None:
            nonlocal begun
            begun = resident()

        def played(self, entry: Any) -> None:
            played[0] += 1
            played[1] += len(entry.record.decisions)
            if played[0] % between == 0:
                seen.append((played[1], resident()))

    with Store.create(
        folder / "out", meta={"identity": identity(plan, game), "game_version": game.version}
    ) as store:
        run = Run(
            plan=plan,
            game=game,
            entrants=unique_names([bot, bot]),
            tokens={},
            capacity=Capacity.fixed(1),
            folder=folder / "out",
            store=store,
        )
        before = resident()
        trio.run(run_tournament, run, Looking(), Summary())
    decisions, sizes = zip(*seen, strict=True)
    return MemoryReport(2 * series, before, begun, decisions, sizes)


def resident() -> int:
    """Bytes that this process holds, when it has given back what it can."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc has it
    if trim is not None:
        trim(0)
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE


if __name__ == "__main__":
    main()
