"""How well bots' mean scores are told apart, from the results of every set of bots.

A bot's score is the unweighted mean over its sets, whichever met most often; luck is what varies within
sets.  All arrays may have further axes in front, with one entry for each of many tournaments between the
same sets: the simulations in `bench/trust` use the functions that stop a run.
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.spread import Floats
from arena.analysis.student import as_normal

Places: TypeAlias = NDArray[np.intp]

UNSEEN_SERIES = 2
"""How many series of all at either extreme are added to variances: otherwise a few would separate, with
certainty, bots that always scored the same.  With 1, two even coins that fall alike would break a promise of
99.99 %."""
POOLED_SERIES = 4.0
"""How many series of all sets are pooled into each set's variance: one whose series were all alike is not
without luck.  That is an empirical Bayes estimate (Smyth 2004); the degrees of freedom count them too."""


@attrs.frozen(eq=False)
class Meetings:
    """The results of `bots` bots, set by set."""

    bots: int
    places: Places
    """Set × its bots: their numbers; smaller sets are filled up with `bots`."""
    series: Floats
    """… × set: how many series it has played."""
    means: Floats
    """… × set × its bots: their mean scores."""
    covariance: Floats
    """… × set × its bots × its bots: the covariance of the scores in one series."""

    @property
    def sets(self) -> Floats:
        """The number of sets that each bot is in."""
        return np.bincount(self.places.ravel(), minlength=self.bots + 1)[: self.bots].astype(float)

    @property
    def scores(self) -> Floats:
        """… × bot: its score, the mean over its sets."""
        return self.by_bot(self.means) / self.sets

    @property
    def shared(self) -> Floats:
        """How much one series adds to the covariance of the scores: … × set × its bots × its bots."""
        shares = np.append(1 / self.sets, 0.0)[self.places]
        return np.asarray(self.covariance * (shares[:, :, None] * shares[:, None, :]))

    def moderated(self, extremes: tuple[float, float]) -> Meetings:
        """The meetings with covariances closer to those of all sets where a set has few series.

        What all sets have in common is their variance ÷ that of scores that are always one of the `extremes`,
        the lowest and the highest score of a match: where one bot nearly always wins there is less luck.
        """
        known = np.maximum(0.0, self.series - 1)[..., None, None]
        count = self.series[..., None]
        means = (self.means * count + sum(extremes) / 2) / (count + 1)
        root = np.sqrt(np.maximum(0.0, (means - extremes[0]) * (extremes[1] - means)))
        most = root[..., :, None] * root[..., None, :]
        all_most = (most * known).sum(-3, keepdims=True)
        shares = np.zeros_like(all_most)
        np.divide((self.covariance * known).sum(-3, keepdims=True), all_most, out=shares, where=all_most > 0)
        pooled = self.covariance * known + most * shares * POOLED_SERIES
        return attrs.evolve(self, covariance=pooled / (known + POOLED_SERIES))

    def variances(self, series: Floats) -> Floats:
        """… × bot × bot: the variance of the difference of their scores after `series` series of each set."""
        return of_differences(self.by_pair(self.shared / series[..., None, None]))

    def freedom(self) -> Floats:
        """… × bot × bot: the degrees of freedom of that variance (Satterthwaite)."""
        parts = self.shared / self.series[..., None, None]
        known = np.maximum(0.0, self.series - 1)
        most = np.maximum(1.0, known.sum(-1, keepdims=True))
        known = np.minimum(known + POOLED_SERIES, most)[..., None, None]
        own = np.diagonal(parts, axis1=-2, axis2=-1)
        # For each bot its sets count one by one; those with both bots count as one instead.
        alone = self.by_bot(own**2 / known[..., 0])
        apart = own[..., :, None] ** 2 + own[..., None, :] ** 2
        squares = alone[..., :, None] + alone[..., None, :]
        squares = squares + self.by_pair((of_differences(parts) ** 2 - apart) / known)
        return _satterthwaite(self.variances(self.series), squares, known.min((-3, -2, -1)))

    def margins(self, extremes: tuple[float, float]) -> tuple[Floats, Floats]:
        """… × bot × bot: by how many standard errors each is better, on the normal scale; and its series.

        `extremes`: the lowest and the highest score of a match.  The series are those of each bot that would
        tell the two apart as well if all sets played equally often.
        """
        seen = self.moderated(extremes)
        once, now = seen.variances(np.ones_like(self.series)), seen.variances(self.series)
        laps = np.broadcast_to(self.series.mean(-1)[..., None, None], now.shape).copy()
        np.divide(once, now, out=laps, where=now > 0)
        widest = extremes[1] - extremes[0]
        per_series = UNSEEN_SERIES * widest**2 / self.series.sum(-1, keepdims=True)
        sparse = np.broadcast_to(1 / self.series[..., None], self.means.shape)
        unseen = self.by_bot(sparse) / self.sets**2 * per_series
        variances = now + unseen[..., :, None] + unseen[..., None, :]
        scores = self.scores
        ahead = scores[..., :, None] - scores[..., None, :]
        return _margins(ahead, variances, seen.freedom()), laps * self.sets.mean()

    def head_to_head(self, widest: float) -> tuple[Floats, Floats]:
        """The margins of bots over each other in the sets that contain both, and the laps of these."""
        series, both = self.series[..., None, None], self.by_pair(np.ones(self.covariance.shape[-3:]))
        ahead = self.by_pair(self.means[..., :, None] - self.means[..., None, :])
        parts = of_differences(self.covariance) / series
        variances, once = self.by_pair(parts), self.by_pair(parts * series)
        squares = self.by_pair(parts**2 / np.maximum(1.0, series - 1))
        least = np.maximum(1.0, self.series.min(-1) - 1)
        freedom = _satterthwaite(variances, squares, least)
        unseen = self.by_pair(np.broadcast_to(2 * UNSEEN_SERIES * widest**2 / series**2, parts.shape))
        mean = self.by_pair(np.broadcast_to(series, parts.shape)) / np.maximum(1.0, both)
        laps = np.divide(once, variances, out=mean, where=variances > 0)
        return _margins(ahead, variances + unseen, freedom), laps

    def by_bot(self, values: Floats) -> Floats:
        """The values, … × set × its bots, summed to … × bot."""
        flat = values.reshape(*values.shape[:-2], -1)
        return _sum_by(self.places.ravel(), flat, self.bots + 1)[..., : self.bots]

    def by_pair(self, values: Floats) -> Floats:
        """The values, … × set × its bots × its bots, summed to … × bot × bot."""
        size = self.bots + 1
        index = (self.places[:, :, None] * size + self.places[:, None, :]).ravel()
        sums = _sum_by(index, values.reshape(*values.shape[:-3], -1), size * size)
        return sums.reshape(*sums.shape[:-1], size, size)[..., : self.bots, : self.bots]


def of_differences(covariance: Floats) -> Floats:
    """… × bot × bot: the variance of the difference of every two bots, from their covariance."""
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    return np.maximum(0.0, own[..., :, None] + own[..., None, :] - 2 * covariance)


def _margins(ahead: Floats, variances: Floats, freedom: Floats) -> Floats:
    t = np.divide(ahead, np.sqrt(variances), out=np.zeros_like(ahead), where=variances > 0)
    return as_normal(t, freedom)


def _satterthwaite(variances: Floats, squares: Floats, least: Floats) -> Floats:
    """The degrees of freedom of a sum of variances; `squares` sums each one squared ÷ its own degrees."""
    freedom = np.broadcast_to(least[..., None, None], variances.shape).copy()
    np.divide(variances**2, squares, out=freedom, where=(variances > 0) & (squares > 0))
    return np.maximum(freedom, least[..., None, None])


def _sum_by(index: Places, values: Floats, size: int) -> Floats:
    """The sums along the last axis by index, from 0 to `size` − 1."""
    rows = prod(values.shape[:-1])
    offsets = np.arange(rows)[:, None] * size
    sums = np.bincount((offsets + index).ravel(), values.ravel(), minlength=rows * size)
    return sums.astype(float).reshape(*values.shape[:-1], size)
