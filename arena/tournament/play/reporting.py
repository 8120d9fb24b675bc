"""The reporter, to which a run tells what it shows people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena.match.record import Entry
from arena.schedule.course import ClosedSeries, Course


class Reporter(Protocol):
    """Shows a run to people; the run calls it, so it must not block."""

    def note(self, line: str) -> None:
        """Is told a line for people."""

    def waiting(self, address: str, missing: Sequence[str]) -> None:
        """Is told that the run waits for bots to connect."""

    def begins(self, course: Course, done: int) -> None:
        """Is told that play begins, with `done` matches already played."""

    def played(self, entry: Entry) -> None:
        """Is told that a match is over."""

    def closed(self, series: ClosedSeries) -> None:
        """Is told that one more series counts, in schedule order; those already in the folder come first."""


class Silent:
    """A reporter that shows nothing."""

    def note(self, line: str) -> None: ...
    def waiting(self, address: str, missing: Sequence[str]) -> None: ...
    def begins(self, course: Course, done: int) -> None: ...
    def played(self, entry: Entry) -> None: ...
    def closed(self, series: ClosedSeries) -> None: ...
