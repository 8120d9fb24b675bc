"""Tests whether one number per bot says who beats whom: misfit, and bots that beat each other in circles.

*Misfit.*  A rating model says that the share of one bot against another depends only on the difference of
their strengths.  That is compared with what pairs really scored: Q is the sum of squared residuals, each
times its matches; its expectation, and the degrees of freedom, follow from how series of one pair
differ from each other (the ANOVA-type statistic of Brunner, Dette & Munk, J. Am. Stat. Assoc. 92, 1997,
1494–1502), less what fitting the strengths takes away.  How a difference turns into a share is not known
either (in a game of luck nobody always wins), so several links are tried (`LUCK`), and there is misfit
only if none of them fits.

*Circles.*  One bot surely beats another if it did better in more series than worse, by an exact sign test
with Holm's correction for all pairs.  Then all statements of a table hold together with 95 %, and
"a > b > c > a" is no matter of luck, whatever the model.

A pair is two bots in the matches in which both sit, so that this works for any number of seats; series, not
matches, are the independent units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb, erfc, exp, lgamma, log, log1p, sqrt

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.sheet import Sheet
from arena.analysis.strength.plackett_luce import Floats, Ints
from arena.analysis.strength.sure_cycle import shortest_circle
from arena.words import percent

BOTS_MAX = 40
"""The largest field that is tested: all pairs of a larger one are too many for one covariance matrix."""

LUCK = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6)
"""The shares of matches in which strength does not matter, one for each link that is tried."""

ALPHA = 0.05
"""How often misfit, or any circle, may be reported where there is none."""

PRIOR_SERIES = 0.25
"""How many series of pseudo-results each bot has, as in `ratings`, so that strengths are finite."""

UNSEEN_SHARE = 0.5
"""How many imagined series whose matches all go alike are added to the variance of each pair."""

STEPS_MAX = 60
"""The most Newton steps; 5 to 10 are usual."""

EXACT_MAX = 1000
"""The most decided series for which the sign test is computed exactly."""


@attrs.frozen(eq=False)
class Pairs:
    """The results of every two bots that met, in a row for each pair."""

    bots: int
    first: Ints
    second: Ints
    series: Floats
    """In how many series the two met."""
    matches: Floats
    share: Floats
    """The first bot's share: (better + tied ÷ 2) ÷ matches."""
    ahead: Floats
    """In how many series the first bot did better in more matches than worse."""
    behind: Floats
    squares: Floats
    """(pairs, pairs): sums over series of products of deviations from `share`, in matches."""


@attrs.frozen
class Misfit:
    """How badly one number per bot predicts who beats whom."""

    chance: float
    """How probable at least this much misfit is if there is none: significant if below `ALPHA`."""
    pair: tuple[int, int]
    """The bots whose results are farthest from the fit, in standard errors; the better one first."""
    share: float
    """The share that the first scored against the second."""
    expected: float
    """The share that the fit predicts."""

    @property
    def is_significant(self) -> bool:
        return self.chance < ALPHA


def pairs_of(sheet: Sheet) -> Pairs | None:
    """The pairs of a tournament; None if there are more than `BOTS_MAX` bots, or none met."""
    bots = len(sheet.bots)
    if bots > BOTS_MAX or not len(sheet.match):
        return None
    order = np.lexsort((sheet.bot, sheet.match))
    match, series, bot, rank = (
        column[order] for column in (sheet.match, sheet.series, sheet.bot, sheet.rank)
    )
    starts = np.flatnonzero(np.diff(match, prepend=-1))
    seats = np.diff(starts, append=len(match))
    parts = []
    for one in range(int(seats.max())):
        for other in range(one + 1, int(seats.max())):
            a, b = (starts[seats > other] + place for place in (one, other))
            score = (rank[a] < rank[b]) + (rank[a] == rank[b]) / 2
            parts.append((series[a], bot[a], bot[b], score))
    if not parts:
        return None
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return pairs_from(bots, *columns)


