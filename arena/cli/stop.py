"""Ends a run, or a server, at a signal, in order or at once, and keeps it going when its terminal closes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from types import FrameType

import trio

from arena.terminal.text import say

EXIT_OF = {signal.SIGINT: 130, signal.SIGTERM: 143}
PATIENCE_S = 8.0
"""How long an orderly end may take; bots that ignore SIGTERM need two to three seconds."""


class Stop:
    """Hears Ctrl-C and SIGTERM: the first one ends the run in order, the second one at once.

    The first one too ends it at once if a bot in this process does not return, so that nothing else is heard.
    """

    def __init__(
        self, log: Path = Path(os.devnull), *, what: str = "run", patience_s: float = PATIENCE_S
    ) -> None:
        """`what`: the name of what continues when its terminal is closed."""
        self.number: int | None = None
        """The signal that ended the run."""
        self.note: Callable[[str], None] = say
        self.ending = "ending the bots"
        """What people are told that the first signal does."""
        self.hint = ""
        """What people are told besides when the run is ended at once."""
        self.log = log
        """The file to which the run writes once its terminal is closed."""
        self.hung_up: Callable[[], None] = lambda: None
        """Called, from within a signal handler, when the terminal is closed."""
        self._what = what
        self._patience_s = patience_s
        self._cancel: Callable[[], None] | None = None
        self._terminals: list[int] = []
        """The standard streams that are terminals, which nobody can tell once one is closed."""

    @property
    def exit_code(self) -> int | None:
        """The exit code for the signal that ended the run; None if none did."""
        return None if self.number is None else EXIT_OF[signal.Signals(self.number)]

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hears signals, while the context is open, except those that our parent ignores (`nohup`, `&`)."""
        self._terminals = [descriptor for descriptor in (0, 1, 2) if os.isatty(descriptor)]
        hears = {**dict.fromkeys(EXIT_OF, self._hear), signal.SIGHUP: self._hear_hang_up}
        before = {number: signal.getsignal(number) for number in hears}
        heard = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
        for number in heard:
            signal.signal(number, hears[number])
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number in heard:
                signal.signal(number, before[number])

    async def cancellable(self, run: Callable[[], Awaitable[None]]) -> None:
        """Runs `run` until it ends or a signal comes."""
        with trio.CancelScope() as scope:
            token = trio.lowlevel.current_trio_token()

            def cancel() -> None:
                self.note(f"{self.ending}; Ctrl-C again ends at once")
                scope.cancel()

            self._cancel = partial(token.run_sync_soon, cancel)
            try:
                if self.number is not None:
                    scope.cancel()
                await run()
            finally:
                self._cancel = None

    def hang_up(self) -> None:
        """Sends further output to the log, as the terminal is gone.

        Makes nothing but system calls, as the signal may have come in the middle of a write.
        """
        terminals, self._terminals = self._terminals, []
        self.hung_up()
        if terminals:
            move_streams(terminals, self.log, self._what)

    def _hear_hang_up(self, number: int, frame: FrameType | None) -> None:
        # Shells and systems send it more than once.  It is heard and not ignored for good (SIG_IGN), as
        # bots that are started later would inherit that.
        self.hang_up()

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.number is not None:
            leave_at_once(self.number, self.hint)
        self.number = number
        if self._cancel is not None:
            self._cancel()
        # `timeout` and systemd send one signal only, and a bot in this process may never return.
        signal.signal(signal.SIGALRM, lambda *_: leave_at_once(number, self.hint))
        signal.setitimer(signal.ITIMER_REAL, self._patience_s)


def move_streams(descriptors: Collection[int], log: Path, what: str = "run") -> None:
    """Redirects these standard streams to the end of a file, or to nowhere if it cannot be written."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        written = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    except OSError:
        written = os.dup(nowhere)
    now = f"{datetime.now():%Y-%m-%d %H:%M:%S}"
    said = f"{now} the terminal was closed; the {what} continues, and writes here\n"
    with suppress(OSError):
        os.write(written, said.encode())
    for descriptor in descriptors:
        os.dup2(written if descriptor else nowhere, descriptor)
    os.close(written)
    os.close(nowhere)


def leave_at_once(number: int, hint: str) -> None:
    """Ends this process and the groups of its children; what was stored stays, as after a power cut.

    The keeper of the bots is deaf to SIGTERM: it ends them, and what they left, when this process is gone.
    """
    for child in _children():
        for kill in (os.killpg, os.kill):
            with suppress(OSError):
                kill(child, signal.SIGTERM)
    show_cursor = b"\x1b[?25h" if os.isatty(2) else b""
    with suppress(OSError):
        os.write(2, show_cursor + f"\nended at once{hint}\n".encode(errors="replace"))
    os._exit(EXIT_OF[signal.Signals(number)])


def _children() -> list[int]:
    """The processes that we started, as the system knows them."""
    if sys.platform == "linux":
        parents = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has just ended
                after_name = stat.read_text(errors="replace").rpartition(")")[2]
                parents[int(stat.parent.name)] = int(after_name.split()[1])
    else:
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False)
        pairs = (line.split() for line in listed.stdout.splitlines())
        parents = {int(pid): int(parent) for pid, parent in pairs}
    return [pid for pid, parent in parents.items() if parent == os.getpid()]
