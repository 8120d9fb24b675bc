"""The standings while a tournament runs: each series that counts is added, and the screen reads them.

Both cost the same however long the tournament is.  `leaderboard` computes more, from the store.

If the leaderboard is ordered by rating, so are the standings, by the last ratings computed: that takes longer
the more was played, so it is done apart (`unrated`), in a thread that the run does not wait for.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from math import fsum

import attrs

from arena.analysis.intervals import Extremes, interval_of_mean, interval_of_share
from arena.analysis.running import RunningEstimate, Stratum
from arena.schedule.course import ClosedSeries


@attrs.frozen
class Standing:
    """The line of one bot in the standings."""

    rank: int
    """The rank by score, by rating, or in the format's own order; equals share a place."""
    bot: str
    matches: int
    score: float
    """Points per match, or returns in the unit in which the game shows them; 0 without a match."""
    low: float
    high: float
    faults: int
    rating: float | None = None
    """The rating in Elo, if bots are ordered by it and it is known."""


@attrs.frozen
class Unrated:
    """All places so far, from which ratings are computed while play goes on."""

    bots: tuple[str, ...]
    match: array[int]
    bot: array[int]
    rank: array[int]
    lengths: tuple[float, ...]
    """The mean number of matches in a series of each bot."""
    anchor: str | None

    def ratings(self) -> dict[str, float]:
        """The rating of each bot, to a hundredth, as on the leaderboard."""
        import numpy as np

        from arena.analysis.strength.ratings import ANCHOR, ratings_alone

        match, bot, rank = (np.array(column, np.int64) for column in (self.match, self.bot, self.rank))
        found = ratings_alone(match, bot, rank, np.array(self.lengths))
        played = [self.bots[place] for place in np.unique(bot).tolist()]
        shift = ANCHOR - found[self.bots.index(self.anchor)] if self.anchor in played else 0.0
        return {bot: round(float(each + shift), 2) for bot, each in zip(self.bots, found, strict=True)}


class Standings:
    """Scores with their 95 % intervals, by series and set of bots.

    `by_sets`: all sets of a bot have equal weight in its score, as if everybody meets the same opponents;
    otherwise all its matches have.
    `returns_unit` is the game's: a unit, and how many returns one unit is; `returns_bound` the most that a
    match can have.  `by_rating`: bots are ordered by
    rating, which in a game rated by returns is the score; `anchor` is the bot that is rated 1500, instead of
    the mean of those that played.
    """

    def __init__(
        self,
        *,
        rated_by: str = "ranks",
        returns_unit: tuple[str, float] = ("", 1.0),
        returns_bound: float | None = None,
        by_rating: bool = False,
        by_sets: bool = True,
        anchor: str | None = None,
    ) -> None:
        self.is_of_returns = rated_by == "returns"
        """Whether scores are returns and not points."""
        self.unit = (returns_unit[0] or "returns") if self.is_of_returns else "points"
        self.cycle = 0
        """The cycle of the last series that counts."""
        self.spoilt = 0
        """How many series are left out because of an aborted match."""
        self.places: Mapping[str, int] = {}
        """The place of each bot, for a format that ranks by its own places; set by the caller."""
        self.is_by_rating = by_rating and not self.is_of_returns
        self.ratings: Mapping[str, float] = {}
        """The last rating computed for each bot; set by the caller, from `unrated`."""
        self._anchor = anchor
        self._match, self._bot, self._rank = array("i"), array("i"), array("b")
        """The columns for ratings: a row for each seat, sorted by match, rank and bot."""
        self._scale = returns_unit[1] if self.is_of_returns else 1.0
        self._bound = returns_bound
        self._by_sets = by_sets
        self._bots: dict[str, _Sums] = {}
        self._strata: dict[tuple[str, ...], tuple[Stratum, ...]] = {}
        """The stratum of each bot in a set, by the sorted set."""

    def enter(self, bots: Iterable[str]) -> None:
        """Adds these bots before they have played."""
        for bot in bots:
            self._sums_of(bot)

    def _sums_of(self, bot: str) -> _Sums:
        if bot not in self._bots:
            running, extremes = RunningEstimate(by_sets=self._by_sets), Extremes(self._bound)
            self._bots[bot] = _Sums(len(self._bots), running, extremes=extremes)
        return self._bots[bot]

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
                self._sums_of(bot).faults += faults
            if self.is_by_rating:
                self._note_places(pairing.bots, result.points)
        bots = tuple(sorted(scores))
        if bots not in self._strata:
            self._strata[bots] = tuple([Stratum() for _ in bots])
        for bot, stratum in zip(bots, self._strata[bots], strict=True):
            sums, own = self._bots[bot], scores[bot]
            sums.running.add(stratum, fsum(own), len(own))
            sums.extremes.note(fsum(own) / len(own), max(map(abs, own)), len(own))

    def _note_places(self, bots: Sequence[str], points: Sequence[float]) -> None:
        match = self._match[-1] + 1 if self._match else 0
        ranks = [1 + sum(other > own for other in points) for own in points]
        places = [self._bots[bot].place for bot in bots]
        for rank, bot in sorted(zip(ranks, places, strict=True)):
            self._match.append(match)
            self._bot.append(bot)
            self._rank.append(rank)

    def unrated(self) -> Unrated | None:
        """What ratings can be computed from; None if they are not wanted, or nothing was played."""
        if not self._match:
            return None
        played = [sums.running for sums in self._bots.values()]
        lengths = tuple([each.matches / each.series if each.series else 1.0 for each in played])
        columns = self._match[:], self._bot[:], self._rank[:]
        return Unrated(tuple(self._bots), *columns, lengths, self._anchor)

    def rows(self) -> list[Standing]:
        """The lines, best first; among equal places, bots without a match come last."""
        rows = [self._row(bot, sums) for bot, sums in self._bots.items()]
        rows.sort(key=lambda row: (*self._order(row), row.bot))
        first: dict[tuple[float, ...], int] = {}
        places = (
            self.places.get(row.bot) or first.setdefault(self._order(row), place)
            for place, row in enumerate(rows, 1)
        )
        return [attrs.evolve(row, rank=place) for place, row in zip(places, rows, strict=True)]

    def _order(self, row: Standing) -> tuple[float, ...]:
        by = row.score if row.rating is None else row.rating
        return (self.places.get(row.bot, 0), row.matches == 0, -by)

    def _row(self, bot: str, sums: _Sums) -> Standing:
        estimate, scale = sums.running.estimate, self._scale
        if self.is_of_returns:
            low, high = interval_of_mean(estimate, sums.extremes)
        else:
            low, high = interval_of_share(estimate)
        score = estimate.mean / scale + 0.0
        rating = self.ratings.get(bot)
        return Standing(0, bot, sums.running.matches, score, low / scale, high / scale, sums.faults, rating)


@attrs.define
class _Sums:
    place: int
    """The bot's number, in the order in which bots came."""
    running: RunningEstimate
    faults: int = 0
    extremes: Extremes = attrs.field(factory=Extremes)
