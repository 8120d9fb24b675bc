"""Who is stronger, given that bots of one field are alike: posterior probabilities by empirical Bayes.

An estimate that leads by two standard errors is no evidence of 98 % if all bots of the field are nearly
equal: then most such leads are luck, and those of the first ranks all the more.  So strengths are treated as
drawn from a normal distribution of unknown mean and spread τ, τ is weighted by how likely it makes the
estimates, and every probability is an average over τ (Efron & Morris, J. Am. Stat. Assoc. 70, 1975,
311–319; a prior on τ in place of one estimate: Gelman, Bayesian Analysis 1, 2006, 515–534).  Such
probabilities hold for bots that were picked by their rank as well.

Along the eigenvectors of the estimates' covariance, without the mean, all is independent given τ, so that one
decomposition serves all τ.  tests/trust/better.py shows how often it is right.
"""

from __future__ import annotations

from functools import cached_property
from math import erf, pi, sqrt

import attrs
import numpy as np

from arena.analysis.strength.plackett_luce import Floats

ELO_SPREADS = (5.0, 1000.0)
"""The range of standard deviations considered for true ratings, all orders of magnitude alike."""

RETURNS_SPREADS = (0.005, 2.0)
"""The range of standard deviations for mean returns, in root mean squares of what a seat won in a match."""

STEPS = 80
"""How many values of τ stand for all: neighbours differ by 7 %."""

DRAWS = 8_000
"""How many random strengths `leads` counts in: its standard error is at most 0.006."""

RIVALS_MAX = 40
"""How many bots `leads` looks at besides the leader: those that are most likely to be better."""

ALIKE_DIGITS = 6
"""How many decimals equal bots agree in: beyond, they differ by rounding, which depends on the processor.

Sorted by that they would get other draws elsewhere: `leads` differed by up to 0.002 between two kernels of
OpenBLAS.
"""

FREEDOM_EXACT = 40
"""The degrees of freedom from which on Student's t is turned into a normal value, to 0.00002."""


@attrs.frozen(eq=False)
class Posterior:
    """What is known about the bots' strengths; made by `posterior`."""

    axes: Floats
    """(bots, bots − 1): orthonormal columns of sum 0."""
    estimate: Floats
    """The estimates in these axes."""
    variance: Floats
    """The variances of the estimates in these axes."""
    spreads: Floats
    """The values of τ."""
    weights: Floats
    """The probabilities of the values of τ; they sum to 1."""
    freedom: Floats
    """The degrees of freedom of each bot's estimate."""

    def better(self, i: int, j: int) -> float:
        """The probability that bot i is stronger than bot j: ½ if nothing is known."""
        if i == j:
            return 0.5
        mean, variance = self._difference(self.axes[i] - self.axes[j])
        freedom = int(min(self.freedom[i], self.freedom[j]))
        return float(np.dot(self.weights, _below(mean / np.sqrt(variance), max(1, freedom))))

    def leads(self, leader: int) -> float:
        """The probability that this bot is the strongest of all: 1 if there is no other.

        It is counted in `DRAWS` draws with a fixed seed.
        """
        rivals = self._rivals(leader)
        if not rivals:
            return 1.0
        across = self.axes[leader] - self.axes[rivals]
        draw = np.random.default_rng(0).standard_normal((DRAWS, len(rivals)))
        freedom = max(1, int(min(self.freedom[[leader, *rivals]])))
        scale = np.sqrt(freedom / np.random.default_rng(1).chisquare(freedom, DRAWS))
        ends = np.round(np.cumsum(self.weights) * DRAWS).astype(np.int64)
        ahead = 0
        for place, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            if begin < end:
                mean, root = self._joint(across, place)
                lead = mean + (draw[begin:end] @ root.T) * scale[begin:end, None]
                ahead += int(np.count_nonzero(np.all(lead > 0, axis=1)))
        return ahead / DRAWS

    @cached_property
    def _kept(self) -> Floats:
        """(spreads, axes): which share of an estimate's distance from the mean is believed."""
        squares = self.spreads[:, None] ** 2
        kept: Floats = squares / (squares + self.variance)
        return kept

    def _difference(self, across: Floats) -> tuple[Floats, Floats]:
        """The mean and variance, for each τ, of a difference given in the axes."""
        return self._kept @ (self.estimate * across), self._kept @ (self.variance * across**2)

    def _rivals(self, leader: int) -> list[int]:
        """The other bots, as many as matter, those most likely to be better first."""
        others = [bot for bot in range(len(self.axes)) if bot != leader]
        across = self.axes[leader] - self.axes[others]
        mean = across @ (self.estimate * (self.weights @ self._kept))
        order = np.argsort(np.round(mean, ALIKE_DIGITS), kind="stable")[:RIVALS_MAX]
        return [others[place] for place in order]

    def _joint(self, across: Floats, place: int) -> tuple[Floats, Floats]:
        """The mean of several differences at one τ, and a root of their covariance."""
        kept = self._kept[place]
        covariance = (across * (kept * self.variance)) @ across.T
        covariance[np.diag_indices(len(covariance))] *= 1 + 1e-9  # what is known exactly has no root
        return across @ (kept * self.estimate), np.linalg.cholesky(covariance)


