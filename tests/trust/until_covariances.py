"""Whether the bound of one pair is enough for all pairs of a leader and another, whatever depends on what.

The scores of even bots are Brownian motions with an arbitrary covariance, looked at all the time; whichever
leaders are declared, they are wrong.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from arena.analysis.spread import Floats
from arena.analysis.stopping.mixture import TYPICAL_SERIES, error_levels

WALKS = 2000
COVARIANCES = 150
TIMES = np.geomspace(0.2, 300.0, 50)
"""In units of `TYPICAL_SERIES`."""
BOTS_MAX = 5
ERROR = 0.05


def largest_error() -> float:
    """The largest share of walks in which leaders are declared, over random covariances and a line.

    All covariances have the same walks, so that the largest is not the largest of many noises.
    """
    rng = np.random.default_rng(1)
    steps = rng.normal(size=(WALKS, len(TIMES), BOTS_MAX)) * np.sqrt(np.diff(TIMES, prepend=0.0))[:, None]
    walks = steps.cumsum(axis=1) / np.sqrt(TIMES)[:, None]
    line = np.outer([1.0, 0.0, -1.0], np.eye(BOTS_MAX)[0])
    return max(declared_shares(walks, bots) for bots in [line, *_arbitrary(rng)])


def _arbitrary(rng: np.random.Generator) -> list[Floats]:
    """Bots as points: their distances are the standard errors of their differences."""
    found = []
    for _ in range(COVARIANCES):
        bots = rng.normal(size=(int(rng.integers(3, BOTS_MAX + 1)), BOTS_MAX))
        # Also nearly on a line or in a plane, where being ahead of one is being ahead of others.
        found.append(bots * rng.uniform(0, 1, BOTS_MAX) ** 3)
    return found


def declared_shares(walks: Floats, bots: Floats) -> float:
    """The largest share of walks, over numbers of leaders, in which some set of leaders is declared."""
    scores = walks @ bots.T
    errors = np.linalg.norm(bots[:, None] - bots[None, :], axis=-1)
    np.fill_diagonal(errors, 1.0)
    margins = (scores[..., :, None] - scores[..., None, :]) / errors
    levels = error_levels(margins, TIMES[:, None, None] * TYPICAL_SERIES)
    beyond = (margins > 0) & (levels <= ERROR)
    return max(_shares(beyond, top) for top in range(1, len(bots)))


def _shares(beyond: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], top: int) -> float:
    bots = range(beyond.shape[-1])
    is_declared = np.zeros(beyond.shape[:2], bool)
    for leaders in combinations(bots, top):
        others = [bot for bot in bots if bot not in leaders]
        is_declared |= beyond[..., leaders, :][..., others].all((-2, -1))
    return float(is_declared.any(-1).mean())
