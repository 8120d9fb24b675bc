"""Rules that may end a tournament before its schedule does."""

from __future__ import annotations

from typing import Protocol

from arena.schedule.allocation import Shares
from arena.schedule.course import ClosedSeries, Course


class StopRule(Protocol):
    """Decides when enough has been played: the course ends there, and later matches are not kept."""

    def begins(self, course: Course) -> None:
        """Begins, or begins again, with a course: forgets what was told before."""

    def goes_on(self) -> None:
        """Notes that everything in the folder was told: what comes from now on was just played."""

    def closed(self, series: ClosedSeries) -> bool:
        """Takes in the next series that counts, in schedule order; returns whether enough has been played."""

    def shares(self) -> Shares:
        """How the next batch is divided among the sets of bots, if the plan allocates them.

        Asked after the last series of every cycle; must depend only on what was told.
        """

    def state(self) -> str:
        """How far the rule is from stopping, in a few words; empty if there is nothing to say."""
