"""Processes seen from outside: our descendants, and their peak memory.  Only on Linux; elsewhere nothing."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

import attrs

PROC = Path("/proc")
PR_SET_CHILD_SUBREAPER = 36
VANISH_S = 1.0
"""How long the system may take to clear away killed processes."""
ROUNDS_MAX = 50


def adopt_orphans() -> bool:
    """Makes this process the parent of all orphans below it; returns whether the system supports that."""
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


@attrs.frozen
class _Stat:
    id: int
    parent: int
    is_dead: bool
    """Whether it is a zombie: nobody has reaped it."""


def descendants(root: int) -> list[int]:
    """The living processes below this one."""
    stats = [stat for place in PROC.glob("[0-9]*") if (stat := _stat(place)) is not None]
    children: dict[int, list[_Stat]] = {}
    for stat in stats:
        children.setdefault(stat.parent, []).append(stat)
    found, waiting = [], [root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            waiting.append(child.id)
            if not child.is_dead:
                found.append(child.id)
    return found


def _stat(place: Path) -> _Stat | None:
    try:
        said = (place / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, parent = said.rpartition(")")[2].split()[:2]  # the name in brackets may hold anything
    return _Stat(int(place.name), int(parent), state in "ZX")


def left_below_us() -> int:
    """How many processes below this one do not end by themselves; they are then killed."""
    waits_until = time.monotonic() + VANISH_S
    while (left := len(descendants(os.getpid()))) and time.monotonic() < waits_until:
        _bury()
        time.sleep(0.02)
    for _ in range(ROUNDS_MAX):  # those that fork meanwhile
        alive = descendants(os.getpid())
        if not alive:
            break
        for process in alive:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                continue
        time.sleep(0.02)
    _bury()
    return left


def _bury() -> None:
    """Reaps orphans that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def peak_mb(process: int) -> float | None:
    """The most memory that a living process has held, in 10⁶ bytes."""
    try:
        lines = (PROC / str(process) / "status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM:")), None)
