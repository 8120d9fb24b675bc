"""The command that measures: `bench`."""

from __future__ import annotations

import click

from arena.cli.group import cli, options
from arena.cli.mistakes import Whole


@cli.command()
@options(
    "What is measured",
    ("--only", "*NAME", "Only this; may be repeated."),
)
@click.option(
    "--repeats", type=Whole(1), default=5, metavar="N", show_default=True, help="Samples of each figure."
)
@click.option(
    "--seconds", default="1", metavar="S", show_default=True, help="About how long one sample takes."
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON, with all samples.")
@click.option(
    "--show", metavar="FILE", default="", help="Measure nothing; print the table of what --json printed."
)
@click.option(
    "--against", metavar="FILE", default="", help="Say what changed since the run that --json printed."
)
def bench(only: tuple[str, ...], repeats: int, seconds: str, as_json: bool, show: str, against: str) -> int:
    """How fast the arena is, on this machine: medians of repeats, beside what they should reach.

    \b
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

    \b
    Examples:
      arena bench --only tcp --repeats 9
      arena bench --json > before.json
      arena bench --against before.json
    """
    from arena.bench.command import bench_command
    from arena.bench.measures import Effort
    from arena.errors import ConfigError
    from arena.reading.strict import duration

    try:
        sample_s = duration(beyond=True)(seconds)
    except ConfigError as error:
        raise ConfigError(f"--seconds: {error}") from None
    return bench_command(only, Effort(repeats, sample_s), json=as_json, show=show, against=against)
