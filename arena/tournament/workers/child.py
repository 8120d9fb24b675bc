"""A program that another one starts and speaks to on its standard input and output."""

from __future__ import annotations

import os
import signal
from collections.abc import Awaitable, Callable, Sequence

import trio

from arena.box.processes import wake_when_orphaned

BUG = 70
"""The exit code after a bug of ours."""


def run_child(words: Sequence[str], serve: Callable[[trio.abc.Stream], Awaitable[bool]]) -> int:
    """Serves until standard input ends; returns the exit code: 0 if `serve` says that all went well.

    `words`: the process id of the program that started this one, with whose end this one ends even if it
    hears nothing; or nothing.
    """
    hears, speaks = _own_pipe()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the one that started us hears them, and says what follows
    if words:
        wake_when_orphaned(int(words[0]), signal.SIGKILL)
    return 0 if trio.run(_serve, serve, hears, speaks) else BUG


def _own_pipe() -> tuple[int, int]:
    """Standard input and output, under other numbers: whatever else is printed goes to standard error."""
    hears, speaks = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    return hears, speaks


async def _serve(serve: Callable[[trio.abc.Stream], Awaitable[bool]], hears: int, speaks: int) -> bool:
    async with trio.StapledStream(trio.lowlevel.FdStream(speaks), trio.lowlevel.FdStream(hears)) as stream:
        return await serve(stream)
