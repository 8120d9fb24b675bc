"""Who is stronger, given what fields of bots look like: posterior probabilities by empirical Bayes.

An estimate that leads by two standard errors is no evidence of 98 % if all bots of the field are nearly
equal: then most such leads are luck, and those of the first ranks all the more.  So strengths are treated as
drawn from a distribution that the estimates themselves tell us about (Efron & Morris, J. Am. Stat. Assoc. 70,
1975, 311–319).  One normal distribution would not do: a single hopeless bot makes it wide, and near-copies
are then believed to differ as much as the whole field does.  So a field is a mixture of two normal
distributions, most bots alike and some not (two groups: Efron, Statistical Science 23, 2008, 1–22), and
every probability is an average over many such fields, weighted by how likely they make the estimates (a prior
on the spread in place of one estimate: Gelman, Bayesian Analysis 1, 2006, 515–534; a finite grid in place of
integrals over mixtures: Titterington, Smith & Makov, Finite Mixture Distributions, 1985).  Such
probabilities hold for bots that were picked by their rank as well.

The errors of bots are treated as independent, but those of two that are compared are scaled so that the
variance of their difference is right.  tests/trust/better.py shows how often it is right.
"""

from __future__ import annotations

from math import pi, sqrt

import attrs
import numpy as np

from arena.analysis.strength.plackett_luce import Floats, Ints

ELO_SPREADS = (2.0, 1000.0)
"""The lowest and highest standard deviation considered for the true ratings of bots that are alike."""

RETURNS_SPREADS = (0.004, 2.0)
"""The same for mean returns, in root mean squares of what a seat won in a match."""

STEPS = 24
"""How many spreads stand for all: neighbours differ by 30 %."""

SMALL_SPREADS = 0.75
"""The prior density of a spread on a logarithmic scale is its power of minus this: copies are common."""

FAMILIES = (0.4, 0.4, 0.2)
"""The prior probabilities of one normal distribution; of one with outliers; and of two groups."""

OUTLIERS, WIDTHS = (0.03, 0.1, 0.3), (0.1, 0.3, 1.0)
"""The shares of bots that may be outliers, and their spreads in highest spreads; all as likely."""

CENTRES, CENTRES_OF_TWO = (17, 13), (9, 7)
"""How many centres are tried, at quantiles of the estimates and evenly; of two groups, for each."""

FAINT = 1e-4
"""Fields that are so much less likely than the likeliest one are left out."""

CELLS = 2**19
"""For how many fields × bots the likelihood is computed at once: 8 MB for each of two groups."""

DOUBT = 5.0
"""Variances of ν degrees of freedom count as larger by DOUBT ÷ (DOUBT + ν) where fields are weighed.

Else an estimate whose error is underestimated looks like an outlier.
"""

TINY = 1e-300
"""A density that stands for those that are rounded to 0."""

DRAWS = 8_000
"""How many random strengths `leads` counts in: its standard error is at most 0.006."""

RIVALS_MAX = 40
"""How many bots `leads` looks at besides the leader: those whose strength is probably highest."""

ALIKE_DIGITS = 6
"""How many decimals equal bots agree in: beyond, they differ by rounding, which depends on the processor.

Sorted by that they would get other draws elsewhere: `leads` differed by up to 0.002 between two kernels of
OpenBLAS.
"""


@attrs.frozen(eq=False)
class _Fields:
    """Fields that bots may have been drawn from: mixtures of two normal distributions, the groups."""

    weight: Floats
    """(fields,): their probabilities; they sum to 1."""
    share: Floats
    """(2, fields): how likely a bot is to be of each group."""
    centre: Floats
    spread: Floats

    def only(self, which: Ints) -> _Fields:
        """These fields alone."""
        weight = self.weight[which]
        chosen = (self.share[:, which], self.centre[:, which], self.spread[:, which])
        return _Fields(weight / np.sum(weight), *chosen)

    def density(self, estimate: Floats, variance: Floats) -> Floats:
        """(2, fields, bots): the density of each estimate in each group, times the group's share."""
        total = self.spread[..., None] ** 2 + variance
        density: Floats = np.exp(-((estimate - self.centre[..., None]) ** 2) / total / 2) / np.sqrt(total)
        return self.share[..., None] * density


