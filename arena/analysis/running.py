"""A bot's estimate as running sums, for frequent queries while series are added; exact except for rounding.

A series changes one stratum, so its cost does not depend on how many there are.  Strata with equally many
series and matches have the same weight and form a group; a lap has two groups at most.
"""

from __future__ import annotations

import attrs

from arena.analysis.intervals import NOTHING, Estimate


@attrs.define
class Stratum:
    """The series of a bot with one set of bots, which have equally many matches."""

    series: int = 0
    matches: int = 0
    total: float = 0.0
    spread: float = 0.0
    """Σ(xᵢ − mean)² over the means per match of its series (Welford's recurrence)."""

    def add(self, total: float, played: int) -> None:
        gap = total / played - self.total / max(1, self.matches)
        self.series += 1
        self.matches += played
        self.total += total
        if self.series > 1:
            self.spread += gap * (total / played - self.total / self.matches)


@attrs.define
class _Group:
    """The strata that have equally many series and matches."""

    count: int = 0
    total: float = 0.0
    offset: float = 0.0
    """For single series: Σ of their distances from the first one."""
    spread: float = 0.0
    """Σ of the strata's spreads; for single series Σ of those distances squared."""
    squares: float = 0.0
    """Σ of the strata's spreads squared."""

    def put(self, stratum: Stratum, first: float, sign: int) -> None:
        """Adds the stratum (1) or takes it away (-1)."""
        apart = stratum.total / stratum.matches - first if stratum.series == 1 else 0.0
        spread = stratum.spread or apart * apart
        self.count += sign
        self.total += sign * stratum.total
        self.offset += sign * apart
        self.spread += sign * spread
        self.squares += sign * spread * spread


class RunningEstimate:
    """The estimate of one bot: what `strata.estimates` computes from all series at once.

    `by_sets`: all its sets have equal weight; otherwise all its matches have.
    """

    def __init__(self, *, by_sets: bool = True) -> None:
        self.series = self.matches = 0
        self._by_sets = by_sets
        self._first = 0.0
        """The mean of the bot's first series."""
        self._total = 0.0
        self._groups: dict[tuple[int, int], _Group] = {}
        """The groups by their numbers of series and matches."""

    def add(self, stratum: Stratum, total: float, played: int) -> None:
        """Adds one more series to one of its strata."""
        self._first = self._first if self.series else total / played
        self._move(stratum, -1)
        stratum.add(total, played)
        self._move(stratum, 1)
        self.series += 1
        self.matches += played
        self._total += total

    def _move(self, stratum: Stratum, sign: int) -> None:
        if not stratum.series:
            return
        key = stratum.series, stratum.matches
        group = self._groups.setdefault(key, _Group())
        group.put(stratum, self._first, sign)
        if not group.count:
            del self._groups[key]  # together with what rounding has left

    @property
    def estimate(self) -> Estimate:
        """The mean so far, with its error."""
        if not self.series:
            return NOTHING
        sets = sum(group.count for group in self._groups.values())
        mean, variance, squares, freedom, weight = self._mean(sets), 0.0, 0.0, 0.0, 0.0
        of_singles, singles = 0.0, 0
        for (series, matches), group in self._groups.items():
            own = 1 / sets if self._by_sets else matches / self.matches
            weight = max(weight, own / series)
            if series == 1:
                apart = mean - self._first
                spread = group.spread - 2 * apart * group.offset + apart * apart * group.count
                of_singles += own**2 * sets / max(1, sets - 1) * max(0.0, spread)
                singles += group.count
                continue
            scale = own**2 / (series * (series - 1))
            variance += scale * group.spread
            squares += scale**2 * group.squares / (series + 1)
            freedom += group.count * (series - 1)
        own_freedom = singles * (1 - 1 / sets)
        variance, squares = variance + of_singles, squares + of_singles**2 / (own_freedom + 2)
        return Estimate(self.series, mean, variance, squares, max(1.0, freedom + own_freedom), weight)

    def _mean(self, sets: int) -> float:
        totals: dict[int, float] = {}
        for (_, matches), group in self._groups.items():
            totals[matches] = totals.get(matches, 0.0) + group.total
        if len(totals) == 1 or not self._by_sets:
            return self._total / self.matches + 0.0
        return sum(total / matches for matches, total in sorted(totals.items())) / sets + 0.0
