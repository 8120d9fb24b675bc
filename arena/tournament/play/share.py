"""Which part of a run's means one of the processes has in which it is played.  Pure.

What a plan allows is allowed to the whole run: its tables, its bots' instances, the memory that waiting bots
take, the time for slow start-ups.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from arena.players.entrant import Entrant
from arena.schedule.admission import Capacity


@attrs.frozen
class Share:
    """The part of one of several processes."""

    place: int = 0
    """Which of them it is, from 0."""
    of: int = 1
    """How many there are."""

    def part(self, whole: int) -> int:
        """Its part of so many; the first processes have what is left over."""
        return whole // self.of + (self.place < whole % self.of)


WHOLE = Share()
"""Of a run that is played in one process."""


def entrants_of(entrants: Sequence[Entrant], share: Share) -> tuple[Entrant, ...]:
    """The entrants, each with as many instances as may live in this process.

    One that would have none has one here too, and is to be seated elsewhere.
    """
    return tuple(
        entrant
        if entrant.instances_max is None
        else attrs.evolve(entrant, instances_max=max(1, share.part(entrant.instances_max)))
        for entrant in entrants
    )


def capacity_in(capacity: Capacity, share: Share) -> Capacity:
    """The tables of this process: at least one."""
    first = max(1, share.part(capacity.first))
    return Capacity(
        first=first,
        most=first if capacity.is_fixed else max(first, share.part(capacity.most)),
        cores=capacity.cores / share.of,
    )


__all__ = ["WHOLE", "Share", "capacity_in", "entrants_of"]
