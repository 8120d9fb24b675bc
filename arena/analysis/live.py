"""The standings while a tournament runs: given every series that counts, read whenever the screen is drawn.

Both cost the same however long the tournament is.  `leaderboard` computes more, from the store.

Where the leaderboard is ordered by rating, so are these, by the last ratings that were computed: that takes
longer the more was played, so it is done apart (`unrated`), in a thread that the run does not wait for.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from math import fsum

import attrs

from arena.analysis.intervals import interval_of_mean, interval_of_share
from arena.analysis.running import RunningEstimate, Stratum
from arena.schedule.course import ClosedSeries


@attrs.frozen
class Standing:
    """The line of one bot."""

    rank: int
    """By score, by rating, or the place in the format's own order; equals share a place."""
    bot: str
    matches: int
    score: float
    """Points per match, or returns in the unit in which the game shows them; 0 without a match."""
    low: float
    high: float
    faults: int
    rating: float | None = None
    """In Elo, if that is what they are ordered by and it is known."""


@attrs.frozen
class Unrated:
    """All places so far, from which ratings can be computed while play goes on."""

    bots: tuple[str, ...]
    match: array[int]
    bot: array[int]
    rank: array[int]
    lengths: tuple[float, ...]
    """The mean number of matches in a series of each bot."""
    anchor: str | None

    def ratings(self) -> dict[str, float]:
        """Bot -> its rating, to a hundredth, as on the leaderboard."""
        import numpy as np

        from arena.analysis.strength.ratings import ANCHOR, ratings_alone

        match, bot, rank = (np.array(column, np.int64) for column in (self.match, self.bot, self.rank))
        found = ratings_alone(match, bot, rank, np.array(self.lengths))
        played = [self.bots[place] for place in np.unique(bot).tolist()]
        shift = ANCHOR - found[self.bots.index(self.anchor)] if self.anchor in played else 0.0
        return {bot: round(float(each + shift), 2) for bot, each in zip(self.bots, found, strict=True)}


class Standings:
    """Scores with their 95 % intervals, by series and set of bots.

    `by_sets`: all sets of a bot have equal weights in its score, as where everybody meets the same opponents;
    otherwise all its matches do.
    `returns_unit` is that of the game: a unit, and how many returns one unit is.  `by_rating`: they are
    ordered by rating, which in a game rated by returns is the score; `anchor` is the bot that is rated 1500,
    instead of the mean of those that played.
    """

    def __init__(
        self,
        *,
        rated_by: str = "ranks",
        returns_unit: tuple[str, float] = ("", 1.0),
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
        """Bot -> place, for a format that ranks by its own places; to be set by the caller."""
        self.is_by_rating = by_rating and not self.is_of_returns
        self.ratings: Mapping[str, float] = {}
        """Bot -> the last rating that was computed; to be set by the caller, from `unrated`."""
        self._anchor = anchor
        self._match, self._bot, self._rank = array("i"), array("i"), array("b")
        """For ratings: a row a seat, sorted by match, rank and bot."""
        self._scale = returns_unit[1] if self.is_of_returns else 1.0
        self._by_sets = by_sets
        self._bots: dict[str, _Sums] = {}
        self._strata: dict[tuple[str, ...], tuple[Stratum, ...]] = {}
        """Sorted set of bots -> the stratum of each."""

    def enter(self, bots: Iterable[str]) -> None:
        """Adds these bots, before they have played."""
        for bot in bots:
            self._sums_of(bot)

    def _sums_of(self, bot: str) -> _Sums:
        if bot not in self._bots:
            self._bots[bot] = _Sums(len(self._bots), RunningEstimate(by_sets=self._by_sets))
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
                self._sums_of(bot).note(score, faults)
            if self.is_by_rating:
                self._note_places(pairing.bots, result.points)
        bots = tuple(sorted(scores))
        if bots not in self._strata:
            self._strata[bots] = tuple([Stratum() for _ in bots])
        for bot, stratum in zip(bots, self._strata[bots], strict=True):
            self._bots[bot].running.add(stratum, fsum(scores[bot]), len(scores[bot]))

    def _note_places(self, bots: Sequence[str], points: Sequence[float]) -> None:
        match = self._match[-1] + 1 if self._match else 0
        ranks = [1 + sum(other > own for other in points) for own in points]
        places = [self._bots[bot].place for bot in bots]
        for rank, bot in sorted(zip(ranks, places, strict=True)):
            self._match.append(match)
            self._bot.append(bot)
            self._rank.append(rank)

    def unrated(self) -> Unrated | None:
        """What the ratings are to be computed from; None if they are not wanted, or nothing was played."""
        if not self._match:
            return None
        played = [sums.running for sums in self._bots.values()]
        lengths = tuple([each.matches / each.series if each.series else 1.0 for each in played])
        columns = self._match[:], self._bot[:], self._rank[:]
        return Unrated(tuple(self._bots), *columns, lengths, self._anchor)

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
        by = row.score if row.rating is None else row.rating
        return (self.places.get(row.bot, 0), row.matches == 0, -by)

    def _row(self, bot: str, sums: _Sums) -> Standing:
        estimate, scale = sums.running.estimate, self._scale
        if self.is_of_returns:
            low, high = interval_of_mean(estimate, sums.largest)
        else:
            low, high = interval_of_share(estimate)
        score = estimate.mean / scale + 0.0
        rating = self.ratings.get(bot)
        return Standing(0, bot, sums.running.matches, score, low / scale, high / scale, sums.faults, rating)


@attrs.define
class _Sums:
    place: int
    """Of the bot, in the order in which they came."""
    running: RunningEstimate
    faults: int = 0
    largest: float = 0.0
    """The largest absolute score of a match."""

    def note(self, score: float, faults: int) -> None:
        self.faults += faults
        self.largest = max(self.largest, abs(score))
