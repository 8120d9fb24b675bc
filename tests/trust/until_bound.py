"""The fewest series that any rule takes on average, if it errs in at most 5 % whatever the bots are like.

Garivier and Kaufmann, COLT 2016: kl(δ, 1 − δ) ÷ the evidence of one series, shared out among the sets in the way
that is best for these bots, against the nearest field in which a leader and another bot are level.  Luck
is taken for normal, with the variance that each set has.
"""

from __future__ import annotations

from math import log

import numpy as np

from arena.analysis.spread import Floats

from .until_fields import Field

ROUNDS = 20_000
PRECISION = 1.005
"""Upper and lower limit of the bound are as close as this."""


def fewest_series(field: Field, top: int, error: float) -> float:
    """The lower limit of the bound."""
    needed = _variances_over_squares(field, top)
    weights, most = np.full(len(needed), 1 / len(needed)), np.inf
    # The largest over pairs of Σ needed ÷ share is least where, by duality, shares go with √(Σ weight · needed).
    for number in range(ROUNDS):
        roots = np.sqrt(weights @ needed)
        shares = np.maximum(roots / roots.sum(), 1e-7)
        found = (needed / shares).sum(1)
        most, least = min(most, found.max()), float(roots.sum() ** 2)
        if most <= PRECISION * least:
            break
        weights = weights * np.exp(0.3 / np.sqrt(1 + number / 20) * (found / most - 1))
        weights /= weights.sum()
    return 2 * (1 - 2 * error) * log((1 - error) / error) * least


def _variances_over_squares(field: Field, top: int) -> Floats:
    """Pair of a leader and another bot × set: what a series adds to the variance of their difference, ÷ its square."""
    means = field.chances @ field.scores
    variances = np.maximum(1e-4, field.chances @ field.scores**2 - means**2)
    signs = np.zeros((field.bots, len(means)))
    for place, (first, second) in enumerate(field.places):
        signs[first, place], signs[second, place] = 1, -1
    signs /= field.bots - 1
    scores = signs @ (means - 0.5)
    order = np.argsort(-scores)
    pairs = [(leader, other) for leader in order[:top] for other in order[top:]]
    apart = np.array([signs[leader] - signs[other] for leader, other in pairs])
    ahead = np.array([scores[leader] - scores[other] for leader, other in pairs])
    return np.asarray(apart**2 * variances / ahead[:, None] ** 2)
