"""Ratings: how strong bots are on an Elo-like scale, by maximum likelihood, and how certain that is.

The model is Plackett–Luce with Efron's ties (`plackett_luce`): what counts is who finished
ahead of whom, not in which order matches were played.  Series are the independent units.

*A prior of a quarter of a series.*  Every bot is credited with the duels of `PRIOR` series
against a virtual bot of average strength, half of them won and half lost.  Bots that always
win then have a finite rating, and bots that never met are on one scale.  A quarter removes
about the bias that maximum likelihood has for few matches.  A whole series was tried:
if one group beats another, it pulls the two so far together that intervals covered the
truth in 62 to 92 %, instead of 93 to 96 %.

*Errors by series.*  The covariance is the sandwich H⁻¹·(Σ gₛgₛᵀ)·H⁻¹ with the gradients
of the series, times (S+1)/S, and Student's t of k−1 degrees of freedom for a bot with k
series.  The prior counts among the gradients, because otherwise bots that always win would
claim certainty (`PRIOR_SPREAD`); so do imagined decided series if nearly all were split or
tied, because otherwise equals on shared deals would (`UNSEEN`, `SHOWN`).

*Coverage.*  The designs in tests/analysis/test_ratings.py were simulated, 300 tournaments
of each: 4 to 7 bots, 2 or 6 seats, 5 to 30 series per table, matches of a series independent,
alike or mirrored, up to 870 Elo from the best to the worst.  Pooled over bots the 95 %
intervals, about the mean or of differences from a named bot, covered the truth in 94.9 to
96.2 %; in 98.6 to 100 %, wider than necessary, where bots have 3 to 6 series, or nearly all
are split.  For two bots that split a series of two matches, except with some chance that the
better one takes both, it was computed exactly for chances up to 0.6 and 5, 10, 20, 40 and 100
series: 93.7 % or more, and over 99 % where no more than two are expected to be
decided.  Where it fails: a bot that loses one match in 400, and mostly none of the 60 it
plays, has its true rating above the interval in one tournament of seven.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
from math import log
from operator import add

import attrs
import numpy as np

from arena.analysis.strength.plackett_luce import (
    Floats,
    Ints,
    Shape,
    Slope,
    joint_key,
    maximum,
    scores,
    shapes,
    slope,
    sums,
)
from arena.analysis.strength.posterior import Posterior, posterior
from arena.analysis.student import student_t
from arena.errors import ConfigError

ANCHOR = 1500.0
"""The rating of the mean of all bots that have a match, or of the named bot."""

ELO = 400 / log(10)
"""Elo points per natural unit of strength: 400 points are odds of 10 to 1 in a duel."""

PRIOR = 0.25
"""How many series of pseudo-results each bot has; see above."""

PRIOR_SPREAD = 3.0
"""The factor by which the pseudo-results' variance is inflated.

A bot that won all of k series against one other is at odds of 8k to 1, with a standard error
of √3 (three, as each of the two has pseudo-results, which halves it).  So the lower
limit, for many series, is at odds of k/3.7 to 1, and that is the exact one: at worse
odds all k are won in less than 2.5 % of cases.  Against several it is lower than necessary.
"""

UNSEEN = 2.0
"""How many decided series are added to those of every bot, so that few or no decided ones do not claim much.

Equals on shared deals split nearly every series, and once in a while one takes all of it:
the count n of these is Poisson.  n ± 1.96·√n covers a mean of 1 in only 63 %, as none seen
would mean none ever; n ± 1.96·√(n+2) covers any mean in 93 % or more.
"""

SHOWN = 0.25
"""Nothing is imagined for a bot whose series vary by this share of what they would if all matches went alike.

Independent matches vary by half of that in series of two.  If the share is 1/2 or 1, intervals of
six seats at one table get 5 to 12 % wider, and cover the truth in up to 97.8 %.
"""

UNMET = 400.0
"""The standard deviation, in Elo, of the position of a group of bots that met no bots outside of it.

No result shows it, so it is assumed: in 95 % within 800 points, which are odds of 100 to 1.
"""

OUTSIDE = 1.5
"""The largest error per series where bots are compared, as a multiple of the median of all bots.

