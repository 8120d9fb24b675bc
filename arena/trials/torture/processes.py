"""Looks at processes from outside: which are left below us, and their peak memory.  Only on Linux."""

from __future__ import annotations

import os
import time
from pathlib import Path

from arena.box.processes import IS_LINUX, bury_all, descendants, reap_ended

PROC = Path("/proc")
VANISH_S = 1.0
"""How long the system may take to clear away killed processes."""


def left_below_us() -> int | None:
    """Kills the processes below this one that do not end by themselves; returns how many there were.

    This process must adopt orphans.  None where nobody can count them.
    """
    if not IS_LINUX:
        return None
    waits_until = time.monotonic() + VANISH_S
    while (left := _living_below_us()) and time.monotonic() < waits_until:
        time.sleep(0.02)
    bury_all()
    return left


def _living_below_us() -> int:
    reap_ended()
    return sum(map(_is_alive, descendants(os.getpid())))


def _is_alive(process: int) -> bool:
    """Whether a process exists and is not a zombie, one that has ended but whose parent has not reaped it."""
    try:
        said = (PROC / str(process) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return said.rpartition(")")[2].split()[0] not in "ZX"  # the name in parentheses may hold anything


def peak_mb(process: int) -> float | None:
    """The most memory that a living process has held, in 10⁶ bytes."""
    try:
        lines = (PROC / str(process) / "status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM:")), None)
