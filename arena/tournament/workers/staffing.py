"""Decides how many workers a run has, and what each of them plays."""

from __future__ import annotations

from collections.abc import Callable, Collection

import attrs

from arena.box.box import Box
from arena.players.entrant import Entrant
from arena.schedule.course import Course
from arena.tournament.folder.intake import Intake
from arena.tournament.folder.run import Run
from arena.tournament.play.calibration import quickest_loop_ms, too_different
from arena.tournament.play.share import Share, capacity_in, entrants_of
from arena.tournament.tournament import Tournament
from arena.tournament.workers.briefing import begin_for, mismatch
from arena.tournament.workers.crew import WorkerGrounds
from arena.tournament.workers.hiring import Hiring
from arena.tournament.workers.messages import WorkerReady
from arena.tournament.workers.post import WorkerPost
from arena.words import counted


def part_here(run: Run, hiring: Hiring) -> Tournament:
    """This process's part of the run: all of it, or a share if bots connect to it and workers play too."""
    if not run.plan.connecting or (run.workers == 1 and not hiring.is_afar):
        return run
    share = Share(0, run.workers + 1)
    return attrs.evolve(
        run,
        entrants=entrants_of(run.entrants, share),
        capacity=capacity_in(run.capacity, share),
        share=share,
    )


def workers_for(
    run: Run, course: Course, intake: Intake, hiring: Hiring, note: Callable[[str], object]
) -> int:
    """The number of workers that there is work for; notes for people if that is not what was asked for."""
    is_open = course.is_adaptive and run.only is None
    missing = max(1, course.size - len(intake.kept) if is_open else len(intake.wanted))
    workers, asked = min(run.workers, missing), run.plan.workers
    if hiring.is_afar:
        pass  # people were told their number when they were found
    elif asked == "auto":
        note(
            f"workers = auto: {counted(workers, 'worker')}, as many as cores, or half where bots are programs"
        )
    elif workers < asked and missing < run.workers:
        note(f"{counted(workers, 'worker')} instead of {asked}: {counted(missing, 'match')} to play")
    elif workers < asked:
        note(f"{counted(workers, 'worker')} instead of {asked}: concurrency = {run.plan.concurrency}")
    return workers


def bound_here(run: Run, names: Collection[str]) -> frozenset[str]:
    """The bots that no worker can seat: those that connect, and those with too few instances for all."""
    last = Share(run.workers, run.workers + 1)
    ours = {one.name for one in run.entrants if one.is_ours and _may_play(one, last)}
    return frozenset(names) - ours


def crew_for(
    run: Run,
    workers: int,
    names: Collection[str],
    hiring: Hiring,
    box: Box | None,
    *,
    note: Callable[[str], object],
    note_bug: Callable[[str], object],
    note_lag: Callable[[float], object],
) -> WorkerGrounds:
    """The crew of `workers` workers for these bots, each with its share of what the run may have."""
    stored = {bot.bot: bot for bot in run.store.bots()}
    tournament = attrs.evolve(run, versions={name: bot.version for name, bot in stored.items()})
    # If bots connect to this process, it is the first of those among which the run is divided.
    own = 1 if run.plan.connecting else 0
    posts = []
    for place in range(workers):
        share = Share(place + own, (run.workers if own else workers) + own)
        playing = {
            one.name: stored[one.name].fingerprint
            for one in run.entrants
            if one.is_ours and one.name in names and _may_play(one, share)
        }
        means = None if box is None or hiring.is_afar else box.means
        begin = begin_for(
            tournament, share, playing, means, is_afar=hiring.is_afar, calibrates=hiring.calibrates
        )
        posts.append(WorkerPost(f"worker {place + 1}", begin, playing))

    here_ms = quickest_loop_ms() if hiring.calibrates else 0.0

    def check(said: WorkerReady, post: WorkerPost) -> str | None:
        others = mismatch(said, run.origin, post.fingerprints, run.entrants)
        return others or (too_different(said.loop_ms, here_ms) if hiring.calibrates else None)

    return WorkerGrounds(
        tournament, posts, hiring, note=note, note_bug=note_bug, note_lag=note_lag, check=check
    )


def _may_play(entrant: Entrant, share: Share) -> bool:
    """Whether the process with this share may have one of the bot's instances."""
    return entrant.instances_max is None or share.part(entrant.instances_max) > 0
