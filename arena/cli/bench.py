"""`arena bench`: measures how fast the arena is on this machine."""

from __future__ import annotations

import click

from arena.cli.group import cli, options
from arena.cli.mistakes import WholeNumber


@cli.command()
@options("What is measured", ("--only", "*NAME", "Only this; may be repeated."))
@click.option(
    "--repeats",
    type=WholeNumber(),
    default=5,
    metavar="N",
    show_default=True,
    help="Samples of each figure.",
)
@click.option(
    "--seconds", default="1", metavar="S", show_default=True, help="About how long one sample takes."
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON, with all samples.")
def bench(only: tuple[str, ...], repeats: int, seconds: str, as_json: bool) -> int:
    """Measure how fast the arena is on this machine.

    Medians of repeats, beside what they should reach:

    \b
    rules      random legal play, no bots: decisions per second of one core
    tcp        CPU time of a question over TCP
    runner     tournaments with compiled bots at 8 tables: questions per second

    \b
    Examples:
      arena bench --only tcp --repeats 9
      arena bench --json > bench.json
    """
    from arena.bench.command import bench_command
    from arena.bench.measures import Effort
    from arena.errors import ConfigError
    from arena.reading.strict import duration

    try:
        sample_s = duration(beyond=True)(seconds)
    except ConfigError as error:
        raise ConfigError(f"--seconds: {error}") from None
    return bench_command(only, Effort(repeats, sample_s), json=as_json)
