"""Starts workers as children of this process, reached through pipes."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import trio

LOOK_S = 0.01
"""How often it is checked whether a child has ended."""
PROGRAM = ("-m", "arena.worker")
"""The arguments with which Python runs a worker."""
END_S = 1.0
"""How long a child may take to end when its pipe is closed."""


class Child:
    """A worker in a child process."""

    where = ""
    host = platform.node()
    is_trusted = True

    def __init__(self, program: Sequence[str] = PROGRAM, fds: Sequence[int] = ()) -> None:
        hears, to_child = os.pipe()
        try:
            from_child, speaks = os.pipe()
        except OSError:
            os.close(hears)
            os.close(to_child)
            raise
        try:
            # In this very thread, with whose end the child is killed (`wake_when_orphaned`).  In a session of
            # its own: Ctrl-C reaches the run alone.  -P: nothing is imported from the working directory.
            self._process = subprocess.Popen(
                [sys.executable, "-P", *program, str(os.getpid())],
                stdin=hears,
                stdout=speaks,
                start_new_session=True,
                pass_fds=fds,
            )
        except OSError:
            os.close(to_child)
            os.close(from_child)
            raise
        finally:
            os.close(hears)
            os.close(speaks)
        self.pid = self._process.pid
        self.stream = trio.StapledStream(trio.lowlevel.FdStream(to_child), trio.lowlevel.FdStream(from_child))

    @property
    def ending(self) -> str:
        code = self._process.returncode
        if code is None:
            return "is still there"
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    async def end(self) -> None:
        """Lets the child end by itself for a short time, then kills it; its bots end with it."""
        await trio.aclose_forcefully(self.stream)
        with trio.move_on_after(END_S):
            while self._process.poll() is None:  # noqa: ASYNC110
                await trio.sleep(LOOK_S)
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()


@asynccontextmanager
async def enlist_child(
    name: str, program: Sequence[str] = PROGRAM, fds: Sequence[int] = ()
) -> AsyncIterator[Child]:
    """Starts a worker as a child of this process, which is gone when the context ends.

    `fds`: the descriptors that it has too, under the same numbers.
    """
    child = Child(program, fds)
    try:
        yield child
    finally:
        with trio.CancelScope(shield=True):
            await child.end()
