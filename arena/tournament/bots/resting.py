"""Keeps in the tables the bots that cannot be started any more but have played all their matches.

A broken resubmission must not throw a student's last working version out of the leaderboard.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from arena.schedule.course import Course
from arena.schedule.roster import Roster
from arena.tournament.folder.intake import course_of, playable, take_in
from arena.tournament.folder.run import Run


@attrs.frozen
class RestingBots:
    """Who takes part without playing."""

    run: Run
    """The run, with a roster without the new versions that cannot play."""
    names: tuple[str, ...]
    """The bots that can play, and those that need not."""
    resting: tuple[str, ...]


def with_resting(run: Run, names: Sequence[str]) -> RestingBots:
    """The run as it goes on with these bots, and with those whose matches are all played."""
    roster = _without_broken_versions(run, names)
    run = attrs.evolve(run, roster=roster)
    candidates = [bot for bot in roster.present if bot not in names]
    if not candidates or run.stop_rule is not None:
        return RestingBots(run, tuple(names), ())
    finished = run.store.finished()
    candidates = [bot for bot in candidates if bot in run.store.players()]
    while candidates:
        course = course_of(run, [*names, *candidates])
        stale = {pairing for advance in take_in(course, finished) for pairing in advance.stale}
        played = finished.keys() - stale
        missing = [set(pairing.bots) for pairing in course.order if pairing.id not in played]
        # First the bots that lack a match with bots that play: others may lack only matches with these.
        alone = [bots - set(names) for bots in missing if len(bots - set(names)) == 1]
        unfinished = [bot for bot in candidates if any(bot in bots for bots in alone or missing)]
        if not unfinished:
            break
        candidates = [bot for bot in candidates if bot not in unfinished]
    return RestingBots(run, (*names, *candidates), tuple(candidates))


def expected_course(run: Run, course: Course) -> Course:
    """The course as it goes on without the bots that are known before play to be broken."""
    broken = {entrant.name for entrant in run.entrants} - set(playable(run))
    names = [name for name in course.names if name not in broken]
    if len(names) == len(course.names):
        return course
    rest = with_resting(run, names)
    if len(rest.names) < run.plan.seats:
        return course
    course = course_of(rest.run, rest.names)
    take_in(course, run.store.finished())
    return course


def _without_broken_versions(run: Run, names: Sequence[str]) -> Roster:
    """The roster without this call's replacements by bots that cannot play."""
    roster = run.roster
    broken = {roster.slots[slot].bot for slot in run.renewed} - set(names)
    entries = list(roster.entries)
    for slot in run.renewed:
        if roster.slots[slot].bot in broken:
            place = max(
                place for place, entry in enumerate(entries) if (entry.act, entry.slot) == ("replace", slot)
            )
            del entries[place]
    return Roster(entries)
