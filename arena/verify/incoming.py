"""Checks matches that somebody else played before they are booked, as `arena verify` checks stored ones.

The moves are played again from the seed that was ordered, and everything that follows from them is compared.
What does not follow, which legal move a bot chose and how long it took, is believed within bounds.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable
from math import fsum, isfinite
from secrets import SystemRandom

from arena.errors import FAULT_KINDS
from arena.match.record import Entry, SeatTotals
from arena.store.rows import rows_without_capsules
from arena.tournament.folder.run import Run
from arena.verify.matches import MatchVerifier, Tally

BUSY_MAX = 0.5
"""All matches are checked while that takes less than this share of the time; then some are drawn, so that
a run whose cluster is too large for one core to check still keeps its books."""
DRAWN = 0.05
"""How likely each further match is checked, by luck that nobody knows before the match is reported."""
ROUNDED_S = 1e-3
"""How much rounded times may differ, and as much again for each second."""
CLOCKS_S = 1.0
"""How far the clocks of two machines may disagree about a match that takes no time."""


class Incoming:
    """Checks the matches that come to one run."""

    def __init__(self, run: Run, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._verifier = MatchVerifier(run.game, run.plan.faults_max, Tally())
        self._decisions = run.plan.decisions
        self._clock = clock
        self._luck = SystemRandom()
        self._began_at = clock()
        self._spent_s = 0.0
        self.matches = 0
        self.checked = 0

    def untruth(self, entry: Entry, wait_s: float) -> str | None:
        """What cannot be true of this match, which came `wait_s` after it was ordered; None: nothing."""
        self.matches += 1
        is_busy = self._spent_s > BUSY_MAX * (self._clock() - self._began_at)
        if is_busy and self._luck.random() >= DRAWN:
            return None
        self.checked += 1
        began_at = time.thread_time()
        try:
            return self._first(entry, wait_s)
        finally:
            self._spent_s += time.thread_time() - began_at

    def _first(self, entry: Entry, wait_s: float) -> str | None:
        if (told := _wrong_times(entry, wait_s) or self._wrong_rows(entry)) is not None:
            return told
        untruth = next(self._verifier.untruths(rows_without_capsules(entry)), None)
        return None if untruth is None else str(untruth)

    def _wrong_rows(self, entry: Entry) -> str | None:
        """What is wrong if it lacks decisions that the run keeps, or its faults are not as counted."""
        for seat, totals in enumerate(entry.totals):
            kinds = [decision.fault for decision in entry.faults if decision.seat == seat]
            if tuple(map(kinds.count, FAULT_KINDS)) != tuple(totals.faults):
                return f"seat {seat} has other faults than are counted"
        made = sum(totals.decisions for totals in entry.totals)
        wanted = {"all": made, "faults": len(entry.faults), "none": 0}[self._decisions]
        if entry.record.error is None and len(entry.decisions) != wanted:
            return f"it has {len(entry.decisions)} rows of decisions, expected {wanted}"
        return None

    @property
    def summary(self) -> str | None:
        """A sentence about how many were checked; None if all were."""
        if self.checked == self.matches:
            return None
        return (
            f"{self.checked:,} of {self.matches:,} matches from the cluster were checked as they came: "
            "arena verify checks all"
        )


def _wrong_times(entry: Entry, wait_s: float) -> str | None:
    """Says which time of the match cannot be true; None if none is known to be wrong."""
    duration_s = entry.record.duration_s
    if not (isfinite(entry.started_at) and 0 <= duration_s <= 1.01 * wait_s + CLOCKS_S):
        return f"it took {duration_s:g} s, and was ordered {wait_s:.3f} s before"
    for seat, totals in enumerate(entry.totals):
        if not _can_be_one(totals, duration_s):
            return (
                f"seat {seat} thought for {totals.think_s:g} s in {duration_s:g} s, or its times are others"
            )
    return None


def _can_be_one(totals: SeatTotals, duration_s: float) -> bool:
    """Whether a seat's times can be those of one match of this length."""
    times = array("f", totals.times)
    slack_s = ROUNDED_S * (1 + duration_s)
    return (
        all(0 <= time_s < 1e9 for time_s in times)
        and abs(fsum(times) - totals.think_s) <= slack_s
        and abs(max(times, default=0.0) - totals.think_max_s) <= slack_s
        and (totals.think_s <= duration_s + slack_s or duration_s == 0)
    )
