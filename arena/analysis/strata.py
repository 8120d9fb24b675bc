"""Means over all opponents: series are compared only with those of the same set of bots, a stratum.

The schedule and not luck decides which opponents a bot met, so how strong they are is no error of its mean.
Series of one set are independent and alike, and the variance of a bot's mean is the sum of the variances of
its means over its sets, each times its squared weight (Cochran, Sampling Techniques, 1977, 5.3).
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.intervals import NOTHING, Estimate
from arena.analysis.sheet import Sheet

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@attrs.frozen(eq=False)
class Strata:
    """Which bots met in which series.  A slot is the place of a bot in its set, which is sorted by number."""

    bots: int
    members: Integers
    """(sets, slots): the bots of each set; −1 in the last slots of smaller sets."""
    of_series: Integers
    """(series): the set of each series."""
    series: Integers
    """(sets): how many series each set has."""
    cell: Integers
    """(rows of the sheet): series · slots + slot."""
    played: Floats
    """(series, slots): the matches of each bot in each series."""

    @classmethod
    def of(cls, sheet: Sheet) -> Strata:
        size = max(1, len(sheet.bots))
        keys = sheet.series.astype(np.int64) * size + sheet.bot
        found, where, counts = np.unique(keys, return_inverse=True, return_counts=True)
        series, bot = np.divmod(found, size)
        slot = np.arange(len(found)) - np.searchsorted(series, series)
        members = np.full((len(sheet.series_ids), int(slot.max(initial=0)) + 1), -1)
        played = np.zeros(members.shape)
        members[series, slot], played[series, slot] = bot, counts
        first, of_series = _alike(members, size)
        cell = (series * members.shape[1] + slot)[where]
        own = np.bincount(of_series, minlength=len(first))
        return cls(len(sheet.bots), members[first], of_series, own, cell, played)

    def of_rows(self, rows: Integers) -> Strata:
        """Some rows of the sheet as if one bot had played them, such as those of a seat."""
        slots = self.played.shape[1]
        found, cell = np.unique(self.cell[rows] // slots, return_inverse=True)
        sets, of_series = np.unique(self.of_series[found], return_inverse=True)
        members, played = np.zeros((len(sets), 1), np.int64), np.bincount(cell, minlength=len(found))
        series = np.bincount(of_series, minlength=len(sets))
        return Strata(1, members, of_series, series, cell, played[:, None].astype(np.float64))

    def by_series(self, values: Floats) -> Floats:
        """(series, slots): the sum, for each bot in each series, of the values of the sheet's rows."""
        sums = np.bincount(self.cell, values, self.played.size).astype(np.float64, copy=False)
        return sums.reshape(self.played.shape)

    def by_set(self, columns: Floats) -> Floats:
        """(sets, slots): the sums over the series of each set."""
        sums = [np.bincount(self.of_series, column, len(self.series)) for column in columns.T]
        return np.stack(sums, axis=1)

    def by_bot(self, cells: NDArray[Any]) -> Floats:
        """(bots): the sums of cells (sets, slots)."""
        there = self.members >= 0
        cells = np.broadcast_to(cells, there.shape)
        return np.bincount(self.members[there], cells[there], self.bots).astype(np.float64, copy=False)

    @property
    def matches(self) -> Floats:
        """(sets, slots): the matches of each bot in each set; 1 where there is no bot."""
        return np.where(self.members >= 0, self.by_set(self.played), 1.0)

    def weights(self, *, by_sets: bool) -> Floats:
        """(sets, slots): the weight of each set in the mean of each bot; 0 where there is no bot."""
        shares = np.where(self.members < 0, 0.0, 1.0 if by_sets else self.matches)
        return shares / np.maximum(1.0, self.of_bots(self.by_bot(shares)))

    def of_bots(self, values: Floats) -> Floats:
        """(sets, slots): the value of each bot; that of any bot in slots without one."""
        return values[self.members] if self.bots else np.zeros(self.members.shape)


