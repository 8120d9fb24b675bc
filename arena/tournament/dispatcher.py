"""Which match of a run begins next, which are in progress, and when no more begin."""

from __future__ import annotations

from contextlib import suppress
from math import inf

import trio

from arena.record import Entry
from arena.schedule import Pairing
from arena.schedule.course import Course
from arena.schedule.queue import Pending
from arena.tournament.bookkeeper import Bookkeeper, Consequences
from arena.tournament.changes import Changes
from arena.tournament.intake import Intake
from arena.tournament.match import Venue
from arena.tournament.pool import Pool
from arena.tournament.reporting import Reporter
from arena.tournament.run import Run
from arena.tournament.summary import Summary
from arena.tournament.tables import MatchTable, Tables

LOOK_EVERY_S = 0.25
"""While a match waits for a table, those in progress are measured so often."""


class Dispatcher:
    """Starts matches in order of play as tables and bots become free, and acts on their results."""

    def __init__(
        self,
        run: Run,
        pool: Pool,
        reporter: Reporter,
        summary: Summary,
        course: Course,
        intake: Intake,
        venue: Venue,
        keep: trio.MemorySendChannel[Changes],
        *,
        tables: Tables,
        stops_at: float,
    ) -> None:
        """`keep`: where the changes for the store are sent; `stops_at`: when `--max-time` is over."""
        self._run = run
        self._pool = pool
        self._reporter = reporter
        self._summary = summary
        self._ledger = course.ledger
        self._bots = sorted(course.names)
        self._pending = Pending(course.order, intake.wanted)
        self._bookkeeper = Bookkeeper(course, intake, summary, seed=run.seed, plays_one=run.only is not None)
        self._venue = venue
        self._keep = keep
        self._tables = tables
        self._stops_at = stops_at
        self._is_stopped = False
        self._freed = trio.Event()
        """Set when a match has ended; a new one for every wait."""
        self._matches = trio.CancelScope()
        """Around all matches."""
        pool.upcoming = self._pending.__iter__

    async def play(self) -> None:
        """Plays until nothing is pending; when it is cancelled, finished matches are still kept."""
        async with trio.open_nursery() as matches:
            self._matches = matches.cancel_scope
            while self._goes_on():
                self._freed = trio.Event()
                while (pairing := self._next()) is not None:
                    without = self._ledger.without(pairing.id)
                    self._pool.reserve(pairing, without)
                    table = self._tables.begin(_playing(pairing, without))
                    self._pool.instances.allow(2 * self._tables.in_use * len(pairing.bots))
                    matches.start_soon(self._play, pairing, without, table)
                with trio.move_on_after(inf if self._tables.capacity.is_fixed else LOOK_EVERY_S):
                    await self._freed.wait()
                self._tables.look()

    def _goes_on(self) -> bool:
        """Whether there is anything to play, or to wait for."""
        if self._pending and trio.current_time() >= self._stops_at:
            self._summary.is_out_of_time = True
            self._stop()
        return bool(self._pending or self._tables.in_use)

    def _next(self) -> Pairing | None:
        """The first pending match whose bots are free, if there is a table for it."""
        if self._tables.are_full:
            return None
        first = self._pending.take(
            lambda pairing: self._pool.can_seat(pairing, self._ledger.without(pairing.id)),
            lambda: [bot for bot in self._bots if bot in self._ledger.withdrawn or self._pool.is_free(bot)],
        )
        # Others that want less of the machine do not begin instead: this one might never find room then.
        if first is not None and not self._tables.have_room(_playing(first, self._ledger.without(first.id))):
            self._pending.put_back(first.id)
            return None
        return first

    def _stop(self) -> None:
        """Lets no other match begin; those in progress play to their end."""
        self._is_stopped = True
        self._pending.clear()

    async def _play(self, pairing: Pairing, without: frozenset[str], table: MatchTable) -> None:
        """Plays one match, from seating its bots to keeping it; `without`: its bots that are withdrawn."""
        try:
            entry = await self._seat_and_play(pairing, without, table)
            changes = self._close(entry)
            # Shielded: the writer may have to be waited for, and a finished match is kept even if the run
            # is cancelled meanwhile.
            with trio.CancelScope(shield=True), suppress(trio.BrokenResourceError):
                await self._keep.send(changes)  # broken: the writer has failed, and says why itself
        finally:
            self._pool.free(pairing, without)
            self._tables.end(table)
            self._freed.set()

    async def _seat_and_play(self, pairing: Pairing, without: frozenset[str], table: MatchTable) -> Entry:
        seated = await self._pool.seat(pairing, without)
        is_spoilt = True
        try:
            self._tables.seat(table, seated)
            began_at = trio.current_time()
            entry = await self._venue.play(pairing, without, seated)
            self._tables.note(table, entry, trio.current_time() - began_at)
            # A match that was cut short does not count; and one that ends in the very step in which the
            # course does is past its end.
            await trio.lowlevel.checkpoint_if_cancelled()
            is_spoilt = entry.record.error is not None
        finally:
            self._pool.release(seated, are_spoilt=is_spoilt)
        return entry

    def _close(self, entry: Entry) -> Changes:
        """Books a finished match and acts on what follows from it; gives the changes for the store."""
        news = self._bookkeeper.note(entry)
        for bot in news.advance.withdrawn:
            self._pool.withdraw(bot)
        self._tell(entry, news)
        if self._run.only is None and not self._is_stopped:
            for stale in news.advance.stale:
                self._pending.put_back(stale)
            self._pending.extend(news.advance.planned, [pairing.id for pairing in news.advance.planned])
        if entry.record.capsules and self._run.stop_at_fault and not self._is_stopped:
            self._summary.first_fault = entry
            self._stop()
        if news.ends_run:
            self._stop()
            self._matches.cancel()
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


def _playing(pairing: Pairing, without: frozenset[str]) -> list[str]:
    """The bots that play in it."""
    return [bot for bot in pairing.bots if bot not in without]


__all__ = ["Dispatcher"]