def pairs_from(bots: int, series: Ints, first: Ints, second: Ints, score: Floats) -> Pairs:
    """The pairs, from a match's series, two of its bots (the lower number first), and the first's score.

    A score is 1 if it did better, ½ if equal, 0 if worse.
    """
    size = bots * bots
    pair = first.astype(np.int64) * bots + second
    found, cell = np.unique(series.astype(np.int64) * size + pair, return_inverse=True)
    won, played = np.bincount(cell, score), np.bincount(cell).astype(np.float64)
    series_of, pair_of = np.divmod(found, size)
    pairs, row = np.unique(pair_of, return_inverse=True)
    matches, scores = np.bincount(row, played).astype(np.float64), np.bincount(row, won)
    share = scores / matches
    apart = won - share[row] * played
    one, other = np.divmod(pairs, bots)
    return Pairs(
        bots=bots,
        first=one,
        second=other,
        series=np.bincount(row).astype(np.float64),
        matches=matches,
        share=share,
        ahead=np.bincount(row, won > played / 2, len(pairs)).astype(np.float64),
        behind=np.bincount(row, won < played / 2, len(pairs)).astype(np.float64),
        squares=_products(series_of, row, apart, len(pairs)),
    )


def _products(series: Ints, row: Ints, apart: Floats, pairs: int) -> Floats:
    """(pairs, pairs): the sums of products of the deviations of pairs that met in the same series."""
    table = np.zeros(pairs * pairs)
    begin = np.flatnonzero(np.diff(series, prepend=-1))
    count = np.diff(begin, append=len(series))
    for one in range(int(count.max(initial=0))):
        for other in range(int(count.max())):
            a, b = (begin[count > max(one, other)] + place for place in (one, other))
            table += np.bincount(row[a] * pairs + row[b], apart[a] * apart[b], pairs * pairs)
    return table.reshape(pairs, pairs)


def misfit_of(pairs: Pairs) -> Misfit | None:
    """The misfit of the first link that fits, or else of the best one; None if nothing can be said.

    Nothing can be said with two bots, in a gauntlet and wherever else strengths explain any results of the
    pairs that met, nor if no two bots met in a second series.
    """
    if not _is_testable(pairs):
        return None
    best: Misfit | None = None
    for luck in LUCK:
        tested = _misfit(pairs, luck)
        if best is None or tested.chance > best.chance:
            best = tested
        if not best.is_significant:
            break
    return best


def _is_testable(pairs: Pairs) -> bool:
    """Whether there are more pairs than differences of strengths."""
    met = np.eye(pairs.bots, dtype=np.bool_)
    met[pairs.first, pairs.second] = met[pairs.second, pairs.first] = True
    for _ in range(pairs.bots.bit_length()):
        met = met.astype(np.float32) @ met.astype(np.float32) > 0
    groups = len(np.unique(np.argmax(met, axis=1)))
    return len(pairs.first) > pairs.bots - groups and bool(np.max(pairs.series) > 1)


def _misfit(pairs: Pairs, luck: float) -> Misfit:
    design = np.zeros((len(pairs.first), pairs.bots))
    row = np.arange(len(design))
    design[row, pairs.first], design[row, pairs.second] = 1.0, -1.0
    weight = pairs.matches
    expected, slope, bread = _fitted_shares(pairs, design, luck)
    residual = pairs.share - expected
    taken = (slope[:, None] * design) @ bread @ (design.T * weight)
    left = np.eye(len(row)) - taken
    form = (left.T * weight) @ left
    covariance = _covariance(pairs, expected)
    product = form @ covariance
    mean = float(np.trace(product))
    if mean <= 0:
        return Misfit(
            1.0, (int(pairs.first[0]), int(pairs.second[0])), float(pairs.share[0]), float(expected[0])
        )
    known = np.maximum(1.0, pairs.series - 1)
    freedom = mean**2 / float(np.sum(product * product.T))
    below = mean**2 / float(np.sum((np.diag(form) * np.diag(covariance)) ** 2 / known))
    ratio = float(np.sum(weight * residual**2)) / mean
    error = np.sqrt(np.maximum(1e-12, np.sum((left @ covariance) * left, axis=1)))
    worst = int(np.argmax(np.round(np.abs(residual) / error, 9)))  # the first of those that tie
    return _told(pairs, expected, worst, f_above(ratio, freedom, below))