def _alike(members: Integers, size: int) -> tuple[Integers, Integers]:
    """The first series of each set of bots, and the set of each series."""
    code = members[:, 0]
    for column in members.T[1:]:
        _, code = np.unique(code * (size + 1) + column + 1, return_inverse=True)
    _, first, of_series = np.unique(code, return_index=True, return_inverse=True)
    return first, of_series


@attrs.frozen(eq=False)
class StratifiedMeans:
    """What is known about the bots' means; a bot without a match has mean and covariances 0."""

    means: Floats
    """(bots)"""
    covariance: Floats
    """(bots, bots): that of the errors of the means; also 0 if series do not show how they differ."""
    freedom: Floats
    """(bots, bots): Satterthwaite's degrees of freedom of the variance of the two means' difference; on the
    diagonal, those of the bot's own variance.  At least 1."""
    weights: Floats
    """(bots): the largest weight of a series in the mean; 1 / N for N series in equal strata."""


def means_and_covariance(sheet: Sheet, values: Floats) -> StratifiedMeans:
    """For each bot the unweighted mean, over its sets, of its mean per match there; with all errors.

    `values`: one for each row of the sheet.
    """
    return Deviations.of(Strata.of(sheet), values).together()


def estimates(strata: Strata, values: Floats, *, by_sets: bool = True) -> list[Estimate]:
    """The mean of each bot with its error; `values` has one for each row of the sheet.

    `by_sets`: all sets of a bot have equal weight; otherwise all its matches have.
    """
    return Deviations.of(strata, values, by_sets=by_sets).alone()


@attrs.frozen(eq=False)
class Deviations:
    """How far each series is from its expected value, weighted as it is in the means."""

    strata: Strata
    means: Floats
    """(bots)"""
    apart: Floats
    """(series, slots): the deviations, whose products summed over series are the means' covariance."""
    largest_weights: Floats
    """(bots): the largest weight of a series in the mean."""

    @classmethod
    def of(cls, strata: Strata, values: Floats, *, by_sets: bool = True) -> Deviations:
        sums, matches = strata.by_series(values), strata.matches
        totals, weights = strata.by_set(sums), strata.weights(by_sets=by_sets)
        means = _means(strata, totals, by_sets=by_sets)
        # The only series of a set does not show how its series differ: it is compared with the bot's mean.
        is_single, sets = strata.series[:, None] == 1, strata.by_bot(strata.members >= 0)
        expected = np.where(is_single, strata.of_bots(means), totals / matches)
        count = np.where(is_single, strata.of_bots(sets), strata.series[:, None])
        scale = np.sqrt(count / np.maximum(1.0, count - 1)) * weights / matches
        apart = (sums - expected[strata.of_series] * strata.played) * scale[strata.of_series]
        there, largest = strata.members >= 0, np.zeros(strata.bots)
        np.maximum.at(largest, strata.members[there], (weights / strata.series[:, None])[there])
        return cls(strata, means, apart, largest)

    def alone(self) -> list[Estimate]:
        """The estimate of each bot."""
        strata = self.strata
        own, singles = strata.by_set(self.apart**2), strata.series[:, None] == 1
        freedom = np.maximum(0.0, strata.series - 1.0)[:, None]
        sets, series = strata.by_bot(strata.members >= 0), strata.by_bot(strata.series[:, None])
        freedom_of_singles = strata.by_bot(singles) * (1 - 1 / np.maximum(1.0, sets))
        of_singles = strata.by_bot(np.where(singles, own, 0.0))
        squares = strata.by_bot(np.where(singles, 0.0, own**2 / (freedom + 2)))
        squares += of_singles**2 / (freedom_of_singles + 2)
        most = np.maximum(1.0, strata.by_bot(freedom) + freedom_of_singles)
        columns = (self.means, strata.by_bot(own), squares, most, self.largest_weights)
        rows = zip(series.astype(int).tolist(), *(column.tolist() for column in columns), strict=True)
        return [Estimate(*row) if row[0] else NOTHING for row in rows]

    def together(self) -> StratifiedMeans:
        """The covariances of all bots, with the degrees of freedom of all differences."""
        strata = self.strata
        products = self._products()
        singles, freedom = (strata.series == 1).astype(np.float64), np.maximum(0.0, strata.series - 1.0)
        covariance = self._between(products)
        # All sets with one series together are like one stratum: they are compared with one mean.
        of_singles = _of_differences(self._between(products * singles))
        count, sets = (
            _of_either(self._between(np.broadcast_to(each, products.shape)))
            for each in (singles, np.ones_like(singles))
        )
        freedom_of_singles = count * (1 - 1 / np.maximum(1.0, sets))
        squares = self._squares(products * (1 - singles), freedom) + of_singles**2 / (freedom_of_singles + 2)
        most = freedom_of_singles + _of_either(self._between(np.broadcast_to(freedom, products.shape)))
        variance = _of_differences(covariance)
        found = np.divide(variance**2, squares, out=np.full_like(variance, np.inf), where=squares > 0)
        freedom = np.maximum(1.0, np.minimum(found - 2, most))
        return StratifiedMeans(self.means, covariance, freedom, self.largest_weights)

    def _products(self) -> Floats:
        """(slots, slots, sets): how much each set adds to the covariance of two of its bots."""
        strata, slots = self.strata, self.apart.T
        size = len(strata.series)
        rows = [[np.bincount(strata.of_series, one * other, size) for other in slots] for one in slots]
        return np.array(rows)

    def _between(self, of_sets: Floats) -> Floats:
        """(bots, bots): the sums over sets of cells (slots, slots, sets)."""
        members, bots = self.strata.members.T, self.strata.bots
        table = np.zeros(bots * bots)
        for one, first in enumerate(members):
            for other, second in enumerate(members):
                both = (first >= 0) & (second >= 0)
                table += np.bincount(
                    first[both] * bots + second[both], of_sets[one, other, both], bots * bots
                )
        return table.reshape(bots, bots)

    def _squares(self, products: Floats, freedom: Floats) -> Floats:
        """(bots, bots): Σ v² ÷ (ν + 2), where v is what each set adds to the variance of a difference.

        On average v² is too high by the factor (ν + 2) / ν (Welch, Biometrika 34, 1947).
        """
        own = np.diagonal(products).T
        one, other = own[:, None], own[None]
        both = (one + other - 2 * products) ** 2 - one**2 - other**2
        slots = np.arange(len(own))
        both[slots, slots] = own**2
        table = self._between(both / (freedom + 2))
        alone = table.diagonal().copy()
        table += np.add.outer(alone, alone)
        np.fill_diagonal(table, alone)
        return np.maximum(0.0, table)


