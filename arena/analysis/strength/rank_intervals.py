"""Which ranks a bot may truly have: 95 % intervals that hold for all bots of a field together.

A rank is a fact about the matches that were played; whose strength has which rank is an estimate, and
where bots are alike most ranks are luck. Bot i is surely stronger than j if its estimate leads by more
standard errors than the largest lead between any two bots does by luck alone, in 95 %. A bot's true rank
lies between one more than the number of those surely stronger, and the number of those not surely weaker.
With 95 % all these leads are true at once, and so are all intervals (Mogstad, Romano, Shaikh & Wilhelm,
Rev. Econ. Stud. 91, 2024, 476–518). What is sure by the first bound cannot be luck any more, so that the
next bound is that of the other leads alone, and so on (step-down: Romano & Wolf, Econometrica 73, 2005,
1237–1282).

`tests/trust/ranks.py` shows how often they hold, and how wide they are.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from arena.analysis.strength.plackett_luce import Floats, Ints
from arena.analysis.student import as_student

LEVEL = 0.95
DRAWS = 2_000
"""How many draws show what luck alone does: the level is then known to half a percent."""

SIMULATED_MAX = 60
"""In larger fields the bound is Bonferroni's, a little wider: every draw takes the square of their number."""

_AT_ONCE = 1 << 21
"""How many differences are looked at at once, to bound the memory."""


def rank_intervals(estimate: Floats, covariance: Floats, freedom: Floats) -> tuple[Ints, Ints]:
    """The best and the worst rank, counted from 1, that each bot's true strength may have.

    `freedom`: degrees of freedom of each bot's estimate, whose median counts for all.  What all estimates
    have in common does not matter.
    """
    bots = len(estimate)
    variance = np.diag(covariance)
    squares = variance[:, None] + variance - 2 * covariance
    with np.errstate(divide="ignore", invalid="ignore"):
        lead = (estimate[:, None] - estimate) / np.sqrt(np.maximum(squares, 0.0))
    lead = np.where(np.isfinite(lead), np.round(lead, 6), 0.0)  # the same on every processor
    sure = np.zeros((bots, bots), np.bool_)
    bound = _Bound(covariance, freedom)
    while True:
        found = lead > bound.of(~(sure | sure.T))
        if not np.any(found & ~sure):
            return 1 + np.count_nonzero(sure, axis=0), bots - np.count_nonzero(sure, axis=1)
        sure |= found


class _Bound:
    """How many standard errors the largest lead of some pairs has by luck alone, at most, in 95 %."""

    def __init__(self, covariance: Floats, freedom: Floats) -> None:
        self._bots = len(covariance)
        self._freedom = max(1.0, float(np.median(freedom))) if self._bots else 1.0
        if self._is_simulated:
            values, turn = np.linalg.eigh(covariance)
            root = turn * np.sqrt(np.maximum(0.0, values))
            rng = np.random.default_rng(0)
            draws = rng.standard_normal((DRAWS, self._bots)) @ root.T
            self._draws = draws * np.sqrt(self._freedom / rng.chisquare(self._freedom, DRAWS))[:, None]
            variance = np.diag(covariance)
            self._errors = np.sqrt(np.maximum(1e-12, variance[:, None] + variance - 2 * covariance))

    @property
    def _is_simulated(self) -> bool:
        return self._bots <= SIMULATED_MAX

    def of(self, pairs: NDArray[np.bool_]) -> float:
        """The bound for the leads in these pairs, a symmetric (bots, bots), whichever bot is ahead."""
        pairs = np.triu(pairs, 1)
        if not pairs.any():
            return float("inf")
        if not self._is_simulated:
            return _quantile(self._freedom, 1 - (1 - LEVEL) / (2 * np.count_nonzero(pairs)))
        first, second = np.nonzero(pairs)
        errors, step = self._errors[first, second], max(1, _AT_ONCE // len(first))
        largest = [
            np.max(np.abs(part[:, first] - part[:, second]) / errors, axis=1)
            for part in (self._draws[begin : begin + step] for begin in range(0, DRAWS, step))
        ]
        return float(np.round(np.quantile(np.concatenate(largest), LEVEL), 3))


def _quantile(freedom: float, share: float) -> float:
    """Student's t that is as unlikely as the normal quantile of this share."""
    return float(as_student(np.array(NormalDist().inv_cdf(share)), np.array(freedom)))
