"""The table of `arena torture`, row by row, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.trials.torture.promises import MEMORY_MB, TrialRow
from arena.words import clipped, counted, printable, width

COLUMNS: Mapping[str, int] = {
    "habit": 18,
    "faults": 17,
    "s/of": 7,
    "MB": 3,
    "left": 4,
    "+ms": 5,
    "+p99": 5,
    "verdict": 0,
}
"""Name of a column -> its width; numbers are aligned right, and the last column is not padded."""
WORDS = frozenset({"habit", "faults", "verdict"})

LEGEND = (
    "s: seconds the run took; of: what it takes without the habit, and (limit + grace)\n"
    f"× matches ÷ tables; MB: the most the arena held (promised: below {MEMORY_MB});\n"
    "left: processes alive after it; +ms, +p99: how much later the honest bots answered,\n"
    "by the median and by the slowest answer in a hundred"
)


def header_lines() -> str:
    """The header of the table, two lines."""
    return f"{_line(list(COLUMNS))}\n{_line(['─' * (wide or 7) for wide in COLUMNS.values()])}"


def line(row: TrialRow) -> str:
    """One row of the table, for people."""
    seen = row.observed
    return _line(
        [
            printable(row.habit.name),
            _faults(row),
            f"{seen.seconds:.1f}/{row.allowed_s:.0f}",
            _number(seen.peak_mb, "{:.0f}"),
            _number(seen.left, "{}"),
            _number(row.delay_ms, "{:.2f}"),
            _number(row.delay_p99_ms, "{:.1f}"),
            row.verdict,
        ]
    )


def _faults(row: TrialRow) -> str:
    if _is_refused(row):
        return "refused"
    return " ".join(f"{kind} {count}" for kind, count in row.observed.faults.items()) or "–"


def _is_refused(row: TrialRow) -> bool:
    """Whether the run ended before play because a bot could not take part."""
    return row.observed.exit_code == 2 and not row.observed.played


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value).replace("-", "−")


def _line(cells: Sequence[str]) -> str:
    """A line of the table, with the cells in the widths of their columns."""
    shown = []
    for (name, wide), cell in zip(COLUMNS.items(), cells, strict=True):
        text = clipped(cell, wide) if wide else cell
        pad = " " * (wide - width(text))
        shown.append(text + pad if name in WORDS else pad + text)
    return "  ".join(shown).rstrip()


def conclusion(rows: Sequence[TrialRow]) -> list[str]:
    """The broken promises, a line each, worst first; then how many habits held."""
    lines = [
        f"{row.habit.name}: {printable(breach)}"
        for row in _by_verdict(rows, "broken")
        for breach in row.breaches
    ]
    lines += [
        f"{row.habit.name}, without a box: {printable(breach)}"
        for row in _by_verdict(rows, "open")
        for breach in row.breaches
    ]
    lines += [
        f"{row.habit.name} was refused before play: {printable(row.observed.last_words)}"
        for row in rows
        if row.habit.is_yours and _is_refused(row)
    ]
    if boxes := sorted({row.observed.box for row in rows} - {""}):
        lines.append(f"the bots ran under: {', '.join(boxes)}")
    held = len(_by_verdict(rows, "held"))
    return [*lines, f"{held} of {counted(len(rows), 'habit')} held"]


def _by_verdict(rows: Sequence[TrialRow], verdict: str) -> list[TrialRow]:
    return [row for row in rows if row.verdict == verdict]


def as_objects(rows: Sequence[TrialRow]) -> list[dict[str, Any]]:
    """The rows as objects, for JSON."""
    return [_object(row) for row in rows]


def _object(row: TrialRow) -> dict[str, Any]:
    seen = row.observed
    return {
        "habit": row.habit.name,
        "run": list(row.habit.run),
        "way": row.habit.way,
        "box": seen.box,
        "verdict": row.verdict,
        "breaches": row.breaches,
        "exit_code": seen.exit_code,
        "faults": dict(seen.faults),
        "honest_faults": dict(seen.honest_faults),
        "matches": seen.played,
        "planned": seen.planned,
        "seconds": round(seen.seconds, 3),
        "allowed_s": row.allowed_s,
        "peak_mb": seen.peak_mb,
        "processes_left": seen.left,
        "honest_median_ms": seen.median_ms,
        "honest_p99_ms": seen.p99_ms,
        "delay_median_ms": row.delay_ms,
        "delay_p99_ms": row.delay_p99_ms,
        "last_words": seen.last_words,
    }
