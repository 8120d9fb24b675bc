"""How many matches are played at once: as many as keep the machine busy, and no more.  Pure.

A bot that sleeps holds a table and no core.  So whether one more match begins is decided by what its bots,
and those that are playing, have wanted of the machine so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

LIGHT_SHARE = 0.25
"""Matches that together keep no more than this share of the cores busy do not keep a heavy one waiting."""
MATCHES_REMEMBERED = 32
"""About how many of a bot's last matches count: what it did long before, as at its start, is forgotten."""


@attrs.frozen
class Demand:
    """What a bot has done in its last matches: sums, of which older matches are a smaller part."""

    matches: float = 0.0
    cpu_s: float = 0.0
    """The processor time that it has wanted, whether or not it had to wait for it."""
    wall_s: float = 0.0
    """The time that its matches have waited for it, starts of its processes included."""

    def with_more(self, matches: int, cpu_s: float, wall_s: float) -> Demand:
        """The demand after this many more matches."""
        kept = (1 - 1 / MATCHES_REMEMBERED) ** matches
        return Demand(kept * self.matches + matches, kept * self.cpu_s + cpu_s, kept * self.wall_s + wall_s)


def expected_load(bots: Iterable[str], demands: Mapping[str, Demand]) -> float:
    """How many cores a match between these bots keeps busy; a bot without a demand keeps one busy.

    The bots share the time of the match: one that computes does so for a small part of a match in which the
    others sleep.
    """
    bots = tuple(bots)
    known = [demands[bot] for bot in bots if bot in demands]
    cpu_s = sum(demand.cpu_s / demand.matches for demand in known)
    wall_s = sum(demand.wall_s / demand.matches for demand in known)
    return len(bots) - len(known) + (cpu_s / wall_s if wall_s else 0.0)


@attrs.frozen(kw_only=True)
class Capacity:
    """How many tables a run may have."""

    first: int
    """How many play at once while nothing is known about the bots."""
    most: int
    cores: float = 1

    @classmethod
    def fixed(cls, tables: int) -> Capacity:
        """A capacity of this many tables, whatever the bots do."""
        return cls(first=tables, most=tables)

    @property
    def is_fixed(self) -> bool:
        """Whether there are always `first` tables."""
        return self.most == self.first


def admits(capacity: Capacity, running: Sequence[float], candidate: float, arena: float) -> bool:
    """Whether a match with this expected load may begin beside running matches with these loads.

    `arena`: how many cores the arena itself keeps busy for each match.  Everything that runs should find a
    core, but one match may have as much as it wants beside light ones: two seats that think at the same time
    keep both cores of a small machine busy, and would otherwise play only while all sleepers pause.
    """
    if capacity.is_fixed or not running:
        return len(running) < capacity.first
    if len(running) >= capacity.most:
        return False
    loads = [*running, candidate]
    light = sum(loads) - max(loads)
    return sum(loads) + arena * len(loads) <= capacity.cores or light <= LIGHT_SHARE * capacity.cores
