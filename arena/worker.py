"""`python -m arena.worker`: plays matches for a run, which speaks to it on its standard input and output.

A run with more than one worker starts it.  What is said is in `tournament/workers/messages.py`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

import trio

from arena.box.processes import wake_when_orphaned
from arena.tournament.workers.serve import work_for

BUG = 70
"""The exit code after a bug of ours."""


def main(words: Sequence[str]) -> int:
    """Plays until standard input ends; returns the exit code.

    `words`: the process id of the run, with whose end this one ends even if it hears nothing; or nothing.
    """
    hears, speaks = _own_pipe()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the run hears them, and says what follows
    if words:
        wake_when_orphaned(int(words[0]), signal.SIGKILL)
    return 0 if trio.run(_serve, hears, speaks) else BUG


def _own_pipe() -> tuple[int, int]:
    """Standard input and output, under other numbers: whatever else is printed goes to standard error."""
    hears, speaks = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    return hears, speaks


async def _serve(hears: int, speaks: int) -> bool:
    async with trio.StapledStream(trio.lowlevel.FdStream(speaks), trio.lowlevel.FdStream(hears)) as stream:
        return await work_for(stream)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
