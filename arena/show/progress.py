"""The progress of a run: a screen in a terminal, lines elsewhere.  The run calls this: it may not raise."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TextIO

from arena.analysis.live import Standing, Standings
from arena.record import Entry
from arena.schedule.course import ClosedSeries, Course
from arena.show.text import as_time, counted, printable, with_care
from arena.tournament.stopping import StopRule

LINE_EVERY_S = 5.0
"""Without a terminal a run tells how far it is once in so many seconds."""
STANDINGS_EVERY_S = 60.0
"""And who leads at the end of a cycle, but not more often than this."""
STANDINGS_SHOWN = 5
RULE_EVERY_S = 0.25
"""A rule that may stop the run is asked for words not more often than this: they may take work."""
RATE_OVER_S = 2.0
"""A rate from less time than this says nothing of the next minute."""


# What is told.


class Account:
    """How far a run is, in numbers and words.

    Changed by the run, and read by whoever draws it, perhaps in a thread of its own: both hold `lock`.
    """

    def __init__(self, standings: Standings, rule: StopRule | None = None) -> None:
        self.standings = standings
        self.lock = threading.Lock()
        self.planned = self.done = self.faults = 0
        self.rule_state = ""
        """How far the rule that may stop the run is from that."""
        self._rule = rule
        self._asked_at = -RULE_EVERY_S
        self._began_at = 0.0
        self._played = 0
        self._course: Course | None = None

    def begins(self, course: Course, done: int) -> None:
        """Play begins; so many matches of it were there already."""
        with self.lock:
            self._course = course
            self._began_at = time.monotonic()
            self.planned, self.done = course.size, done
            self.standings.enter(course.names)
            self.standings.places = course.places

    def played(self, entry: Entry) -> None:
        """A match is over."""
        asks = self._rule is not None and time.monotonic() - self._asked_at >= RULE_EVERY_S
        with self.lock:
            self.done += 1
            self._played += 1
            self.faults += len(entry.record.capsules)
            if asks and self._rule is not None:
                self._asked_at = time.monotonic()
                self.rule_state = self._rule.state()

    def closed(self, series: ClosedSeries) -> None:
        """One more series counts."""
        with self.lock:
            self.standings.add(series)
            if series.ends_cycle and self._course is not None:
                self.standings.places = self._course.places

    @property
    def is_at_most(self) -> bool:
        """Whether fewer matches may be played than are planned."""
        return self._rule is not None or (self._course is not None and self._course.kind.is_adaptive)

    def state(self) -> str:
        """`92 of 120 matches, 18/s, 2 s left, 3 faults`."""
        of = "at most " if self.is_at_most else ""
        parts = [f"{self.done:,} of {of}{counted(self.planned, 'match')}", *self._pace()]
        return ", ".join(parts + ([counted(self.faults, "fault")] if self.faults else []))

    def _pace(self) -> list[str]:
        """Rate and time left; nothing as long as nobody can know."""
        elapsed_s = time.monotonic() - self._began_at
        if not self._played or elapsed_s < RATE_OVER_S:
            return []
        rate = self._played / elapsed_s
        shown = f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min"
        left_s = max(0, self.planned - self.done) / rate  # matches that are played again are done twice
        return [shown, f"{'at most ' if self.is_at_most else ''}{as_time(left_s)} left"]

    def leaders(self) -> str:
        """`standings after cycle 3: 1. odds 0.82 (0.75–0.87), 2. bluffer …`."""
        rows = [
            f"{row.rank}. {printable(row.bot)} {score_words(row, self.standings)}"
            for row in self.standings.rows()[:STANDINGS_SHOWN]
        ]
        return f"standings after cycle {self.standings.cycle + 1}: {', '.join(rows)}"


def score_words(row: Standing, standings: Standings) -> str:
    """A score with its 95 % interval, in as many digits as are known: `0.82 (0.75–0.87)`, `+2944 ± 582`."""
    if not row.matches:
        return "–"
    half = (row.high - row.low) / 2
    if not standings.is_of_returns:
        digits = 2 if half >= 0.01 else 3
        return f"{row.score:.{digits}f} ({row.low:.{digits}f}–{row.high:.{digits}f})"
    digits = 0 if half >= 10 else 1 if half >= 1 else 3
    return f"{_shortened(row.score, digits, '+')} ± {_shortened(half, digits)}"


def _shortened(number: float, digits: int, sign: str = "") -> str:
    """The number in so many digits behind the point; `1.2M` from a million on."""
    if abs(number) >= 1e6:
        return f"{number / 1e6:{sign}.1f}M"
    return f"{round(number, digits) + 0.0:{sign}.{digits}f}"  # + 0.0: no -0


# How it is shown.


class View(Protocol):
    """A way of showing an account."""

    @property
    def is_lost(self) -> bool:
        """Whether nobody can see it any more."""

    def note(self, line: str) -> None:
        """One line for people."""

    def await_bots(self, line: str) -> None:
        """The run stands still until bots come."""

    def begins(self) -> None:
        """Play begins."""

    def changed(self, *, ends_cycle: bool = False) -> None:
        """There is more to show."""

    def aside(self) -> AbstractContextManager[object]:
        """Within this others may write where it is shown."""

    def abandon(self) -> None:
        """Nobody can see it any more; called from a signal handler."""

    def ends(self) -> None:
        """The run is over: the terminal is as it was."""


class Lines:
    """Shows a run in lines: without a terminal, or with `--quiet` (then only what needs an answer)."""

    is_lost = False

    def __init__(self, account: Account, stream: TextIO, *, quiet: bool = False) -> None:
        self._account = account
        self._stream = with_care(stream)
        self._quiet = quiet
        self._told_at = self._ranked_at = time.monotonic()

    def note(self, line: str) -> None:
        if not self._quiet:
            self._say(line)

    def await_bots(self, line: str) -> None:
        self._say(line)

    def begins(self) -> None:
        self._told_at = self._ranked_at = time.monotonic()

    def changed(self, *, ends_cycle: bool = False) -> None:
        now = time.monotonic()
        if not self._quiet and now - self._told_at > LINE_EVERY_S:
            self._told_at = now
            account = self._account
            self._say("; ".join(filter(None, (account.state(), account.rule_state))))
        if not self._quiet and ends_cycle and now - self._ranked_at >= STANDINGS_EVERY_S:
            self._ranked_at = now
            self._say(self._account.leaders())

    def aside(self) -> AbstractContextManager[object]:
        return nullcontext()

    def abandon(self) -> None:
        pass

    def ends(self) -> None:
        pass

    def _say(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()


class Progress:
    """The reporter of `arena run`: keeps the account and has it shown, in lines once a terminal is gone."""

    def __init__(
        self, account: Account, view: View, begun: Callable[[], None], guide: Callable[[str], None]
    ) -> None:
        self.account = account
        self.view = view
        self.lost: Callable[[], None] = lambda: None
        """Called once it is seen that the terminal is gone, before anything else is said."""
        self._begun = begun
        self._guide = guide
        self._address = ""
        self._missing = ""

    def note(self, line: str) -> None:
        """One line for people."""
        self._seen().note(printable(line))

    def waiting(self, address: str, missing: Sequence[str]) -> None:
        """Connecting bots are waited for; tells how to connect, and who is missing whenever that changes."""
        if address != self._address:
            self._address = address
            with self._seen().aside():
                self._guide(address)
        if ", ".join(missing) != self._missing:
            self._missing = ", ".join(missing)
            line = f"listening on {address}, waiting for {self._missing}"
            self._seen().await_bots(printable(line))

    def begins(self, course: Course, done: int) -> None:
        """Play begins; so many matches of it were there already."""
        self._begun()
        self.account.begins(course, done)
        self._seen().begins()

    def played(self, entry: Entry) -> None:
        """A match is over."""
        self.account.played(entry)
        self._seen().changed()

    def closed(self, series: ClosedSeries) -> None:
        """One more series counts."""
        self.account.closed(series)
        self._seen().changed(ends_cycle=series.ends_cycle)

    def hang_up(self) -> None:
        """The terminal is gone; called from a signal handler."""
        self.view.abandon()

    def ends(self) -> None:
        """The run is over: the terminal is as it was, and what is still noted are lines."""
        self._seen().ends()
        self.view = Lines(self.account, sys.stderr)

    def _seen(self) -> View:
        """The view, or another one if that cannot be seen any more."""
        if self.view.is_lost:
            self.view.ends()
            self.lost()
            self.view = Lines(self.account, sys.stderr)
        return self.view


def progress(
    begun: Callable[[], None],
    guide: Callable[[str], None],
    *,
    quiet: bool,
    standings: Standings,
    rule: StopRule | None = None,
) -> Progress:
    """The one that fits standard error."""
    account = Account(standings, rule)
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        return Progress(account, Lines(account, sys.stderr, quiet=quiet), begun, guide)
    from arena.show.live import Screen, Terminal

    screen = Screen(account, Terminal.of(sys.stderr))
    screen.start()
    return Progress(account, screen, begun, guide)
