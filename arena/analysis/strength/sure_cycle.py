"""Finds bots that beat each other in a circle, as in rock, paper, scissors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def shortest_circle(beats: NDArray[np.bool_]) -> tuple[int, ...]:
    """A shortest circle of bots in which each beats the next, and the last the first; else empty."""
    shortest: tuple[int, ...] = ()
    for start in range(len(beats)):
        found = _back_to(beats, start)
        if found and (not shortest or len(found) < len(shortest)):
            shortest = found
    return shortest


def _back_to(beats: NDArray[np.bool_], start: int) -> tuple[int, ...]:
    """A shortest path of bots that leads back to its start, breadth first."""
    paths: list[tuple[int, ...]] = [(start,)]
    reached = {start}
    while paths:
        longer: list[tuple[int, ...]] = []
        for path in paths:
            if beats[path[-1], start]:
                return path
            for place in np.flatnonzero(beats[path[-1]]).tolist():
                if place not in reached:
                    reached.add(place)
                    longer.append((*path, place))
        paths = longer
    return ()
