"""One run on a results folder: played, written, summed up."""

from __future__ import annotations

import shlex
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
import trio

from arena.analysis import export
from arena.analysis.live import Standings
from arena.cli.run_options import RunOptions, announced, how_to_connect, plan_of, tell_of_plan, warn
from arena.cli.stop import EXIT_OF, Stop
from arena.cli.until import UntilRule
from arena.errors import ArenaError, ConfigError
from arena.schedule.course import Course
from arena.show.board import leaderboard_text, tally
from arena.show.progress import progress
from arena.show.text import Form, capsule_lines, columns_of, out, say
from arena.tournament.broken import BrokenBots
from arena.tournament.folder import is_latest, open_run
from arena.tournament.intake import course_there, cut, is_complete
from arena.tournament.plan import format_of
from arena.tournament.prepare import Tournament, prepare
from arena.tournament.run import Run
from arena.tournament.runner import run_tournament
from arena.tournament.stored import write_run_file
from arena.tournament.summary import Summary
from arena.tournament.writer import BUGS
from arena.units import format_duration
from arena.words import counted, printable

CONCLUSION = "conclusion"
"""Where the store keeps, for the report, the sentences that a run ended with."""
GOAL = "until"
"""Where the store keeps the goal of `--until` and the series planned for it."""
GOAL_LEFT = "until_left"
"""And whether there was play without it since: what is past its end was wanted then, and is not removed."""
LOG_LINES = 20
"""How much of a broken bot's log is shown: Node says what is wrong above a dozen lines of its own."""
ABORTED_SHOWN = 5
ID_DIGITS = 8
"""Enough of a match's id: among 100,000 matches another one begins so with probability 2e-5."""


def run_command(words: Sequence[str], options: RunOptions, wishes: Mapping[str, Any]) -> int:
    """Plays what the words ask for; gives the exit code."""
    plan = plan_of(words, options.resume, wishes)
    if not format_of(plan).is_offered:
        where = options.resume or " ".join(words)
        raise ConfigError(f"{where} is of a {plan.tournament}: `arena compare --resume DIR` goes on with one")
    tournament = prepare(plan, resume=options.resume)
    rule = _until(tournament)
    if options.dry_run:
        tell_of_plan(tournament, options)
        return 0
    with open_run(
        tournament,
        fresh=options.fresh,
        only=options.only,
        stop_at_fault=options.exit_first,
        stop_rule=rule,
    ) as run:
        return RunCommand(tournament, _with_goal(run, rule), options).play_out()


def _with_goal(run: Run, rule: UntilRule | None) -> Run:
    """The run, which keeps, once play begins, what `--until` asks.

    Raises ConfigError if there were looks at the folder for another goal.
    """
    store = run.store
    meta, has_matches = store.meta(), bool(store.finished())
    kept = meta.get(GOAL)
    if rule is None:
        if kept is not None:
            run.when_begun.append(partial(store.set_meta, GOAL_LEFT, True))
        return run
    asked = [str(rule.goal), run.plan.series]
    if kept is not None and kept != asked and has_matches:
        goal, series = kept
        raise ConfigError(
            f'{run.folder} was begun with --until "{goal}" over {series} series, and to look again for '
            "another goal or in a longer schedule would err more often than it says: --until none goes on "
            "without, --fresh plays anew, --out DIR elsewhere"
        )
    run.when_begun.append(partial(store.set_meta, GOAL, asked))
    run.when_begun.append(partial(store.set_meta, GOAL_LEFT, False))
    return attrs.evolve(run, may_cut=not has_matches or (kept == asked and not meta.get(GOAL_LEFT)))


def _until(tournament: Tournament) -> UntilRule | None:
    """The rule that `--until` names.  Raises ConfigError if it is none, or not one for so many bots."""
    if tournament.plan.until is None:
        return None
    from arena.analysis.until import Until, parse_goal

    goal = parse_goal(tournament.plan.until)
    Until(goal, [str(number) for number in range(tournament.plan.entrants)], 1)
    return UntilRule(goal, rated_by=tournament.game.rated_by)