@attrs.frozen(eq=False)
class Posterior:
    """What is known about the bots' strengths; made by `posterior`."""

    estimate: Floats
    """The estimates, less their mean."""
    variance: Floats
    """Their variances, as if their errors were independent."""
    covariance: Floats
    freedom: Floats
    """The degrees of freedom of each bot's estimate."""
    fields: _Fields

    def better(self, i: int, j: int) -> float:
        """The probability that bot i is stronger than bot j: ½ if nothing is known."""
        if i == j:
            return 0.5
        exact = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        scale = exact / (self.variance[i] + self.variance[j])
        group, mean, variance = self._known(np.array([i, j]), max(scale, 1e-6))
        chance = self.fields.weight * group[:, None, :, 0] * group[:, :, 1]
        matter = chance > FAINT**2 * np.max(chance)
        lead = (mean[:, None, :, 0] - mean[:, :, 1])[matter]
        error = np.sqrt(variance[:, None, :, 0] + variance[:, :, 1])[matter]
        freedom = int(min(self.freedom[i], self.freedom[j]))
        return float(np.average(_below(lead / error, max(1, freedom)), weights=chance[matter]))

    def leads(self, leader: int) -> float:
        """The probability that this bot is the strongest of all: 1 if there is no other.

        It is counted in `DRAWS` draws with a fixed seed.
        """
        rivals = self._rivals(leader)
        if not len(rivals):
            return 1.0
        bots = np.array([leader, *rivals])
        group, mean, variance = self._known(bots)
        rng, shape = np.random.default_rng(0), (DRAWS, len(bots))
        freedom = max(1, int(min(self.freedom[bots])))
        scale = np.sqrt(freedom / np.random.default_rng(1).chisquare(freedom, DRAWS))[:, None]
        ends = np.round(np.cumsum(self.fields.weight) * DRAWS, ALIKE_DIGITS)
        field = np.searchsorted(ends[:-1], np.arange(DRAWS) + 0.25)[:, None]
        column = np.arange(len(bots))
        drawn = (rng.random(shape) < group[1][field, column]).astype(np.int64), field, column
        strength = mean[drawn] + np.sqrt(variance[drawn]) * rng.standard_normal(shape) * scale
        return int(np.count_nonzero(np.all(strength[:, :1] > strength[:, 1:], axis=1))) / DRAWS

    def _known(self, bots: Ints, scale: float = 1.0) -> tuple[Floats, Floats, Floats]:
        """(2, fields, bots) each: the chance to be of a group, and the strength's mean and variance if so.

        `scale`: that of the variances of the estimates.
        """
        estimate, variance = self.estimate[bots], self.variance[bots]
        density = self.fields.density(estimate, variance)
        centre, squares = self.fields.centre[..., None], self.fields.spread[..., None] ** 2
        kept = squares / (squares + scale * variance)  # the share of the distance that is believed
        group = density / np.maximum(np.sum(density, axis=0), TINY)
        return group, centre + kept * (estimate - centre), kept * scale * variance

    def _rivals(self, leader: int) -> Ints:
        """The other bots, as many as matter, those that are probably strongest first."""
        others = np.flatnonzero(np.arange(len(self.estimate)) != leader)
        group, mean, _ = self._known(others)
        expected = self.fields.weight @ np.sum(group * mean, axis=0)
        return others[np.argsort(-np.round(expected, ALIKE_DIGITS), kind="stable")[:RIVALS_MAX]]


def posterior(
    estimate: Floats, covariance: Floats, freedom: Floats, spreads: tuple[float, float] = ELO_SPREADS
) -> Posterior:
    """What is known about the strengths of bots, from estimates, their covariance and degrees of freedom.

    A part that all estimates have in common does not matter, nor does its variance.
    `spreads`: the lowest and highest spread of bots that are alike, in the unit of the estimates.
    """
    bots, covariance = len(estimate), np.asarray(covariance, np.float64)
    known = np.asarray(estimate, np.float64) - np.mean(estimate)
    about_mean = np.diag(covariance) - 2 * np.mean(covariance, axis=1) + np.mean(covariance)
    doubt = 1 + DOUBT / (DOUBT + np.asarray(freedom))
    variance = np.maximum(doubt * about_mean * bots / max(1, bots - 1), 1e-6 * spreads[0] ** 2)
    fields = _likely(_prior(known, variance, spreads), known, variance)
    return Posterior(known, variance, covariance, np.asarray(freedom, np.float64), fields)


