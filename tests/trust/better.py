"""How often `better` and "X leads" are right: tournaments of bots whose true strengths are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import log

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.strength.plackett_luce import Floats, Ints
from arena.analysis.strength.posterior import Posterior
from arena.analysis.strength.ratings import ELO, rate
from arena.bench.measures import Measure, at_most

SPREADS = (5.0, 500.0)
"""True standard deviations of ratings in Elo, drawn log-uniformly."""

BUCKETS, LEADER_BUCKETS = ((0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 0.99)), ((0.7, 0.9), (0.9, 0.99))
"""What was told, from and to: about 1,000 cases or more in each."""


FIXED = (10.0, 20.0, 50.0, 150.0, 400.0)
"""Fields of one spread each, which nobody is told; 20 is that of versions of one bot."""

RUNS, RUNS_LEADERS, RUNS_FIXED = 500, 1200, 60
"""Tournaments of each design: over all spreads, for neighbours and for leaders; and for each of `FIXED`."""

CASES_MIN = 30
"""Of fewer no share is given."""


@attrs.frozen
class RatedField:
    """A schedule: every set of so many bots plays `series` series of two matches, or only some sets."""

    bots: int
    seats: int
    series: int
    alike: float
    """How often a match has the luck of its series; below 0: with sides changed (two seats)."""
    share: float = 1.0
    """The share of all sets that meet."""


DESIGNS = (
    RatedField(4, 2, 4, 0.0),
    RatedField(4, 2, 30, -0.6),
    RatedField(8, 2, 2, -0.6),
    RatedField(8, 2, 14, 0.5),
    RatedField(16, 2, 1, -0.3),
    RatedField(16, 2, 6, -0.6),
    RatedField(4, 4, 12, 0.3),
    RatedField(8, 4, 1, 0.3),
    RatedField(16, 4, 1, 0.3, share=0.05),
)
"""Each bot has 12 to 105 series."""


@attrs.frozen(eq=False)
class Told:
    """What was said about neighbours on leaderboards, or about their leaders, and what was true."""

    chance: Floats
    is_true: Ints
    spread: Floats


def true_strengths(rng: np.random.Generator, bots: int, spread: float) -> Floats:
    """True strengths in natural units, of a normal distribution with this standard deviation in Elo."""
    drawn: Floats = rng.normal(0, spread / ELO, bots)
    return drawn


def random_tournament(
    rng: np.random.Generator, strength: Floats, design: RatedField
) -> tuple[Ints, Ints, Ints, Ints]:
    """Columns match, series, bot, rank: a match is the order of strength + Gumbel noise (Plackett–Luce)."""
    sets = np.array(list(combinations(range(design.bots), design.seats)))
    if design.share < 1:
        sets = sets[rng.permutation(len(sets))[: round(design.share * len(sets))]]
    sets = np.repeat(sets, design.series, axis=0)
    shape = (len(sets), 2, design.seats)
    shared = rng.random((len(sets), 1, 1)) < abs(design.alike)
    noise = np.where(shared, rng.gumbel(size=(len(sets), 1, design.seats)), rng.gumbel(size=shape))
    if design.alike < 0:
        noise[:, 1] *= -1  # the difference of two Gumbel values is symmetric, so that the model still holds
        noise[:, 1] = np.where(shared[:, 0], noise[:, 1], rng.gumbel(size=noise[:, 1].shape))
    skill = strength[sets][:, None] + noise
    rank = 1 + np.sum(skill[..., None, :] > skill[..., :, None], axis=-1)
    match = np.broadcast_to(np.arange(2 * len(sets)).reshape(-1, 2, 1), shape)
    series = np.broadcast_to(np.arange(len(sets))[:, None, None], shape)
    bot = np.broadcast_to(sets[:, None], shape)
    return match.ravel(), series.ravel(), bot.ravel(), rank.ravel()


def rated(design: RatedField, spread: float, rng: np.random.Generator) -> tuple[Floats, list[int], Posterior]:
    """The true strengths, the bots by rating, and what is known of them after one tournament."""
    strength = true_strengths(rng, design.bots, spread)
    ratings = rate([str(bot) for bot in range(design.bots)], *random_tournament(rng, strength, design))
    order = np.argsort(-ratings.rating, kind="stable").tolist()
    return strength, order, ratings.posterior


def neighbours(
    rng: np.random.Generator,
    runs: int,
    designs: Sequence[RatedField] = DESIGNS,
    spreads: tuple[float, float] = SPREADS,
) -> Told:
    """Every bot and the one after it, by rating, in so many tournaments of each design."""
    rows = []
    for spread, (strength, order, known) in _tournaments(rng, runs, designs, spreads):
        for one, other in pairwise(order):
            rows.append((known.better(one, other), strength[one] > strength[other], spread))
    return _told(rows)


def first_bots(
    rng: np.random.Generator,
    runs: int,
    designs: Sequence[RatedField] = DESIGNS,
    spreads: tuple[float, float] = SPREADS,
) -> Told:
    """The first bot of each leaderboard, and whether it is the best of all."""
    rows = []
    for spread, (strength, order, known) in _tournaments(rng, runs, designs, spreads):
        rows.append((known.leads(order[0]), np.argmax(strength) == order[0], spread))
    return _told(rows)


def _tournaments(
    rng: np.random.Generator, runs: int, designs: Sequence[RatedField], spreads: tuple[float, float]
) -> Iterator[tuple[float, tuple[Floats, list[int], Posterior]]]:
    for design in designs:
        for spread in np.exp(rng.uniform(log(spreads[0]), log(spreads[1]), runs)).tolist():
            yield spread, rated(design, spread, rng)


def _told(rows: Sequence[tuple[float, bool, float]]) -> Told:
    chance, is_true, spread = zip(*rows, strict=True)
    return Told(np.array(chance), np.array(is_true, np.int64), np.array(spread))


def right(told: Told, cases: NDArray[np.bool_]) -> float:
    """By how much the share of true statements exceeds what was told on average."""
    return float(np.mean(told.is_true[cases]) - np.mean(told.chance[cases]))


def better_rows() -> Iterator[Measure]:
    """Calibration over log-uniform spreads; then among versions of one bot, and in fields of one spread."""
    rng = np.random.default_rng(13)
    yield from _calibration("better than next", neighbours(rng, RUNS), BUCKETS)
    yield from _calibration("leads", first_bots(rng, RUNS_LEADERS), LEADER_BUCKETS)
    for spread in FIXED:
        told = neighbours(rng, RUNS_FIXED, spreads=(spread, spread))
        sure = (told.chance >= 0.9) & (told.chance < 0.99)
        what = f"better than next, true spread {spread:.0f} Elo, told 90 to 99 %"
        yield Measure("trust", f"{what}: cases", "of 100", (100 * float(np.mean(sure)),))
        if np.count_nonzero(sure) >= CASES_MIN:
            yield Measure("trust", f"{what}: right − told", "points", (100 * right(told, sure),))


def _calibration(name: str, told: Told, buckets: Sequence[tuple[float, float]]) -> Iterator[Measure]:
    for low, high in buckets:
        cases = (told.chance >= low) & (told.chance < high)
        what = f"{name}: told {low:.0%} to {high:.0%}, {np.count_nonzero(cases):,} cases: |right − told|"
        yield Measure("trust", what, "points", (100 * abs(right(told, cases)),), at_most(3))