def _means(strata: Strata, totals: Floats, *, by_sets: bool) -> Floats:
    """(bots): the means, from the sums (sets, slots).

    Sums of points are exact although shares of them are not: so equal scores stay equal, and with equally
    many matches in each set the mean over sets equals that over matches to the last digit.
    """
    matches, every = strata.matches, np.maximum(1.0, strata.by_bot(strata.by_set(strata.played)))
    means = strata.by_bot(totals) / every
    least, most = np.full(strata.bots, np.inf), np.zeros(strata.bots)
    there = strata.members >= 0
    np.minimum.at(least, strata.members[there], matches[there])
    np.maximum.at(most, strata.members[there], matches[there])
    if by_sets and (least < most).any():
        sums = [strata.by_bot(np.where(matches == each, totals, 0.0)) / each for each in np.unique(matches)]
        over_sets = np.sum(sums, axis=0) / np.maximum(1.0, strata.by_bot(there))
        means = np.where(least < most, over_sets, means)
    return means + 0.0


def _of_differences(covariance: Floats) -> Floats:
    """The variances of all differences; on the diagonal those of the bots."""
    own = covariance.diagonal()
    variances = np.maximum(0.0, np.add.outer(own, own) - 2 * covariance)
    np.fill_diagonal(variances, own)
    return variances


def _of_either(counts: Floats) -> Floats:
    """Counts for one bot or the other, from counts for both, with those for one bot on the diagonal."""
    own = counts.diagonal()
    return np.add.outer(own, own) - counts
