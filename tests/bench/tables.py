"""What a bot that sleeps costs the others: the time of a whole tournament, and their thinking times.

Real processes, as `arena run` plays them, in three tournaments after each other: with a bot that sleeps at
every question; the same matches with that bot awake; and without it at one table, for the thinking times of
bots that have the machine for themselves.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import attrs

from arena.bench.measures import Effort, Measure, at_most
from arena.bench.runner import PATIENCE_S
from tests.bench.figures import ratios

THINKER = Path(__file__).with_name("thinker.py")
WORKERS = 8
WORK_MS, SLEEP_MS = 10, 100
WHOLE_GOAL, THINKING_GOAL = 1.3, 1.1


@attrs.frozen
class TablesReport:
    """What a tournament took."""

    wall_s: float
    """From the start of its first match to the end of its last."""
    thinking_ms: float
    """The median time of an answer of the bots that compute."""


def measure_tables(effort: Effort) -> list[Measure]:
    """The whole with a sleeper asleep and awake, and a fixed work's thinking time beside others and alone."""
    bots = min(WORKERS, max(2, round(WORKERS * effort.seconds)))
    series = max(1, round(2 * effort.seconds))
    work_ms, sleep_ms = (max(1, round(each * min(1.0, effort.seconds))) for each in (WORK_MS, SLEEP_MS))
    awake, beside, alone = [], [], []
    for repeat in range(effort.repeats):
        seed = repeat + 1
        awake.append(_tournament(bots, work_ms, series, seed, "--", _bot("sleeper", "sleep", 0)))
        beside.append(_tournament(bots, work_ms, series, seed, "--", _bot("sleeper", "sleep", sleep_ms)))
        alone.append(_tournament(bots, work_ms, series, seed, "--concurrency", "1"))
    whole = ratios([one.wall_s for one in beside], [one.wall_s for one in awake])
    thinking = ratios([one.thinking_ms for one in beside], [one.thinking_ms for one in alone])
    return [
        Measure("tables", "whole with a sleeper ÷ with it awake", "×", whole, at_most(WHOLE_GOAL)),
        Measure("tables", "thinking beside it ÷ at one table", "×", thinking, at_most(THINKING_GOAL)),
        Measure("tables", "whole with it awake", "s", tuple(one.wall_s for one in awake)),
        Measure("tables", "thinking at one table", "ms", tuple(one.thinking_ms for one in alone)),
    ]


def _bot(name: str, *words: object) -> str:
    return f"{name}={sys.executable} {THINKER} {' '.join(map(str, words))}"


def _tournament(workers: int, work_ms: int, series: int, seed: int, *more: str) -> TablesReport:
    """One run of the command, in a folder that is removed afterwards."""
    bots = [_bot(f"worker-{number}", "work", work_ms) for number in range(workers)]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "arena.cli", "run", *bots, "--quiet", "--decisions", "all"]
        command += ["--seed", str(seed), "--series", str(series), "--out", "out", *more]
        subprocess.run(
            command, cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE_S
        )
        matches, decisions = (
            _rows(Path(folder, "out", f"{table}.csv")) for table in ("matches", "decisions")
        )
    begins = [float(row["started_epoch_s"]) for row in matches]
    ends = [begun + float(row["duration_s"]) for begun, row in zip(begins, matches, strict=True)]
    thought_s = [float(row["elapsed_s"]) for row in decisions if row["bot"] != "sleeper"]
    return TablesReport(max(ends) - min(begins), 1000 * median(thought_s))


def _rows(path: Path) -> Sequence[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
