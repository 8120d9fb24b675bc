"""What may end a tournament before its schedule does."""

from __future__ import annotations

from typing import Protocol

from arena.schedule.allocation import Shares
from arena.schedule.course import ClosedSeries, Course


class StopRule(Protocol):
    """Says when enough has been played: the course ends there, and what was played past it is not kept."""

    def begins(self, course: Course) -> None:
        """A course begins, or begins again: forget what was told before."""

    def goes_on(self) -> None:
        """Everything in the folder has been told; what is told from now on has just been played."""

    def closed(self, series: ClosedSeries) -> bool:
        """Takes in the next series that counts, in schedule order; gives whether enough has been played."""

    def shares(self) -> Shares:
        """How the next batch that is planned is divided among the sets of bots, where a plan allocates them.

        Asked after the last series of every cycle, and a function of what was told.
        """

    def state(self) -> str:
        """How far it is from stopping, in a few words; empty if there is nothing to say."""
