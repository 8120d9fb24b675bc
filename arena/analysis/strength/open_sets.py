"""Decides which sets of bots should meet next, so that the leaders are settled with the fewest series.

A pair of a leader and another bot is open as far as chance may have ordered it: with margin z its weight is
exp(−z² / 2), the rate at which the probability of a wrong order falls (Glynn and Juneja, Winter Simulation
Conference 2004).  A set of bots helps a pair by what its series add to the variance of their difference: so
bots whose place is open go on meeting everybody, each other most, and those whose place is decided meet
less often.  For a sum of variances ÷ series the best numbers of series are in the proportion of the
variances' square roots (Neyman, J. Royal Stat. Soc. 97, 1934); what was played already is taken off.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.analysis.spread import Floats
from arena.analysis.strength.meetings import Meetings


def open_shares(meetings: Meetings, leads: Floats, extremes: tuple[float, float]) -> Floats:
    """… × set: the part of the next lap's series that it should play; equal parts if nothing is open.

    `leads`: … × bot, 1 for the leaders and 0 for the others; `extremes` as in `Meetings.margins`.
    """
    pooled = meetings.moderated(extremes)
    wanted = np.sqrt(np.maximum(0.0, _help(pooled, _weights(pooled, leads))))
    wanted = np.where(wanted.sum(-1, keepdims=True) > 0, wanted, 1.0)
    more = _filled(meetings.series, wanted, meetings.series.shape[-1])
    return np.asarray(more / more.sum(-1, keepdims=True))


def _weights(meetings: Meetings, leads: Floats) -> Floats:
    """… × bot × bot: what less variance of a pair's difference is worth; symmetric."""
    scores, variances = meetings.scores, meetings.variances(meetings.series)
    is_pair = (leads[..., :, None] > 0) & (leads[..., None, :] == 0) & (variances > 0)
    variances = np.where(is_pair, variances, 1.0)
    # The expected squared difference, so that bots that happen to be level are open, too.
    squares = (scores[..., :, None] - scores[..., None, :]) ** 2 / variances + 1
    weights = openness(squares, is_pair) * squares / variances
    return weights + np.swapaxes(weights, -1, -2)


def openness(squares: Floats, is_pair: NDArray[np.bool_]) -> Floats:
    """… × bot × bot: how open the order of each pair is, 1 for the one that is most open; 0 for no pairs.

    `squares`: their squared margins.
    """
    nearest = np.where(is_pair, squares, np.inf).min((-2, -1), keepdims=True)
    gaps = squares - np.where(np.isfinite(nearest), nearest, 0.0)
    return np.where(is_pair, np.exp(-np.maximum(0.0, gaps) / 2), 0.0)


def _help(meetings: Meetings, weights: Floats) -> Floats:
    """… × set: the weighted variance that one of its series has in all pairs' differences."""
    # Σ w·(Cii + Cjj − 2·Cij) over pairs is the product with the weights' Laplacian.
    laplacian = -weights
    diagonal = np.arange(meetings.bots)
    laplacian[..., diagonal, diagonal] += weights.sum(-1)
    padded = np.zeros((*weights.shape[:-2], meetings.bots + 1, meetings.bots + 1))
    padded[..., :-1, :-1] = laplacian
    places = meetings.places
    own = padded[..., places[:, :, None], places[:, None, :]]
    return np.asarray((own * meetings.shared).sum((-2, -1)))


def _filled(series: Floats, wanted: Floats, more: int) -> Floats:
    """… × set: `more` series that bring the numbers as close to the proportion `wanted` as adding can."""
    wanted = np.maximum(wanted, 1e-12 * wanted.max(-1, keepdims=True))
    levels = series / wanted
    order = np.argsort(levels, axis=-1, kind="stable")
    levels = np.take_along_axis(levels, order, -1)
    before = np.take_along_axis(series, order, -1).cumsum(-1)
    reached = (before + more) / np.take_along_axis(wanted, order, -1).cumsum(-1)
    following = np.concatenate([levels[..., 1:], np.full((*levels.shape[:-1], 1), np.inf)], -1)
    last = (reached <= following).argmax(-1)[..., None]
    return np.maximum(0.0, np.take_along_axis(reached, last, -1) * wanted - series)
