"""A run from its bots to its last match: opens what it needs, gathers the bots, plays what is missing."""

from __future__ import annotations

import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from math import inf

import trio

from arena.box.box import Box, open_box
from arena.players.lag import LagWatch
from arena.schedule.course import Course
from arena.store import DATABASE, results_beside
from arena.tournament.conversations import Conversations
from arena.tournament.dispatcher import Dispatcher
from arena.tournament.gather import gather, open_lobby
from arena.tournament.intake import Intake, course_of, keep_course, take_in_folder
from arena.tournament.lobby import Lobby
from arena.tournament.logs import FOLDER as LOGS
from arena.tournament.match import Venue
from arena.tournament.plan import deals_of
from arena.tournament.pool import Pool
from arena.tournament.reporting import Reporter
from arena.tournament.resting import with_resting
from arena.tournament.run import Run
from arena.tournament.summary import Summary
from arena.tournament.tables import Tables
from arena.tournament.writer import note_bug, open_writer
from arena.words import listed

FILES_WANTED = 4096
"""File descriptors: a started bot takes five, and up to four of them are alive for every seat in use."""


async def run_tournament(run: Run, reporter: Reporter, summary: Summary) -> None:
    """Plays the matches that are missing; `summary` is filled as it goes, even if the run is cancelled.

    Raises BrokenBots or another ConfigError before any match if something is wrong with the bots.
    """
    stops_at = trio.current_time() + (run.plan.max_time or inf)  # bots are built and waited for in it too
    _lift_files_limit()
    conversations = Conversations(run.debugged, run.folder / LOGS)
    with _lag_watched(summary) as watch, closing(conversations):
        async with _open_pool(run, reporter, summary, watch) as (pool, lobby):
            names = await gather(run, pool, lobby, reporter, summary, stops_at=stops_at)
            rest = with_resting(run, names)
            run = rest.run
            if rest.resting:
                reporter.note(f"{listed(rest.resting)} cannot play, and stay in the tables: all is played")
            course = course_of(run, rest.names)
            intake = take_in_folder(run, course)
            venue = Venue(run, watch, conversations)
            tables = Tables(run.capacity)
            _begin(run, pool, reporter, summary, course, intake)
            async with open_writer(run) as keep:
                await Dispatcher(
                    run,
                    pool,
                    reporter,
                    summary,
                    course,
                    intake,
                    venue,
                    keep,
                    tables=tables,
                    stops_at=stops_at,
                ).play()


def _begin(
    run: Run, pool: Pool, reporter: Reporter, summary: Summary, course: Course, intake: Intake
) -> None:
    """Tells everybody what is planned and what has been played, before the first match."""
    keep_course(run, course)
    for bot in course.withdrawn:
        run.store.set_status(bot, "withdrawn")
        pool.withdraw(bot)
    summary.planned = course.size
    reporter.begins(course, len(intake.kept))
    for closed in intake.closed:  # first, as series are told in schedule order, each once
        reporter.closed(closed)
    summary.is_settled = course.is_cut and run.only is None
    if run.stop_rule is not None:
        run.stop_rule.goes_on()


# What a run needs.


@contextmanager
def _lag_watched(summary: Summary) -> Iterator[LagWatch]:
    """Measures how late the arena itself is, while this is open."""
    watch = LagWatch()
    trio.lowlevel.add_instrument(watch)
    try:
        yield watch
    finally:
        trio.lowlevel.remove_instrument(watch)
        summary.lag_worst_s = watch.worst_s


@asynccontextmanager
async def _open_pool(
    run: Run, reporter: Reporter, summary: Summary, watch: LagWatch
) -> AsyncIterator[tuple[Pool, Lobby | None]]:
    """The bots' instances, and the lobby if any bot connects; when this ends, no bot is left alive."""
    note = partial(note_bug, run, summary)
    async with _open_box(run, reporter) as box, trio.open_nursery() as nursery:
        lobby = open_lobby(run, nursery, reporter, watch, note) if run.plan.connecting else None
        pool = Pool(
            run.entrants,
            nursery,
            processes_max=2 * run.capacity.first * run.plan.seats,
            shares_deals=deals_of(run.plan) == "same",
            margin_s=run.margins,
            box=box,
            results=results_beside(run.folder),
            move_s=run.plan.move_time,
            name_wait_s=run.plan.name_wait_s,
            reconnect_s=run.plan.reconnect_s,
            logs=run.folder / LOGS,
            watch=watch,
            lobby=lobby,
            note_bug=note,
        )
        try:
            yield pool, lobby
        finally:
            with trio.CancelScope(shield=True):  # a run that is cancelled ends its bots too
                await pool.close()
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def _open_box(run: Run, reporter: Reporter) -> AsyncIterator[Box | None]:
    """The box that bots are started in; None if no bot is.  Raises ConfigError if no box is strict enough."""
    if not any(entrant.kind == "process" for entrant in run.entrants):
        yield None
        return
    secret = run.folder / DATABASE
    async with open_box(run.plan.sandbox, secret=secret, say=reporter.note) as box:
        yield box


def _lift_files_limit() -> None:
    """Raises the limit on file descriptors as far as wanted and allowed: systems give programs few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_WANTED if hard == resource.RLIM_INFINITY else min(FILES_WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


__all__ = ["run_tournament"]
