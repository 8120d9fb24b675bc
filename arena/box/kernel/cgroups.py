"""Puts a program into a cgroup, if we may create one, which counts its memory and tasks exactly.

A group is a list of folders: one in version 2 of cgroups, or one for each controller in version 1.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress

ROOT = "/sys/fs/cgroup"
_REMOVE_TRIES = 50


def made_for(pids: Iterable[int], memory_bytes: int, tasks: int) -> list[str]:
    """Makes a group of these processes and those they start, with these limits; empty if that is impossible.

    Processes that they started before may be outside of it: so the guard watches processes as well.
    """
    made: list[str] = []
    try:
        for place in places_of(os.getpid()):
            os.mkdir(place)
            made.append(place)
        _limit(made, memory_bytes, tasks)
    except (OSError, LookupError):
        remove_group(made)
        return []
    for pid in pids:
        for place in made:
            with suppress(OSError):  # gone meanwhile, or not ours to move: the group holds the others
                _write(place, "cgroup.procs", pid)
    return made


def places_of(guard: int) -> list[str]:
    """The folders that a guard's group would have: below the groups that we are in."""
    name = f"arena-{guard}"
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            lines = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        return []
    by_kind = {kind: path.lstrip("/") for _, kinds, path in lines for kind in kinds.split(",")}
    if {"memory", "pids"} <= by_kind.keys():
        return [os.path.join(ROOT, kind, by_kind[kind], name) for kind in ("memory", "pids")]
    return [os.path.join(ROOT, by_kind[""], name)] if "" in by_kind else []


def _limit(group: list[str], memory_bytes: int, tasks: int) -> None:
    if len(group) == 2:
        _write(group[0], "memory.limit_in_bytes", memory_bytes)
        _write(group[1], "pids.max", tasks)
    else:
        (both,) = group or [""]
        if not both:
            raise LookupError
        _write(both, "memory.max", memory_bytes)
        with suppress(OSError):
            _write(both, "memory.oom.group", 1)
            _write(both, "memory.swap.max", 0)
        _write(both, "pids.max", tasks)


def excess(group: list[str]) -> str:
    """Which limit the group has reached, `memory` or `tasks`; empty if neither."""
    if not group:
        return ""
    if _count(group[0], "memory.oom_control" if len(group) == 2 else "memory.events", "oom_kill"):
        return "memory"
    return "tasks" if _count(group[-1], "pids.events", "max") else ""


def _count(place: str, name: str, key: str) -> int:
    """The number at this key of a cgroup file, or the only number in it."""
    with suppress(OSError, ValueError), open(os.path.join(place, name), encoding="ascii") as file:
        for line in file:
            *keys, number = line.split()
            if not keys or keys[0] == key:
                return int(number)
    return 0


def remove_group(group: list[str]) -> None:
    """Removes a group whose processes are gone, which the kernel may notice a little later."""
    for place in group:
        for _ in range(_REMOVE_TRIES):
            try:
                os.rmdir(place)
            except FileNotFoundError:
                break
            except OSError:
                time.sleep(0.002)
            else:
                break


def _write(place: str, name: str, value: int) -> None:
    fd = os.open(os.path.join(place, name), os.O_WRONLY)
    try:
        os.write(fd, str(value).encode())
    finally:
        os.close(fd)
