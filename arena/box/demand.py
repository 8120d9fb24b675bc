"""Measures how much processor time programs want: what they have used, and what they have waited for."""

from __future__ import annotations

import os
from contextlib import suppress

from arena.box.processes import IS_LINUX
from arena.box.spare import TICKS_PER_S


def is_demand_known() -> bool:
    """Whether the system counts what programs want."""
    return IS_LINUX and os.path.exists(f"/proc/self/task/{os.getpid()}/schedstat")


def demand_s_below(pid: int) -> float:
    """The processor time that the descendants of this process have used or waited for, in seconds.

    A program that computes wants the same, however many others compute beside it.  Takes a few hundredths of
    a millisecond for each thread.
    """
    total_s, waiting = _outlived_s(pid), _threads(pid)[1]
    while waiting:
        child = waiting.pop()
        own_s, children = _threads(child)
        waiting += children
        total_s += own_s + _outlived_s(child)
    return total_s


def _threads(pid: int) -> tuple[float, list[int]]:
    """The time that the threads of a process have used or waited for (s), and the process's children."""
    own_ns, children = 0, list[int]()
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError, ValueError):
                used, waited, *_ = _words(f"/proc/{pid}/task/{thread}/schedstat")
                own_ns += int(used) + int(waited)
                children += map(int, _words(f"/proc/{pid}/task/{thread}/children"))
    return own_ns / 1e9, children


def _outlived_s(pid: int) -> float:
    """The processor time that children of a process have used that have ended (s)."""
    with suppress(OSError, LookupError, ValueError), open(f"/proc/{pid}/stat", "rb") as file:
        # The name, in brackets, may contain blanks and brackets; the 16th and 17th values are the times.
        values = file.read().rpartition(b")")[2].split()
        return (int(values[13]) + int(values[14])) / TICKS_PER_S
    return 0.0


def _words(path: str) -> list[bytes]:
    with open(path, "rb") as file:
        return file.read().split()
