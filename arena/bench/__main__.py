"""`python -m arena.bench`: measures, then prints a table, or JSON; progress goes to stderr."""

from __future__ import annotations

import sys
import time

import click
import msgspec

from arena.bench.measures import Effort, Measure, Measuring, as_text, machine, machine_line
from arena.bench.rules import measure_referee, measure_rules
from arena.bench.tournament import measure_help, measure_memory, measure_runner
from arena.bench.wire import measure_tcp

MEASURINGS: dict[str, Measuring] = {
    "rules": measure_rules,
    "referee": measure_referee,
    "tcp": measure_tcp,
    "runner": measure_runner,
    "memory": measure_memory,
    "help": measure_help,
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.option(
    "--only", multiple=True, type=click.Choice(list(MEASURINGS)), help="Measure just this; may be repeated."
)
@click.option(
    "--repeats", type=click.IntRange(1, 100), default=5, show_default=True, help="Samples of each number."
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.01, 20),
    default=1.0,
    show_default=True,
    help="About how long one sample takes.",
)
def main(as_json: bool, only: tuple[str, ...], repeats: int, seconds: float) -> None:
    """How fast the arena is, on this machine: medians of repeats, beside the goals.

    \b
    rules    random legal play, no bots: decisions a second of one core
    referee  matches between bots of this process: the same
    tcp      CPU time of a question over TCP, and that of a bare Trio server
    runner   whole tournaments with compiled bots at 8 tables: questions a second
    memory   the arena process's peak at 32 tables
    help     how long `arena --help` takes

    \b
    Example: python -m arena.bench --only tcp --repeats 9
    """
    here = machine()
    if not as_json:
        print(machine_line(here))
    found: list[Measure] = []
    for name in only or MEASURINGS:
        began = time.perf_counter()
        found += MEASURINGS[name](Effort(repeats, seconds))
        print(f"{name}: measured in {time.perf_counter() - began:.1f} s", file=sys.stderr)
    if as_json:
        report = {"machine": here, "measures": [measure.as_json() for measure in found]}
        print(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        print(as_text(found))


if __name__ == "__main__":
    main()
