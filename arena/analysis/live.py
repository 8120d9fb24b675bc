"""The standings while a tournament runs: given every series that counts, read whenever the screen is drawn.

Both cost the same however long the tournament is.  `leaderboard` computes more, from the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum

import attrs

from arena.analysis.intervals import Moments
from arena.schedule.course import ClosedSeries


@attrs.frozen
class Standing:
    """The line of one bot."""

    rank: int
    """By score, or the place in the format's own order; equals share a place."""
    bot: str
    matches: int
    score: float
    """Points per match, or returns in the unit in which the game shows them; 0 without a match."""
    low: float
    high: float
    faults: int


class Standings:
    """Scores with their 95 % intervals, clustered by series.

    `returns_unit` is that of the game: a unit, and how many returns one unit is.
    """

    def __init__(self, *, rated_by: str = "ranks", returns_unit: tuple[str, float] = ("", 1.0)) -> None:
        self.is_of_returns = rated_by == "returns"
        """Whether scores are returns and not points."""
        self.unit = (returns_unit[0] or "returns") if self.is_of_returns else "points"
        self.cycle = 0
        """The cycle of the last series that counts."""
        self.spoilt = 0
        """How many series are left out because of an aborted match."""
        self.places: Mapping[str, int] = {}
        """Bot -> place, for a format that ranks by its own places; to be set by the caller."""
        self._scale = returns_unit[1] if self.is_of_returns else 1.0
        self._bots: dict[str, _Sums] = {}

    def enter(self, bots: Iterable[str]) -> None:
        """Adds these bots, before they have played."""
        for bot in bots:
            self._bots.setdefault(bot, _Sums())

    def add(self, series: ClosedSeries) -> None:
        """Adds one more series that counts."""
        self.cycle = series.cycle
        if series.is_spoilt:
            self.spoilt += 1
            return
        scores: dict[str, list[float]] = {}
        for pairing, result in series.matches:
            given = result.returns if self.is_of_returns else result.points
            for bot, score, faults in zip(pairing.bots, given, result.faults, strict=True):
                scores.setdefault(bot, []).append(score)
                self._bots.setdefault(bot, _Sums()).note(score, faults)
        for bot, of_matches in scores.items():
            self._bots[bot].moments.add(fsum(of_matches), len(of_matches))

    def rows(self) -> list[Standing]:
        """The lines, best first; in one place, bots without a match last."""
        rows = [self._row(bot, sums) for bot, sums in self._bots.items()]
        rows.sort(key=lambda row: (*self._order(row), row.bot))
        first: dict[tuple[float, ...], int] = {}
        places = (
            self.places.get(row.bot) or first.setdefault(self._order(row), place)
            for place, row in enumerate(rows, 1)
        )
        return [attrs.evolve(row, rank=place) for place, row in zip(places, rows, strict=True)]

    def _order(self, row: Standing) -> tuple[float, ...]:
        return (self.places.get(row.bot, 0), row.matches == 0, -row.score)

    def _row(self, bot: str, sums: _Sums) -> Standing:
        moments, scale = sums.moments, self._scale
        if self.is_of_returns:
            low, high = moments.mean_interval(sums.largest)
        else:
            low, high = moments.win_rate_interval()
        score = moments.mean / scale + 0.0
        return Standing(0, bot, moments.matches, score, low / scale, high / scale, sums.faults)


@attrs.define
class _Sums:
    moments: Moments = attrs.field(factory=Moments)
    faults: int = 0
    largest: float = 0.0
    """The largest absolute score of a match."""

    def note(self, score: float, faults: int) -> None:
        self.faults += faults
        self.largest = max(self.largest, abs(score))
