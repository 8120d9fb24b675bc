"""Runs a tournament: opens what it needs, gathers the bots, plays the matches that are missing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from math import inf

import attrs
import trio

from arena.box.box import Box, open_box
from arena.players.lag import LagWatch, open_watch
from arena.schedule.course import Course
from arena.store import DATABASE
from arena.tournament.bots.resting import with_resting
from arena.tournament.folder.intake import Intake, course_of, keep_course, take_in_folder
from arena.tournament.folder.run import Run
from arena.tournament.folder.writer import note_bug, open_writer
from arena.tournament.lobby.callers import bots_set_aside, prepare_files
from arena.tournament.lobby.gather import gather, open_lobby
from arena.tournament.lobby.lobby import Lobby
from arena.tournament.plan import sandbox_of
from arena.tournament.play.dispatcher import Dispatcher
from arena.tournament.play.grounds import Grounds
from arena.tournament.play.in_process import InProcessGrounds, open_conversations, open_pool
from arena.tournament.play.pool import Pool
from arena.tournament.play.reporting import Reporter
from arena.tournament.play.summary import Summary
from arena.tournament.tournament import Tournament
from arena.tournament.workers.crew import open_crew
from arena.tournament.workers.divided import Divided
from arena.tournament.workers.hiring import CHILDREN, Hiring
from arena.tournament.workers.staffing import bound_here, crew_for, part_here, workers_for
from arena.words import listed


async def run_tournament(
    run: Run, reporter: Reporter, summary: Summary, *, hiring: Hiring = CHILDREN
) -> None:
    """Plays the matches that are missing; `summary` is filled as it goes, even if the run is cancelled.

    `hiring`: how the run gets its workers, if it has any.  Raises BrokenBots or another ConfigError before
    any match if something is wrong with the bots.
    """
    stops_at = trio.current_time() + (run.plan.max_time or inf)  # bots are built and waited for in it too
    prepare_files(run.plan)
    part = part_here(run, hiring)
    with open_watch() as watch, open_conversations(part) as conversations:
        async with _open_bots(run, part, reporter, summary, watch) as (pool, lobby):
            names = await gather(run, pool, lobby, reporter, summary, stops_at=stops_at)
            rest = with_resting(run, names)
            run = rest.run
            if rest.resting:
                reporter.note(f"{listed(rest.resting)} cannot play, and stay in the tables: all is played")
            course = course_of(run, rest.names)
            intake = take_in_folder(run, course)
            part = attrs.evolve(part, versions={bot.bot: bot.version for bot in run.store.bots()})
            here = InProcessGrounds(part, pool, watch, conversations)
            workers = summary.workers = workers_for(run, course, intake, hiring, reporter.note)
            async with _open_grounds(run, here, workers, hiring, names, reporter, summary) as grounds:
                _begin(run, grounds, reporter, summary, course, intake)
                async with open_writer(run, is_gathered=grounds is not here) as keep:
                    with bots_set_aside(run.plan):
                        await Dispatcher(
                            run, grounds, reporter, summary, course, intake, keep, stops_at=stops_at
                        ).play()


def _begin(
    run: Run, grounds: Grounds, reporter: Reporter, summary: Summary, course: Course, intake: Intake
) -> None:
    """Tells store, grounds and reporter, before the first match, what is planned and what has been played."""
    keep_course(run, course)
    for bot in course.withdrawn:
        run.store.set_status(bot, "withdrawn")
        grounds.withdraw(bot)
    summary.planned = course.size
    reporter.begins(course, len(intake.kept))
    for closed in intake.closed:  # first, as series are told in schedule order, each once
        reporter.closed(closed)
    summary.is_settled = course.is_cut and run.only is None
    if run.stop_rule is not None:
        run.stop_rule.goes_on()


@asynccontextmanager
async def _open_bots(
    run: Run, part: Tournament, reporter: Reporter, summary: Summary, watch: LagWatch
) -> AsyncIterator[tuple[Pool, Lobby | None]]:
    """The bots of this process, and the lobby if any bot connects; when the context ends, no bot is alive."""
    note = partial(note_bug, run, summary)

    def lobby_in(nursery: trio.Nursery) -> Lobby | None:
        return open_lobby(run, nursery, reporter, watch, note) if run.plan.connecting else None

    async with (
        _open_box(run, reporter) as box,
        open_pool(part, box, watch, note, lobby_in) as (pool, lobby),
    ):
        yield pool, lobby


@asynccontextmanager
async def _open_box(run: Run, reporter: Reporter) -> AsyncIterator[Box | None]:
    """The box that bots are started in; None if no bot is.  Raises ConfigError if no box is strict enough."""
    if not any(entrant.kind == "process" for entrant in run.entrants):
        yield None
        return
    secret = run.folder / DATABASE
    async with open_box(sandbox_of(run.plan.sandbox, run.entrants), secret=secret, say=reporter.note) as box:
        yield box


@asynccontextmanager
async def _open_grounds(
    run: Run,
    here: InProcessGrounds,
    workers: int,
    hiring: Hiring,
    names: Sequence[str],
    reporter: Reporter,
    summary: Summary,
) -> AsyncIterator[Grounds]:
    """Where the matches are played; when the context ends, no worker is left alive."""
    if workers == 1 and not hiring.is_afar:
        with here.lag_noted(summary.note_lag):
            yield here
        return
    crew = crew_for(
        run,
        workers,
        names,
        hiring,
        here.pool.instances.box,
        note=reporter.note,
        note_bug=partial(note_bug, run, summary),
        note_lag=summary.note_lag,
    )
    if run.plan.connecting:
        with here.lag_noted(summary.note_lag):
            async with open_crew(crew):
                yield Divided(here, crew, bound_here(run, names))
        return
    # They were tried; workers start their own, of which there may be only so many.
    here.pool.instances.end_all()
    if any(entrant.instances_max is not None for entrant in run.entrants):
        await here.pool.instances.all_gone()
    async with open_crew(crew):
        yield crew