def _told(pairs: Pairs, expected: Floats, worst: int, chance: float) -> Misfit:
    pair, share, foretold = (
        (int(pairs.first[worst]), int(pairs.second[worst])),
        pairs.share[worst],
        expected[worst],
    )
    if share < foretold:
        pair, share, foretold = pair[::-1], 1 - share, 1 - foretold
    return Misfit(chance, pair, float(share), float(foretold))


def _fitted_shares(pairs: Pairs, design: Floats, luck: float) -> tuple[Floats, Floats, Floats]:
    """The shares that fit best, their slopes by the difference of strengths, and the inverse information."""
    weight, strength = pairs.matches, np.zeros(pairs.bots)
    prior = PRIOR_SERIES / 4 * float(np.sum(weight) / np.sum(pairs.series))
    for _ in range(STEPS_MAX):
        lean = np.tanh(design @ strength / 2)
        slope = (1 - luck) * (1 - lean**2) / 4
        pull = design.T @ (weight * (pairs.share - (1 + (1 - luck) * lean) / 2)) - prior * strength
        bread = np.linalg.inv((design.T * (weight * slope)) @ design + prior * np.eye(pairs.bots))
        step = bread @ pull
        strength = strength + step / max(1.0, float(np.max(np.abs(step))))
        if np.max(np.abs(step)) < 1e-6:
            break
    return (1 + (1 - luck) * lean) / 2, slope, np.asarray(bread, np.float64)


def _covariance(pairs: Pairs, expected: Floats) -> Floats:
    """(pairs, pairs): the covariance of the errors of the shares."""
    series, length = pairs.series, pairs.matches / pairs.series
    unbiased = np.sqrt(series / np.maximum(1.0, series - 1)) / pairs.matches
    covariance = pairs.squares * np.outer(unbiased, unbiased)
    known = np.maximum(0.0, series - 1)
    alike = UNSEEN_SHARE * expected * (1 - expected)
    own = (np.diag(pairs.squares) / length**2 + alike) / (known + UNSEEN_SHARE) / series
    covariance[np.diag_indices(len(own))] = np.maximum(own, _least_variance(expected, length) / series)
    return np.asarray(covariance)


def _least_variance(share: Floats, length: Floats) -> Floats:
    """The least variance of a series' share with this mean and number of matches, each won or lost.

    Series that one bot always wins show no variance, although losses as rare as the fit predicts would
    mostly not have been seen.
    """
    part = share * length % 1
    return np.asarray(part * (1 - part) / length**2, np.float64)


def against(pairs: Pairs, order: Sequence[int]) -> bool:
    """Whether a bot is ahead, by two standard errors, of one that comes before it in this order."""
    place = np.empty(pairs.bots, np.int64)
    place[list(order)] = np.arange(pairs.bots)
    ahead = (pairs.share - 0.5) * np.where(place[pairs.first] < place[pairs.second], -1, 1)
    error = np.sqrt(np.diag(_covariance(pairs, pairs.share)))
    return bool(np.any(ahead > 1.96 * error))


@attrs.frozen
class Order:
    """Whether one number orders a field, and remarks about that."""

    is_sound: bool = True
    """False if some bots surely beat each other in a circle, or if there is misfit and a bot is ahead of one
    that is ranked above it."""
    notes: tuple[str, ...] = ()


