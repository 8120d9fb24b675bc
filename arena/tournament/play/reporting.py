"""What a run reports to the code that shows it to people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena.match.record import Entry
from arena.schedule.course import ClosedSeries, Course


class Reporter(Protocol):
    """Shows a run to people; it is called from the run and must not block."""

    def note(self, line: str) -> None:
        """One line for people."""

    def waiting(self, address: str, missing: Sequence[str]) -> None:
        """The run waits for bots to connect."""

    def begins(self, course: Course, done: int) -> None:
        """Play begins; `done` matches had already been played."""

    def played(self, entry: Entry) -> None:
        """A match is over."""

    def closed(self, series: ClosedSeries) -> None:
        """One more series counts, in schedule order; those already in the folder come first."""


class Silent:
    """A reporter that shows nothing."""

    def note(self, line: str) -> None: ...
    def waiting(self, address: str, missing: Sequence[str]) -> None: ...
    def begins(self, course: Course, done: int) -> None: ...
    def played(self, entry: Entry) -> None: ...
    def closed(self, series: ClosedSeries) -> None: ...