def _likely(fields: _Fields, estimate: Floats, variance: Floats) -> _Fields:
    """These fields weighted by how likely they make the estimates, without those that hardly matter."""
    step = max(1, CELLS // len(estimate))
    likelihood = np.log(fields.weight)
    for begin in range(0, len(likelihood), step):
        some = np.arange(begin, min(begin + step, len(likelihood)))
        density = np.sum(fields.only(some).density(estimate, variance), axis=0)
        likelihood[some] += np.sum(np.log(np.maximum(density, TINY)), axis=1)
    weight = np.exp(likelihood - np.max(likelihood))
    return attrs.evolve(fields, weight=weight).only(np.flatnonzero(weight > FAINT))


def _prior(estimate: Floats, variance: Floats, spreads: tuple[float, float]) -> _Fields:
    """All fields that are considered, with their prior probabilities."""
    error = float(np.median(np.sqrt(variance)))
    edges = np.geomspace(*spreads, STEPS + 1)
    spread = np.sqrt(edges[1:] * edges[:-1])[:, None]
    usual = spread**-SMALL_SPREADS / np.sum(spread**-SMALL_SPREADS)
    centre, step = _centres(estimate, error, spreads[0], CENTRES)
    rows = [_family(FAMILIES[0] * usual * step, 0.0, centre, centre, spread, spread)]
    each = FAMILIES[1] / (len(OUTLIERS) * len(WIDTHS))
    for wide in np.array(WIDTHS) * spreads[1]:
        narrow = spread[:, 0] < wide / 2
        for share in OUTLIERS:
            rows.append(_family(each * (usual * step)[narrow], share, centre, centre, spread[narrow], wide))
    centre, step = _centres(estimate, error, spreads[0], CENTRES_OF_TWO)
    low, high = np.triu_indices(len(centre), 1)
    weight = FAMILIES[2] * usual * (2 * step[low] * step[high])
    rows.append(_family(weight, 0.5, centre[low], centre[high], spread, spread))
    weights, shares, *others = np.concatenate(rows, axis=1)
    return _Fields(weights, np.array([1 - shares, shares]), np.array(others[:2]), np.array(others[2:]))


def _family(*rows: Floats | float) -> Floats:
    """(6, fields): weight, share of the second group, both centres and both spreads, for all combinations."""
    return np.array([row.ravel() for row in np.broadcast_arrays(*rows)])


def _centres(estimate: Floats, error: float, unit: float, numbers: tuple[int, int]) -> tuple[Floats, Floats]:
    """Where the centre of a group may lie, and the share of the line that each place stands for.

    It is as likely anywhere from half a range of the estimates below them to half a range above them.
    """
    low, high = float(np.min(estimate)), float(np.max(estimate))
    beyond = max(high - low, error) / 2 + error
    quantiles = np.quantile(estimate, np.linspace(0, 1, numbers[0]))
    places = np.concatenate([quantiles, np.linspace(low - beyond, high + beyond, numbers[1])])
    places = unit * np.unique(np.round(places / unit, ALIKE_DIGITS))
    step = np.gradient(places)
    return places, step / np.sum(step)


def _below(t: Floats, freedom: int) -> Floats:
    """The probabilities that Student's t is below `t`; from 3 degrees on by Wallace, to 0.001."""
    if freedom == 1:
        return np.arctan(t) / pi + 0.5
    if freedom == 2:
        return t / np.sqrt(2 + t * t) / 2 + 0.5
    size = (8 * freedom + 1) / (8 * freedom + 3)
    return _normal(np.copysign(np.sqrt(freedom * np.log1p(t * t / freedom)) * size, t))


def _normal(z: Floats) -> Floats:
    """The probabilities that a standard normal value is below `z`, to 1e-7 (Abramowitz & Stegun 26.2.17)."""
    size = 1 / (1 + 0.2316419 * np.abs(z))
    series = np.polyval((1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530, 0.0), size)
    beyond = np.exp(-z * z / 2) / sqrt(2 * pi) * series
    return np.where(z > 0, 1 - beyond, beyond)
