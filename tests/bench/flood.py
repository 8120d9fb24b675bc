"""What a flooding bot, or a hundred flooding strangers, cost the others: questions per second, thinking time.

`measure_flood` starts this module as a program, once without a flood and once with each kind, in turn.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import attrs
import msgspec
import trio

from arena.bench.measures import Effort, Measure, at_least, at_most
from arena.bench.runner import PATIENCE_S
from arena.schedule.admission import Capacity
from tests.bench.figures import ratios

from .talking import HOUSE

TABLES = 8
MATCHES_PER_S = 250
STRANGERS = 100
FLOODER = Path(__file__).with_name("flooder.py")
KINDS = ("none", "bot", "strangers")
SHARE_GOAL, DELAY_GOAL_MS = 0.8, 1.0


@attrs.frozen
class FloodReport:
    """How the other bots fared."""

    questions_per_s: float
    questions_per_cpu_s: float
    """By the arena's own processor time, which shows the cost of the flood even on a shared machine."""
    median_ms: float
    """The median thinking time of the lean bots, in milliseconds."""
    faults: int
    """The faults of the lean bots."""


def measure_flood(effort: Effort) -> list[Measure]:
    """Ratios and differences within each repeat, so that a noisy moment affects all of them."""
    matches = max(4 * TABLES, round(MATCHES_PER_S * effort.seconds))
    found: dict[str, list[FloodReport]] = {kind: [] for kind in KINDS}
    for _ in range(effort.repeats):
        for kind in KINDS:
            found[kind].append(_measured(kind, matches))
    quiet = found["none"]
    measures = [_speed("no flood", quiet)]
    for kind, what in (("bot", "a bot floods"), ("strangers", f"{STRANGERS} strangers flood")):
        shares = _shares(found[kind], quiet, "questions_per_s")
        cpu_shares = _shares(found[kind], quiet, "questions_per_cpu_s")
        delays = tuple(
            flooded.median_ms - before.median_ms for flooded, before in zip(found[kind], quiet, strict=True)
        )
        measures += [
            _speed(what, found[kind]),
            Measure("flood", f"{what} ÷ no flood", "×", shares, at_least(SHARE_GOAL)),
            Measure("flood", f"{what} ÷ no flood, by the arena's CPU time", "×", cpu_shares),
            Measure("flood", f"{what}: others' thinking time", "ms more", delays, at_most(DELAY_GOAL_MS)),
        ]
    return measures


def _shares(over: Sequence[FloodReport], under: Sequence[FloodReport], figure: str) -> tuple[float, ...]:
    return ratios(*([getattr(report, figure) for report in reports] for reports in (over, under)))


def _speed(what: str, reports: Sequence[FloodReport]) -> Measure:
    return Measure("flood", what, "questions/s", tuple(report.questions_per_s for report in reports))


def _measured(kind: str, matches: int) -> FloodReport:
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "tests.bench.flood", kind, str(matches), folder]
        ended = subprocess.run(
            words,
            cwd=HOUSE,
            check=True,
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
        )
    report = msgspec.json.decode(ended.stdout, type=dict[str, Any])
    assert not report["faults"], f"{report['faults']} faults of honest bots: the numbers mean nothing"
    return FloodReport(**report)


# The program.


def main() -> None:
    """Plays a number of matches between two lean bots during a flood; prints the report as JSON."""
    words = argparse.ArgumentParser(prog="python -m tests.bench.flood", description=__doc__)
    words.add_argument("kind", choices=KINDS)
    words.add_argument("matches", type=int)
    words.add_argument("folder", type=Path)
    said = words.parse_args()
    print(
        msgspec.json.encode(
            attrs.asdict(trio.run(play_flooded, said.kind, said.matches, said.folder))
        ).decode()
    )


async def play_flooded(kind: str, matches: int, folder: Path) -> FloodReport:
    """A round-robin of two lean bots and a third: a flooding one, or one whose port strangers can use."""
    from arena.bench.clients import LEAN_CLIENT, compiled
    from arena.games import GAMES
    from arena.players.entrant import Entrant
    from arena.store import Store
    from arena.tournament.bots.entrants import remote, resolve, unique_names
    from arena.tournament.folder.run import Run
    from arena.tournament.plan import Plan, identity
    from arena.tournament.play.reporting import Silent
    from arena.tournament.play.summary import Summary
    from arena.tournament.runner import run_tournament

    bot = await compiled() or resolve(f"lean={sys.executable} {LEAN_CLIENT}", base=folder)
    name = next(iter(bot.games or GAMES))
    game = GAMES[name]()
    lean = unique_names([bot, bot])
    names = {entrant.name for entrant in lean}
    entrants, plan = lean, Plan(game=name, seed=1, series=-(-matches // 2), move_time=0.25)
    tokens: dict[str, str] = {}
    if kind == "bot":
        command = (sys.executable, str(FLOODER), "bot")
        entrants += (Entrant(name="flooder", kind="process", run=command, folder=folder, instances_max=1),)
    elif kind == "strangers":
        entrants, tokens = (*entrants, remote("away")), {"token": "away"}
        plan = attrs.evolve(plan, remote=("away",), reconnect_s=PATIENCE_S)
    times: list[float] = []
    cpu: list[float] = []
    thinking: list[float] = []
    faults, left = 0, matches

    async with trio.open_nursery() as nursery:

        class Watching(Silent):
            def waiting(self, address: str, missing: Sequence[str]) -> None:
                if kind == "strangers" and not self.waits:
                    self.waits = True
                    nursery.start_soon(_strangers, address.rpartition(":")[2])

            waits = False

            def begins(self, course: Any, done: int) -> None:
                times.append(time.perf_counter())
                cpu.append(time.process_time())

            def played(self, entry: Any) -> None:
                nonlocal faults, left
                times[1:], cpu[1:] = [time.perf_counter()], [time.process_time()]
                bots = entry.pairing.bots
                theirs = [one for one in entry.record.decisions if bots[one.seat] in names and one.asked]
                thinking.extend(decision.elapsed_s for decision in theirs)
                faults += sum(decision.fault is not None for decision in theirs)
                left -= set(bots) == names
                if not left:
                    nursery.cancel_scope.cancel()

        meta = {"identity": identity(plan, game), "game_version": game.version}
        with Store.create(folder / "out", meta=meta) as store:
            run = Run(
                plan=plan,
                game=game,
                entrants=entrants,
                tokens=tokens,
                capacity=Capacity.fixed(TABLES),
                folder=folder / "out",
                store=store,
            )
            await run_tournament(run, Watching(), Summary())
    asked = len(thinking)
    return FloodReport(
        asked / (times[1] - times[0]), asked / (cpu[1] - cpu[0]), median(thinking) * 1e3, faults
    )


async def _strangers(port: str) -> None:
    """The expected bot connects and stays silent; then the strangers connect."""
    stream = await trio.open_tcp_stream("127.0.0.1", int(port))
    async with stream, trio.open_nursery() as nursery:
        await stream.send_all(b'{"name":"away","token":"token"}\n')
        words = [sys.executable, str(FLOODER), "strangers", port, str(STRANGERS)]
        nursery.start_soon(trio.run_process, words)


if __name__ == "__main__":
    main()
