"""Measurements: samples of one number, their median, perhaps a goal; as a table and as JSON."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import trio

Measuring: TypeAlias = Callable[["Effort"], "list[Measure]"]


@attrs.frozen
class Effort:
    """How much is done for each number."""

    repeats: int = 5
    seconds: float = 1.0
    """About how long one repeat of one number takes."""


@attrs.frozen
class Threshold:
    """What a number should reach."""

    bound: float
    is_upper: bool
    """Whether the number should be at most `bound`; otherwise at least."""

    def is_met(self, value: float) -> bool:
        return value <= self.bound if self.is_upper else value >= self.bound

    @classmethod
    def read(cls, said: str | None) -> Threshold | None:
        """What `str` of a goal says."""
        return None if said is None else cls(float(said[2:].replace(",", "")), is_upper=said[0] == "≤")

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
    """The word after `--only`."""
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
            "goal": None if self.goal is None else str(self.goal),
            "is_met": None if self.goal is None else self.goal.is_met(self.value),
        }

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Measure:
        """Of what `as_json` gives; three samples stand for all, so that the row of the table is the same."""
        samples = (said["lowest"], said["value"], said["highest"])
        return cls(said["group"], said["what"], said["unit"], samples, Threshold.read(said["goal"]))


def ratios(over: Sequence[float], under: Sequence[float]) -> tuple[float, ...]:
    """Each sample divided by the one taken beside it, so that a noisy moment affects both."""
    return tuple(a / b for a, b in zip(over, under, strict=True))


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


def as_text(measures: Sequence[Measure]) -> str:
    """The table, aligned; the medians to the right."""
    rows = as_rows(measures)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, tuple("─" * width for width in widths))
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column == 2 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def machine() -> dict[str, Any]:
    """What the numbers depend on most: the code, this machine and what runs on it."""
    return {
        "commit": _commit(),
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "trio": trio.__version__,
    }


def machine_line(machine: Mapping[str, Any]) -> str:
    """The machine in one line; `load` is how busy it was before we began."""
    return (
        f"commit {machine['commit']} on {machine['processor']}, {machine['cores']} cores, "
        f"load {machine['load']}; {machine['system']}, Python {machine['python']}, trio {machine['trio']}"
    )


def _commit() -> str:
    """Of the house's repository, with a `+` if something was changed since; `-` outside of one."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        head = subprocess.check_output([*git, "rev-parse", "--short=10", "HEAD"], stderr=subprocess.DEVNULL)
        is_changed = subprocess.call([*git, "diff", "--quiet", "HEAD", "--", ":/arena"]) != 0
    except (OSError, subprocess.CalledProcessError):
        return "-"
    return head.decode().strip() + ("+" if is_changed else "")


def _processor() -> str:
    """The processor's name if the system reports it (Linux), otherwise its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
