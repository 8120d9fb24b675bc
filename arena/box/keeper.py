"""The keeper: a small process that starts programs for the arena, and ends them all when the arena ends.

However the arena ends, its end of the socket is closed.  The keeper adopts the processes that killed guards
leave behind, and the arena's death wakes it if a bot has stopped it.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

from arena.box import guard, messages
from arena.box.kernel import cgroups
from arena.box.processes import (
    adopt_orphans,
    bury_all,
    children,
    drained,
    kill_all_below,
    wake_when_orphaned,
    wakeups,
)
from arena.box.scratch import remove_folder

GUARDS_END_S = 5.0
"""Guards end by themselves when the arena is gone; after this they are killed with all they guard."""


def main(fd: int, scratch: str) -> None:
    """Serves the arena at the other end of this socket until it is closed; then removes the folder."""
    arena = socket.socket(fileno=fd)
    keep(arena)
    remove_folder(Path(scratch))


def keep(arena: socket.socket) -> None:
    """Starts the programs asked for, each under its own guard."""
    os.setsid()  # what the terminal sends to the arena is the arena's business
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    wake_when_orphaned(os.getppid(), signal.SIGCONT)
    deaths = wakeups()
    guards: set[int] = set()
    poll = select.poll()
    poll.register(arena, select.POLLIN)
    poll.register(deaths, select.POLLIN)
    while True:
        ready = [fd for fd, _ in poll.poll()]
        if deaths.fileno() in ready:
            drained(deaths)
            _bury(guards)
        if arena.fileno() in ready:
            try:
                message = messages.receive(arena)
            except OSError:
                message = None
            if message is None:
                break
            _start(message, guards, (arena, deaths))
    _end(guards)


def _start(
    message: tuple[messages.Message, list[int]], guards: set[int], ours: tuple[socket.socket, ...]
) -> None:
    order, fds = message
    assert isinstance(order, messages.ProgramOrder), "the arena sends nothing else"
    try:
        pid = os.fork()
    except OSError as error:
        with socket.socket(fileno=fds.pop()) as control:
            messages.send(control, messages.ProgramFailed(number=error.errno or 0))
    else:
        if pid == 0:
            for sock in ours:
                sock.close()
            try:
                guard.watch_over(order, fds)
            finally:
                os._exit(1)
        guards.add(pid)
    for fd in fds:
        os.close(fd)


def _bury(guards: set[int]) -> None:
    """Reaps children that have ended; those that are not guards were left behind by a killed guard."""
    killed: list[int] = []
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            pid, status = ended
            if pid in guards and os.WIFSIGNALED(status):
                killed.append(pid)
            guards.discard(pid)
    for pid in children(os.getpid()):
        if pid not in guards:
            with suppress(OSError):
                kill_all_below(pid)
                os.kill(pid, signal.SIGKILL)
    for pid in killed:
        cgroups.remove_group(cgroups.places_of(pid))


def _end(guards: set[int]) -> None:
    ends_at = time.monotonic() + GUARDS_END_S
    while guards and time.monotonic() < ends_at:
        for pid in guards:
            with suppress(OSError):
                os.kill(pid, signal.SIGCONT)
        _bury(guards)
        time.sleep(0.005)
    bury_all()
