"""How much unasked-for work a bot may cause the arena, and who waits when it causes more.

Work is counted in bytes, of the kind that costs most to read (0.1 µs each); each value and each piece of the
stream counts as a number of bytes on top.  It is counted, not measured, so that the same bytes always cost
the same.  What answers the open question is free: the arena asked for it.  Everything else leaks away at a
fixed rate, and while more than a little of it is left, nothing from that owner is read: the kernel's
buffers fill, and the flood costs its sender's own time.

All connections of one owner share one allowance: all to the port of a started bot, all of an entrant, and
all strangers that have not said who they are.  Owners over their allowance share one lane in which they are
read, a step at a time, so that fifty bots that flood cost little more than one.
"""

from __future__ import annotations

from collections import deque
from time import perf_counter

import attrs
import trio

VALUE_BYTES = 64
"""The cost of one value: a broken one takes 3 µs to read, and as long to report."""
PIECE_BYTES = 128
"""The cost of one piece of a stream: a call to the kernel and a turn of the loop."""
QUIET_BYTES = 4096
"""How much is read at once; an introduction or an answer that comes too late is a tenth of that.

Anything beyond is read as well, but after everybody else: a step of 4 kB, then the others."""
BURST_BYTES = 1 << 17
"""The level above which nothing more is read until it sinks; the longest value allowed is half of it."""
BYTES_PER_S = 1 << 18
"""The rate of the leak: 3 % of a core if the bytes are as bad as can be."""
LANE_BYTES_PER_S = 1 << 19
"""The rate for all owners over their allowance together."""
ANSWER_BYTES_FREE = 2048
"""How many bytes of an answer to the open question are free; no game has longer answers."""
WORKED_KEPT = 64
"""How many pieces of work are remembered; fewer than that are read between two polls."""


@attrs.define
class Bucket:
    """A bucket that leaks at a fixed rate."""

    per_s: float
    """How much leaks away in a second."""
    _level: float = 0.0
    _leaked_at: float = 0.0

    def add(self, amount: float) -> float:
        """Adds an amount and returns the new level."""
        self._level += amount
        return self.level()

    def level(self) -> float:
        now = trio.current_time()
        self._level = max(0.0, self._level - (now - self._leaked_at) * self.per_s)
        self._leaked_at = now
        return self._level

    def over_s(self, most: float) -> float:
        """How many seconds it takes until no more than `most` is left."""
        return max(0.0, self.level() - most) / self.per_s


class Allowance:
    """The work that one owner has caused the arena beyond what the arena asked for."""

    __slots__ = ("_bucket", "_worked")

    def __init__(self) -> None:
        self._bucket = Bucket(BYTES_PER_S)
        self._worked: deque[tuple[float, float]] | None = None
        """When and for how long the arena worked for the owner lately, in seconds; None: it never has."""

    def charge(self, octets: int, values: int) -> bool:
        """Charges a piece with this many bytes and values; returns whether more may be read at once."""
        return self._bucket.add(PIECE_BYTES + octets + VALUE_BYTES * values) <= QUIET_BYTES

    def note_work(self, began: float) -> None:
        """Notes that the arena worked for the owner from `began` (by `perf_counter`) until now."""
        if self._worked is None:
            self._worked = deque(maxlen=WORKED_KEPT)
        self._worked.append((trio.current_time(), perf_counter() - began))

    def excuse(self, heard_since: float, now: float) -> float:
        """The last moment at which the arena would have listened without the work that this owner caused.

        A bot that keeps the arena from listening cannot claim that it was not heard: one that is about to be
        late could send junk, and the lag that this causes would excuse its answer.
        """
        if not self._worked or self._worked[-1][0] < heard_since:
            return heard_since
        return min(now, heard_since + sum(took for when, took in self._worked if when >= heard_since))

    async def subside(self) -> None:
        """Waits until one more step may be read; others get a turn in any case."""
        over_s = self._bucket.over_s(BURST_BYTES)
        if over_s:
            await trio.sleep(over_s)
        elif self._bucket.level() <= QUIET_BYTES:
            await trio.lowlevel.checkpoint()
            return
        async with _lane():
            await trio.sleep(over_s * BYTES_PER_S / LANE_BYTES_PER_S)


def _lane() -> trio.Lock:
    """The lane in which all owners over their allowance wait, one behind the other."""
    lane = _here.get(None)
    if lane is None:
        lane = trio.Lock()
        _here.set(lane)
    return lane


_here: trio.lowlevel.RunVar[trio.Lock | None] = trio.lowlevel.RunVar("lane", None)
"""The lane of this run of Trio."""
