"""The peak memory of an arena process with many tables.

This module is the program that plays: `arena.bench.runner` in a process that has loaded all that `arena run` has.
"""

from __future__ import annotations

from importlib import import_module

from arena.bench.measures import Effort, Measure, at_most
from arena.bench.runner import main, tournament

MEMORY_TABLES, MEMORY_GOAL_MB = 32, 80


def measure_memory(effort: Effort) -> list[Measure]:
    """The peak memory at 32 tables."""
    peaks = tuple(
        tournament(MEMORY_TABLES, 4 * MEMORY_TABLES, program="tests.bench.memory").peak_mb
        for _ in range(min(effort.repeats, 3))
    )
    return [Measure("memory", f"peak at {MEMORY_TABLES} tables", "MB", peaks, at_most(MEMORY_GOAL_MB))]


if __name__ == "__main__":
    import_module("arena.cli")
    main()
