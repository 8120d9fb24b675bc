"""How long `arena --help` takes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from arena.bench.measures import Effort, Measure, at_most
from arena.bench.runner import PATIENCE_S

from .talking import HOUSE


def measure_help(effort: Effort) -> list[Measure]:
    """`arena --help`, and the interpreter alone, from start to end."""
    _wall((sys.executable, "-m", "arena.cli", "--help"), HOUSE)  # compiles what was not compiled yet
    shown = tuple(_wall((sys.executable, "-m", "arena.cli", "--help"), HOUSE) for _ in range(effort.repeats))
    empty = tuple(_wall((sys.executable, "-c", ""), HOUSE) for _ in range(effort.repeats))
    return [
        Measure("help", "arena --help", "s", shown, at_most(0.2)),
        Measure("help", "python alone", "s", empty),
    ]


def _wall(command: Sequence[str], folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE_S)
    return time.perf_counter() - began
