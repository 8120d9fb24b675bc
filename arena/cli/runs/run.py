"""Carries out `arena run`: options -> plan -> tournament -> run -> play -> tables -> last words."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

import attrs
import trio

from arena.analysis import export
from arena.analysis.intervals import bound_of
from arena.analysis.live import Standings
from arena.cli.group import BUG
from arena.cli.mistakes import ungrouped
from arena.cli.runs.closing import closing_of, resume_command
from arena.cli.runs.run_options import (
    RunOptions,
    announced,
    asked_tournament,
    how_to_connect,
    seal_announced,
    seal_closing,
    warn,
)
from arena.cli.runs.until import UntilRule, with_goal
from arena.cli.stop import Stop
from arena.errors import ConfigError
from arena.schedule.course import Course
from arena.store import exports
from arena.terminal.board import leaderboard_text
from arena.terminal.inks import inks_for
from arena.terminal.progress import ProgressReporter, progress
from arena.terminal.text import TableFormat, columns_of, out, say
from arena.tournament.bots.broken import some_of
from arena.tournament.bots.modules import make_importable
from arena.tournament.folder.folder import open_run
from arena.tournament.folder.intake import (
    Extent,
    course_there,
    cut,
    extent_there,
    is_complete,
    keep_course,
    left_out_before,
    playable,
)
from arena.tournament.folder.membership import unchanged
from arena.tournament.folder.run import Run
from arena.tournament.folder.seal import open_seal, seal_of
from arena.tournament.folder.stored import write_run_file
from arena.tournament.plan import format_of
from arena.tournament.play.reporting import Reporter
from arena.tournament.play.summary import Summary
from arena.tournament.runner import run_tournament
from arena.tournament.tournament import Tournament
from arena.tournament.workers.hiring import CHILDREN
from arena.words import counted, printable

CONCLUSION = "conclusion"
"""The store's key for the sentences that a run ended with, for the report."""


def run_command(words: Sequence[str], options: RunOptions) -> int:
    """Plays what the words ask for; returns the exit code."""
    tournament = asked_tournament(words, options)
    with open_run(tournament) as run:
        return RunCommand(tournament, with_goal(run), options).play_out()


