"""All that is measured, and what `python -m tests.bench` does with it: a table or JSON, and what changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal

import attrs

from arena.bench.command import measurings_named, report_of
from arena.bench.machine import machine_line
from arena.bench.measures import Effort, Measuring, Report, as_text, short
from arena.bench.rules import measure_rules
from arena.bench.runner import measure_runner
from arena.errors import ConfigError
from arena.reading.strict import place
from arena.terminal.text import as_json, out
from tests.trust import measure_trust

from .bare import measure_beside_bare
from .box import measure_box
from .changes import Change, change_notes, changes
from .connected import measure_connected
from .flood import measure_flood
from .hands import measure_hands
from .help import measure_help
from .lines import measure_lines
from .long import measure_long
from .loop import measure_loop
from .many import measure_many
from .memory import measure_memory
from .peer import measure_peer
from .referee import measure_referee
from .reports import read_report
from .scale import measure_scale
from .serve import measure_serve
from .stages import measure_stages
from .tables import measure_tables
from .verify import measure_verify
from .workers import measure_workers

MEASURINGS: dict[str, Measuring] = {
    "rules": measure_rules,
    "hands": measure_hands,
    "referee": measure_referee,
    "lines": measure_lines,
    "tcp": measure_beside_bare,
    "peer": measure_peer,
    "stages": measure_stages,
    "loop": measure_loop,
    "runner": measure_runner,
    "tables": measure_tables,
    "flood": measure_flood,
    "memory": measure_memory,
    "box": measure_box,
    "scale": measure_scale,
    "many": measure_many,
    "connected": measure_connected,
    "serve": measure_serve,
    "verify": measure_verify,
    "help": measure_help,
}
"""How fast the arena is: what a whole run measures."""
IF_NAMED: dict[str, Measuring] = {
    "trust": measure_trust,
    "workers": measure_workers,
    "long": measure_long,
}
"""Measured only if named: they take long, say nothing about a machine, or are about having it to oneself."""


def bench_command(
    only: Sequence[str], effort: Effort, *, form: Literal["table", "json", "page"], show: str, against: str
) -> int:
    """Does everything asked for, prints it, and returns the exit code.

    Raises ConfigError for wrong words and files, before anything is measured.
    """
    chosen = measurings_named(only, MEASURINGS | IF_NAMED)
    then = read_report(_path(against, "--against"), "--against") if against else None
    now = _kept(show, chosen) if show else report_of(chosen or MEASURINGS, effort, is_quiet=form != "table")
    found = changes(now, then) if then is not None else []
    if form == "json":
        out(as_json(_as_objects(now, then, found)))
        return 0
    if form == "page":
        out(_as_page(now))
        return 0
    if show:
        out(machine_line(now.machine))
    out(as_text(now.measures, _columns(found)))
    if then is not None:
        out(f"\ncompared with {machine_line(then.machine)}")
        for line in change_notes(now, then, found):
            out(f"- {line}")
    return 0


def _as_page(report: Report) -> str:
    """The whole table in Markdown, what misses its goal first."""
    missed = [one for one in report.measures if one.goal is not None and not one.goal.is_met(one.value)]
    ordered = [*missed, *(one for one in report.measures if one not in missed)]
    return f"""# How fast the arena is

One run of `python -m tests.bench`, kept in `results/bench.json`; what misses its goal stands first.
The machine is shared, and its speed varies by half from hour to hour: compare ratios, or measure on your own.

```text bench
{machine_line(report.machine)}
{as_text(ordered)}
```"""


def _kept(word: str, groups: Collection[str]) -> Report:
    """What that file holds, of these groups if any are named."""
    kept = read_report(_path(word, "--show"), "--show")
    if not groups:
        return kept
    chosen = tuple(measure for measure in kept.measures if measure.group in groups)
    if not chosen:
        there = ", ".join(dict.fromkeys(measure.group for measure in kept.measures))
        raise ConfigError(f"--only: {word} has none of these figures, expected of {there}")
    return attrs.evolve(kept, measures=chosen)


def _path(word: str, option: str) -> Path:
    try:
        return place(word)
    except ConfigError as error:
        raise ConfigError(f"{option}: {error}") from None


def _columns(found: Sequence[Change]) -> list[tuple[str, ...]]:
    """Two more cells for the header and each row."""
    rows = [("" if each.earlier is None else short(each.earlier.value), each.said) for each in found]
    return [("earlier", "change"), *rows] if rows else []


def _as_objects(now: Report, then: Report | None, found: Sequence[Change]) -> dict[str, object]:
    report = now.as_json()
    if then is not None:
        report["against"] = {
            "machine": then.machine,
            "loop_ms": then.loop_ms,
            "notes": change_notes(now, then, found),
        }
        for measure, change in zip(report["measures"], found, strict=True):
            measure["earlier"] = None if change.earlier is None else change.earlier.value
            measure["change"] = change.said
    return report
