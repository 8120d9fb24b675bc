"""Pairings -> matches -> records, in this process: tries the bots, plays what the folder lacks, keeps it."""

from __future__ import annotations

import resource
from collections import Counter, deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from math import inf

import attrs
import trio

from arena.box.box import Box, open_box
from arena.errors import ConfigError
from arena.players.lag import LagWatch
from arena.record import Entry
from arena.schedule import FORMATS, Pairing, PairingId, match_id
from arena.schedule.course import Advance, ClosedSeries, Course, Result
from arena.schedule.queue import Pending
from arena.schedule.terms import counted_matches
from arena.store import DATABASE, Finished
from arena.tournament.broken import BrokenBots
from arena.tournament.gather import gather, open_lobby
from arena.tournament.match import Table, outcomes_by_bot, outcomes_of, result_of
from arena.tournament.plan import check_size, deals_of, terms_of
from arena.tournament.pool import Pool
from arena.tournament.reporting import Reporter, Silent
from arena.tournament.run import Run
from arena.tournament.summary import Summary
from arena.tournament.writer import WAITING_MAX, Change, Changes, note_bug, write_all

FILES_WANTED = 4096
"""File descriptors: a started bot takes five, and up to four of them are alive for every seat in use."""


async def run_tournament(run: Run, reporter: Reporter, summary: Summary) -> None:
    """Plays what the folder lacks; `summary` is filled as it goes and stays true when the run is cancelled.

    Raises BrokenBots or another ConfigError before any match if something is wrong with the bots.
    """
    stops_at = trio.current_time() + (run.plan.max_time or inf)
    _lift_files_limit()
    watch = LagWatch()
    trio.lowlevel.add_instrument(watch)
    try:
        async with _box_of(run, reporter) as box, trio.open_nursery() as nursery:
            note = partial(note_bug, run, summary)
            lobby = open_lobby(run, nursery, reporter, watch, note) if run.plan.connecting else None
            pool = Pool(
                run.entrants,
                nursery,
                processes_max=2 * run.concurrency * run.plan.seats,
                shares_deals=deals_of(run.plan) == "same",
                margin_s=run.margins,
                box=box,
                results=run.folder,
                move_s=run.plan.move_time,
                name_wait_s=run.plan.name_wait_s,
                reconnect_s=run.plan.reconnect_s,
                logs=run.folder / "logs",
                watch=watch,
                lobby=lobby,
                note_bug=note,
            )
            try:
                names = await gather(run, pool, lobby, reporter, summary, stops_at=stops_at)
                course = course_of(run, names)
                await _Run(run, pool, reporter, summary, course, watch, stops_at).play()
            finally:
                with trio.CancelScope(shield=True):
                    await pool.close()
            nursery.cancel_scope.cancel()
    finally:
        trio.lowlevel.remove_instrument(watch)


@asynccontextmanager
async def _box_of(run: Run, reporter: Reporter) -> AsyncIterator[Box | None]:
    """What bots are started in; None if none is.  Raises ConfigError if none is strict enough."""
    if not any(entrant.kind == "process" for entrant in run.entrants):
        yield None
        return
    secret = run.folder / DATABASE
    async with open_box(run.plan.sandbox, secret=secret, say=reporter.note) as box:
        yield box