class RunCommand:
    """One run on an open folder: what was asked, what came of it."""

    command = "arena run"

    def __init__(self, tournament: Tournament, run: Run, options: RunOptions) -> None:
        self.tournament = tournament
        self.run = run
        self.options = options
        self.summary = Summary()
        self.stop = Stop(log=run.folder / "run.log")
        self.began_at = time.time()
        self.has_guided = False
        self.left_to_play = True

    def play_out(self) -> int:
        """Plays, writes the tables, says what came of it; gives the exit code."""
        with self.stop.listening():
            mistake = self._play()
            if self.run.has_begun:
                unwritten = self._export("failed" if mistake else self._status())
                mistake = mistake or unwritten
            if mistake is not None:
                raise mistake
            return self._conclude()

    def _play(self) -> ConfigError | None:
        """Plays what the folder lacks; gives the user's mistake that was in the way, if any."""
        damage = self.run.damage
        if damage is not None:
            say(f"arena: {damage.mended}")
        course = course_there(self.run)
        is_damaged_or_asked = damage is not None or self.options.only is not None
        self.left_to_play = is_damaged_or_asked or course is None or not course.is_over
        if course is not None and not self.left_to_play:
            return self._settle(course)
        warn(self.tournament, self.run.plan)
        if not self.options.quiet:
            self._announce()
            if self.tournament.plan.seed is None:
                say(f"seed {self.run.seed}")
        listen = self.run.plan.listen
        if listen is not None and listen.port:
            self._guide(str(listen))
        _make_importable(self.run)
        game, rule = self.run.game, self.run.stop_rule
        standings = Standings(rated_by=game.rated_by, returns_unit=game.returns_unit)
        reporter = progress(
            self.run.begin, self._guide, quiet=self.options.quiet, standings=standings, rule=rule
        )
        self.stop.note, self.stop.hint = reporter.note, f"; to go on: {self._resume()}"
        self.stop.hung_up, reporter.lost = reporter.hang_up, self.stop.hang_up
        try:
            trio.run(self.stop.cancellable, partial(run_tournament, self.run, reporter, self.summary))
        except ConfigError as error:
            return error
        except BaseExceptionGroup as group:
            mistake = the_mistake_in(group)
            if mistake is not None:
                return mistake
            reporter.ends()
            if self.run.has_begun:
                self._export("failed")
            raise
        finally:
            reporter.ends()
        return None

    def _settle(self, course: Course) -> ConfigError | None:
        """Ends what a run began that was killed when enough was played; gives the mistake in the way."""
        try:
            cut(self.run, course)
        except ConfigError as error:
            return error
        self.run.begin()
        return None

    def _announce(self) -> None:
        """Says what is going to be played."""
        say(announced(self.tournament, len(self.run.store.finished())))

    def _guide(self, address: str) -> None:
        if not self.has_guided:
            self.has_guided = True
            for line in how_to_connect(self.run.plan, self.run.tokens, address):
                say(line)

    def _status(self) -> str:
        if self.stop.number is not None:
            return "interrupted"
        return "finished" if is_complete(self.run) else "stopped"

    def _export(self, status: str) -> ConfigError | None:
        """Writes all tables; gives why they cannot be."""
        try:
            self.run.store.set_meta(CONCLUSION, list(self._conclusion()))
            export(self.run.store)
            if self.summary.first_fault is not None:  # its series is open, but whoever says -x asks for it
                self.run.store.publish([self.summary.first_fault.match_id])
            write_run_file(self.run, began_at=self.began_at, played=self.summary.played, status=status)
        except ConfigError as error:
            return error
        return None

    # After play.

    def _conclude(self) -> int:
        """Says what the run came to; gives the exit code."""
        store, stopped = self.run.store, self.stop.number is not None
        if self.run.has_begun:
            self._tell_result()
        if not self.left_to_play:
            say(f"nothing left to play in {self.run.folder}; --fresh plays again")
        faults = store.faults(published=True)
        for line in tally(faults, self._where()):
            say(line)
        for line in self._remarks():
            say(line)
        aborted = [match.match_id for match in store.finished().values() if match.aborted]
        for line in (*self._bugs(aborted), *self._bugs_of_connections()):
            say(line)
        if stopped:
            return self._interrupted()
        if not self.options.quiet:
            self._say_next()
        return 70 if aborted or self.summary.bugs_seen else self._exit_code(bool(faults))

    def _conclusion(self) -> Iterator[str]:
        """What the run says beyond its leaderboard; the report begins with it."""
        if isinstance(self.run.stop_rule, UntilRule):
            yield self.run.stop_rule.conclusion()

    def _tell_result(self) -> None:
        """Prints what all this was for."""
        from arena.analysis.ranking import leaderboard  # numpy takes a tenth of a second

        form: Form = "json" if self.options.as_json else None
        out(leaderboard_text(leaderboard(self.run.store), form, columns_of(sys.stdout)))
        for line in self._conclusion():
            say(line)

    def _exit_code(self, has_faults: bool) -> int:
        """Of a run that came to its end."""
        was_stopped = self.summary.first_fault is not None
        return 1 if was_stopped or (self.run.plan.strict and has_faults) else 0

    def _remarks(self) -> Iterator[str]:
        summary = self.summary
        if summary.is_out_of_time:
            limit = format_duration(self.run.plan.max_time or 0.0)
            yield f"stopped after {limit} (--max-time); to go on: {self._resume()}"
        for broken in summary.left_out:
            yield f"left out: {printable(str(broken))}"
        if summary.lagged:
            yield (
                f"{counted(summary.lagged, 'decision')} may have been spoilt by the arena's own lag, up to "
                f"{summary.lag_worst_s * 1000:.0f} ms: fewer tables (--concurrency) or longer limits help"
            )
        entry = summary.first_fault
        if entry is not None:
            capsule = entry.record.capsules[0]
            decision, bot = capsule.decision, entry.pairing.bots[capsule.decision.seat]
            yield (
                f"stopped at the first fault: {bot} in match {entry.match_id}, turn {decision.turn}: "
                f"{decision.fault} ({printable(decision.reason)})"
            )
            yield from capsule_lines(capsule.lines)
            yield f"when the bot is mended: the same command with --fresh; as it is: {self._resume()}"

    def _bugs(self, aborted: Sequence[str]) -> Iterator[str]:
        """What is wrong with us, and how to see it."""
        for id in aborted[:ABORTED_SHOWN]:
            error = (self.run.store.match(id).error or "").strip().rpartition("\n")[2]
            yield f"match {id} was aborted by a bug of the arena or the rules: {printable(error)}"
        if aborted:
            yield f"  arena replay {aborted[0]}{self._where()}    its moves, and the traceback"
            if self._can_play_again:
                yield f"  {self._resume()} --only {aborted[0]}    plays it again"
        if len(aborted) > ABORTED_SHOWN:
            yield f"  {counted(len(aborted), 'match')} were aborted in all; `arena matches` lists them"

    def _bugs_of_connections(self) -> Iterator[str]:
        if seen := self.summary.bugs_seen:
            error = self.summary.bugs[-1].strip().rpartition("\n")[2]
            ended = "a connection" if seen == 1 else f"{seen:,} connections"
            yield f"{ended} ended by a bug of the arena: {printable(error)}; see {self.run.folder / BUGS}"

    @property
    def _can_play_again(self) -> bool:
        """Whether one match may be played again: nothing that came later depends on it."""
        kind = format_of(self.run.plan)
        return kind.is_offered and not kind.is_adaptive

    def _interrupted(self) -> int:
        number = self.stop.number
        assert number is not None
        if self.run.has_begun:
            say(f"interrupted after {counted(self.summary.played, 'match')}; to go on: {self._resume()}")
        elif self.options.fresh:
            say(f"interrupted before the first match; {self.run.folder} is as it was")
        else:
            say(f"interrupted before the first match; to go on: {self._resume()}")
        return EXIT_OF[signal.Signals(number)]

    def _say_next(self) -> None:
        """Two commands that work as they stand here."""
        match = next(self.run.store.matches(), None) if self.summary.last is None else self.summary.last
        commands = {}
        if match is not None:
            commands[f"arena replay {match.match_id[:ID_DIGITS]}{self._where()}"] = "a match, move by move"
        commands[f"arena report{self._where()} --open"] = "all of it on one page"
        say(f"\nresults in {self.run.folder}; next:")
        wide = max(map(len, commands)) + 4
        for command, words in commands.items():
            say(f"  {command:{wide}}{words}")

    def _where(self) -> str:
        """The folder as the last word of a command, if it must be said."""
        return "" if is_latest(self.run.folder) else f" {shlex.quote(str(self.run.folder))}"

    def _resume(self) -> str:
        return f"{self.command} --resume {shlex.quote(str(self.run.folder))}"


def _make_importable(run: Run) -> None:
    """Puts the folders of bots in this process where Python looks for modules."""
    for entrant in run.entrants:
        if entrant.kind == "local" and entrant.folder is not None and str(entrant.folder) not in sys.path:
            sys.path.insert(0, str(entrant.folder))


def the_mistake_in(group: BaseExceptionGroup[BaseException]) -> ConfigError | None:
    """The user's mistake that ended the run; None if anything else is in the group: a bug of ours."""
    leaves = list(_leaves(group))
    if not all(isinstance(leaf, ArenaError) for leaf in leaves):
        return None
    first = leaves[0]
    if isinstance(first, BrokenBots):
        return ConfigError("\n".join(_with_logs(first)))
    return first if isinstance(first, ConfigError) else ConfigError(str(first))


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _with_logs(broken: BrokenBots) -> Iterator[str]:
    """All broken bots, each with the end of its log."""
    yield f"{counted(len(broken.broken), 'bot')} cannot play; mend them, or --leave-out-broken plays without:"
    for bot in broken.broken:
        yield f"  {bot.name}: {printable(bot.reason)}"
        yield from (f"    | {printable(line)}" for line in bot.log.strip().splitlines()[-LOG_LINES:])
