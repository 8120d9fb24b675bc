"""Shows the progress of a run: a screen in a terminal, lines elsewhere.  Never raises into the run."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TextIO, TypeAlias

from arena.analysis.live import Standings
from arena.match.record import Entry
from arena.schedule.course import ClosedSeries, Course
from arena.terminal.account import Account
from arena.terminal.text import write_if_possible
from arena.tournament.play.stopping import StopRule
from arena.words import at_most_listed, printable

if TYPE_CHECKING:
    from arena.terminal.live import Screen

LINE_EVERY_S = 5.0
"""How often a run without a terminal tells how far it is (s)."""
STANDINGS_EVERY_S = 60.0
"""How often, at most, such a run tells at the end of a cycle who leads (s)."""


class Lines:
    """Shows a run in lines: without a terminal, or quietly (then only what needs an answer)."""

    is_lost = False

    def __init__(self, account: Account, stream: TextIO, *, quiet: bool = False) -> None:
        self._account = account
        self._stream = stream
        self._quiet = quiet
        self._told_at = self._ranked_at = time.monotonic()
        self._ranker: threading.Thread | None = None

    def note(self, line: str) -> None:
        if not self._quiet:
            self._say(line)

    def await_bots(self, line: str) -> None:
        """Shows that the run waits until bots connect."""
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
            if self._account.standings.is_by_rating:
                self._ranker = threading.Thread(target=self._rank, name="standings", daemon=True)
                self._ranker.start()
            else:
                self._say(self._account.leaders())

    def _rank(self) -> None:
        """Rates the bots, in a thread of its own: the run hears bots meanwhile."""
        self._account.rate()
        self._say(self._account.leaders())

    def aside(self) -> AbstractContextManager[object]:
        """Lets others write to the terminal inside its body."""
        return nullcontext()

    def abandon(self) -> None:
        """Gives the view up, as nobody can see it any more; called from a signal handler."""

    def ends(self) -> None:
        if self._ranker is not None:
            self._ranker.join(1.0)

    def _say(self, line: str) -> None:
        write_if_possible(self._stream, line + "\n")


View: TypeAlias = "Lines | Screen"
"""A way of showing an account; `is_lost` says that nobody can see it any more."""


class ProgressReporter:
    """The reporter of `arena run`: keeps the account and shows it, in lines once its terminal is gone."""

    def __init__(
        self, account: Account, view: View, begun: Callable[[Course, int], str], guide: Callable[[str], None]
    ) -> None:
        """`begun`: called with the course and how much of it is played; returns a line to show, or ""."""
        self.account = account
        self.view = view
        self.lost: Callable[[], None] = lambda: None
        """Called once the terminal is seen to be gone, before anything else is said."""
        self._begun = begun
        self._guide = guide
        self._address = ""
        self._missing = ""

    def note(self, line: str) -> None:
        """Shows one line for people."""
        self._seen().note(printable(line))

    def waiting(self, address: str, missing: Sequence[str]) -> None:
        """Tells, while the run waits for bots, how to connect, and who is missing whenever that changes."""
        if address != self._address:
            self._address = address
            with self._seen().aside():
                self._guide(address)
        told = at_most_listed(missing)
        if told != self._missing:
            self._missing = told
            line = f"listening on {address}, waiting for {self._missing}"
            self._seen().await_bots(printable(line))

    def begins(self, course: Course, done: int) -> None:
        """Shows that play begins, with `done` matches already played."""
        if said := self._begun(course, done):
            self.note(said)
        self.account.begins(course, done)
        self._seen().begins()

    def played(self, entry: Entry) -> None:
        """Shows that a match is over."""
        self.account.played(entry)
        self._seen().changed()

    def closed(self, series: ClosedSeries) -> None:
        """Shows that one more series counts."""
        self.account.closed(series)
        self._seen().changed(ends_cycle=series.ends_cycle)

    def hang_up(self) -> None:
        """Notes that the terminal is gone; called from a signal handler."""
        self.view.abandon()

    def ends(self) -> None:
        """Restores the terminal when the run is over; later notes are lines."""
        self._seen().ends()
        self.view = Lines(self.account, sys.stderr)

    def _seen(self) -> View:
        """The view, replaced by lines if nobody can see it any more."""
        if self.view.is_lost:
            self.view.ends()
            self.lost()
            self.view = Lines(self.account, sys.stderr)
        return self.view


def progress(
    begun: Callable[[Course, int], str],
    guide: Callable[[str], None],
    *,
    quiet: bool,
    standings: Standings,
    rule: StopRule | None = None,
) -> ProgressReporter:
    """Makes the reporter that suits standard error."""
    account = Account(standings, rule)
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        return ProgressReporter(account, Lines(account, sys.stderr, quiet=quiet), begun, guide)
    from arena.terminal.live import Screen, Terminal

    screen = Screen(account, Terminal.of(sys.stderr))
    screen.start()
    return ProgressReporter(account, screen, begun, guide)
