"""`python -m arena.bench`: measures, then prints a table, or JSON; progress goes to stderr."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from arena.bench.box import measure_box
from arena.bench.flood import measure_flood
from arena.bench.hands import measure_hands
from arena.bench.loop import measure_loop
from arena.bench.measures import Effort, Measure, Measuring, as_text, machine, machine_line
from arena.bench.rules import measure_referee, measure_rules
from arena.bench.scale import measure_scale
from arena.bench.serve import measure_serve
from arena.bench.tables import measure_tables
from arena.bench.tournament import measure_help, measure_memory, measure_runner
from arena.bench.trust import measure_trust
from arena.bench.verify import measure_verify
from arena.bench.wire import measure_tcp

N = TypeVar("N", int, float)

MEASURINGS: dict[str, Measuring] = {
    "rules": measure_rules,
    "hands": measure_hands,
    "referee": measure_referee,
    "tcp": measure_tcp,
    "loop": measure_loop,
    "runner": measure_runner,
    "tables": measure_tables,
    "flood": measure_flood,
    "memory": measure_memory,
    "box": measure_box,
    "scale": measure_scale,
    "serve": measure_serve,
    "verify": measure_verify,
    "help": measure_help,
}
"""How fast the arena is: what a whole run measures."""
IF_NAMED: dict[str, Measuring] = {"trust": measure_trust}
"""Measured only if named: it says nothing about a machine."""

DESCRIPTION = """How fast the arena is, on this machine: medians of repeats, beside the goals.

rules    random legal play, no bots: decisions per second of one core
hands    games played in hands: hands per second, beside PokerKit's if it is installed
referee  matches between bots in this process: decisions per second of one core
tcp      CPU time of a question over TCP, and of a message to a bare Trio server
loop     what each part of an answer's fast path gains
runner   tournaments with compiled bots at 8 tables: questions per second
tables   what a sleeping bot costs: the time of the whole, the thinking times of the others
flood    what a flooding bot, or a hundred flooding strangers, cost the others
memory   the arena process's peak at 32 tables
box      milliseconds to start a program in each box, and what a box costs per question
scale    leaderboard and report of a million matches: seconds and memory
serve    what 200 spectators and 50 clients that poll cost the bots at a server's tables; requests per second
verify   a folder verified, beside the rules alone on the same matches; the time of 100,000 moves
help     how long `arena --help` takes
trust    only if named: how often verdicts and intervals are right, where the truth is known (fixed seeds)
"""


def main(words: Sequence[str] | None = None) -> None:
    said = _parser().parse_args(words)
    if said.show:
        _show(said.show)
        return
    here = machine()
    if not said.json:
        print(machine_line(here), flush=True)
    found: list[Measure] = []
    for name in said.only or MEASURINGS:
        began = time.perf_counter()
        found += (MEASURINGS | IF_NAMED)[name](Effort(said.repeats, said.seconds))
        print(f"{name}: measured in {time.perf_counter() - began:.1f} s", file=sys.stderr)
    if said.json:
        report = {"machine": here, "measures": [measure.as_json() for measure in found]}
        print(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        print(as_text(found))


def _show(path: Path) -> None:
    """The table of a run that was kept as JSON."""
    report = msgspec.json.decode(path.read_bytes())
    print(machine_line(report["machine"]))
    print(as_text([Measure.from_json(measure) for measure in report["measures"]]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m arena.bench",
        description=DESCRIPTION,
        epilog="Example: python -m arena.bench --only tcp --repeats 9",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print as JSON")
    parser.add_argument(
        "--show", type=Path, metavar="FILE", help="measure nothing; print the table of what --json printed"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=MEASURINGS | IF_NAMED,
        metavar="NAME",
        help="measure only this; may be repeated",
    )
    parser.add_argument("--repeats", type=_count, default=5, metavar="N", help="samples of each number (5)")
    parser.add_argument(
        "--seconds", type=_seconds, default=1.0, metavar="S", help="about how long one sample takes (1)"
    )
    return parser


def _count(word: str) -> int:
    return _above_zero(int(word))


def _seconds(word: str) -> float:
    return _above_zero(float(word))


def _above_zero(number: N) -> N:
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{number} is not above zero")
    return number


if __name__ == "__main__":
    main()
