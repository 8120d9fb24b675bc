"""The progress of a run: a bar in a terminal, lines elsewhere.  The run calls this: it may not raise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TextIO

from arena.course import ClosedSeries, Course
from arena.record import Entry
from arena.show.text import as_time, counted, with_care

LINE_EVERY_S = 5.0
"""Without a terminal a run tells how far it is once in so many seconds."""
RATE_OVER_S = 2.0
"""A rate from less time than this says nothing of the next minute."""


class Progress:
    """How far a run is."""

    def __init__(self, begun: Callable[[], None], guide: Callable[[str], None]) -> None:
        self._begun = begun
        self._guide = guide
        self._began_at = self._told_at = time.monotonic()
        self._address = ""
        self._missing = ""
        self.planned = self.done = self.played_now = self.faults = 0

    def note(self, line: str) -> None:
        """One line for people."""
        raise NotImplementedError

    def waiting(self, address: str, missing: Sequence[str]) -> None:
        """Connecting bots are waited for; tells how to connect, and who is missing whenever that changes."""
        if address != self._address:
            self._address = address
            self._guide(address)
        if ", ".join(missing) != self._missing:
            self._missing = ", ".join(missing)
            self.await_bots(f"listening on {address}, waiting for {self._missing}")

    def await_bots(self, line: str) -> None:
        """The run stands still until bots come."""
        raise NotImplementedError

    def begins(self, course: Course, done: int) -> None:
        """Play begins; so many matches of it were there already."""
        self._begun()
        self._began_at = self._told_at = time.monotonic()
        self.planned, self.done = course.size, done

    def played(self, entry: Entry) -> None:
        """A match is over."""
        self.done += 1
        self.played_now += 1
        self.faults += len(entry.record.capsules)

    def closed(self, series: ClosedSeries) -> None:
        """One more series counts."""

    def ends(self) -> None:
        """The run is over: the terminal is as it was."""

    def state(self) -> str:
        """`92 of 120 matches, 18/s, 2 s left, 3 faults`."""
        parts = [f"{self.done:,} of {counted(self.planned, 'match')}", *self.pace()]
        return ", ".join(parts + ([counted(self.faults, "fault")] if self.faults else []))

    def pace(self) -> list[str]:
        """Rate and time left; nothing as long as nobody can know."""
        elapsed_s = time.monotonic() - self._began_at
        if not self.played_now or elapsed_s < RATE_OVER_S:
            return []
        rate = self.played_now / elapsed_s
        shown = f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min"
        return [shown, f"{as_time((self.planned - self.done) / rate)} left"]


class Lines(Progress):
    """Tells a run in lines: without a terminal, or with `--quiet` (then only what needs an answer)."""

    def __init__(
        self, stream: TextIO, begun: Callable[[], None], guide: Callable[[str], None], *, quiet: bool = False
    ) -> None:
        super().__init__(begun, guide)
        self._stream = with_care(stream)
        self._quiet = quiet

    def note(self, line: str) -> None:
        if not self._quiet:
            self._say(line)

    def await_bots(self, line: str) -> None:
        self._say(line)

    def played(self, entry: Entry) -> None:
        super().played(entry)
        if not self._quiet and time.monotonic() - self._told_at > LINE_EVERY_S:
            self._told_at = time.monotonic()
            self._say(self.state())

    def _say(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()


class Bar(Progress):
    """Tells a run as a progress bar, which is gone when it ends."""

    def __init__(self, stream: TextIO, begun: Callable[[], None], guide: Callable[[str], None]) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as RichProgress

        super().__init__(begun, guide)
        self._console = Console(file=with_care(stream), highlight=False, soft_wrap=True, force_terminal=True)
        self._bar = RichProgress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            console=self._console,
            transient=True,
            refresh_per_second=5,
        )
        self._task = self._bar.add_task("getting the bots ready", total=None)
        self._bar.start()

    def note(self, line: str) -> None:
        self._console.print(line, markup=False)

    def await_bots(self, line: str) -> None:
        self._bar.update(self._task, description=line)

    def begins(self, course: Course, done: int) -> None:
        super().begins(course, done)
        self._bar.update(self._task, total=self.planned, completed=done, description=self.state())

    def played(self, entry: Entry) -> None:
        super().played(entry)
        self._bar.update(self._task, completed=self.done, description=self.state())

    def ends(self) -> None:
        self._bar.stop()


def progress(begun: Callable[[], None], guide: Callable[[str], None], *, quiet: bool) -> Progress:
    """The one that fits standard error."""
    if quiet or not sys.stderr.isatty():
        return Lines(sys.stderr, begun, guide, quiet=quiet)
    return Bar(sys.stderr, begun, guide)
