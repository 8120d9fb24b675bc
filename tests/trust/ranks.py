"""How often the intervals of all true ranks of a field hold together, and how wide they are."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np

from arena.analysis.strength.plackett_luce import Floats, Ints
from arena.analysis.strength.rank_intervals import rank_intervals
from arena.analysis.strength.ratings import ELO, rate
from arena.bench.measures import Measure, at_least

from .better import DESIGNS, RatedField, random_tournament

RUNS = 60
"""Tournaments of each design."""
LOWEST = 0.93
"""The share of tournaments in which all intervals should hold."""
SEED = 17


@attrs.frozen
class RankedField:
    """True strengths in Elo, drawn for a number of bots."""

    what: str
    spread: float = 0.0
    """The standard deviation of a normal distribution."""
    outliers: int = 0
    """So many bots are this far away:"""
    away: float = 0.0

    def draw(self, rng: np.random.Generator, bots: int) -> Floats:
        strength = rng.normal(0.0, self.spread, bots) if self.spread else np.zeros(bots)
        strength[: self.outliers] += self.away
        return strength / ELO


FIELDS = (
    RankedField("all even"),
    RankedField("a spread of 20 Elo", 20.0),
    RankedField("a spread of 150 Elo", 150.0),
    RankedField("a spread of 400 Elo", 400.0),
    RankedField("near-copies and one hopeless bot", 15.0, 1, -800.0),
    RankedField("two even bots 400 Elo above even ones", 0.0, 2, 400.0),
)


def true_ranks(strength: Floats) -> tuple[Ints, Ints]:
    """The ranks that each bot has: even bots have all that they share."""
    above = np.sum(strength[None, :] > strength[:, None] + 1e-12, axis=1)
    below = np.sum(strength[None, :] < strength[:, None] - 1e-12, axis=1)
    return 1 + above, len(strength) - below


def told(field: RankedField, design: RatedField, runs: int, seed: int) -> tuple[int, float]:
    """In how many tournaments all intervals hold, and the mean width, as a share of the widest possible."""
    rng, held, wide = np.random.default_rng([SEED, seed]), 0, 0.0
    for _ in range(runs):
        strength = field.draw(rng, design.bots)
        ratings = rate([str(bot) for bot in range(design.bots)], *random_tournament(rng, strength, design))
        low, high = rank_intervals(ratings.rating, ratings.evidence, ratings.freedom)
        best, worst = true_ranks(strength)
        held += bool(np.all((low <= best) & (worst <= high)))
        wide += float(np.mean(high - low)) / (design.bots - 1)
    return held, wide / runs


def ranks_rows() -> Iterator[Measure]:
    """Of each kind of field, over all designs."""
    for field in FIELDS:
        found = [told(field, design, RUNS, seed) for seed, design in enumerate(DESIGNS)]
        share = 100 * sum(held for held, _ in found) / (RUNS * len(DESIGNS))
        wide = 100 * sum(width for _, width in found) / len(found)
        yield Measure("trust", f"true ranks, {field.what}: all held", "%", (share,), at_least(100 * LOWEST))
        yield Measure("trust", f"true ranks, {field.what}: mean width, of all places", "%", (wide,))
