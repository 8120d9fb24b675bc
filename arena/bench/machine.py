"""Describes what figures depend on most: the code, this machine, and how fast it is just now."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import trio

from arena.tournament.play.calibration import loop_once_ms

LOOPS = 5


def machine() -> dict[str, Any]:
    """The code, this machine, and what else runs on it."""
    return {
        "commit": _commit(),
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "trio": trio.__version__,
    }


def machine_line(machine: Mapping[str, Any]) -> str:
    """The machine in one line; `load` is how busy it was before we began."""
    return (
        f"commit {machine['commit']} on {machine['processor']}, {machine['cores']} cores, "
        f"load {machine['load']}; {machine['system']}, Python {machine['python']}, trio {machine['trio']}"
    )


def loop_ms() -> float:
    """How fast the machine is just now: milliseconds of processor time for a fixed loop of plain Python."""
    return statistics.median(loop_once_ms() for _ in range(LOOPS))


def _commit() -> str:
    """The commit of the arena's repository, with a `+` if something was changed since; `-` without one."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        head = subprocess.check_output([*git, "rev-parse", "--short=10", "HEAD"], stderr=subprocess.DEVNULL)
        is_changed = subprocess.call([*git, "diff", "--quiet", "HEAD", "--", ":/arena"]) != 0
    except (OSError, subprocess.CalledProcessError):
        return "-"
    return head.decode().strip() + ("+" if is_changed else "")


def _processor() -> str:
    """The processor's name if the system reports it (Linux), otherwise its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
