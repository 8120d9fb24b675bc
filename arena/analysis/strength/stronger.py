"""Who is stronger: than the next bot of a leaderboard, than all, and which ranks may be the true ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from arena.analysis.intervals import ALIKE, Extremes
from arena.analysis.leaderboard import ROUNDED, LeaderboardRow
from arena.analysis.sheet import Sheet
from arena.analysis.strata import means_and_covariance
from arena.analysis.strength.plackett_luce import Floats, Ints
from arena.analysis.strength.posterior import RETURNS_SPREADS, Posterior, posterior
from arena.analysis.strength.rank_intervals import rank_intervals
from arena.analysis.strength.ratings import Ratings
from arena.analysis.student import student_t


@attrs.frozen(eq=False)
class Stronger:
    """What is known about the strengths of the bots that have a match that counts."""

    known: Posterior | None
    """The posterior; None if no bot has such a match."""
    numbers: Mapping[str, int]
    """The number of each bot in `known`."""
    ranks: Sequence[tuple[int, int]] = ()
    """The best and the worst rank that each bot may truly have, by its number: see `rank_intervals`."""

    @classmethod
    def of(cls, sheet: Sheet, ratings: Ratings | None, extremes: Sequence[Extremes]) -> Stronger:
        """What is known from the ratings, or without any from mean returns and their extremes, bot by bot."""
        if ratings is not None:
            numbers = {bot: place for place, bot in enumerate(ratings.bots)}
            ranks = rank_intervals(ratings.rating, ratings.evidence, ratings.freedom)
            return cls(ratings.posterior, numbers, _pairs(*ranks))
        there = np.unique(sheet.bot).tolist()
        if not there:
            return cls(None, {})
        known = returns_known(sheet, extremes)
        numbers = {sheet.bots[bot]: place for place, bot in enumerate(there)}
        ranks = rank_intervals(known.means, known.covariance, known.freedom)
        return cls(known.posterior, numbers, _pairs(*ranks))

    def true_ranks(self, row: LeaderboardRow) -> tuple[int, int]:
        """The best and the worst rank that the bot of this row may truly have; its own without a match."""
        if row.bot not in self.numbers:
            return row.rank, row.rank
        low, high = self.ranks[self.numbers[row.bot]]
        return min(low, row.rank), max(high, row.rank)

    def than_next(self, pair: Sequence[LeaderboardRow]) -> float:
        """The probability that the first bot is stronger than the second; 0.5 if either has no match."""
        if self.known is None or len(pair) < 2 or not all(row.matches for row in pair):
            return 0.5
        first, second = (self.numbers[row.bot] for row in pair)
        return round(self.known.better(first, second), ROUNDED["better_than_next"])

    def than_all(self, rows: Sequence[LeaderboardRow]) -> float:
        """The probability that the first bot is the strongest of all; 0 if it has no match."""
        if self.known is None or not rows or not rows[0].matches:
            return 0.0
        return round(self.known.leads(self.numbers[rows[0].bot]), 3)


def _pairs(low: Ints, high: Ints) -> list[tuple[int, int]]:
    return list(zip(low.tolist(), high.tolist(), strict=True))


@attrs.frozen(eq=False)
class ReturnsKnown:
    """What is known about the mean returns of bots, in the order of their numbers."""

    means: Floats
    covariance: Floats
    freedom: Floats
    posterior: Posterior


def returns_known(sheet: Sheet, extremes: Sequence[Extremes]) -> ReturnsKnown:
    """What is known about the mean returns of the bots that have a match; there must be at least one.

    The spread of a field is compared with what a seat wins or loses in a match.  Errors are those of
    `intervals.interval_of_mean`, with the `extremes` of each bot of the sheet.
    """
    there, found = np.unique(sheet.bot), means_and_covariance(sheet, sheet.adjusted)
    largest = float(np.abs(sheet.adjusted).max())
    typical = float(np.sqrt(np.mean(sheet.adjusted**2))) or 1.0
    freedom, covariance = np.diag(found.freedom)[there], found.covariance[np.ix_(there, there)]
    quantile = np.array([student_t(float(each)) for each in freedom])
    weights = found.weights[there]
    unseen = [extremes[bot].unseen(found.means[bot]) for bot in there.tolist()]
    # Twice, as if the errors of two bots were independent: what one of two wins the other one loses.
    supposed = 2 * weights**2 * np.array(unseen)
    alike = np.diag(covariance) <= (1e-9 * typical) ** 2
    supposed = np.where(
        alike, np.maximum(supposed, 2 * (ALIKE * weights * largest / quantile) ** 2), supposed
    )
    low, high = RETURNS_SPREADS
    spreads = (low * typical, high * typical)
    means, covariance = found.means[there], covariance + np.diag(supposed)
    return ReturnsKnown(means, covariance, freedom, posterior(means, covariance, freedom, spreads))
