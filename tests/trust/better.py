"""How often `better` and "X leads" are right: tournaments of bots whose true strengths are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from math import log
from typing import TypeAlias

import attrs
import numpy as np

from arena.analysis.strength.plackett_luce import Floats, Ints
from arena.analysis.strength.posterior import RETURNS_SPREADS, Posterior, posterior
from arena.analysis.strength.ratings import ELO, rate
from arena.bench.measures import Measure, Threshold, at_most

Strengths: TypeAlias = Callable[[np.random.Generator, int], Floats]
"""True strengths of so many bots in Elo."""

COPIES = 15.0
"""The standard deviation in Elo of near-copies."""


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(log(low), log(high))))


def normal(rng: np.random.Generator, bots: int, low: float = 5.0, high: float = 500.0) -> Floats:
    drawn: Floats = rng.normal(0, log_uniform(rng, low, high), bots)
    return drawn


def t2(rng: np.random.Generator, bots: int) -> Floats:
    drawn: Floats = rng.standard_t(2, bots) * log_uniform(rng, 5.0, 150.0)
    return drawn


def one_moved(rng: np.random.Generator, bots: int, by: float) -> Floats:
    """Near-copies, and one bot that is so much stronger."""
    drawn: Floats = rng.normal(0, COPIES, bots)
    drawn[rng.integers(bots)] += by
    return drawn


def two_groups(rng: np.random.Generator, bots: int) -> Floats:
    return np.where(np.arange(bots) < bots // 2, 400.0, 0.0) + rng.normal(0, COPIES, bots)


FIELDS: Mapping[str, Strengths] = {
    "normal": normal,
    "one hopeless bot": partial(one_moved, by=-800.0),
    "one far better bot": partial(one_moved, by=800.0),
    "t2 tails": t2,
    "two groups": two_groups,
}

POINTS, POINTS_OF = 3.0, {"two groups": 8.0}
"""By how many points a statement may be right less often than told, in all other fields and in these."""

BUCKETS = {"better": (0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0), "leads": (0.3, 0.5, 0.7, 0.8, 0.9, 0.99, 1.0)}
"""What was told is counted between these: a leader is told to be the best with less than others are told."""

CASES_MIN = 300
"""A bucket with fewer cases is pooled with the next."""

SURE, SURE_MIN = (0.7, 0.99), 30
"""What is shown once more, apart from what is nearly certain, without a goal as cases may be few."""

FIXED = (20.0, 50.0, 400.0)
"""Fields of one spread each, which nobody is told; 20 is that of versions of one bot."""

RUNS, RUNS_FIXED = 60, 20
"""Tournaments of each design, in each of `FIELDS` and of `FIXED`."""

SEED = 13

RETURNS_PER_ELO = 0.002
"""How much more a seat wins, in standard deviations of a match's luck, for each Elo that its bot is stronger."""


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
    RatedField(5, 2, 10, -0.6),
    RatedField(7, 2, 10, 0.0),
    RatedField(8, 2, 2, -0.6),
    RatedField(8, 2, 14, 0.5),
    RatedField(16, 2, 1, -0.3),
    RatedField(16, 2, 6, -0.6),
    RatedField(4, 4, 12, 0.3),
    RatedField(8, 4, 1, 0.3),
    RatedField(6, 6, 20, 0.3),
    RatedField(16, 4, 1, 0.3, share=0.05),
)
"""Each bot has 12 to 105 series."""

EVEN = tuple(design for design in DESIGNS if design.share == 1)
"""Those in which all have met the same others, as mean returns need it."""


@attrs.frozen(eq=False)
class Told:
    """What was said, and what was true."""

    chance: Floats
    is_true: Ints

    def among(self, low: float, high: float) -> Told:
        """What was told with a chance from `low` to less than `high`; with 1 if that is the highest."""
        cases = (self.chance >= low) & ((self.chance < high) | (high == 1))
        return Told(self.chance[cases], self.is_true[cases])

    @property
    def cases(self) -> int:
        return len(self.chance)

    @property
    def overconfidence(self) -> float:
        """By how many points the mean of what was told exceeds the share that was true."""
        return 100 * float(np.mean(self.chance) - np.mean(self.is_true))


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


Seen: TypeAlias = Callable[[np.random.Generator, Floats, RatedField], tuple[Floats, Posterior]]
"""The estimates after a tournament of bots with these strengths in Elo, and what is known then."""


def by_ratings(rng: np.random.Generator, strength: Floats, design: RatedField) -> tuple[Floats, Posterior]:
    columns = random_tournament(rng, strength / ELO, design)
    ratings = rate([str(bot) for bot in range(design.bots)], *columns)
    return ratings.rating, ratings.posterior