A bot that hardly ever loses may be far better still than its rating, but hardly worse: its large error is
all on the outside, and is no evidence against its being better than the next (Hauck & Donner, J. Am. Stat.
Assoc. 72, 1977, 851–853).
"""

HALF_MAX = 1200.0
"""The widest half of an interval that lacks only series: 1200 points are odds of 1000 to 1.

With one series, Student's t would lead to ± 5000 and more.
"""

FLAT = 1e-9
"""The largest fall of the log-likelihood that is only rounding."""

MANY = 1000.0
"""The degrees of freedom of a bot without series, whose spread is assumed, not estimated."""


@attrs.frozen(eq=False)
class Ratings:
    """The bots' ratings in Elo, in the order given, with 95 % intervals.

    If a bot is the anchor, its interval is ±0, and the others' intervals are those of their difference from
    it.  Otherwise they are those of a bot's difference from the mean of all bots.
    """

    bots: tuple[str, ...]
    rating: Floats
    low: Floats
    high: Floats
    covariance: Floats
    """(bots, bots): the covariance of the ratings as anchored, in Elo²."""
    freedom: Floats
    """The degrees of freedom of each bot's interval."""
    entered: Floats
    """The number of series of each bot."""
    evidence: Floats
    """The covariance with any zero point, without errors that are large only on the outside (`OUTSIDE`)."""

    @cached_property
    def posterior(self) -> Posterior:
        """How probable it is that one bot is stronger than another, or the best."""
        freedom = np.where(self.entered > 0, np.maximum(1.0, self.entered - 1.0), MANY)
        return posterior(self.rating, self.evidence, freedom)


@attrs.frozen(eq=False)
class _Cells:
    """A cell for each bot in each of its series, by series, then by bot."""

    series: Ints
    bot: Ints
    of_row: Ints
    """The cell of each row."""


@attrs.frozen(eq=False)
class _Seats:
    """The rows sorted by series, match, rank and bot, with series and matches renumbered."""

    series: Ints
    match: Ints
    rank: Ints
    bot: Ints
    bots: int

    @property
    def all_series(self) -> int:
        return int(self.series[-1]) + 1 if len(self.series) else 0

    @cached_property
    def cells(self) -> _Cells:
        found, cell = np.unique(self.series * self.bots + self.bot, return_inverse=True)
        series, bot = np.divmod(found, max(1, self.bots))
        return _Cells(series, bot, cell)


def rate(
    bots: Sequence[str],
    match: Ints,
    series: Ints,
    bot: Ints,
    rank: Ints,
    *,
    anchor: str | None = None,
    prior: float = PRIOR,
) -> Ratings:
    """The ratings of these bots from the seats of all matches, in any order.

    A row is a seat: its match, the match's series, the bot as an index into `bots`, and its place, 1 the
    best; equal ranks are ties.  With a prior of 0 the ratings are at the plain maximum of the likelihood.
    Raises ConfigError if that does not exist, or if the anchor is not a bot.

    A single bot is rated `ANCHOR` ± 800: the uncertainty of `UNMET`.
    """
    if anchor is not None and anchor not in bots:
        raise ConfigError(
            f"there is no bot {anchor!r} to anchor the ratings at: name one of {', '.join(bots)}"
        )
    seats = _canonical(match, series, bot, rank, len(bots))
    entered, weight = _entered(seats), prior * _series_length(seats)
    every = tuple(shapes(seats.match, seats.bot, seats.rank))
    groups = _groups(every, len(bots), mutual=prior == 0)
    apart = len(np.unique(groups)) > 1
    if apart and prior == 0:
        raise ConfigError(
            "without a prior there are no ratings where some bots always beat all others: give a prior"
        )

    strength, information = _fitted(every, weight)
    spread = _sandwich(strength, information, seats, every, weight) * ELO**2
    evidence = _bounded(spread, entered) * _steepened(every, weight, strength, information)
    if apart or len(bots) == 1:
        spread, evidence = _adrift(spread, groups), _adrift(evidence, groups)
    return _anchored(tuple(bots), strength * ELO, spread, entered, evidence, anchor)


def ratings_alone(match: Ints, bot: Ints, rank: Ints, lengths: Floats) -> Floats:
    """The ratings of `rate` about the mean of the bots with a match, without errors: most of the work.

    Rows are sorted by match, rank and bot; `lengths` are the mean numbers of matches in a series of each bot.
    Bots without a match are rated by the prior alone.
    """
    strength, _ = _fitted(tuple(shapes(match, bot, rank)), PRIOR * lengths)
    ratings: Floats = ANCHOR + (strength - np.mean(strength[np.unique(bot)])) * ELO
    return ratings


