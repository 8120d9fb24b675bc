"""Divides what a run may use among the processes in which it is played.  Pure.

What a plan allows, it allows the whole run: its tables, its bots' instances, the memory for waiting bots, the
time for slow start-ups.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from arena.players.entrant import Entrant
from arena.schedule.admission import Capacity


@attrs.frozen
class Share:
    """The part of a run that one of several processes has."""

    place: int = 0
    """The number of the process, from 0."""
    of: int = 1
    """How many processes there are."""

    def part(self, whole: int) -> int:
        """The part of a whole number that this process has; what is left over goes to the first processes."""
        return whole // self.of + (self.place < whole % self.of)


WHOLE = Share()
"""The share if a run is played in one process."""


def entrants_of(entrants: Sequence[Entrant], share: Share) -> tuple[Entrant, ...]:
    """The entrants, each with as many instances as may live in this process.

    A bot that would have none has one here all the same, and is to be seated elsewhere.
    """
    return tuple(
        entrant
        if entrant.instances_max is None
        else attrs.evolve(entrant, instances_max=max(1, share.part(entrant.instances_max)))
        for entrant in entrants
    )


def capacity_in(capacity: Capacity, share: Share) -> Capacity:
    """How many tables this process may have; at least one."""
    first = max(1, share.part(capacity.first))
    return Capacity(
        first=first,
        most=first if capacity.is_fixed else max(first, share.part(capacity.most)),
        cores=capacity.cores / share.of,
    )
