"""Fields of bots at two seats of which the truth is known, for simulations of `--until`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.spread import Floats
from arena.analysis.strength.meetings import Meetings, Places

LIARS_DICE_SERIES = 60
LIARS_DICE = """
2/32 35/24 0/3 0/9 0/10 0/14 0/12 60/0 0/14 12/35 46/13 0/8 1/20 1/9 0/10 0/16 60/0 1/25 13/38 0/1
0/8 0/3 0/6 0/2 59/1 0/2 0/17 6/42 0/60 2/24 14/46 60/0 32/27 49/11 4/52 5/28 20/38 60/0 26/34 50/10
1/31 20/40 60/0 31/26 47/13 42/17 60/0 44/16 56/4 60/0 13/46 36/24 0/0 0/0 32/28
"""
"""Pair by pair of eleven bots: in how many of 60 series of Liar's Dice the first won twice, and once.

Played in November 2026 by bots of `bots/` and some with one constant changed: bluffer, bluffer-calm (NERVE
0.1), bluffer-wild (0.8), odds, odds-low (HEIGHT 0), odds-rash (CAUTION 1.1), odds-trusting (TRUST 1.2),
odds-wary (0.3), random, scout, truthful.  By these frequencies odds-trusting is the best; odds, odds-rash and
odds-low, which are within 0.005 of each other, come next.
"""
LEVEL = 1e-9
"""Means closer than this are equal."""
_OPPOSED = np.array([[1.0, -1.0], [-1.0, 1.0]])


@attrs.frozen(eq=False)
class Field:
    """What the first bot of each pair scores in a series, and how often; the second one has the rest of 1."""

    bots: int
    scores: Floats
    chances: Floats
    """Set × score."""

    @property
    def places(self) -> Places:
        return np.array(list(combinations(range(self.bots), 2)))

    def leaders(self, top: int) -> NDArray[np.bool_] | None:
        """Bot -> whether it is among the true first so many; None if the last place is tied."""
        ones = np.ones((1, len(self.places), 1))
        means = self.meetings(ones * self.chances).scores[0]
        order = np.sort(means)[::-1]
        return None if order[top - 1] - order[top] < LEVEL else np.asarray(means > order[top] + LEVEL / 2)

    def meetings(self, counts: Floats) -> Meetings:
        """… × set × score, how many series had it -> what is known of the sets."""
        series = counts.sum(-1)
        mean = counts @ self.scores / series
        squares = np.maximum(0.0, counts @ self.scores**2 / series - mean**2)
        variance = squares * series / np.maximum(1.0, series - 1)
        means = np.stack([mean, 1 - mean], -1)
        return Meetings(self.bots, self.places, series, means, variance[..., None, None] * _OPPOSED)


def by_chances(bots: int, first_wins: Sequence[float]) -> Field:
    """Series of two matches, each won by the first bot with this chance, pair by pair."""
    wins = np.array(first_wins)
    return Field(
        bots, np.array([0.0, 0.5, 1.0]), np.stack([(1 - wins) ** 2, 2 * wins * (1 - wins), wins**2], 1)
    )


def by_elo(strengths: Sequence[float]) -> Field:
    """Bradley and Terry's model."""
    pairs = combinations(strengths, 2)
    return by_chances(len(strengths), [1 / (1 + 10 ** ((second - first) / 400)) for first, second in pairs])


def in_circles(circles: int, won: float) -> Field:
    """Circles of three: within each, a bot beats the next one with this chance; others are even."""
    chances = []
    for first, second in combinations(range(3 * circles), 2):
        is_one = first // 3 == second // 3
        chances.append((won if second - first == 1 else 1 - won) if is_one else 0.5)
    return by_chances(3 * circles, chances)


def of_liars_dice() -> Field:
    """Real bots: their series of that game are drawn again."""
    won = (
        np.array([[int(count) for count in pair.split("/")] for pair in LIARS_DICE.split()])
        / LIARS_DICE_SERIES
    )
    chances = np.stack([1 - won.sum(1), won[:, 1], won[:, 0]], 1)
    return Field(11, np.array([0.0, 0.5, 1.0]), np.maximum(0.0, chances))


def with_rare_losses(bots: int) -> Field:
    """Even bots, of which the first wins 1 nine times of ten and loses 9 once; others win or lose 1.

    Bounds of −9 and 9 are 0 and 1 here.
    """
    is_first = np.arange(bots * (bots - 1) // 2) < bots - 1
    chances = np.where(is_first[:, None], [0.1, 0.0, 0.9], [0.0, 0.5, 0.5])
    return Field(bots, np.array([0.0, 8 / 18, 10 / 18]), chances)