def _fitted(every: Sequence[Shape], weight: Floats) -> tuple[Floats, Floats]:
    """The likeliest strengths, and the information there; `weight` is that of each bot's pseudo-results."""

    def slope_at(strength: Floats) -> Slope:
        return reduce(add, (slope(strength, shape) for shape in every), _prior(strength, weight))

    return maximum(slope_at, len(weight))


def _canonical(match: Ints, series: Ints, bot: Ints, rank: Ints, bots: int) -> _Seats:
    series, match, rank, bot = (np.asarray(column, np.int64) for column in (series, match, rank, bot))
    if len(series):
        order = np.argsort(joint_key((series, match, rank, bot)), kind="stable")  # fast if nearly in order
        series, match, rank, bot = (column[order] for column in (series, match, rank, bot))
    series_starts = np.diff(series, prepend=series[:1]) != 0
    match_starts = np.diff(match, prepend=match[:1]) != 0
    return _Seats(np.cumsum(series_starts), np.cumsum(series_starts | match_starts), rank, bot, bots)


def _entered(seats: _Seats) -> Floats:
    """The number of series in which each bot sat."""
    return np.bincount(seats.cells.bot, minlength=seats.bots).astype(np.float64)


def _series_length(seats: _Seats) -> Floats:
    """How many matches a series of each bot has on average; 1 where it has none."""
    matches, entered = np.bincount(seats.bot, minlength=seats.bots), _entered(seats)
    return np.where(entered > 0, matches / np.maximum(1, entered), 1.0)


def _products(values: Floats, cells: _Cells, bots: int) -> Floats:
    """(bots, bots): the products of the values of every two cells of one series, summed over all series.

    So a series costs the square of the number of its bots, however many others there are.
    """
    table, gap = np.zeros(bots * bots), 0
    here = np.arange(len(cells.bot))
    while len(here):
        index = cells.bot[here] * bots + cells.bot[here + gap]
        table += sums(index, values[here] * values[here + gap], bots * bots)
        gap += 1
        here = here[here + gap < len(cells.bot)]
        here = here[cells.series[here] == cells.series[here + gap]]
    upper = table.reshape(bots, bots)  # the cells of a series are sorted by bot
    return upper + np.triu(upper, 1).T


def _groups(every: Sequence[Shape], bots: int, *, mutual: bool) -> Ints:
    """The first bot of each bot's group: bots that met, even indirectly; if mutual, in both orders."""
    reach = np.eye(bots, dtype=np.bool_)
    for shape in every:
        for first, second in zip(*np.triu_indices(shape.seats, 1), strict=True):
            reach[shape.kinds[:, first], shape.kinds[:, second]] = True
            if shape.share[second, first] or not mutual:  # tied if the first still takes part
                reach[shape.kinds[:, second], shape.kinds[:, first]] = True
    for _ in range(bots.bit_length()):
        reach = reach.astype(np.float32) @ reach.astype(np.float32) > 0
    return np.argmax(reach & reach.T, axis=1) if bots else np.zeros(0, np.int64)


def _prior(strength: Floats, weight: Floats) -> Slope:
    """The slope of the pseudo-results; without any one that keeps the sum at 0, which results do not show."""
    if not weight.any():
        total = float(np.sum(strength))
        flat = np.ones(len(strength))
        return Slope(-total * total / 2, -total * flat, np.outer(flat, flat))
    distance, lean = np.abs(strength), np.tanh(strength / 2)
    value = -float(np.sum(weight / 2 * (distance + 2 * np.log1p(np.exp(-distance)))))
    return Slope(value, -weight / 2 * lean, np.diag(weight / 4 * (1 - lean**2)))


