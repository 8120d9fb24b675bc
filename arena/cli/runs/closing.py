"""Words what a run says when it is over: faults, obstacles, our bugs, and the commands that come next."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from arena.analysis.failures import Failure, failures
from arena.cli.mistakes import with_hints
from arena.cli.reading import faults_listing
from arena.reading.units import format_duration
from arena.schedule.roster import successors
from arena.store import FaultCount
from arena.terminal.failures import how_to_look, tally
from arena.terminal.text import capsule_lines, columns_of
from arena.tournament.bots.broken import said_of
from arena.tournament.folder.latest import is_latest
from arena.tournament.folder.run import Run
from arena.tournament.folder.writer import BUGS
from arena.tournament.plan import format_of
from arena.tournament.play.summary import Summary
from arena.words import counted, listed, printable

ABORTED_SHOWN = 5
ID_DIGITS = 8
"""How many digits of a match's id are shown: one of 100,000 others begins like it with probability 2e-5."""


@attrs.frozen
class Closing:
    """The last words on a run, line by line."""

    run: Run
    summary: Summary
    resume: str
    """The command that continues in the folder."""
    failures: Sequence[Failure]
    """The failures in the whole folder, also those of earlier runs."""
    aborted: Sequence[str]
    """The ids of the matches in the folder that our bugs spoilt."""

    @property
    def has_bugs(self) -> bool:
        return bool(self.aborted or self.summary.bugs_seen)

    def cause(self) -> Iterator[str]:
        """A sentence about the fault that stopped the run; said first, as it is what was asked for."""
        entry = self.summary.first_fault
        if entry is not None:
            decision = entry.record.capsules[0].decision
            bot = entry.pairing.bots[decision.seat]
            (failure,) = failures([FaultCount(bot, str(decision.fault), decision.reason, 1, seats=1)])
            yield (
                f"stopped at the first fault: {printable(bot)} in match {entry.match_id}, "
                f"turn {decision.turn}: {failure.said}"
            )

    def lines(self) -> Iterator[str]:
        """Lines about everything besides the result and the cause of a stop."""
        folder = shlex.quote(str(self.run.folder))
        listing = faults_listing(self._where())
        yield from tally(self.failures, listing=listing, folder=folder, columns=columns_of(sys.stderr))
        if self.summary.first_fault is None:
            yield from how_to_look(self.failures, folder)
        yield from self._remarks()
        yield from self._first_fault()
        yield from self._bugs_of_matches()
        yield from self._bugs_of_connections()

    def interrupted(self, *, fresh: bool) -> str:
        """What is said after Ctrl-C or SIGTERM; `fresh`: whether old results were to be put aside."""
        if self.run.has_begun:
            return f"interrupted after {counted(self.summary.played, 'match')}; to continue: {self.resume}"
        if fresh:
            return f"interrupted before the first match; {self.run.folder} is as it was"
        return f"interrupted before the first match; to continue: {self.resume}"

    def next_commands(self) -> Iterator[str]:
        """Lines that say where the results are, with two commands to copy."""
        match = next(self.run.store.matches(), None) if self.summary.last is None else self.summary.last
        commands = {}
        if match is not None:
            commands[f"arena replay {match.match_id[:ID_DIGITS]}{self._where()}"] = "a match, move by move"
        commands[f"arena report{self._where()} --open"] = "all of it on one page"
        yield f"\nresults in {self.run.folder}; next:"
        wide = max(map(len, commands)) + 4
        for command, words in commands.items():
            yield f"  {command:{wide}}{words}"

    def _remarks(self) -> Iterator[str]:
        summary = self.summary
        if summary.is_out_of_time:
            limit = format_duration(self.run.plan.max_time or 0.0)
            yield f"stopped after {limit} (--max-time); to continue: {self.resume}"
        if vacant := self.run.roster.vacant:
            names = listed([printable(name) for name in vacant])
            yield f"without {names}: --readmit NAME lets a bot play again"
        for broken in summary.left_out:
            yield f"left out: {with_hints(said_of(broken), broken.hints)}"
        if summary.lagged:
            fewer = "" if self.run.plan.concurrency == 1 else "fewer tables (--concurrency) or "
            yield (
                f"{counted(summary.lagged, 'decision')} may have been spoilt by the arena's own lag, up to "
                f"{summary.lag_worst_s * 1000:.0f} ms: {fewer}longer limits help"
            )

    def _first_fault(self) -> Iterator[str]:
        """The evidence of the fault that stopped the run, and how to go on."""
        entry = self.summary.first_fault
        if entry is not None:
            yield "what both sides said before the first fault:"
            yield from capsule_lines(map(self._from_here, entry.record.capsules[0].lines))
            # Not "the same command": without --out that one has a new folder each time, and another seed.
            yield f"with the bot fixed, from the start: {self.resume} --fresh -x; as it is: {self.resume}"

    def _from_here(self, line: Mapping[str, Any]) -> Mapping[str, Any]:
        """A line of evidence; a log that it names is given as a path from the current folder."""
        return {**line, "log": str(self.run.folder / line["log"])} if "log" in line else line

    def _bugs_of_matches(self) -> Iterator[str]:
        aborted = self.aborted
        for id in aborted[:ABORTED_SHOWN]:
            error = _last_line(self.run.store.match(id).error or "")
            yield f"match {id} was aborted by a bug of the arena or the rules: {error}"
        if aborted:
            yield f"  arena replay {aborted[0]}{self._where()}    its moves, and the traceback"
            if self._can_play_again:
                yield f"  {self.resume} --only {aborted[0]}    plays it again"
        if len(aborted) > ABORTED_SHOWN:
            yield f"  {counted(len(aborted), 'match')} were aborted in all; `arena matches` lists them"

    @property
    def _can_play_again(self) -> bool:
        """Whether one match may be played again: no later one depends on it."""
        kind = format_of(self.run.plan)
        return kind.is_offered and not kind.is_adaptive

    def _bugs_of_connections(self) -> Iterator[str]:
        if seen := self.summary.bugs_seen:
            error = _last_line(self.summary.bugs[-1])
            ended = "a connection" if seen == 1 else f"{seen:,} connections"
            yield f"{ended} ended by a bug of the arena: {error}; see {self.run.folder / BUGS}"

    def _where(self) -> str:
        """The folder as the last word of a command; empty if it need not be named."""
        return "" if is_latest(self.run.folder) else f" {shlex.quote(str(self.run.folder))}"


def resume_command(command: str, folder: Path) -> str:
    """The command that continues in a folder: `arena run --resume DIR`."""
    return f"{command} --resume {shlex.quote(str(folder))}"


def closing_of(run: Run, summary: Summary, resume: str) -> Closing:
    """What to say about a run that is over."""
    store = run.store
    aborted = [match.match_id for match in store.finished().values() if match.aborted]
    shown = "" if summary.first_fault is None else summary.first_fault.match_id
    faults = store.faults(published=True, and_of=shown)
    old = successors({bot.bot: bot.status for bot in store.bots()})
    return Closing(run, summary, resume, failures(faults, store.log_of, old), aborted)


def _last_line(traceback_text: str) -> str:
    """The last line of a traceback, which says what was raised."""
    return printable(traceback_text.strip().rpartition("\n")[2])
