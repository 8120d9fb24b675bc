"""How often an interval that is looked at again and again misses the truth at some look, and what it would cost not to."""

from __future__ import annotations

from collections.abc import Iterator
from math import log, sqrt
from statistics import NormalDist

import numpy as np

from arena.analysis.intervals import Estimate, interval_of_share
from arena.bench.measures import Measure

SERIES, MATCHES = 2000, 2
"""What a run of two even bots has in the end, and how many matches each series has."""
LOOKS = (1, 10, 50, 200)
"""How often a run is looked at, after equally many series each time, the last time at its end."""
RUNS = 1000
SEED = 29
ALPHA = 0.05
LENGTHS = (0.1, 0.25, 1.0, 4.0, 10.0)
"""Lengths of runs, in parts of that for which a confidence sequence is made as narrow as it can be."""


def misses(rng: np.random.Generator) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """(runs, looks): whether the interval of the share misses ½, at each of the most frequent looks."""
    step = SERIES // max(LOOKS)
    won = rng.binomial(MATCHES, 0.5, (RUNS, SERIES)) / MATCHES
    sums, squares = np.cumsum(won, axis=1), np.cumsum(won**2, axis=1)
    found = np.zeros((RUNS, max(LOOKS)), np.bool_)
    for look in range(max(LOOKS)):
        n = (look + 1) * step
        mean = sums[:, n - 1] / n
        variance = (squares[:, n - 1] / n - mean**2) / (n - 1)
        for run, (m, v) in enumerate(zip(mean.tolist(), variance.tolist(), strict=True)):
            low, high = interval_of_share(Estimate(n, m, v, v**2 / (n + 1), n - 1.0, 1 / n))
            found[run, look] = not low <= 0.5 <= high
    return found


def width_of_sequence(length: float) -> float:
    """By how much a confidence sequence of level 1 − α is wider than the interval for one look.

    Robbins' normal mixture (Annals of Mathematical Statistics 41, 1970, 1397–1409; Howard, Ramdas, McAuliffe &
    Sekhon, Annals of Statistics 49, 2021, 1055–1080, section 3), with the mixture that is narrowest at length 1.
    """
    from scipy.special import lambertw  # here: it takes longer to import than the tests of this room take

    best = -float(lambertw(-(ALPHA**2) / np.e, -1).real) - 1
    x = best * length
    return sqrt((1 + 1 / x) * log((1 + x) / ALPHA**2)) / NormalDist().inv_cdf(1 - ALPHA / 2)


def looks_rows() -> Iterator[Measure]:
    """How often some look misses; and the widths of intervals that hold at all looks."""
    found = misses(np.random.default_rng(SEED))
    for looks in LOOKS:
        seen = found[:, max(LOOKS) // looks - 1 :: max(LOOKS) // looks]
        share = 100 * float(np.mean(np.any(seen, axis=1)))
        yield Measure(
            "trust",
            f"95 % interval looked at {looks} times: the truth is outside at some look",
            "%",
            (share,),
        )
    for length in LENGTHS:
        what = f"confidence sequence, {length:g} times the length it is made for: width ÷ that for one look"
        yield Measure("trust", what, "", (width_of_sequence(length),))