def posterior(
    estimate: Floats, covariance: Floats, freedom: Floats, spreads: tuple[float, float] = ELO_SPREADS
) -> Posterior:
    """What is known about the strengths of bots, from estimates, their covariance and degrees of freedom.

    A part that all estimates have in common does not matter, nor does its variance.
    `spreads`: the lowest and highest τ, in the unit of the estimates.
    """
    bots = len(estimate)
    basis = _without_mean(bots)
    variance, turn = np.linalg.eigh(basis.T @ covariance @ basis)
    variance = np.maximum(variance, 1e-6 * spreads[0] ** 2)
    axes = basis @ turn
    known = axes.T @ np.asarray(estimate, np.float64)
    edges = np.geomspace(*spreads, STEPS + 1)
    grid = np.sqrt(edges[1:] * edges[:-1])
    total = grid[:, None] ** 2 + variance
    likelihood = -np.sum(np.log(total) + known**2 / total, axis=1) / 2
    weights = np.exp(likelihood - np.max(likelihood))
    return Posterior(axes, known, variance, grid, weights / np.sum(weights), np.asarray(freedom, np.float64))


def _without_mean(bots: int) -> Floats:
    """(bots, bots − 1): an orthonormal basis of the vectors of sum 0 (Helmert's)."""
    place = np.arange(1, bots)
    basis = np.triu(np.ones((bots, bots - 1)))
    basis[place, place - 1] = -place
    scaled: Floats = basis / np.sqrt(place * (place + 1))
    return scaled


def _below(t: Floats, freedom: int) -> Floats:
    """The probabilities that Student's t is below `t`; from FREEDOM_EXACT on by Wallace's approximation."""
    if freedom >= FREEDOM_EXACT:
        size = (8 * freedom + 1) / (8 * freedom + 3)
        z = np.copysign(np.sqrt(freedom * np.log1p(t * t / freedom)) * size, t)
        return np.array([(1 + erf(each / sqrt(2))) / 2 for each in z.tolist()])
    # Abramowitz & Stegun 26.7.3 and 26.7.4, as in `student.student_cdf`.
    angle = np.arctan(t / sqrt(freedom))
    odd = freedom % 2
    term, terms = np.cos(angle) if odd else np.ones_like(t), np.zeros_like(t)
    for power in range(1 + odd, freedom, 2):
        terms = terms + term
        term = term * np.cos(angle) ** 2 * power / (power + 1)
    within = 2 / pi * (angle + np.sin(angle) * terms) if odd else np.sin(angle) * terms
    return np.clip((1 + within) / 2, 0.0, 1.0)
