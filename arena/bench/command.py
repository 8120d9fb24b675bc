"""`arena bench`: measures, then prints a table, or JSON; progress goes to stderr."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import attrs

from arena.bench.box import measure_box
from arena.bench.changes import Change, change_notes, changes
from arena.bench.connected import measure_connected
from arena.bench.flood import measure_flood
from arena.bench.hands import measure_hands
from arena.bench.lines import measure_lines
from arena.bench.long import measure_long
from arena.bench.loop import measure_loop
from arena.bench.machine import loop_ms, machine, machine_line
from arena.bench.many import measure_many
from arena.bench.measures import Effort, Measure, Measuring, as_text, short
from arena.bench.peer import measure_peer
from arena.bench.reports import Report, read_report
from arena.bench.rules import measure_referee, measure_rules
from arena.bench.scale import measure_scale
from arena.bench.serve import measure_serve
from arena.bench.stages import measure_stages
from arena.bench.tables import measure_tables
from arena.bench.tournament import measure_help, measure_memory, measure_runner
from arena.bench.trust import measure_trust
from arena.bench.verify import measure_verify
from arena.bench.wire import measure_tcp
from arena.bench.workers import measure_workers
from arena.errors import ConfigError
from arena.reading.strict import one_of, place
from arena.terminal.text import as_json, out, say

MEASURINGS: dict[str, Measuring] = {
    "rules": measure_rules,
    "hands": measure_hands,
    "referee": measure_referee,
    "lines": measure_lines,
    "tcp": measure_tcp,
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


def bench_command(only: Sequence[str], effort: Effort, *, json: bool, show: str, against: str) -> int:
    """Does everything asked for, prints it, and returns the exit code.

    Raises ConfigError for wrong words and files, before anything is measured.
    """
    groups = [_group(word) for word in dict.fromkeys(only)]
    then = read_report(_path(against, "--against"), "--against") if against else None
    now = _kept(show, groups) if show else _measured(groups or list(MEASURINGS), effort, is_quiet=json)
    found = changes(now, then) if then is not None else []
    if json:
        out(as_json(_as_objects(now, then, found)))
        return 0
    if show:
        out(machine_line(now.machine))
    out(as_text(now.measures, _columns(found)))
    if then is not None:
        out(f"\ncompared with {machine_line(then.machine)}")
        for line in change_notes(now, then, found):
            out(f"- {line}")
    return 0


def _kept(word: str, groups: Sequence[str]) -> Report:
    """What that file holds, of these groups if any are named."""
    kept = read_report(_path(word, "--show"), "--show")
    if not groups:
        return kept
    chosen = tuple(measure for measure in kept.measures if measure.group in groups)
    if not chosen:
        there = ", ".join(dict.fromkeys(measure.group for measure in kept.measures))
        raise ConfigError(f"--only: {word} has none of these figures, expected of {there}")
    return attrs.evolve(kept, measures=chosen)


def _group(word: str) -> str:
    try:
        return one_of(*MEASURINGS, *IF_NAMED)(word)
    except ConfigError as error:
        raise ConfigError(f"--only: {error}") from None


def _path(word: str, option: str) -> Path:
    try:
        return place(word)
    except ConfigError as error:
        raise ConfigError(f"{option}: {error}") from None


def _measured(groups: Sequence[str], effort: Effort, is_quiet: bool) -> Report:
    here = machine()
    if not is_quiet:
        out(machine_line(here))
    found: list[Measure] = []
    loops = [loop_ms()]
    for name in groups:
        began = time.perf_counter()
        found += (MEASURINGS | IF_NAMED)[name](effort)
        say(f"{name}: measured in {time.perf_counter() - began:.1f} s")
        loops.append(loop_ms())
    return Report(here, tuple(found), tuple(loops))


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
