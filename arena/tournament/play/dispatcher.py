"""Decides which match of a run begins next, and when no more begin, and books those that end."""

from __future__ import annotations

from contextlib import suppress

import trio

from arena.match.record import Entry
from arena.schedule import Pairing
from arena.schedule.course import Course
from arena.schedule.queue import Pending
from arena.tournament.folder.changes import Change, Changes
from arena.tournament.folder.intake import Intake
from arena.tournament.folder.run import Run
from arena.tournament.play.bookkeeper import Bookkeeper, Consequences
from arena.tournament.play.grounds import Grounds, TakenMatch
from arena.tournament.play.reporting import Reporter
from arena.tournament.play.summary import Summary


class Dispatcher:
    """Starts matches in order of play as tables and bots become free, and acts on their results."""

    def __init__(
        self,
        run: Run,
        grounds: Grounds,
        reporter: Reporter,
        summary: Summary,
        course: Course,
        intake: Intake,
        keep: trio.MemorySendChannel[Changes],
        *,
        stops_at: float,
    ) -> None:
        """`keep`: where changes for the store are sent; `stops_at`: when the time of the run is over."""
        self._run = run
        self._grounds = grounds
        self._reporter = reporter
        self._summary = summary
        self._ledger = course.ledger
        self._bots = sorted(course.names)
        self._pending = Pending(course.order, intake.wanted)
        self._bookkeeper = Bookkeeper(course, intake, summary, seed=run.seed, plays_one=run.only is not None)
        self._keep = keep
        self._stops_at = stops_at
        self._is_stopped = self._has_ended = False
        self._freed = trio.Event()
        """Set when a match has ended, or there is room for another; a new event for every wait."""
        self._taken_on: dict[TakenMatch, None] = {}
        """The matches in progress, and those that are over but not booked yet."""
        self._over: list[tuple[TakenMatch, Entry | None]] = []
        """The matches that are over and not booked yet."""
        grounds.follow(self._pending.__iter__, lambda: self._freed.set())

    async def play(self) -> None:
        """Plays until nothing is pending; if it is cancelled, finished matches are still kept."""
        try:
            async with trio.open_nursery() as matches:
                while self._goes_on():
                    self._freed = trio.Event()
                    self._begin_all(matches)
                    if not self._over:  # else matches have ended while we waited for the writer
                        with trio.move_on_after(self._grounds.looks_every_s):
                            await self._freed.wait()
                    self._grounds.look()
                    await self._book_all()
                matches.cancel_scope.cancel()  # if the course has ended, those in progress are past its end
        finally:
            await self._book_all()
            for taken in self._taken_on:
                self._grounds.end(taken)
            self._taken_on.clear()

    def _begin_all(self, matches: trio.Nursery) -> None:
        """Begins all matches that can begin."""
        while (pairing := self._next()) is not None:
            taken = self._grounds.begin(pairing, self._ledger.without(pairing.id))
            self._taken_on[taken] = None
            self._grounds.start(taken, matches, self._note_over)

    def _note_over(self, taken: TakenMatch, entry: Entry | None) -> None:
        """Notes that a match is over; all that end in one step of the run are booked in the next one."""
        self._over.append((taken, entry))
        self._freed.set()

    def _goes_on(self) -> bool:
        """Whether there is anything to play, or to wait for."""
        if self._pending and trio.current_time() >= self._stops_at:
            self._summary.is_out_of_time = True
            self._stop()
        return bool(self._pending or self._taken_on) and not self._has_ended

    def _next(self) -> Pairing | None:
        """The first pending match whose bots are free, if there is a table for it."""
        if self._grounds.is_full:
            return None
        first = self._pending.take(
            lambda pairing: self._grounds.can_seat(pairing, self._ledger.without(pairing.id)), self._free
        )
        # None that wants less of the machine begins instead: this one might then never find room.
        if first is not None and not self._grounds.has_room(first, self._ledger.without(first.id)):
            self._pending.put_back(first.id)
            return None
        return first

    def _free(self) -> list[str]:
        """The bots that may be seated, and withdrawn ones, which need no seat."""
        return [bot for bot in self._bots if bot in self._ledger.withdrawn or self._grounds.is_free(bot)]

    def _stop(self) -> None:
        """Lets no more matches begin; those in progress play to their end."""
        self._is_stopped = True
        self._pending.clear()
        self._grounds.drop(list(self._taken_on))

    async def _book_all(self) -> None:
        """Books and keeps the matches that are over, until one of them ends the course."""
        changes: list[Change] = []
        over, self._over = self._over, []
        try:
            for taken, entry in over:
                if self._has_ended:
                    break  # this match is past the end
                if entry is not None:
                    changes += self._close(entry)
                elif not self._is_stopped:  # it was dropped before it began
                    self._pending.put_back(taken.pairing.id)
                self._grounds.end(taken)
                del self._taken_on[taken]
        finally:
            if changes:
                # Shielded: we may have to wait for the writer, and a finished match is kept even if the run
                # is cancelled meanwhile.
                with trio.CancelScope(shield=True), suppress(trio.BrokenResourceError):
                    await self._keep.send(changes)  # broken: the writer has failed, and says why itself

    def _close(self, entry: Entry) -> Changes:
        """Books a finished match and acts on what follows from it; returns the changes for the store."""
        news = self._bookkeeper.note(entry)
        for bot in news.advance.withdrawn:
            self._grounds.withdraw(bot)
        if news.advance.withdrawn:  # matches that began without knowing that
            without = self._ledger.without
            self._grounds.drop([one for one in self._taken_on if one.without != without(one.pairing.id)])
        self._tell(entry, news)
        if self._run.only is None and not self._is_stopped:
            for stale in news.advance.stale:
                self._pending.put_back(stale)
            if news.advance.planned:
                self._pending.extend(news.advance.planned, [pairing.id for pairing in news.advance.planned])
        if entry.record.capsules and self._run.stop_at_fault and not self._is_stopped:
            self._summary.first_fault = entry
            self._stop()
        if news.ends_run:
            self._stop()
            self._has_ended = True
        return news.changes

    def _tell(self, entry: Entry, news: Consequences) -> None:
        """Tells the reporter how a match went."""
        reporter = self._reporter
        for bot in news.advance.withdrawn:
            reporter.note(
                f"{bot} is withdrawn: it failed match after match; "
                "its other matches are played by default moves"
            )
        if news.is_kept:
            reporter.played(entry)
        for closed in news.advance.closed:
            reporter.closed(closed)
        for bot in news.reinstated:
            reporter.note(f"{bot} is not withdrawn after all: the run ended before that")
