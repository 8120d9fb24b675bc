"""How fast a machine is: a fixed loop, and whether a worker's machine is like the run's.

Move limits are wall time on the machine that plays.  Each worker is compared with the machine of the run, on
which the bots were tried and for which the limits were chosen: so it is judged by itself and at once, also
one that takes the place of another.  The median of all workers would tell nothing of two, and would let pass
a cluster that is slow as a whole.
"""

from __future__ import annotations

import time

LOOP_TURNS = 40_000
"""About 5 ms: long enough to be timed, short enough to be run beside everything."""
TRIES = 20
"""The quickest of so many says what a machine can do, whatever else it does."""
OFF_MAX = 0.25
"""By so much of the run's figure a worker's may differ."""


def loop_once_ms() -> float:
    """Milliseconds of processor time for a fixed loop of plain Python.

    The same loop in every version of the arena, or runs of the bench could not be compared by it.
    """
    began = time.process_time()
    seen: dict[int, int] = {}
    value = 1
    for turn in range(LOOP_TURNS):
        value = (value * 1103515245 + 12345) & 0x7FFFFFFF
        seen[value & 255] = turn
    return 1000 * (time.process_time() - began)


def quickest_loop_ms() -> float:
    """How fast this machine is at its best."""
    return min(loop_once_ms() for _ in range(TRIES))


def too_different(there_ms: float, here_ms: float) -> str | None:
    """Why a worker with this figure cannot play beside the others, in one sentence; None if it can."""
    off = there_ms / here_ms - 1
    if abs(off) <= OFF_MAX:
        return None
    differs = f"{abs(off):.0%} {'more' if off > 0 else 'less'}"
    return (
        f"is not as fast as this machine: a fixed loop takes {there_ms:.2f} ms there and {here_ms:.2f} ms "
        f"here, {differs}: expected at most {OFF_MAX:.0%} more or less; leave it out, or do not calibrate"
    )


__all__ = ["loop_once_ms", "quickest_loop_ms", "too_different"]
