"""Measures how fast a machine is, by a fixed loop, and compares a worker's machine with the run's.

Limits of moves are wall time on the machine that plays.  Each worker is compared with the machine of the
run, on which the bots were tried and for which the limits were chosen.  So it can be judged alone and at
once, even if it replaces another one.  A median of all workers would say nothing about two of them, and
would accept a cluster that is slow as a whole.
"""

from __future__ import annotations

import time

LOOP_TURNS = 40_000
"""The length of the loop, about 5 ms: long enough to be timed, short enough to run beside anything."""
TRIES = 20
"""How many loops are run: the quickest tells what a machine can do, whatever else it does."""
OFF_MAX = 0.25
"""How much a worker's figure may differ from the run's, as a share of the latter."""


def loop_once_ms() -> float:
    """Runs a fixed loop of plain Python; returns its processor time in milliseconds.

    It must be the same loop in every version of the arena: figures of the bench are compared by it.
    """
    began = time.process_time()
    seen: dict[int, int] = {}
    value = 1
    for turn in range(LOOP_TURNS):
        value = (value * 1103515245 + 12345) & 0x7FFFFFFF
        seen[value & 255] = turn
    return 1000 * (time.process_time() - began)


def quickest_loop_ms() -> float:
    """The fixed loop's time on this machine at its best (ms)."""
    return min(loop_once_ms() for _ in range(TRIES))


def too_different(there_ms: float, here_ms: float) -> str | None:
    """Why a worker with this figure cannot play for the run, as a clause; None if it can."""
    off = there_ms / here_ms - 1
    if abs(off) <= OFF_MAX:
        return None
    differs = f"{abs(off):.0%} {'more' if off > 0 else 'less'}"
    return (
        f"is not as fast as this machine: a fixed loop takes {there_ms:.2f} ms there and {here_ms:.2f} ms "
        f"here, {differs}: expected at most {OFF_MAX:.0%} more or less; leave it out, or do not calibrate"
    )
