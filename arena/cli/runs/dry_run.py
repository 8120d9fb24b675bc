"""Shows what a run would play: `--dry-run`."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from arena.cli.group import DONE
from arena.cli.mistakes import with_hints
from arena.cli.runs.run_options import RunOptions, announced, asked_tournament, done_words, warn
from arena.cli.runs.until import UntilRule, check_rule
from arena.terminal.text import as_json, out, say
from arena.tournament.bots.broken import found_broken, said_of
from arena.tournament.bots.resting import expected_course
from arena.tournament.folder.folder import seen_there
from arena.tournament.folder.intake import Extent, course_there, extent_there, left_out_before
from arena.tournament.plan import size_of
from arena.tournament.tournament import Tournament
from arena.words import listed, printable


def show_run(words: Sequence[str], options: RunOptions) -> int:
    """Prints what `arena run` would play with these words; returns the exit code."""
    tournament = asked_tournament(words, options)
    state = played_there(tournament)
    warn(tournament, tournament.plan)
    if options.commit:
        say("--commit: the seal is printed when the run begins, as its seed is drawn then")
    if not options.as_json:
        words = (
            f"{done_words(tournament.plan, state.extent)}: nothing left to play"
            if state.is_over
            else announced(tournament, state.extent)
        )
        out(f"{words}; results in {tournament.folder}")
        if state.retried:
            out(f"left out before, and tried again: {listed([printable(name) for name in state.retried])}")
        for entrant in tournament.broken:
            out(f"left out: {with_hints(said_of(found_broken(entrant)), entrant.hints)}")
        return DONE
    plan, bots, there = tournament.plan, state.extent.bots, state.extent.there
    planned = size_of(plan, bots).matches
    left = 0 if state.is_over else max(0, planned - there)
    told = {"bots": bots, "seats": plan.seats, "series": plan.series}
    matches = {"matches": planned, "there": there, "left": left}
    out(as_json({**told, **matches, "folder": str(tournament.folder)}))
    return DONE


@attrs.frozen
class FolderState:
    """What a run would find in its folder."""

    extent: Extent
    is_over: bool = False
    """Whether these matches are all that the plan will ever play, and no bot is to be tried again."""
    retried: Sequence[str] = ()
    """The bots that were left out before, and would be tried again."""


def played_there(tournament: Tournament) -> FolderState:
    """What the folder holds already; writes nothing.  Raises ConfigError if it belongs to another plan."""
    with seen_there(tournament) as run:
        if run is None:
            return FolderState(Extent(tournament.bots))
        if isinstance(tournament.stop_rule, UntilRule):
            check_rule(run.store.meta())
        course, retried = course_there(run), left_out_before(run)
        if course is not None and run.plan.leave_out_broken:
            course = expected_course(run, course)
        is_over = run.damage is None and course is not None and course.is_over and not retried
        return FolderState(extent_there(run, course), is_over, retried)
