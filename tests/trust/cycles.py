"""How often misfit is said where there is none, and where bots do beat each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import attrs
import numpy as np

from arena.analysis.strength.cycles import Pairs, circles, misfit_of, pairs_from, surely_beats
from arena.analysis.strength.plackett_luce import Floats
from arena.analysis.strength.ratings import ELO
from arena.bench.measures import Measure, at_least, at_most


@attrs.frozen
class PairedField:
    """A round-robin, and how far results are from one number per bot."""

    bots: int
    series: int
    """Of every set of bots."""
    alike: float = 0.0
    """How often both matches of a series go alike (below 0: opposite, as on mirrored deals)."""
    spread: float = 200.0
    """The standard deviation of strengths in Elo."""
    luck: float = 0.0
    """In which share of matches strength does not matter."""
    circle: float = 0.0
    """By how much the share of a bot against those half a circle after it exceeds what its strength says."""
    seats: int = 2

    def __str__(self) -> str:
        seats = "" if self.seats == 2 else f", {self.seats} seats"
        luck = f", luck {self.luck}" if self.luck else ""
        how = "" if not self.alike else ", alike" if self.alike > 0 else ", mirrored"
        return f"{self.bots} bots{seats}, {self.series} series a set, spread {self.spread:.0f}{luck}{how}"


SOUND = (
    PairedField(3, 3),
    PairedField(3, 10, spread=0, alike=-0.7),
    PairedField(3, 30, alike=0.7),
    PairedField(4, 2, alike=-0.7),
    PairedField(4, 10, spread=400),
    PairedField(8, 2),
    PairedField(8, 5, alike=-0.7, spread=50),
    PairedField(8, 20, luck=0.3, spread=400),
    PairedField(8, 100, luck=0.1, spread=300),
    PairedField(20, 2, alike=-0.7, spread=100),
    PairedField(20, 5, spread=300),
    PairedField(20, 20, luck=0.4, spread=300),
    PairedField(5, 10, seats=4),
    PairedField(8, 2, seats=4, spread=100),
    PairedField(3, 40, spread=800),
    PairedField(8, 20, spread=800),
)
"""Fields in which one number per bot says who beats whom."""

CIRCLES = (
    PairedField(3, 10, spread=0, circle=0.3),
    PairedField(3, 30, spread=0, circle=0.2),
    PairedField(5, 20, spread=50, circle=0.2),
    PairedField(8, 20, spread=100, circle=0.15),
    PairedField(20, 10, spread=100, circle=0.15),
)
"""Fields with circles."""

RUNS = 400


def random_pairs(rng: np.random.Generator, field: PairedField) -> Pairs:
    """The pairs of one tournament of series of two matches."""
    strength = rng.normal(0, field.spread / ELO, field.bots)
    sets = np.repeat(np.array(list(combinations(range(field.bots), field.seats))), field.series, axis=0)
    if field.seats > 2:
        return _ranked(rng, strength, sets)
    first, second = sets.T
    share = field.luck / 2 + (1 - field.luck) / (1 + np.exp(strength[second] - strength[first]))
    ahead = (second - first) % field.bots <= field.bots // 2
    share = np.clip(share + field.circle * np.where(ahead, 1, -1), 0.02, 0.98)
    draw = rng.random((len(sets), 2))
    shared = rng.random(len(sets)) < abs(field.alike)
    draw[:, 1] = np.where(shared, draw[:, 0] if field.alike > 0 else 1 - draw[:, 0], draw[:, 1])
    series = np.repeat(np.arange(len(sets)), 2)
    score = (draw < share[:, None]).astype(np.float64).ravel()
    return pairs_from(field.bots, series, np.repeat(first, 2), np.repeat(second, 2), score)


def _ranked(
    rng: np.random.Generator, strength: Floats, sets: np.ndarray[tuple[int, int], np.dtype[np.int64]]
) -> Pairs:
    """Plackett–Luce with more seats; half of the series have the same luck in both matches."""
    noise = rng.gumbel(size=(len(sets), 2, sets.shape[1]))
    shared = rng.random(len(sets)) < 0.5
    noise[shared, 1] = noise[shared, 0]
    skill = strength[sets][:, None] + noise
    rows = []
    for one, other in combinations(range(sets.shape[1]), 2):
        score = (skill[..., one] > skill[..., other]).astype(np.float64)
        series = np.repeat(np.arange(len(sets)), 2)
        rows.append((series, np.repeat(sets[:, one], 2), np.repeat(sets[:, other], 2), score.ravel()))
    return pairs_from(len(strength), *(np.concatenate(column) for column in zip(*rows, strict=True)))


def frequencies(rng: np.random.Generator, field: PairedField, runs: int) -> tuple[float, float]:
    """In which share of so many tournaments there is significant misfit, and in which a sure circle."""
    found = np.zeros((runs, 2))
    for run in range(runs):
        pairs = random_pairs(rng, field)
        tested = misfit_of(pairs)
        found[run] = tested is not None and tested.is_significant, any(circles(surely_beats(pairs)))
    shares = found.mean(axis=0)
    return float(shares[0]), float(shares[1])


def cycle_rows() -> Iterator[Measure]:
    """False alarms, then how often circles are found."""
    rng = np.random.default_rng(17)
    for field in SOUND:
        shares = frequencies(rng, field, RUNS if field.bots < 20 else RUNS // 4)
        what = f"misfit said though there is none: {field}"
        yield Measure(
            "trust", what, "%", (100 * shares[0],), at_most(5 + 100 * 2 * (0.05 * 0.95 / RUNS) ** 0.5)
        )
        yield Measure(
            "trust", f"a sure circle said though there is none: {field}", "%", (100 * shares[1],), at_most(5)
        )
    for field in CIRCLES:
        shares = frequencies(rng, field, RUNS // 4)
        what = f"{field}, circles of ±{100 * field.circle:.0f} points"
        yield Measure("trust", f"misfit found: {what}", "%", (100 * shares[0],), at_least(80))
        yield Measure("trust", f"a sure circle found: {what}", "%", (100 * shares[1],))