def by_returns(rng: np.random.Generator, strength: Floats, design: RatedField) -> tuple[Floats, Posterior]:
    """Mean returns in a zero-sum game, a tenth of whose series have threefold luck."""
    assert design.share == 1, "whoever met the weaker bots would win more"
    sets = np.array(list(combinations(range(design.bots), design.seats)))
    series = max(2, design.series)  # strata of one series have no variance
    stake = np.where(rng.random((len(sets), series, 1)) < 0.1, 3.0, 1.0) / np.sqrt(1.8)
    luck = stake * rng.standard_normal((len(sets), series, design.seats))
    won = RETURNS_PER_ELO * strength[sets][:, None] + luck
    won -= np.mean(won, axis=2, keepdims=True)
    means = np.mean(won, axis=1)
    apart = (won - means[:, None]) * np.sqrt(series / (series - 1))
    table = np.zeros((len(sets), series, design.bots))
    np.put_along_axis(table, np.broadcast_to(sets[:, None], won.shape), apart, axis=2)
    errors = table.reshape(-1, design.bots)
    strata = np.bincount(sets.ravel(), minlength=design.bots)
    estimate = np.bincount(sets.ravel(), means.ravel(), design.bots) / strata
    covariance = errors.T @ errors / np.outer(series * strata, series * strata)
    low, high = RETURNS_SPREADS
    typical = float(np.sqrt(np.mean(won**2)))
    freedom = np.maximum(1.0, (series - 1.0) * strata)
    return estimate, posterior(estimate, covariance, freedom, (low * typical, high * typical))


def statements(
    rng: np.random.Generator,
    runs: int,
    strengths: Strengths = normal,
    seen: Seen = by_ratings,
    designs: Sequence[RatedField] = DESIGNS,
) -> Mapping[str, Told]:
    """Every bot and the one after it ("better"), and every first bot ("leads"), of so many tournaments each."""
    better, leads = [], []
    for design in designs:
        for _ in range(runs):
            strength = strengths(rng, design.bots)
            estimate, known = seen(rng, strength, design)
            order = np.argsort(-estimate, kind="stable").tolist()
            leads.append((known.leads(order[0]), np.argmax(strength) == order[0]))
            for one, other in pairwise(order):
                better.append((known.better(one, other), strength[one] > strength[other]))
    return {"better": _told(better), "leads": _told(leads)}


def _told(rows: Sequence[tuple[float, bool]]) -> Told:
    chance, is_true = zip(*rows, strict=True)
    return Told(np.array(chance), np.array(is_true, np.int64))


def buckets(told: Told, edges: Sequence[float]) -> Iterator[tuple[float, float]]:
    """The buckets of these edges, those with few cases pooled with the next, or at the end with the one before."""
    first, *inner, last = edges
    cuts = [first]
    for edge in inner:
        if min(told.among(cuts[-1], edge).cases, told.among(edge, last).cases) >= CASES_MIN:
            cuts.append(edge)
    yield from pairwise([*cuts, last])


def better_rows() -> Iterator[Measure]:
    """Calibration in fields of all kinds; then among versions of one bot, and in fields of one spread."""
    for field in FIELDS:
        yield from field_rows(field)
    for spread in FIXED:
        rng = np.random.default_rng([SEED, int(spread)])
        told = statements(rng, RUNS_FIXED, partial(normal, low=spread, high=spread))["better"]
        yield from _shown(f"better, true spread {spread:.0f} Elo by ratings", told, SURE)


def field_rows(field: str) -> Iterator[Measure]:
    """Calibration in one kind of fields, by ratings and by returns."""
    for number, (kind, seen, designs) in enumerate(
        (("ratings", by_ratings, DESIGNS), ("returns", by_returns, EVEN))
    ):
        rng = np.random.default_rng([SEED, list(FIELDS).index(field), number])
        found = statements(rng, RUNS, FIELDS[field], seen, designs)
        for verdict, told in found.items():
            name = f"{verdict}, {field} by {kind}"
            for bucket in buckets(told, BUCKETS[verdict]):
                yield from _shown(name, told, bucket, at_most(POINTS_OF.get(field, POINTS)))
            yield from _shown(f"{name}, none nearly certain", told, SURE)


def _shown(
    name: str, told: Told, bucket: tuple[float, float], goal: Threshold | None = None
) -> Iterator[Measure]:
    some, (low, high) = told.among(*bucket), bucket
    what = f"{name}, told {100 * low:.0f} to {100 * high:.0f} %"
    yield Measure("trust", f"{what}: cases", "", (float(some.cases),))
    if some.cases >= SURE_MIN:
        yield Measure("trust", f"{what}: told − right", "points", (some.overconfidence,), goal)
