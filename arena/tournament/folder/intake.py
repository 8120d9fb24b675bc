"""Tells a run's course what the folder holds: what counts, what must go, what is missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence

import attrs

from arena.errors import ELSEWHERE, START_OVER, ConfigError, Hint
from arena.schedule import FORMATS, PairingId, match_id
from arena.schedule.course import Advance, ClosedSeries, Course, MatchResult
from arena.store import FinishedMatch
from arena.tournament.folder.membership import keep_roster, slots_of, with_joiners
from arena.tournament.folder.run import Run
from arena.tournament.plan import check_size, terms_of
from arena.tournament.play.match import outcomes_by_bot
from arena.words import counted


@attrs.frozen
class Intake:
    """What a run finds in its folder, and what it is to play."""

    kept: frozenset[PairingId]
    """The matches that stay as they are."""
    missing: tuple[PairingId, ...]
    """The other matches planned so far, in order of play, including `replaced`."""
    closed: tuple[ClosedSeries, ...]
    """The series that count already, in schedule order."""
    wanted: tuple[PairingId, ...]
    """The matches to play: all that are missing, or the only one that is asked for."""
    early: frozenset[PairingId] = frozenset()
    """Matches in the folder that are not planned, as earlier results are missing, perhaps damaged: if they
    are planned again, they are played again."""
    replaced: PairingId | None = None
    """The match in the folder that is played again, if any: the old one goes once the new one is kept, so
    that a run that is interrupted loses nothing."""


def course_of(run: Run, names: Sequence[str]) -> Course:
    """The course of these bots' tournament, before any match.  Raises ConfigError if it cannot be played."""
    plan, rule = run.plan, run.stop_rule
    check_size(plan, len(names))
    course = Course(
        names,
        FORMATS[plan.tournament],
        attrs.evolve(terms_of(plan, run.seed), slots=slots_of(run.roster, names)),
        withdrawn_after=plan.withdrawn_after,
        restarts_max=plan.restarts_max,
        forgiven=run.roster.forgiven,
        is_enough=None if rule is None else rule.closed,
        shares=rule.shares if rule is not None and plan.allocate == "open" else None,
    )
    if rule is not None:
        rule.begins(course)
    return course


def course_there(run: Run) -> Course | None:
    """The course as far as the folder holds it; None if that is unknown until bots connect."""
    finished = run.store.finished()
    if not finished:
        return None
    stored = run.store.bots()
    left_out = {bot.bot for bot in stored if bot.status == "left out"} if run.plan.leave_out_broken else set()
    names = [entrant.name for entrant in run.entrants if entrant.name not in left_out]
    came = [bot.bot for bot in stored if bot.path == "connects"]
    if len(came) < run.plan.expect or len(names) + len(came) < run.plan.seats:
        return None
    course = course_of(run, names + came)
    take_in(course, finished)
    return course


@attrs.frozen
class Extent:
    """How many bots play, and how many of their matches the folder has; the plan says how many in all."""

    bots: int
    there: int = 0


def extent_there(run: Run, course: Course | None) -> Extent:
    """The extent of the folder before any bot is started; `course`: what `course_there` returned."""
    finished = run.store.finished().keys()
    if course is None:
        return Extent(len(playable(run)) + run.plan.expect, len(finished))
    beyond = {pairing.id for pairing in course.beyond}
    return Extent(len(course.names), len((finished & course.by_id.keys()) - beyond))


def playable(run: Run) -> list[str]:
    """The bots that are not known to be broken, before any is started."""
    return [entrant.name for entrant in run.entrants if entrant.kind != "broken"]


def left_out_before(run: Run) -> list[str]:
    """The bots that were left out and may work by now: every run tries them again."""
    out = {bot.bot for bot in run.store.bots() if bot.status == "left out"}
    return [name for name in playable(run) if name in out]


def is_complete(run: Run) -> bool:
    """Whether the folder holds every match of the plan; False if that is unknown until bots connect."""
    course = course_there(run)
    return course is not None and course.is_over


def keep_course(run: Run, course: Course) -> None:
    """Keeps in the folder who takes part, what is planned, and how far each bot has come."""
    store = run.store
    roster = with_joiners(run.roster, run.entrants, course.names, store.size())
    keep_roster(store, roster, run.entrants)
    store.set_schedule(course.order)
    store.set_meta("places", dict(course.places))


