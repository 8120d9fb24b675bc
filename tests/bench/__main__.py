"""How fast the arena is, and what changed: medians of repeats, beside what they should reach.

rules      random legal play, no bots: decisions per second of one core
hands      games played in hands: hands per second, beside PokerKit's if it is installed
referee    matches between bots in this process: decisions per second of one core
lines      the referee beside the rules alone, on typical matches of house bots
tcp        CPU time of a question over TCP, and of a message to a bare Trio server
peer       Hold'em between two programs, beside a lean blocking loop that sends the same bytes
stages     microseconds of each stage of a decision, for every game, and what they do not account for
loop       what each part of an answer's fast path gains
runner     tournaments with compiled bots at 8 tables: questions per second
tables     what a sleeping bot costs: the time of the whole, the thinking times of the others
flood      what a flooding bot, or a hundred flooding strangers, cost the others
memory     the arena process's peak at 32 tables
box        milliseconds to start a program in each box, and what a box costs per question
scale      leaderboard and report of a million matches: seconds and memory
many       the schedule, the live standings and the tables of a round-robin of 500 bots
connected  5,000 bots that connect: how soon they are let in, memory of each, questions beside 50
serve      what 200 spectators and 50 clients that poll cost the bots at a server's tables
verify     a folder verified, beside the rules alone on the same matches
help       how long `arena --help` takes
trust      only if named: how often verdicts and intervals are right, where the truth is known
workers    only if named: two workers beside one process and two runs, on a machine without other work
long       only if named: memory over 500,000 decisions, the leaderboard of 250,000 matches, new and
           unchanged (with --seconds 4 two million and a million), bytes on disk a decision

A run on a machine that does nothing else takes about a quarter of an hour.  --against compares figure by
figure; a change within noise is called that, and how fast the machine itself is now is told beside.

Examples:
  python -m tests.bench --only tcp --repeats 9
  python -m tests.bench --json > before.json
  python -m tests.bench --against before.json
  python -m tests.bench --show results/bench.json --page > results/BENCH.md
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from arena.bench.measures import Effort
from arena.cli.mistakes import told_mistake
from arena.errors import ConfigError
from arena.reading.strict import duration, whole
from arena.terminal.text import say

from .command import bench_command


def main(words: Sequence[str] | None = None) -> int:
    """Does what the words ask for; the exit code: 2 for a mistake in them, which is told in a sentence."""
    try:
        return _carried_out(_parser().parse_args(words))
    except ConfigError as error:
        say(f"tests.bench: {told_mistake(error)}")
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--only", action="append", default=[], metavar="NAME", help="only this; may be repeated")
    add("--repeats", default="5", metavar="N", help="samples of each figure (5)")
    add("--seconds", default="1", metavar="S", help="about how long one sample takes (1)")
    add("--json", action="store_true", help="print as JSON, with all samples")
    add("--show", default="", metavar="FILE", help="measure nothing; print the table of what --json printed")
    add("--page", action="store_true", help="print the table as a page, figures that miss their goal first")
    add("--against", default="", metavar="FILE", help="say what changed since the run that --json printed")
    return parser


def _carried_out(asked: argparse.Namespace) -> int:
    what = "--repeats"
    try:
        repeats = whole(1)(int(asked.repeats) if asked.repeats.isdecimal() else asked.repeats)
        what = "--seconds"
        effort = Effort(repeats, duration(beyond=True)(asked.seconds))
    except ConfigError as error:
        raise ConfigError(f"{what}: {error}") from None
    form = "json" if asked.json else "page" if asked.page else "table"
    return bench_command(asked.only, effort, form=form, show=asked.show, against=asked.against)


if __name__ == "__main__":
    sys.exit(main())