class RunCommand:
    """Plays a run on an open folder, writes its tables, and says what came of it."""

    command = "arena run"

    def __init__(self, tournament: Tournament, run: Run, options: RunOptions) -> None:
        self.tournament = tournament
        self.run = run
        self.options = options
        self.summary = Summary()
        self.stop = Stop(log=run.folder / "run.log")
        self.resume = resume_command(self.command, run.folder)
        self.began_at = time.time()
        self.has_guided = False
        self.left_to_play = True
        self.course: Course | None = None
        """The course as the folder had it."""
        self.announces_late = False
        """Whether the size is announced only when play begins, as nobody knows before which bots can play."""

    def play_out(self) -> int:
        """Plays, writes the tables, says what came of it; returns the exit code."""
        with self.stop.listening():
            for name in unchanged(
                self.tournament.wishes, self.run.roster, self.run.renewed, self.tournament.entrants
            ):
                say(f"--replace {printable(name)}: its files are those that played: nothing is played again")
            try:
                self._play()
            except (ConfigError, BaseExceptionGroup):
                with suppress(ConfigError):  # the first mistake is the one to tell
                    self._write_tables(has_failed=True)
                raise
            self._write_tables()
            return self._close()

    def _play(self) -> None:
        """Plays the matches that are missing.  Raises ConfigError if the user has made a mistake."""
        damage = self.run.damage
        if damage is not None:
            say(f"arena: {damage.mended}")
        course = self.course = course_there(self.run)
        is_wanted = damage is not None or self.options.only is not None or bool(left_out_before(self.run))
        if course is not None and course.is_over and not is_wanted:
            self.left_to_play = False
            cut(self.run, course)
            keep_course(self.run, course)
            self.run.begin()
            return
        self._say_what_begins()
        make_importable(self.run.entrants)
        reporter = self._reporter()
        try:
            play = partial(self._way_to_play(), self.run, reporter, self.summary)
            with ungrouped():
                trio.run(self.stop.cancellable, play)
        finally:
            reporter.ends()

    def _way_to_play(self) -> Callable[[Run, Reporter, Summary], Awaitable[None]]:
        """The function that plays a run: on this machine, or on a cluster."""
        options = self.options
        if options.cluster is None:
            return partial(run_tournament, hiring=attrs.evolve(CHILDREN, calibrates=options.calibrate))
        from arena.cluster.enlisting import ClusterWish, play_on_cluster

        wish = ClusterWish(options.cluster, options.trusted_network, options.calibrate)
        return partial(play_on_cluster, wish)

    def _write_tables(self, *, has_failed: bool = False) -> None:
        """Writes all tables, unless play has not begun.  Raises ConfigError if that cannot be done."""
        if not self.run.has_begun:
            return
        status = "failed" if has_failed else self._status()
        self.run.store.set_meta(CONCLUSION, list(self._conclusion()))
        if status == "finished":
            open_seal(self.run.store)  # before the tables, which are those of the last state
        export(self.run.store)
        if self.summary.first_fault is not None:  # its series is open, but whoever says -x asks for it
            exports.publish(self.run.store, [self.summary.first_fault.match_id])
        write_run_file(self.run, self.summary, began_at=self.began_at, status=status)

    def _close(self) -> int:
        """Says what the run came to; returns the exit code."""
        closing = closing_of(self.run, self.summary, self.resume)
        for line in closing.cause():
            say(line)
        if self.run.has_begun:
            self._tell_result()
        for line in seal_closing(self.run.store):
            say(line)
        if not self.left_to_play:
            say(f"nothing left to play in {self.run.folder}; --fresh plays again")
        for line in closing.lines():
            say(line)
        if (code := self.stop.exit_code) is not None:
            say(closing.interrupted(fresh=self.options.fresh))
            return code
        if not self.options.quiet:
            for line in closing.next_commands():
                say(line)
        return BUG if closing.has_bugs else self._exit_code(bool(closing.failures))

    # `CompareCommand` overrides some of these.

    def _announce(self) -> None:
        """Says what is going to be played."""
        if (broken := len(self.tournament.broken)) and not self.run.plan.leave_out_broken:
            say(f"{some_of(broken, self.run.plan.entrants)} cannot play; trying the others")
            return
        plan = self.run.plan
        is_late = plan.connecting > 0 and plan.wait is not None
        is_unknown = self.course is None and bool(self.run.store.size())
        self.announces_late = plan.leave_out_broken or is_late or is_unknown
        if not self.announces_late:
            say(announced(self.tournament, extent_there(self.run, self.course)))
        elif plan.leave_out_broken:
            known = f"; {some_of(broken, plan.entrants)} cannot play" if broken else ""
            say(f"trying {counted(len(playable(self.run)), 'bot')}{known}")

    def _begins(self, course: Course, done: int) -> str:
        """Begins play; returns how much is played, in words, if that was not announced before."""
        self.run.begin()
        return announced(self.tournament, Extent(len(course.names), done)) if self.announces_late else ""

    def _tell_result(self) -> None:
        """Prints the result, a leaderboard."""
        from arena.analysis.ranking import leaderboard  # numpy takes a tenth of a second

        form: TableFormat = "json" if self.options.as_json else None
        board, inks = leaderboard(self.run.store), inks_for(self.options.color)
        if form is None and self.summary.first_fault is not None and not any(r.matches for r in board.rows):
            return  # nothing counts yet, and what was asked for is the fault
        out(leaderboard_text(board, form, columns_of(sys.stdout), inks), inks)
        for line in self._conclusion():
            say(line)

    def _conclusion(self) -> Iterator[str]:
        """Sentences about the result beyond its leaderboard; the report begins with them."""
        if isinstance(self.run.stop_rule, UntilRule):
            yield self.run.stop_rule.conclusion()

    def _exit_code(self, has_faults: bool) -> int:
        """The exit code of a run that came to its end."""
        was_stopped = self.summary.first_fault is not None
        return 1 if was_stopped or (self.run.plan.strict and has_faults) else 0

    # Before play, and while it goes on.

    def _say_what_begins(self) -> None:
        warn(self.tournament, self.run.plan)
        seal = seal_of(self.run.store)
        if not self.options.quiet:
            self._announce()
            if self.tournament.plan.seed is None and seal is None:
                say(f"seed {self.run.seed}")
        for line in seal_announced(seal):
            say(line)
        listen = self.run.plan.listen
        if listen is not None and listen.port:
            self._guide(str(listen))

    def _guide(self, address: str) -> None:
        """Says, once, how bots connect."""
        if not self.has_guided:
            self.has_guided = True
            for line in how_to_connect(self.run.plan, self.run.tokens, address):
                say(line)

    def _reporter(self) -> ProgressReporter:
        """The reporter that shows play; Ctrl-C and a closed terminal are passed on through it."""
        game, rule, ranked_by = self.run.game, self.run.stop_rule, format_of(self.run.plan).ranked_by
        reach = game.returns_reach(self.run.plan.seats)
        standings = Standings(
            rated_by=game.rated_by,
            returns_unit=game.returns_unit,
            returns_bound=reach and bound_of(reach),
            by_rating=ranked_by == "rating",
            by_sets=ranked_by == "score",
            anchor=self.run.plan.anchor,
        )
        if standings.is_by_rating and not self.options.quiet:
            import arena.analysis.strength.ratings  # noqa: F401 - numpy takes a tenth of a second, better now than in play
        reporter = progress(
            self._begins, self._guide, quiet=self.options.quiet, standings=standings, rule=rule
        )
        self.stop.note, self.stop.hint = reporter.note, f"; to continue: {self.resume}"
        self.stop.hung_up, reporter.lost = reporter.hang_up, self.stop.hang_up
        return reporter

    def _status(self) -> str:
        if self.stop.number is not None:
            return "interrupted"
        return "finished" if is_complete(self.run) else "stopped"
