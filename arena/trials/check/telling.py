"""Tells what a check has found, in words for people and as data for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

import attrs

from arena.terminal.inks import PLAIN, Inks
from arena.terminal.text import as_time
from arena.trials.check.findings import CheckFindings, Example, number_range
from arena.trials.check.point import CheckPoint
from arena.words import clipped, counted, printable

LOG_LINES = 20
EXAMPLE_LINES = 4
EXAMPLE_COLUMNS = 300
COLUMNS, COLUMNS_LEAST = 100, 50
"""The width of a verdict if that of the terminal is unknown, and its least width."""
_MARKS = {"fine": "ok", "mend": "FIX", "note": "note", "open": "–"}
_ARROW = "→ "


def check_text(
    found: CheckFindings, points: Sequence[CheckPoint], columns: int | None = None, inks: Inks = PLAIN
) -> str:
    """The whole verdict for people."""
    return "\n".join(_lines(found, points, width_of(columns), inks))


def width_of(columns: int | None) -> int:
    """The width of a verdict on a terminal with this many columns; None: unknown."""
    return max(COLUMNS_LEAST, columns or COLUMNS)


def _lines(found: CheckFindings, points: Sequence[CheckPoint], columns: int, inks: Inks) -> Iterator[str]:
    yield inks.strong(_head(found))
    yield ""
    yield from point_lines(points, columns, inks)
    yield from _log(found)
    for example in found.examples:
        yield from _example(example)
    yield ""
    yield conclusion_of(points)


def point_lines(points: Sequence[CheckPoint], columns: int, inks: Inks = PLAIN) -> Iterator[str]:
    """The lines of the points, one below the other, each with what to do about it."""
    wide = max(len(point.name) for point in points)
    for point in points:
        begin = f"{_MARKS[point.standing]:4}  {point.name:{wide}}  "
        indent = " " * len(begin)
        first, *more = wrap(printable(point.said), columns - len(begin)) or [""]
        line = f"{begin}{first}"
        yield inks.warning(line) if point.standing == "mend" else line
        yield from (f"{indent}{line}" for line in more)
        if point.advice:
            advice = wrap(printable(point.advice), columns - len(begin) - len(_ARROW))
            marks = (_ARROW, *(" " * len(_ARROW) for _ in advice[1:]))
            yield from (inks.faint(f"{indent}{mark}{line}") for mark, line in zip(marks, advice, strict=True))


def _head(found: CheckFindings) -> str:
    if found.broken is not None:
        return f"{found.bot} at {found.title}"
    table = f"{number_range(found.seats)} seats"
    asked, matches = counted(len(found.asked), "question"), counted(found.matches, "match")
    if recorded := len(found.recorded()):
        asked += f" ({recorded:,} recorded, {len(found.asked) - recorded:,} generated)"
    return f"{found.bot} at {found.title}, {table}: {asked} in {matches}, {as_time(found.duration_s)}"


def _log(found: CheckFindings) -> Iterator[str]:
    if found.log.strip():
        yield from ("", "the end of its log:")
        yield from (f"  | {printable(line)}" for line in found.log.strip().splitlines()[-LOG_LINES:])


def _example(example: Example) -> Iterator[str]:
    """The lines of a fault's evidence: what the bot was asked before it, and what it said."""
    lines = [f"{line['dir']} {line['text']}" for line in example.lines if "text" in line and "dir" in line]
    questions = [at for at, line in enumerate(lines) if line.startswith("→") and '"message_id"' in line]
    if not questions:
        return
    yield from ("", f"the first fault of the kind {example.fault}: {printable(example.reason)}")
    shown = list(dict.fromkeys(lines[questions[-1] :]))
    yield from (clipped(f"  {printable(line)}", EXAMPLE_COLUMNS) for line in shown[:EXAMPLE_LINES])


def conclusion_of(points: Sequence[CheckPoint]) -> str:
    """The last line of a verdict: how much there is to fix."""
    mend = sum(point.standing == "mend" for point in points)
    if mend:
        return f"{counted(mend, 'point')} to fix"
    left = sum(point.standing == "open" for point in points)
    return f"nothing to fix; {counted(left, 'point')} could not be tried" if left else "nothing to fix"


def check_json(found: CheckFindings, points: Sequence[CheckPoint]) -> dict[str, Any]:
    """The whole verdict as JSON, for programs."""
    asked = found.answers()
    return {
        "bot": found.bot,
        "game": found.game,
        "ok": all(point.standing != "mend" for point in points),
        "points": [point.as_data() for point in points],
        "questions": len(found.asked),
        "recorded": len(found.recorded()),
        "generated": len(found.asked) - len(found.recorded()),
        "matches": found.matches,
        "duration_s": found.duration_s,
        "seats": sorted({each.seats for each in found.asked}),
        "options": {kind: sum(kind in each.kinds for each in found.asked) for kind in found.kinds},
        "faults": {
            fault: sum(each.fault == fault for each in asked)
            for fault in dict.fromkeys(each.fault for each in asked if each.fault)
        },
        "elapsed_s": [each.elapsed_s for each in asked],
        "memory_bytes": found.memory_bytes,
        "log": found.log,
        "examples": [attrs.asdict(example) for example in found.examples],
    }
