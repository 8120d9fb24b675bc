"""Lets one task listen to all connections of a run, by asking the kernel once who has something to say.

Trio's `wait_readable` costs a call to the kernel and a task switch for every answer.  Here a connection stays
registered, and what it says is heard within the step of the one task that waits.  If each connection waits
for itself, a question takes 1.2 times the processor time.  That task is in every poll of Trio's, so what the
lag watch knows about polls holds for what is heard here.  Only Linux has epoll; elsewhere each connection
waits for itself.

While some are heard, others say something, so the kernel is asked again before the next turn of Trio's loop,
and the lag watch is told.  If only Trio asks, a question takes 1.1 times the processor time at two tables;
at many, where each turn hears several, it makes no difference.  (`loop` of `tests.bench`,
with 9 repeats, on two cores shared with others; medians of 1.21, 1.12 and 1.20 for the first figure, of 1.09
for the second, of 1.06 and 0.96 for the last.)
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from time import perf_counter

import attrs
import trio

from arena.players.lag import note_own_poll

if sys.platform == "linux":
    import select

IS_HERE = sys.platform == "linux"
"""Whether this system supports a switchboard."""
AT_A_STRETCH_S = 0.001
"""How long connections are heard in one turn of Trio's loop, as all other tasks wait meanwhile."""


async def whenever_readable(fd: int, take: Callable[[], bool]) -> None:
    """Calls `take` whenever there is something to read, until it returns False, or until `hang_up`.

    `take` must not block; what it raises is raised here.  Only one task at a time may listen to a descriptor.
    Returns at once if the descriptor cannot be listened to, as if it were closed.
    """
    board = _here.get(None)
    if board is None:
        board = _Switchboard()
        _here.set(board)
        trio.lowlevel.spawn_system_task(board.serve)
    await board.listen(fd, take)


def hang_up(fd: int) -> None:
    """Wakes the task that listens to this descriptor; must be called before the descriptor is closed."""
    board = _here.get(None)
    if board is not None:
        board.end(fd)


@attrs.define(eq=False)
class _Line:
    """A connection that a task listens to."""

    take: Callable[[], bool]
    task: trio.lowlevel.Task
    error: BaseException | None = None


class _Switchboard:
    """The lines by file descriptor; each is registered for as long as somebody listens to it."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._lines: dict[int, _Line] = {}

    async def listen(self, fd: int, take: Callable[[], bool]) -> None:
        assert fd not in self._lines, "one at a time may listen"
        try:
            # Level-triggered, so that a connection with more to say than is read in one step is reported
            # again.  With EPOLLET, which reports only new bytes, it would never be heard again.
            self._epoll.register(fd, select.EPOLLIN)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EBADF):
                raise  # the system has no room for it, which is not the other end's fault
            await trio.lowlevel.checkpoint()
            return
        line = self._lines[fd] = _Line(take, trio.lowlevel.current_task())

        def abort(_: trio.lowlevel.RaiseCancelT) -> trio.lowlevel.Abort:
            self._forget(fd)
            return trio.lowlevel.Abort.SUCCEEDED

        await trio.lowlevel.wait_task_rescheduled(abort)
        if line.error is not None:
            raise line.error

    async def serve(self) -> None:
        """Hears everyone until it is cancelled."""
        with self._epoll:
            while True:
                await trio.lowlevel.wait_readable(self._epoll.fileno())
                until = perf_counter() + AT_A_STRETCH_S
                while self._hear_all() and perf_counter() < until:
                    note_own_poll()

    def _hear_all(self) -> bool:
        """Hears everyone who has something to say now; returns False if nobody has.

        Each is heard once in a round, and no other task runs meanwhile.  So one with much to say waits for
        all the others, and a file descriptor closed in a round cannot be reused by another connection in it.
        """
        news = self._epoll.poll(0, max(1, len(self._lines)))
        for fd, _ in news:
            line = self._lines.get(fd)
            if line is not None and not self._goes_on(line):  # None: it has just hung up
                self.end(fd)
        return bool(news)

    def _goes_on(self, line: _Line) -> bool:
        try:
            return line.take()
        except BaseException as error:  # raised in the task that listens, which knows whose it is
            line.error = error
            return False

    def end(self, fd: int) -> None:
        """Wakes the task that listens to this descriptor, if there is one."""
        if fd in self._lines:
            trio.lowlevel.reschedule(self._forget(fd).task)

    def _forget(self, fd: int) -> _Line:
        self._epoll.unregister(fd)
        return self._lines.pop(fd)


_here: trio.lowlevel.RunVar[_Switchboard | None] = trio.lowlevel.RunVar("switchboard", None)
"""The switchboard of this run of Trio; made when a task first listens to a connection."""