def _lift_files_limit() -> None:
    """Takes as many file descriptors as are wanted and allowed: systems start programs with few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_WANTED if hard == resource.RLIM_INFINITY else min(FILES_WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def course_of(run: Run, names: Sequence[str]) -> Course:
    """The tournament between these bots, before any match.  Raises ConfigError if it cannot be played."""
    plan, rule = run.plan, run.stop_rule
    check_size(plan, len(names))
    course = Course(
        names,
        FORMATS[plan.tournament],
        terms_of(plan, run.seed),
        withdrawn_after=plan.withdrawn_after,
        restarts_max=plan.restarts_max,
        is_enough=None if rule is None else rule.closed,
    )
    if rule is not None:
        rule.begins(course)
    return course


def take_in(course: Course, finished: Mapping[PairingId, Finished]) -> list[Advance]:
    """Tells the course what a folder holds, as far as it is of this schedule; gives what follows."""
    advances: list[Advance] = []
    waiting = deque(course.order)
    while waiting:
        pairing = waiting.popleft()
        if (match := finished.get(pairing.id)) is not None:
            result = Result(
                points=match.points, returns=match.returns, faults=match.faults, withdrawn=match.withdrawn
            )
            outcomes = outcomes_by_bot(pairing, match.abandoned, match.crashed, match.withdrawn)
            advances.append(course.note(pairing.id, result, outcomes))
            waiting += advances[-1].planned
    return advances


def cut(run: Run, course: Course) -> None:
    """Removes what an earlier run left past the end of this course; it did not come to that.

    Raises ConfigError, and removes nothing, if that was not played under the rule that ends it.
    """
    store = run.store
    finished = store.finished()
    beyond = [finished[pairing.id].match_id for pairing in course.beyond if pairing.id in finished]
    if beyond and not run.may_cut:
        raise ConfigError(
            f"{run.folder} has {counted_matches(len(beyond))} past the point where --until would have "
            "ended it, played without that: --until none goes on without, --fresh plays anew, --out DIR "
            "elsewhere"
        )
    if beyond:
        store.remove(beyond)
    for bot in store.bots():
        if bot.status == "withdrawn" and bot.bot not in course.withdrawn:
            store.set_status(bot.bot, "ok")


# Play.


class _Run:
    """The matches of one run: which is next, which are going on, what is kept."""

    def __init__(
        self,
        run: Run,
        pool: Pool,
        reporter: Reporter,
        summary: Summary,
        course: Course,
        watch: LagWatch,
        stops_at: float,
    ) -> None:
        self.run = run
        self.pool = pool
        self.reporter = reporter
        self.summary = summary
        self.course = course
        self.ledger = course.ledger
        self.watch = watch
        self.table = Table(run, watch)
        self.bots = sorted(course.names)
        self.tallies: dict[PairingId, _Tally] = {}
        """What the matches count for that may yet be taken back: those of series that do not count so far."""
        self.there: set[PairingId] = set()
        """The matches that are kept, or on their way to the writer."""
        self.lacking: Counter[str] = Counter()
        """How many matches each series lacks."""
        self.sealed: dict[str, list[str]] = {}
        """Matches with capsules, by series, until it is closed."""
        self.before: list[ClosedSeries] = []
        """The series that the folder holds already, as far as they count."""
        self.replaced = ""
        """The match that is played again: what is there of it goes when the new one is kept."""
        self.pending = self._pending()
        self.pool.upcoming = self.pending.__iter__
        self.running = 0
        self.is_stopped = False
        self.stops_at = stops_at
        self.freed = trio.Event()
        self.playing = trio.CancelScope()
        """Around all matches."""

    def _pending(self) -> Pending:
        """What the folder lacks, in order of play."""
        run, course = self.run, self.course
        finished = run.store.finished()
        advances = take_in(course, finished)
        stale = {pairing for advance in advances for pairing in advance.stale}
        if stale:
            run.store.remove([finished[pairing].match_id for pairing in stale])
        self._check_ours(finished)
        self.before = [closed for advance in advances for closed in advance.closed]
        if run.only is None and course.is_cut:
            cut(run, course)
        beyond = {pairing.id for pairing in course.beyond}
        self.there = (finished.keys() & course.by_id.keys()) - stale - beyond
        lacking = [pairing for pairing in course.order if pairing.id not in self.there | beyond]
        self.lacking.update(pairing.series for pairing in lacking)
        if run.only is None:
            return Pending(course.order, [pairing.id for pairing in lacking])
        chosen = [p.id for p in course.order if match_id(run.seed, p.id).startswith(run.only)]
        if len(chosen) != 1:
            raise ConfigError(
                f"--only {run.only}: {len(chosen)} matches of the plan have such an id; "
                "`arena matches` lists them"
            )
        pairing = course.by_id[chosen[0]]
        if pairing.id in beyond:
            raise ConfigError(
                f"--only {run.only}: enough was played before this match, and what comes later is not kept"
            )
        if pairing.id in self.there:
            if course.kind.is_adaptive and pairing.cycle < course.order[-1].cycle:
                raise ConfigError(
                    f"--only {run.only}: this match was played in cycle {pairing.cycle}, and whom later "
                    f"cycles of a {course.kind.name} paired depends on it; --fresh plays all anew"
                )
            self.lacking[pairing.series] += 1
            self.replaced = finished[pairing.id].match_id
        return Pending(course.order, chosen)

    def _check_ours(self, finished: Mapping[PairingId, Finished]) -> None:
        """Raises ConfigError if what was played would now have been paired otherwise."""
        if self.course.kind.is_adaptive and not finished.keys() <= self.course.by_id.keys():
            raise ConfigError(
                f"{self.run.folder} has matches that this {self.course.kind.name} would not pair now, as "
                "its bots, their order or its series are others: --fresh plays anew, --out DIR elsewhere"
            )

    async def play(self) -> None:
        """Plays all that is pending; when cancelled, what is finished is still kept."""
        self.run.store.set_schedule(self.course.order)
        self.run.store.set_meta("places", dict(self.course.places))
        for bot in self.course.withdrawn:
            self.run.store.set_status(bot, "withdrawn")
            self.pool.withdraw(bot)
        self.summary.planned = self.course.size
        self.reporter.begins(self.course, len(self.there) - bool(self.replaced))
        for closed in self.before:
            self.reporter.closed(closed)
        self.summary.is_settled = self.course.is_cut and self.run.only is None
        if self.run.stop_rule is not None:
            self.run.stop_rule.goes_on()
        keep, to_write = trio.open_memory_channel[Changes](WAITING_MAX)
        try:
            async with trio.open_nursery() as writing:
                writing.start_soon(write_all, self.run, to_write)
                async with keep, trio.open_nursery() as matches:
                    self.playing = matches.cancel_scope
                    await self._dispatch(matches, keep)
        finally:
            self.summary.lag_worst_s = self.watch.worst_s

    async def _dispatch(self, matches: trio.Nursery, keep: trio.MemorySendChannel[Changes]) -> None:
        """Starts matches in order of play as tables and bots get free."""
        while self._goes_on():
            self.freed = trio.Event()
            while self.running < self.run.concurrency and (pairing := self._next()) is not None:
                without = self.ledger.without(pairing.id)
                self.pool.reserve(pairing, without)
                self.running += 1
                matches.start_soon(self._play, pairing, without, keep)
            await self.freed.wait()

    def _goes_on(self) -> bool:
        """Whether there is anything to play, or to wait for."""
        if self.pending and trio.current_time() >= self.stops_at:
            self.summary.is_out_of_time = True
            self._stop()
        return bool(self.pending or self.running)

    def _next(self) -> Pairing | None:
        """The first pending match whose bots are free."""
        return self.pending.take(
            lambda pairing: self.pool.can_seat(pairing, self.ledger.without(pairing.id)),
            lambda: [bot for bot in self.bots if bot in self.ledger.withdrawn or self.pool.is_free(bot)],
        )

    async def _play(
        self, pairing: Pairing, without: frozenset[str], keep: trio.MemorySendChannel[Changes]
    ) -> None:
        try:
            seated = await self.pool.seat(pairing, without)
            is_spoilt = True
            try:
                entry = await self.table.play(pairing, without, seated)
                await trio.lowlevel.checkpoint_if_cancelled()  # what was cut short is no match
                is_spoilt = entry.record.error is not None
            finally:
                self.pool.release(seated, are_spoilt=is_spoilt)
            with trio.CancelScope(shield=True):
                await self._close(entry, keep)
        finally:
            self.pool.free(pairing, without)
            self.running -= 1
            self.freed.set()

    async def _close(self, entry: Entry, keep: trio.MemorySendChannel[Changes]) -> None:
        """Takes note of a finished match and has it kept.

        Unless it must be played again, because a bot was withdrawn before it; so may matches that
        were finished earlier.
        """
        assert self.run.only or not self.course.is_cut, "matches past the end are cancelled"
        self.tallies[entry.pairing.id] = self._count(entry)
        news = self.course.note(entry.pairing.id, result_of(entry), outcomes_of(entry))
        changes: list[Change] = []
        for bot in news.withdrawn:
            self.pool.withdraw(bot)
            changes.append(partial(self.run.store.set_status, bot, "withdrawn"))
            self.reporter.note(
                f"{bot} is withdrawn: it failed match after match; "
                "its other matches are played by default moves"
            )
        for stale in news.stale:
            changes.append(partial(self.run.store.remove, [match_id(self.run.seed, stale)]))
            self._take_back(stale, entry.pairing.id)
        if entry.pairing.id not in news.stale:
            if entry.match_id == self.replaced:
                changes.append(partial(self.run.store.remove, [entry.match_id]))
            changes += [entry, *self._publish(entry)]
            self.there.add(entry.pairing.id)
            self.reporter.played(entry)
        changes += self._plan_on(news)
        for closed in news.closed:
            self.reporter.closed(closed)
            for pairing, _ in closed.matches:
                self.tallies.pop(pairing.id, None)
        if entry.record.capsules and self.run.stop_at_fault and not self.is_stopped:
            self.summary.first_fault = entry
            self._stop()
        if self.course.is_cut and self.run.only is None:
            changes += self._cut(entry)
        with suppress(trio.BrokenResourceError):  # the writer has failed, and says why itself
            await keep.send(changes)

    def _cut(self, last: Entry) -> list[Change]:
        """The course has ended with this match: what is past it was played for nothing, or is going on so."""
        beyond = [pairing.id for pairing in self.course.beyond if pairing.id in self.there]
        changes: list[Change] = []
        if beyond:
            ids = [match_id(self.run.seed, pairing) for pairing in beyond]
            changes.append(partial(self.run.store.remove, ids))
        for bot in self.ledger.withdrawn.keys() - self.course.withdrawn:
            changes.append(partial(self.run.store.set_status, bot, "ok"))
            self.reporter.note(f"{bot} is not withdrawn after all: the run ended before that")
        self.there.difference_update(beyond)
        for pairing in beyond:
            self._discount(pairing)
        summary, kept = self.summary, self.there
        if summary.last is not None and summary.last.pairing.id not in kept:
            summary.last = last
        if summary.first_fault is not None and summary.first_fault.pairing.id not in kept:
            summary.first_fault = None
        summary.is_settled = True
        self._stop()
        self.playing.cancel()
        return changes

    def _plan_on(self, news: Advance) -> list[Change]:
        """Takes in what the schedule goes on with; gives what is to be kept of that."""
        store, changes = self.run.store, list[Change]()
        if news.planned:
            self.lacking.update(pairing.series for pairing in news.planned)
            if self.run.only is None and not self.is_stopped:
                self.pending.extend(news.planned, [pairing.id for pairing in news.planned])
            changes.append(partial(store.set_schedule, tuple(self.course.order)))
        if any(closed.ends_cycle for closed in news.closed) and (places := self.course.places):
            changes.append(partial(store.set_meta, "places", dict(places)))
        return changes

    def _stop(self) -> None:
        """No other match begins."""
        self.is_stopped = True
        self.pending.clear()

    def _count(self, entry: Entry) -> _Tally:
        """Adds a match to the summary; gives what it counted for."""
        summary, record = self.summary, entry.record
        faults = Counter(
            (entry.pairing.bots[decision.seat], str(decision.fault), decision.reason)
            for decision in record.decisions
            if decision.fault is not None
        )
        tally = _Tally(faults, sum(decision.lagged for decision in record.decisions))
        summary.played += 1
        summary.last = entry
        summary.faults.update(tally.faults)
        summary.lagged += tally.lagged
        if record.error is not None:
            summary.aborted.append(entry.match_id)
        return tally

    def _publish(self, entry: Entry) -> list[Change]:
        """Shows what a series hid, if this match closes it."""
        series = entry.pairing.series
        if entry.record.capsules:
            self.sealed.setdefault(series, []).append(entry.match_id)
        self.lacking[series] -= 1
        if self.lacking[series] or series not in self.sealed:
            return []
        return [partial(self.run.store.publish, self.sealed.pop(series))]

    def _take_back(self, stale: PairingId, playing: PairingId) -> None:
        """A finished match is to be played again: it counts for nothing."""
        self._discount(stale)
        self.there.discard(stale)
        if stale != playing:
            self.lacking[self.course.by_id[stale].series] += 1
        if not self.is_stopped and self.run.only is None:
            self.pending.put_back(stale)

    def _discount(self, pairing: PairingId) -> None:
        """Takes a match out of the summary."""
        summary, id = self.summary, match_id(self.run.seed, pairing)
        tally = self.tallies.pop(pairing, None)
        if tally is not None:  # else it was played in an earlier run
            summary.played -= 1
            summary.faults -= tally.faults
            summary.lagged -= tally.lagged
            summary.aborted = [aborted for aborted in summary.aborted if aborted != id]


@attrs.frozen
class _Tally:
    """What a match added to the summary."""

    faults: Counter[tuple[str, str, str]]
    lagged: int


__all__ = [
    "BrokenBots",
    "Reporter",
    "Run",
    "Silent",
    "Summary",
    "course_of",
    "cut",
    "run_tournament",
    "take_in",
]
