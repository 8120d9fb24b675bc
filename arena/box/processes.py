"""Finds the descendants of processes, measures what they use, and kills them reliably."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
CAP_SYS_ADMIN = 21
IS_LINUX = sys.platform == "linux"
END_S_MAX = 10.0
"""How long killing may take: a process that is not gone then waits in the kernel for a disk or network."""
NICENESS = 10
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Sets an attribute of this process, if the system supports it."""
    if IS_LINUX:
        libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def effective_capabilities() -> int:
    """What this process may do beyond an ordinary one, with a bit for each of Linux's capabilities."""
    try:
        with open("/proc/self/status", encoding="utf-8") as file:
            return next(int(line.split()[1], 16) for line in file if line.startswith("CapEff:"))
    except (OSError, StopIteration):
        return 0


def adopt_orphans() -> None:
    """Makes this process, but not its forks, the parent of orphans among its descendants, in any session."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def wake_when_orphaned(parent: int, number: signal.Signals) -> None:
    """Has this signal sent to us when our parent ends, at once if it has ended already."""
    prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def wakeups() -> socket.socket:
    """Makes a socket that can be read from whenever a child has ended."""
    ours, signals = socket.socketpair()
    for sock in (ours, signals):
        sock.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(signals.detach(), warn_on_full_buffer=False)
    return ours


def drained(deaths: socket.socket) -> None:
    with suppress(BlockingIOError):
        while deaths.recv(4096):
            pass


def children(pid: int) -> list[int]:
    """The children of all threads of a process."""
    found = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += [int(word) for word in file.read().split()]
    return found


def descendants(pid: int) -> list[int]:
    """All descendants of a process, parents first."""
    if not IS_LINUX:
        return _listed_below(pid)
    found = children(pid)
    for one in found:  # grows as it goes
        found += children(one)
    return found


def _listed_below(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False)
    pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    found = [pid]
    for parent in found:
        found += [one for one, above in pairs if above == parent]
    return found[1:]


def kill_all_below(pid: int) -> None:
    """Kills every descendant; stops all of them first, so that the next look finds those forked meanwhile.

    Process groups are stopped as a whole, so that no member can outrun it by forking.  If this process adopts
    orphans (`adopt_orphans`), none is left.
    """
    ends_at = time.monotonic() + END_S_MAX
    held: set[int] = set()
    while new := set(descendants(pid)) - held:
        groups = _groups(new)
        _signal_groups(groups, signal.SIGSTOP)
        _signal_groups(groups, signal.SIGKILL)
        _signal(new, signal.SIGSTOP)
        held |= new
        if time.monotonic() > ends_at:
            break
    _signal(held, signal.SIGKILL)


def bury_all() -> None:
    """Kills and reaps until no child of this process is left."""
    ends_at, me = time.monotonic() + END_S_MAX, os.getpid()
    while time.monotonic() < ends_at:
        kill_all_below(me)
        if not reap_ended():
            return
        time.sleep(0.001)


def reap_ended() -> bool:
    """Reaps the children that have ended; returns whether others are left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _groups(pids: Iterable[int]) -> set[int]:
    """The process groups of these processes, except ours."""
    found = set()
    for pid in pids:
        with suppress(OSError):
            found.add(os.getpgid(pid))
    return found - {os.getpgrp()}


def _signal_groups(groups: Iterable[int], number: signal.Signals) -> None:
    for group in groups:
        with suppress(OSError):
            os.killpg(group, number)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, number)


def give_way(pids: Iterable[int]) -> None:
    """Has these processes, and those that they start from now on, yield to everything else."""
    for pid in pids:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, NICENESS)


def memory_bytes(pids: Iterable[int]) -> int:
    """How much memory these processes hold; what they share counts for each of them."""
    return sum(map(resident_bytes, pids))


def resident_bytes(pid: int) -> int:
    """How much memory a process holds, including all that it shares; 0 if it has ended."""
    with suppress(OSError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * PAGE_BYTES
    return 0


def fair_memory_bytes(pids: Iterable[int], open_bytes: int = 0) -> int:
    """How much memory these processes hold, with what they share divided among them; slower to find out.

    `open_bytes`: the size of files in memory that they have open; what of it they have mapped counts once.
    """
    total = in_files = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
                kb = {line.split()[0]: int(line.split()[1]) for line in file if b"Pss" in line}
        except OSError:
            total += resident_bytes(pid)
        else:
            total += kb.get(b"Pss:", 0) * 1024
            in_files += kb.get(b"Pss_Shmem:", 0) * 1024
    return total + max(0, open_bytes - in_files)