def take_in_folder(run: Run, course: Course) -> Intake:
    """Tells the course what the folder holds, and removes from the folder what does not count.

    Raises ConfigError if the folder holds matches of another course, or what was asked for cannot be played.
    """
    finished = run.store.finished()
    advances = take_in(course, finished)
    stale = {pairing for advance in advances for pairing in advance.stale}
    if stale:  # an earlier run was killed before it removed them
        run.store.remove([finished[pairing].match_id for pairing in stale])
    _check_ours(run, course, finished)
    if run.only is None and course.is_cut:
        cut(run, course)
    beyond = {pairing.id for pairing in course.beyond}
    kept = (finished.keys() & course.by_id.keys()) - stale - beyond
    only = None if run.only is None else _only(run, course, run.only, kept, beyond)
    replaced = only if only in kept else None
    kept -= {replaced}
    missing = tuple(pairing.id for pairing in course.order if pairing.id not in kept | beyond)
    closed = tuple(closed for advance in advances for closed in advance.closed)
    early = frozenset(finished.keys() - course.by_id.keys() if course.is_adaptive else ())
    wanted = missing if only is None else (only,)
    return Intake(frozenset(kept), missing, closed, wanted, early, replaced)


def take_in(course: Course, finished: Mapping[PairingId, FinishedMatch]) -> list[Advance]:
    """Tells the course what a folder holds, as far as it belongs to this schedule; returns what follows."""
    advances: list[Advance] = []
    waiting = deque(course.order)
    while waiting:
        pairing = waiting.popleft()
        if (match := finished.get(pairing.id)) is not None:
            result = MatchResult(
                points=match.points, returns=match.returns, faults=match.faults, withdrawn=match.withdrawn
            )
            outcomes = outcomes_by_bot(pairing, match.abandoned, match.lagged, match.crashed, match.withdrawn)
            advances.append(course.note(pairing.id, result, outcomes))
            waiting += advances[-1].planned
    return advances


def cut(run: Run, course: Course) -> None:
    """Removes matches past the end of this course, which an earlier run was killed before removing.

    Raises ConfigError, and removes nothing, if they were not played under the rule that ends the course.
    """
    store = run.store
    finished = store.finished()
    beyond = [finished[pairing.id].match_id for pairing in course.beyond if pairing.id in finished]
    if beyond and not run.may_cut:
        raise ConfigError(
            f"{run.folder} has {counted(len(beyond), 'match')} past the point where its goal would have "
            "stopped it, played without that",
            hints=(Hint("until", "continues without it", "none"), START_OVER, ELSEWHERE),
        )
    if beyond:
        store.remove(beyond)
    for bot in store.bots():
        if bot.status == "withdrawn" and bot.bot not in course.withdrawn:
            store.set_status(bot.bot, "ok")


def _check_ours(run: Run, course: Course, finished: Mapping[PairingId, FinishedMatch]) -> None:
    """Raises ConfigError if the matches already played would be paired differently now."""
    if course.kind.is_adaptive and not finished.keys() <= course.by_id.keys():
        raise ConfigError(
            f"{run.folder} has matches that this {course.kind.name} would not pair now, because its bots, "
            "their order or its series have changed",
            hints=(START_OVER, ELSEWHERE),
        )


def _only(
    run: Run, course: Course, prefix: str, kept: Collection[PairingId], beyond: Collection[PairingId]
) -> PairingId:
    """The match whose id begins with `prefix`.  Raises ConfigError if it cannot be played now."""
    chosen = [pairing for pairing in course.order if match_id(run.seed, pairing.id).startswith(prefix)]
    if len(chosen) != 1:
        why = f"{len(chosen)} matches of the plan have such an id; `arena matches` lists them"
        raise ConfigError(why, setting="only", value=prefix)
    (pairing,) = chosen
    if pairing.id in beyond:
        why = "enough was played before this match, and what comes later is not kept"
        raise ConfigError(why, setting="only", value=prefix)
    if pairing.id in kept and course.is_built_upon(pairing):
        raise ConfigError(
            f"this match was played in cycle {pairing.cycle}, and the pairings of later "
            f"cycles of a {course.kind.name} depend on it",
            setting="only",
            value=prefix,
            hints=(START_OVER,),
        )
    return pairing.id
