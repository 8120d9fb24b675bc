"""How late the arena itself is: the moments at which it last listened to the world.

Bytes that a poll reports came in after the poll before it; so an answer's true
arrival lies between two polls, and only if the earlier one is past the deadline
was the bot late.  The watch also remembers how long the arena was deaf lately.
"""

from __future__ import annotations

from collections import deque

import trio

LAG_NOTED_S = 0.001
"""Shorter deafness is the normal course of the loop."""
LAGS_KEPT = 256


class LagWatch(trio.abc.Instrument):
    """Trio tells it around every poll.  One for the whole run; `trio.lowlevel.add_instrument(watch)`."""

    def __init__(self) -> None:
        self.polled_at = -float("inf")
        """When the latest poll returned."""
        self.polled_before = -float("inf")
        """When the poll before that returned: whatever a reader finds now came later than this."""
        self.worst_s = 0.0
        self._wait_until = 0.0
        self._lags: deque[tuple[float, float]] = deque(maxlen=LAGS_KEPT)

    def before_io_wait(self, timeout: float) -> None:
        now = trio.current_time()
        self._wait_until = now + timeout
        if now - self.polled_at > LAG_NOTED_S:
            self._note(now, now - self.polled_at)

    def after_io_wait(self, timeout: float) -> None:
        now = trio.current_time()
        if now - self._wait_until > LAG_NOTED_S:
            self._note(now, now - self._wait_until)
        self.polled_before, self.polled_at = self.polled_at, now

    def _note(self, now: float, lag_s: float) -> None:
        if lag_s == float("inf"):
            return
        self._lags.append((now, lag_s))
        self.worst_s = max(self.worst_s, lag_s)

    def since(self, moment: float) -> float:
        """The worst lateness noted since `moment`, in seconds; 0.0 if none over a millisecond."""
        return max((lag_s for noted_at, lag_s in self._lags if noted_at >= moment), default=0.0)
