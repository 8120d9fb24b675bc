"""The standings while a tournament runs: told every series that counts, asked whenever a screen is drawn.

Both cost the same however long the tournament is.  `leaderboard` says more, from the store.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

import attrs

from arena.analysis.intervals import Moments
from arena.course import ClosedSeries


@attrs.frozen
class Standing:
    """One bot's line."""

    rank: int
    bot: str
    matches: int
    score: float
    """Points a match, or returns in the unit in which the game shows them."""
    low: float
    high: float
    faults: int


class Standings:
    """Scores with their 95 % intervals, clustered by series."""

    def __init__(self, *, rated_by: str = "ranks", returns_per_unit: float = 1.0) -> None:
        self.cycle = 0
        """The cycle of the last series that counts."""
        self.spoilt = 0
        """How many series are left out, with a match that was aborted."""
        self._by_returns = rated_by == "returns"
        self._unit = returns_per_unit
        self._bots: dict[str, _Sums] = {}

    def enter(self, bots: Iterable[str]) -> None:
        """These play, also before they have played."""
        for bot in bots:
            self._bots.setdefault(bot, _Sums())

    def add(self, series: ClosedSeries) -> None:
        """One more series counts."""
        self.cycle = series.cycle
        if series.is_spoilt:
            self.spoilt += 1
            return
        scores: dict[str, list[float]] = {}
        for pairing, result in series.matches:
            given = result.returns if self._by_returns else result.points
            for bot, score, faults in zip(pairing.bots, given, result.faults, strict=True):
                scores.setdefault(bot, []).append(score)
                self._bots.setdefault(bot, _Sums()).note(score, faults)
        for bot, of_matches in scores.items():
            self._bots[bot].moments.add(fsum(of_matches), len(of_matches))

    def rows(self) -> list[Standing]:
        """Best first; bots without a match last."""
        rows = [self._row(bot, sums) for bot, sums in self._bots.items()]
        rows.sort(key=lambda row: (row.matches == 0, -row.score, row.bot))
        first: dict[tuple[bool, float], int] = {}
        places = (first.setdefault((row.matches == 0, row.score), place) for place, row in enumerate(rows, 1))
        return [attrs.evolve(row, rank=place) for place, row in zip(places, rows, strict=True)]

    def _row(self, bot: str, sums: _Sums) -> Standing:
        moments, unit = sums.moments, self._unit if self._by_returns else 1.0
        low, high = (
            moments.mean_interval(sums.largest) if self._by_returns else moments.win_rate_interval()
        )
        return Standing(0, bot, moments.matches, moments.mean / unit, low / unit, high / unit, sums.faults)


@attrs.define
class _Sums:
    moments: Moments = attrs.field(factory=Moments)
    faults: int = 0
    largest: float = 0.0
    """The largest score of a match, without its sign."""

    def note(self, score: float, faults: int) -> None:
        self.faults += faults
        self.largest = max(self.largest, abs(score))
