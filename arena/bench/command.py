"""The command `arena bench`: measures, then prints a table or JSON; progress goes to stderr."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from arena.bench.machine import loop_ms, machine, machine_line
from arena.bench.measures import Effort, Measure, Measuring, Report, as_text
from arena.bench.rules import measure_rules
from arena.bench.runner import measure_runner
from arena.bench.tcp import measure_tcp
from arena.errors import of_setting
from arena.reading.strict import one_of
from arena.terminal.text import as_json, out, say

MEASURINGS: Mapping[str, Measuring] = {
    "rules": measure_rules,
    "tcp": measure_tcp,
    "runner": measure_runner,
}
"""All measurings of how fast the arena is, by name."""


def bench_command(only: Sequence[str], effort: Effort, *, json: bool) -> int:
    """Measures, prints the figures, and returns the exit code.

    Raises ConfigError for unknown words in `only`, before anything is measured.
    """
    report = report_of(measurings_named(only, MEASURINGS) or MEASURINGS, effort, is_quiet=json)
    out(as_json(report.as_json()) if json else as_text(report.measures))
    return 0


def measurings_named(only: Sequence[str], known: Mapping[str, Measuring]) -> dict[str, Measuring]:
    """The known measurings that are asked for, once each.  Raises ConfigError for other words."""
    with of_setting("only"):
        return {word: known[one_of(*known)(word)] for word in only}


def report_of(measurings: Mapping[str, Measuring], effort: Effort, is_quiet: bool) -> Report:
    """The figures of these measurings, in turn; unless `is_quiet`, the machine is printed first."""
    here = machine()
    if not is_quiet:
        out(machine_line(here))
    found: list[Measure] = []
    loops = [loop_ms()]
    for name, measure in measurings.items():
        began = time.perf_counter()
        found += measure(effort)
        say(f"{name}: measured in {time.perf_counter() - began:.1f} s")
        loops.append(loop_ms())
    return Report(here, tuple(found), tuple(loops))
