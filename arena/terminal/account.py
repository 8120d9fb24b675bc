"""Keeps account of how far a run is, in numbers and words."""

from __future__ import annotations

import threading
import time

from arena.analysis.live import Standing, Standings
from arena.match.record import Entry
from arena.schedule.course import ClosedSeries, Course
from arena.terminal.pace import Pace
from arena.terminal.text import as_time
from arena.tournament.play.stopping import StopRule
from arena.tournament.play.tables import shares_of
from arena.words import counted, printable, with_half

STANDINGS_SHOWN = 5

RULE_EVERY_S = 0.25
"""How often, at most, a rule that may stop the run is asked for its state, which may take work."""

RATE_OVER_S = 2.0
"""How long play must last before its rate says anything about the next minute."""


RATED_SHARE = 0.02
"""The share of the time that computing ratings may take, in a thread of its own."""
RATED_BOTS_MAX = 1_000
"""More bots than these are rated only at the end: 500 take a second, 5,000 some minutes and all cores."""


class Account:
    """How far a run is, in numbers and words.

    The run changes it, and whatever draws it reads it, perhaps in another thread: both hold `lock`.
    """

    def __init__(self, standings: Standings, rule: StopRule | None = None) -> None:
        self.standings = standings
        self.lock = threading.Lock()
        self.planned = self.done = self.faults = 0
        self.rule_state = ""
        """How far the rule that may stop the run is from doing so, in words."""
        self._rule = rule
        self._asked_at = -RULE_EVERY_S
        self._began_at = 0.0
        self._played = 0
        self._pace = Pace(0.0)
        self._course: Course | None = None
        self._is_unrated = False
        """Whether a cycle has ended since the bots were rated."""
        self._rates_at = 0.0

    def begins(self, course: Course, done: int) -> None:
        """Notes that play begins, with `done` matches already played."""
        with self.lock:
            self._course = course
            self._began_at = time.monotonic()
            self._pace = Pace(self._began_at)
            self._plan()
            self.planned, self.done = course.size, done
            self.standings.enter(course.names)
            self.standings.places = course.places

    def played(self, entry: Entry) -> None:
        """Counts a match that is over."""
        asks = self._rule is not None and time.monotonic() - self._asked_at >= RULE_EVERY_S
        with self.lock:
            self.done += 1
            self._played += 1
            waited_s = shares_of(entry, entry.record.duration_s)
            self._pace.played(entry.pairing.bots, waited_s, time.monotonic())
            self.faults += len(entry.record.capsules)
            if asks and self._rule is not None:
                self._asked_at = time.monotonic()
                self.rule_state = self._rule.state()

    def closed(self, series: ClosedSeries) -> None:
        """Takes in one more series that counts."""
        with self.lock:
            self.standings.add(series)
            if series.ends_cycle and self._course is not None:
                self.standings.places = self._course.places
                if self._course.is_adaptive:
                    self._plan()
            self._is_unrated |= series.ends_cycle

    def _plan(self) -> None:
        """Counts the matches that are left; a format that goes by results has paired only some of them."""
        assert self._course is not None, "there is no plan before play"
        unpaired = max(0, self._course.size - len(self._course.order))
        seats = len(self._course.order[0].bots) if self._course.order else 0
        self._pace.plan(
            (pairing.bots for pairing in self._course.unplayed), unpaired * seats / len(self._course.names)
        )

    def rate(self) -> None:
        """Rates the bots if a cycle has ended since they were rated, and if that is not too much work.

        Not to be called in the run's own thread, which must hear bots; nor is that thread kept waiting.
        """
        with self.lock:
            is_due = self._is_unrated and time.monotonic() >= self._rates_at and not self._are_too_many
            unrated = self.standings.unrated() if is_due else None
            self._is_unrated &= not is_due
        if unrated is None:
            return
        began = time.monotonic()
        ratings = unrated.ratings()
        now = time.monotonic()
        self._rates_at = now + (now - began) / RATED_SHARE
        with self.lock:
            self.standings.ratings = ratings

    @property
    def _are_too_many(self) -> bool:
        return self._course is not None and len(self._course.names) > RATED_BOTS_MAX

    @property
    def is_at_most(self) -> bool:
        """Whether fewer matches may be played than are planned."""
        return self._rule is not None or (self._course is not None and self._course.is_adaptive)

    def state(self) -> str:
        """How far the run is: `92 of 120 matches, 18/s, 2 s left, 3 faults`."""
        of = "at most " if self.is_at_most else ""
        parts = [f"{self.done:,} of {of}{counted(self.planned, 'match')}", *self._speed()]
        return ", ".join(parts + ([counted(self.faults, "fault")] if self.faults else []))

    def _speed(self) -> list[str]:
        """How many matches a second, and the time left; empty as long as they cannot be known."""
        elapsed_s = time.monotonic() - self._began_at
        if not self._played or elapsed_s < RATE_OVER_S:
            return []
        rate = self._played / elapsed_s
        shown = f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min"
        # Without measured times, by the number of matches; those that are played again count twice as done.
        left_s = self._pace.left_s(time.monotonic())
        if left_s is None:
            left_s = max(0, self.planned - self.done) / rate
        return [shown, f"{'at most ' if self.is_at_most else ''}{as_time(left_s)} left"]

    def leaders(self) -> str:
        """Who leads: `standings after cycle 3: 1. odds 0.82 (0.75–0.87), 2. bluffer …`."""
        with self.lock:
            best = self.standings.rows()[:STANDINGS_SHOWN]
        rows = [
            f"{row.rank}. {printable(row.bot)} {rating_words(row)}{score_words(row, self.standings)}"
            for row in best
        ]
        return f"standings after cycle {self.standings.cycle + 1}: {', '.join(rows)}"


def rating_words(row: Standing) -> str:
    """The rating, to stand before the score, `1612 Elo, `; empty if there is none."""
    return "" if row.rating is None else f"{row.rating:.0f} Elo, "


def score_words(row: Standing, standings: Standings) -> str:
    """A score with its 95 % interval, in its significant digits: `0.82 (0.75–0.87)`, `+2944 ± 582`."""
    if not row.matches:
        return "–"
    half = (row.high - row.low) / 2
    if not standings.is_of_returns:
        digits = 2 if half >= 0.01 else 3
        return f"{row.score:.{digits}f} ({row.low:.{digits}f}–{row.high:.{digits}f})"
    return with_half(row.score, half)
