"""Measurements: samples of one number, their median, perhaps a goal; shown as a table or as JSON."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import attrs

FORMAT = 2
"""The version of the JSON; 1 had no version, no samples, and no times of the machine's loop."""
Measuring: TypeAlias = Callable[["Effort"], "list[Measure]"]


@attrs.frozen
class Effort:
    """How much work is done for each measurement."""

    repeats: int = 5
    seconds: float = 1.0
    """About how long one repeat of one measurement takes."""


@attrs.frozen
class Threshold:
    """A bound that a number should reach."""

    bound: float
    is_upper: bool
    """Whether the number should be at most `bound`; otherwise at least."""

    def is_met(self, value: float) -> bool:
        return value <= self.bound if self.is_upper else value >= self.bound

    def __str__(self) -> str:
        return f"{'≤' if self.is_upper else '≥'} {short(self.bound)}"


def at_most(bound: float) -> Threshold:
    return Threshold(bound, is_upper=True)


def at_least(bound: float) -> Threshold:
    return Threshold(bound, is_upper=False)


@attrs.frozen
class Measure:
    """One number, measured again and again."""

    group: str
    """The word by which it is asked for."""
    what: str
    unit: str
    samples: tuple[float, ...]
    goal: Threshold | None = None

    @property
    def value(self) -> float:
        """The median of the samples."""
        return statistics.median(self.samples)

    def as_json(self) -> dict[str, Any]:
        return {
            "group": self.group,
            "what": self.what,
            "unit": self.unit,
            "value": self.value,
            "lowest": min(self.samples),
            "highest": max(self.samples),
            "repeats": len(self.samples),
            "samples": self.samples,
            "goal": None if self.goal is None else str(self.goal),
            "is_met": None if self.goal is None else self.goal.is_met(self.value),
        }


@attrs.frozen
class Report:
    """One run of the bench: where, how fast the machine was, and what was measured."""

    machine: dict[str, Any]
    measures: tuple[Measure, ...]
    loop_ms: tuple[float, ...] = ()
    """The times of the fixed loop, run between the measurements; empty if they were not kept."""

    def as_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "machine": self.machine,
            "loop_ms": self.loop_ms,
            "measures": [measure.as_json() for measure in self.measures],
        }


def short(value: float) -> str:
    """A number in about four digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def as_rows(measures: Sequence[Measure]) -> list[tuple[str, ...]]:
    """The cells of the table, a header first."""
    rows: list[tuple[str, ...]] = [("measure", "what", "median", "unit", "spread", "goal", "")]
    for measure in measures:
        spread = f"{short(min(measure.samples))} … {short(max(measure.samples))}"
        goal = "" if measure.goal is None else str(measure.goal)
        verdict = "" if measure.goal is None else ("met" if measure.goal.is_met(measure.value) else "NOT MET")
        rows.append((measure.group, measure.what, short(measure.value), measure.unit, spread, goal, verdict))
    return rows


def as_text(measures: Sequence[Measure], more: Sequence[tuple[str, ...]] = ()) -> str:
    """The table as text, aligned; medians to the right.

    `more`: more cells for the header and for each measure.
    """
    rows = as_rows(measures)
    if more:
        rows = [row + cells for row, cells in zip(rows, more, strict=True)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    to_right = {column for column, name in enumerate(rows[0]) if name in ("median", "earlier")}
    rows.insert(1, tuple("─" * width for width in widths))
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in to_right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