def _sandwich(
    strength: Floats, information: Floats, seats: _Seats, every: Sequence[Shape], weight: Floats
) -> Floats:
    """The covariance of the strengths, as far as series show it."""
    rows = np.zeros(len(seats.bot))
    for shape in every:
        rows[shape.rows[:, None] + np.arange(shape.seats)] = scores(strength, shape)
    won = (1 + np.tanh(strength / 2)) / 2
    meat = np.diag(PRIOR_SPREAD * weight**2 / 2 * (won**2 + (1 - won) ** 2))
    gradients = sums(seats.cells.of_row, rows, len(seats.cells.bot))
    meat += _products(gradients, seats.cells, seats.bots)
    meat += _unseen(np.diag(meat), information - _prior(strength, weight).information, seats)
    bread = np.linalg.inv(information)
    return (seats.all_series + 1) / max(1, seats.all_series) * bread @ meat @ bread


def _unseen(varied: Floats, information: Floats, seats: _Seats) -> Floats:
    """How much the gradients of `UNSEEN` series would add if all their matches went alike.

    It is added in full if a bot's gradients do not vary at all, as when series were split or tied; the more
    they vary, the less; and not at all once they vary as much as `SHOWN` says.
    """
    length = _series_length(seats)
    alike = length * np.diag(information)  # for independent matches it would be the information
    lacks = np.maximum(0.0, 1 - varied / np.where(alike > 0, SHOWN * alike, 1.0))
    scale = np.sqrt(UNSEEN * lacks * length / np.maximum(1, _entered(seats)))
    unseen: Floats = scale[:, None] * information * scale
    return unseen


def _adrift(spread: Floats, groups: Ints) -> Floats:
    """The covariance of strengths in Elo if only the prior connects these groups.

    Within a group it is that about the group's mean, and the mean is practically unknown: the sandwich's
    estimate of it depends on the number of bots and their spread, as if every bot of the group were
    independent evidence.
    """
    same = (groups[:, None] == groups).astype(np.float64)
    inside = np.eye(len(groups)) - same / np.sum(same, axis=1)
    adrift: Floats = inside @ spread @ inside.T + UNMET**2 * same
    return adrift


def _steepened(every: Sequence[Shape], weight: Floats, strength: Floats, information: Floats) -> float:
    """The factor, at most 1, for variances in a field of few bots of which one wins nearly all.

    From the maximum to equal strengths the likelihood then falls far more than its curvature at the maximum
    says.  For two bots the variance is such that both agree; for more, which share that fall, the exponent
    1 / (bots − 1) was found by simulation (tests/trust/better.py).
    """
    here, equal = (
        reduce(add, (slope(at, shape) for shape in every), _prior(at, weight)).value
        for at in (strength, np.zeros(len(strength)))
    )
    fall = here - equal
    if fall <= FLAT:  # equal strengths, except for rounding
        return 1.0
    ratio = float(strength @ information @ strength) / (2 * fall)
    return float(min(1.0, ratio) ** (1 / (len(strength) - 1)))


def _bounded(spread: Floats, entered: Floats) -> Floats:
    """The covariance of strengths, with no bot's error larger than `OUTSIDE` times the usual one."""
    if not len(entered):
        return spread
    inside = np.eye(len(entered)) - 1 / len(entered)
    about_mean = inside @ spread @ inside.T
    errors = np.sqrt(np.diag(about_mean) * np.maximum(1.0, entered))  # of one series
    scale = np.minimum(1.0, OUTSIDE * np.median(errors) / np.maximum(errors, 1e-300))
    bounded: Floats = about_mean * np.outer(scale, scale)
    return bounded


def _anchored(
    bots: tuple[str, ...],
    strength: Floats,
    spread: Floats,
    entered: Floats,
    evidence: Floats,
    anchor: str | None,
) -> Ratings:
    """The ratings, from strengths and their covariance in Elo with any zero point."""
    freedom = np.where(entered > 0, np.maximum(1.0, entered - 1.0), MANY)
    shift = np.eye(len(bots))
    if anchor is not None:
        place = bots.index(anchor)
        shift[:, place] -= 1
        freedom = np.minimum(freedom, freedom[place])
    elif len(bots) > 1:  # the mean of one bot is the bot itself, which would look certain
        shift -= 1 / len(bots)
    rating, covariance = ANCHOR + shift @ strength, shift @ spread @ shift.T
    error = np.sqrt(np.maximum(0.0, np.diag(covariance)))
    half = np.array([student_t(int(number)) for number in freedom]) * error
    half = np.minimum(half, np.maximum(student_t(int(MANY)) * error, HALF_MAX))
    return Ratings(bots, rating, rating - half, rating + half, covariance, freedom, entered, evidence)
