"""Decides how many matches one Dask task is given, from how long matches took so far.  Pure.

A task costs the scheduler a few milliseconds, so tasks that are too short would take all its time; what a
lost worker had not reported is played again, so tasks that are too long waste much.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from arena.tournament.workers.messages import MatchOrder

TASK_S = 4.0
"""How long a task should take; it may take 2 to 10 seconds."""
TASK_S_MAX = 10.0
IN_FLIGHT_MAX = 2
"""How many tasks a worker has at once: the one that it plays, and the next one."""
MATCHES_MAX = 10_000
"""How many matches one task has at most, however short they are."""


@attrs.define
class TaskPace:
    """How long matches take on one worker."""

    tables: int = 1
    """How many matches the worker plays at once."""
    match_s: float | None = None
    """The time from one finished match to the next, lately; None: no match is finished yet."""

    def note(self, matches: int, took_s: float) -> None:
        """Notes how long a task with this many matches took."""
        if matches:
            each_s = max(took_s, 1e-4) / matches
            self.match_s = each_s if self.match_s is None else (self.match_s + each_s) / 2

    @property
    def wanted(self) -> int:
        """How many matches a task should have."""
        if self.match_s is None:
            return self.tables
        return max(self.tables, min(MATCHES_MAX, int(TASK_S / self.match_s)))

    @property
    def most(self) -> int:
        """How many matches a task may have so that it ends with a series."""
        if self.match_s is None:
            return self.tables
        return max(self.wanted, min(MATCHES_MAX, int(TASK_S_MAX / self.match_s)))

    @property
    def ahead(self) -> int:
        """How many matches all tasks of the worker together can have."""
        return IN_FLIGHT_MAX * self.wanted


def first_batch(orders: Sequence[MatchOrder], pace: TaskPace, in_flight: int) -> int:
    """How many of the waiting orders make up the next task; 0: it is too early for one.

    A worker that has something to play gets its next task when that is complete.
    """
    if in_flight >= IN_FLIGHT_MAX or (in_flight and len(orders) < pace.wanted):
        return 0
    end = min(len(orders), pace.wanted)
    while 0 < end < min(len(orders), pace.most) and orders[end].series == orders[end - 1].series:
        end += 1
    return end
