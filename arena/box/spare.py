"""Measures how much of the machine is left: cores for leagues, memory for programs that only wait."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from arena.box.processes import descendants

CGROUPS = "/sys/fs/cgroup"
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_MEMORY_FILES = {
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", b"total_inactive_file"),  # version 1
    "": ("memory.max", "memory.current", b"inactive_file"),  # version 2
}


def spare_cores() -> int:
    """How many cores leagues may keep busy: all that this process may use but one, and at least one."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    return max(1, len(usable) - 1)


def free_memory_share(*, proc: str = "/proc", cgroups: str = CGROUPS) -> float | None:
    """The free share, 0 to 1, of the machine's memory, or of what our control group may use if that is less.

    What the kernel would free at once, such as cached files, counts as free.  None where nobody can tell.
    """
    try:
        with open(f"{proc}/meminfo", "rb") as file:
            lines = dict(line.split(b":", 1) for line in file)
        total = int(lines[b"MemTotal"].split()[0])
        shares = [int(lines[b"MemAvailable"].split()[0]) / total]
    except (OSError, LookupError, ValueError, ZeroDivisionError):
        return None
    shares += _group_shares(proc, cgroups)
    return min(shares)


def _group_shares(proc: str, cgroups: str) -> Iterator[float]:
    """The free share of each memory limit that one of our control groups has."""
    try:
        with open(f"{proc}/self/cgroup", encoding="utf-8") as file:
            groups = [line.rstrip("\n").split(":", 2)[1:] for line in file]
    except OSError:
        return
    for kinds, path in groups:
        kind = "memory" if "memory" in kinds.split(",") else kinds
        if kind not in _MEMORY_FILES:
            continue
        most, now, cached = _MEMORY_FILES[kind]
        # In a container the path may be the host's, and the files lie at the top.
        for place in (os.path.join(cgroups, kind, path.lstrip("/")), os.path.join(cgroups, kind)):
            # "max" is not a number: there is no limit then.
            with suppress(OSError, ValueError, LookupError, ZeroDivisionError):
                limit = int(_read(place, most))
                used = int(_read(place, now)) - _stat(place, cached)
                yield max(0.0, 1 - used / limit)
                break


def _read(place: str, name: str) -> bytes:
    with open(os.path.join(place, name), "rb") as file:
        return file.read(100)


def _stat(place: str, key: bytes) -> int:
    with open(os.path.join(place, "memory.stat"), "rb") as file:
        return {line.split()[0]: int(line.split()[1]) for line in file}[key]


def cpu_s(pids: Iterable[int]) -> float:
    """The processor time that these processes, and their children that have ended, have used, in seconds."""
    ticks = 0
    for pid in pids:
        with suppress(OSError, LookupError, ValueError), open(f"/proc/{pid}/stat", "rb") as file:
            # The name, in brackets, may contain blanks and brackets; the 14th to 17th values are the times.
            values = file.read().rpartition(b")")[2].split()
            ticks += sum(map(int, values[11:15]))
    return ticks / TICKS_PER_S


def cpu_s_below(pid: int) -> float | None:
    """The processor time that the descendants of a process have used (s); None where nobody can tell."""
    pids = descendants(pid)
    return cpu_s(pids) if any(os.access(f"/proc/{one}/stat", os.R_OK) for one in pids) else None
