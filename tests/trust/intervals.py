"""How often the 95 % intervals of scores and returns hold the true mean, over eleven kinds of tournaments.

Thousands of tournaments of each kind, computed together as if they were one: one bot of each meets ten sets
of opponents, and the truth is its mean over them.  The estimates are those of the leaderboard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from arena.analysis.clusters import extremes_of
from arena.analysis.intervals import interval_of_mean, interval_of_share
from arena.analysis.strata import Strata, estimates
from arena.bench.measures import Measure, at_least

TOURNAMENTS = {1: 4000, 2: 4000, 10: 10_000, 100: 3000}
"""Series with each set of opponents -> how many tournaments; a share of 95 % is then known to 0.4 %."""
SEED = 13

Floats = NDArray[np.float64]
Draw = Callable[[Generator, Floats, int], Floats]
"""From the means of the sets, shaped (tournaments, series), and the matches of a series: sums by series."""


@attrs.frozen
class Design:
    """A kind of tournament."""

    what: str
    draw: Draw
    means: tuple[float, ...]
    """The true mean against each set of opponents."""
    matches: int = 2
    """In a series: as many as there are seats."""
    is_share: bool = True
    lowest: float = 0.94
    """The share of intervals that should hold the truth, with ten series of each set."""


def _coins(rng: Generator, means: Floats, matches: int) -> Floats:
    return np.asarray(rng.binomial(matches, means), dtype=np.float64)


def _alike(rng: Generator, means: Floats, matches: int) -> Floats:
    return np.where(rng.random(means.shape) < means, float(matches), 0.0)


def _mirrored(rng: Generator, means: Floats, matches: int) -> Floats:
    luck = rng.random(means.shape)
    return np.where(luck < means, 1.0, 0.0) + np.where(luck > 1 - means, 1.0, 0.0)


def _points(rng: Generator, means: Floats, matches: int) -> Floats:
    """Shares of three opponents beaten, on deals that all matches of the series share."""
    strength = rng.beta(4 * means, 4 * (1 - means))
    return np.asarray(rng.binomial(3 * matches, strength) / 3, dtype=np.float64)


def _normal(rng: Generator, means: Floats, matches: int) -> Floats:
    return matches * means + rng.normal(0, 300, means.shape) + rng.normal(0, 100, means.shape)


def _tails(rng: Generator, means: Floats, matches: int) -> Floats:
    """Student's t of three degrees: a variance, but no more."""
    return matches * means + 100 * rng.standard_t(3, means.shape)


def _shove(rng: Generator, means: Floats, matches: int) -> Floats:
    """Either the blinds, or a stack that is won or lost."""
    stack = 1000.0 * np.where(rng.random(means.shape) < 0.5, 1, -1)
    return matches * means + np.where(rng.random(means.shape) < 0.15, stack, 0.0)


_EQUAL = (0.5,) * 10
_UNEQUAL = (0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.6, 0.7, 0.8, 0.9)
_CHIPS = (-400.0, -200.0, -100.0, -50.0, 0.0, 0.0, 50.0, 100.0, 200.0, 400.0)

DESIGNS = (
    Design("equal field, independent matches", _coins, _EQUAL),
    Design("equal field, matches alike", _alike, _EQUAL),
    Design("unequal field, independent matches", _coins, _UNEQUAL),
    Design("unequal field, matches alike", _alike, _UNEQUAL),
    Design("unequal field, matches mirrored", _mirrored, _UNEQUAL),
    Design("wins near 1", _coins, (0.9, 0.92, 0.93, 0.94, 0.95, 0.95, 0.96, 0.97, 0.98, 0.99)),
    Design("points at 4 seats, equal field", _points, _EQUAL, 4),
    Design("points at 6 seats, unequal field", _points, _UNEQUAL, 6),
    Design("returns, unequal field", _normal, _CHIPS, is_share=False),
    Design("returns with tails of t3", _tails, _CHIPS, is_share=False, lowest=0.92),
    Design("returns of shove-or-fold", _shove, _CHIPS, is_share=False, lowest=0.92),
)


def coverage(design: Design, series: int, tournaments: int) -> float:
    """In which share of tournaments the interval holds the truth; `series`: with each set of opponents."""
    rng = np.random.default_rng([SEED, series])
    sets = len(design.means)
    means = np.tile(np.repeat(design.means, series), tournaments)
    sums = design.draw(rng, means, design.matches)
    strata = _strata(tournaments, sets, series, design.matches)
    found = estimates(strata, sums)
    truth, hits = float(np.mean(design.means)), 0
    for estimate, own in zip(found, sums.reshape(tournaments, -1), strict=True):
        if design.is_share:
            low, high = interval_of_share(estimate)
        else:
            series = np.repeat(np.arange(len(own)), design.matches)
            values = np.repeat(own / design.matches, design.matches)
            low, high = interval_of_mean(estimate, extremes_of(series, values, None))
        hits += low <= truth <= high
    return hits / tournaments


def _strata(tournaments: int, sets: int, series: int, matches: int) -> Strata:
    """Of one bot in each tournament; its opponents are left out, as nothing is asked about them."""
    every = tournaments * sets
    return Strata(
        bots=tournaments,
        members=np.repeat(np.arange(tournaments), sets)[:, None],
        of_series=np.repeat(np.arange(every), series),
        series=np.full(every, series),
        cell=np.arange(every * series),
        played=np.full((every * series, 1), float(matches)),
    )


def intervals_rows() -> Iterator[Measure]:
    """The coverage of each design, at 1, 2, 10 and 100 series of each set; too wide is allowed at 1 and 2."""
    for design in DESIGNS:
        for series, tournaments in TOURNAMENTS.items():
            share = 100 * coverage(design, series, tournaments)
            words = f"95 % intervals, 10 sets × {series} series: {design.what}"
            yield Measure("trust", words, "%", (share,), at_least(100 * design.lowest))
