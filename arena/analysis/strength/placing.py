"""The ratings of a ladder, where bots come and go and everybody looks all the time.

Ratings are those of `ratings.rate` over all series that count, in whatever order they were played.  A version
that has left keeps its evidence, which holds the others' ratings in place, and has no rank.

**Errors hold at all looks.**  The intervals of `rate` hold for one look.  Here each is a confidence sequence:
its width is the margin that settles a goal (`stopping.mixture`), at the number of series of the bot, on the
scale of Student's t; the chance that the truth is ever outside is about 5 % at most.  So a bot that was said
to be placed, within so many Elo, may be believed.  Likewise a bot is surely ahead of another one only beyond
the margin of one pair among all.

`tests/trust/placing.py` shows how often they hold, and how many series it takes to place a newcomer.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import comb

import attrs
import numpy as np

from arena.analysis.spread import Floats
from arena.analysis.stopping.mixture import margins_at
from arena.analysis.strength.open_sets import openness
from arena.analysis.strength.plackett_luce import Ints
from arena.analysis.strength.ratings import ANCHOR, Ratings, rate
from arena.analysis.student import as_student
from arena.schedule.course import ClosedSeries
from arena.schedule.ladder_rows import LadderStanding

LEVEL = 0.05
"""The chance that a rating is ever outside of its interval, and that any two bots are ever said to be in the
wrong order."""
OPEN_LEAST = 0.01
"""Pairs whose order is less open than this, beside the one that is most open, meet in turn only."""
DIGITS = 6
"""To how many decimals openness is given, so that all processors plan the same."""


@attrs.frozen
class LadderPlace:
    """Where a bot stands in a ladder, as far as is known."""

    bot: str
    rating: float
    """About the mean of the bots that are present, which is 1500."""
    error: float
    """Within how many Elo the rating is known, at all looks; infinite without two series."""
    best: int
    """The best rank that its true strength may have, from 1."""
    worst: int

    @property
    def is_settled(self) -> bool:
        """Whether its rank is known."""
        return self.best == self.worst


@attrs.frozen(eq=False)
class _Known:
    """What the fit says about some bots, about their mean."""

    rating: Floats
    errors: Floats
    leads: Floats
    """Bot × bot: by how many standard errors each is ahead."""
    bounds: Floats
    """Bot × bot: by how many it must be to be surely ahead, at all looks."""


class LadderRatings:
    """The ratings of all versions that ever played; the judge of `schedule.ladder`."""

    def __init__(self) -> None:
        self._bots: dict[str, int] = {}
        self._columns = tuple(array("q") for _ in range(4))
        """Match, series, bot and rank of each seat."""
        self._matches = self._series = 0
        self._fit: tuple[int, Ratings] | None = None
        """The last fit, and how many series it was made from."""

    def add(self, series: ClosedSeries) -> None:
        """Takes in the next series that counts."""
        for pairing, result in series.matches:
            for bot, points in zip(pairing.bots, result.points, strict=True):
                rank = 1 + sum(other > points for other in result.points)
                number = self._bots.setdefault(bot, len(self._bots))
                for column, value in zip(
                    self._columns, (self._matches, self._series, number, rank), strict=True
                ):
                    column.append(value)
            self._matches += 1
        self._series += 1

    def standing(self, bots: Sequence[str]) -> LadderStanding:
        """What a ladder asks for: how well each rating is known, and whose order is open."""
        played = [bot for bot in bots if bot in self._bots]
        if len(played) < 2:
            return LadderStanding({})
        known = self._known(played)
        is_pair = ~np.eye(len(played), dtype=np.bool_)
        # Numbers of series should be in proportion to the root of what a series is worth (see `open_sets`).
        shares = np.round(np.sqrt(openness(known.leads**2, is_pair)), DIGITS)
        errors = {bot: float(error) for bot, error in zip(played, known.errors, strict=True)}
        first, second = np.nonzero(np.triu(shares, 1) >= OPEN_LEAST)
        pairs = zip(first.tolist(), second.tolist(), shares[first, second].tolist(), strict=True)
        return LadderStanding(errors, {frozenset((played[a], played[b])): share for a, b, share in pairs})

    def places(self, bots: Sequence[str]) -> list[LadderPlace]:
        """Where these bots stand, the best first; those without series are left out."""
        played = [bot for bot in bots if bot in self._bots]
        if len(played) < 2:
            return [LadderPlace(bot, ANCHOR, float("inf"), 1, 1) for bot in played]
        known = self._known(played)
        sure = known.leads > known.bounds
        best, worst = 1 + np.count_nonzero(sure, axis=0), len(played) - np.count_nonzero(sure, axis=1)
        rows = zip(played, known.rating, known.errors, best, worst, strict=True)
        found = [LadderPlace(bot, float(r), float(e), int(b), int(w)) for bot, r, e, b, w in rows]
        return sorted(found, key=lambda place: (-place.rating, place.bot))

    def _fitted(self) -> Ratings:
        """The ratings of all versions that ever played."""
        if self._fit is None or self._fit[0] != self._series:
            # Copies: a column that somebody looks into cannot grow.
            columns: list[Ints] = [np.array(column, np.int64) for column in self._columns]
            self._fit = self._series, rate(tuple(self._bots), *columns)
        return self._fit[1]

    def _known(self, played: Sequence[str]) -> _Known:
        """What the fit over all series says about these bots, all of which have some."""
        ratings = self._fitted()
        chosen = np.array([self._bots[bot] for bot in played])
        inside = np.eye(len(chosen)) - 1 / len(chosen)
        rating = ANCHOR + inside @ ratings.rating[chosen]
        covariance = inside @ ratings.covariance[np.ix_(chosen, chosen)] @ inside.T
        series, freedom = ratings.entered[chosen], ratings.freedom[chosen]
        errors = np.sqrt(np.maximum(0.0, np.diag(covariance))) * _bounds(LEVEL, series, freedom)
        errors = np.where(series >= 2, errors, np.inf)
        evidence = ratings.evidence[np.ix_(chosen, chosen)]
        own = np.diag(evidence)
        squares = np.maximum(1e-12, own[:, None] + own - 2 * evidence)
        leads = (rating[:, None] - rating) / np.sqrt(squares)
        bounds = _bounds(
            LEVEL / comb(len(chosen), 2),
            np.minimum(series[:, None], series),
            np.minimum(freedom[:, None], freedom),
        )
        return _Known(rating, errors, leads, bounds)


def _bounds(level: float, series: Floats, freedom: Floats) -> Floats:
    """How many standard errors a confidence sequence of this level is wide."""
    return as_student(margins_at(level, series), freedom)
