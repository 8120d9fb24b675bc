"""Decides whether a table is free, by what bots and arena have wanted of the machine so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

import attrs
import trio

from arena.match.record import Entry
from arena.schedule.admission import Capacity, Demand, admits, expected_load
from arena.tournament.play.instances import Instance

READ_EVERY_S = 0.25
"""The time between two readings of what an instance or match wants of the machine: each takes 0.1 ms."""
ARENA_EVERY_S = 0.5
"""The time over which the arena's own demand is measured."""


@attrs.define(eq=False)
class MatchTable:
    """A match in progress."""

    bots: tuple[str, ...]
    """The bots that play in the match."""
    seated: Sequence[Instance | None] = ()
    load: float | None = None
    """How many cores the match keeps busy, if it lasts long enough for that to be measured."""
    looked_at: tuple[float, float] | None = None
    """The time of the last look, and the processor time that its bots had wanted by then."""


class Tables:
    """Knows which matches are in progress, and decides whether one more may begin."""

    def __init__(self, capacity: Capacity, cpu_s: Callable[[], float] = time.process_time) -> None:
        """`cpu_s`: the processor time of the arena's own process so far."""
        self.capacity = capacity
        self._demands: dict[str, Demand] = {}
        self._tables: list[MatchTable] = []
        self._cpu_s = cpu_s
        self._arena = 1.0
        """How many cores the arena keeps busy for each match; one until that is measured."""
        self._table_s = 0.0
        """The time in use, summed over all tables, since the arena's own demand was last measured."""
        self._counted_at = self._measured_at = self._looked_at = trio.current_time()
        self._measured_s = cpu_s()

    @property
    def in_use(self) -> int:
        return len(self._tables)

    @property
    def are_full(self) -> bool:
        """Whether no match can begin, whatever its bots want of the machine."""
        return self.in_use >= self.capacity.most

    def have_room(self, bots: Iterable[str]) -> bool:
        """Whether a match with these bots may begin."""
        if self.capacity.is_fixed:
            return not self.are_full
        loads = [
            expected_load(table.bots, self._demands) if table.load is None else table.load
            for table in self._tables
        ]
        return admits(self.capacity, loads, expected_load(bots, self._demands), self._arena)

    def begin(self, bots: Iterable[str]) -> MatchTable:
        """Takes a table for a match with these bots, which begins."""
        self._count()
        table = MatchTable(tuple(bots))
        self._tables.append(table)
        return table

    def seat(self, table: MatchTable, seated: Sequence[Instance | None]) -> None:
        """Notes that the bots of the match are at the table."""
        if self.capacity.is_fixed:
            return
        table.seated = seated
        for instance in filter(None, seated):
            tab = instance.tab
            if not tab.is_open:
                # What an instance did before counts only if it was started for this match.
                before_s = 0.0 if tab.wall_s else instance.player.demand_s()
                tab.open(trio.current_time(), before_s or 0.0)

    def end(self, table: MatchTable) -> None:
        """Frees the table of a match that is over or was broken off."""
        self._count()
        self._tables.remove(table)

    def _count(self) -> None:
        """Adds up the time of tables in use, and measures the arena's own demand now and then."""
        now = trio.current_time()
        self._table_s += self.in_use * (now - self._counted_at)
        self._counted_at = now
        if now - self._measured_at >= ARENA_EVERY_S and self._table_s:
            used_s = self._cpu_s()
            self._arena = (used_s - self._measured_s) / self._table_s
            self._measured_at, self._measured_s, self._table_s = now, used_s, 0.0

    # What is learnt from matches.

    def note(self, table: MatchTable, entry: Entry, wall_s: float) -> None:
        """Learns from a finished match, which took `wall_s` from when its bots were seated."""
        if self.capacity.is_fixed:
            return
        for instance, waited_s in zip(table.seated, shares_of(entry, wall_s), strict=True):
            if instance is not None:
                self._learn(instance, waited_s)

    def _learn(self, instance: Instance, waited_s: float) -> None:
        tab, now = instance.tab, trio.current_time()
        tab.matches += 1
        tab.wall_s += waited_s
        if instance.bot in self._demands and now < tab.read_at + READ_EVERY_S:
            return
        demand_s = instance.player.demand_s()
        if demand_s is not None and demand_s >= tab.demand_s and tab.wall_s:
            demand = self._demands.get(instance.bot, Demand())
            self._demands[instance.bot] = demand.with_more(tab.matches, demand_s - tab.demand_s, tab.wall_s)
        # If it is less than before, some processes are gone, and nobody knows what they had wanted.
        tab.open(now, demand_s or 0.0)

    def look(self) -> None:
        """Measures the matches in progress: a match between bots of which nothing is known may last long."""
        now = trio.current_time()
        if self.capacity.is_fixed or now < self._looked_at + READ_EVERY_S:
            return
        self._looked_at = now
        self._count()
        for table in self._tables:
            if not table.seated:
                continue
            demand_s = sum(instance.player.demand_s() or 0.0 for instance in filter(None, table.seated))
            if table.looked_at is not None:
                since, before_s = table.looked_at
                table.load = max(0.0, demand_s - before_s) / (now - since)
            table.looked_at = now, demand_s


def shares_of(entry: Entry, wall_s: float) -> list[float]:
    """How long a match waited for each seat: `wall_s`, divided in proportion to their thinking.

    Time in which several seats think counts once, and the arena's own time is divided among all.
    """
    thought_s = [totals.think_s for totals in entry.totals]
    total_s = sum(thought_s)
    return [wall_s * (one / total_s if total_s else 1 / len(thought_s)) for one in thought_s]