def order_of(sheet: Sheet, order: Sequence[int]) -> Order:
    """What the pairs of a tournament say about an order, given as numbers in the sheet, best first."""
    pairs = pairs_of(sheet)
    if pairs is None:
        return Order()
    names, found = sheet.bots, list(circles(surely_beats(pairs)))
    said = [
        f"{' > '.join(names[bot] for bot in (*circle, circle[0]))}: each surely beats the next head to head"
        for circle in found
    ]
    tested = misfit_of(pairs)
    is_misfit = tested is not None and tested.is_significant
    is_sound = not found and not (is_misfit and against(pairs, order))
    if tested is not None and is_misfit:
        said.append(_said(tested, names, is_sound))
    return Order(is_sound, tuple(said))


def _said(tested: Misfit, names: Sequence[str], is_sound: bool) -> str:
    what = (
        "ratings order this field, but do not say by how much one bot beats another"
        if is_sound
        else "one number does not order this field: who wins depends on who meets whom"
    )
    chance = "p < 0.001" if tested.chance < 0.001 else f"p = {tested.chance:.2g}"
    one, other = (names[bot] for bot in tested.pair)
    return (
        f"{what}, more than luck explains ({chance}); {one}, for one, scores {percent(tested.share)} "
        f"against {other}, where one number per bot says {percent(tested.expected)}"
    )


# Who surely beats whom.


def surely_beats(pairs: Pairs) -> NDArray[np.bool_]:
    """(bots, bots): whether the bot of the row surely beats that of the column; all entries hold together."""
    beats = np.zeros((pairs.bots, pairs.bots), dtype=np.bool_)
    more, less = np.maximum(pairs.ahead, pairs.behind), np.minimum(pairs.ahead, pairs.behind)
    chances = np.array([2 * _sign_chance(int(a), int(b)) for a, b in zip(more, less, strict=True)])
    for place, pair in enumerate(np.argsort(chances, kind="stable").tolist()):
        if chances[pair] > ALPHA / (len(chances) - place):
            break
        one, other = int(pairs.first[pair]), int(pairs.second[pair])
        winner, loser = (one, other) if pairs.ahead[pair] > pairs.behind[pair] else (other, one)
        beats[winner, loser] = True
    return beats


def circles(beats: NDArray[np.bool_]) -> Iterator[tuple[int, ...]]:
    """Circles in which each bot beats the next, and the last the first; the shortest first, no bot in two."""
    beats = beats.copy()
    while found := shortest_circle(beats):
        yield found
        beats[list(found)] = False


def _sign_chance(more: int, less: int) -> float:
    """The probability that at most `less` of `more` + `less` fair coins fall on one side."""
    coins = more + less
    if coins <= EXACT_MAX:
        return float(sum(comb(coins, heads) for heads in range(less + 1)) / 2**coins)
    return erfc((more - less - 1) / sqrt(2 * coins)) / 2


# The F distribution.


def f_above(ratio: float, above: float, below: float) -> float:
    """The probability that F with these degrees of freedom is above `ratio`.

    Computed with the continued fraction of the incomplete beta function (Abramowitz & Stegun 26.5.8, 26.6.2).
    """
    if ratio <= 0:
        return 1.0
    x = below / (below + above * ratio)
    return _incomplete_beta(below / 2, above / 2, x)


def _incomplete_beta(a: float, b: float, x: float) -> float:
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    if x <= 0:
        return 0.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    value, above, below = 1.0, 1.0, 0.0
    for m in range(1000):
        half = m // 2
        if m == 0:
            term = 1.0
        elif m % 2 == 0:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        else:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        below = 1 / _apart_from_zero(1 + term * below)
        above = _apart_from_zero(1 + term / above)
        value *= above * below
        if abs(1 - above * below) < 1e-10:
            break
    return min(1.0, max(0.0, front * (value - 1)))


def _apart_from_zero(value: float) -> float:
    return value if abs(value) > 1e-30 else 1e-30
