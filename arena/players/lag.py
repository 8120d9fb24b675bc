"""How late the arena itself is: the moments at which it last listened to the world.

Bytes that a poll reports came in after the previous poll had begun; so an answer's true arrival lies between
the two, and the bot was late only if the earlier one is past the deadline.  Begun, not returned: a poll that
waits while the process is stopped (Ctrl-Z) is over when the process resumes, and returns nothing although
bytes came in meanwhile.
The switchboard polls by itself between two polls of Trio's, and tells the watch.
The watch also remembers for how long the arena was deaf lately.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import perf_counter

import trio

LAG_NOTED_S = 0.001
"""The shortest deafness that is noted; less is normal for the loop."""
LAGS_KEPT = 256


class LagWatch(trio.abc.Instrument):
    """Notes every poll, as Trio calls it before and after each.  One for the whole run: see `open_watch`."""

    def __init__(self) -> None:
        self.polled_at = -inf
        """When the latest poll returned."""
        self.polled_before = -inf
        """When the poll before the latest began: everything that a reader finds now came later than this."""
        self._began_at = -inf
        """When the latest poll began."""
        self.worst_s = 0.0
        # Lateness is measured in real time, so that jumps of a test's virtual clock do not count.
        self._heard_at = inf
        self._wait_until = inf
        self._lags: deque[tuple[float, float]] = deque(maxlen=LAGS_KEPT)
        """The (moment, seconds) of each lag, each shorter than the one before."""

    def before_io_wait(self, timeout: float) -> None:
        now = perf_counter()
        if now - self._heard_at > LAG_NOTED_S:
            self._note(trio.current_time(), now - self._heard_at)
        self._wait_until = now + timeout
        self.polled_before, self._began_at = self._began_at, trio.current_time()

    def after_io_wait(self, timeout: float) -> None:
        self.polled_at = trio.current_time()
        self._heard_at = perf_counter()
        if self._heard_at - self._wait_until > LAG_NOTED_S:
            self._note(self.polled_at, self._heard_at - self._wait_until)

    def note_own_poll(self) -> None:
        """Notes that a poll of our own, which does not wait, is about to be made."""
        now = perf_counter()
        if now - self._heard_at > LAG_NOTED_S:
            self._note(trio.current_time(), now - self._heard_at)
        self._heard_at = now
        self.polled_before = self._began_at
        self._began_at = self.polled_at = trio.current_time()

    def _note(self, now: float, lag_s: float) -> None:
        while self._lags and self._lags[-1][1] <= lag_s:  # it can no longer be the worst since any moment
            self._lags.pop()
        self._lags.append((now, lag_s))
        self.worst_s = max(self.worst_s, lag_s)

    def since(self, moment: float) -> float:
        """The worst lateness noted since `moment`, in seconds; 0.0 if none exceeded LAG_NOTED_S."""
        return next((lag_s for noted_at, lag_s in self._lags if noted_at >= moment), 0.0)


@contextmanager
def open_watch() -> Iterator[LagWatch]:
    """Measures how late the arena itself is for as long as this is open."""
    watch = LagWatch()
    trio.lowlevel.add_instrument(watch)
    _open.set((*_open.get(), watch))
    try:
        yield watch
    finally:
        _open.set(tuple(other for other in _open.get() if other is not watch))
        trio.lowlevel.remove_instrument(watch)


def note_own_poll() -> None:
    """Tells all open watches that a poll of our own, which does not wait, is about to be made."""
    for watch in _open.get():
        watch.note_own_poll()


_open: trio.lowlevel.RunVar[tuple[LagWatch, ...]] = trio.lowlevel.RunVar("lag watches", ())
"""The open watches of this run of Trio."""
