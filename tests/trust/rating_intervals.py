"""How often the 95 % intervals of ratings hold the truth where bots meet few others, or few times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from arena.analysis.strength.plackett_luce import Floats
from arena.analysis.strength.ratings import ANCHOR, ELO, rate
from arena.bench.measures import Measure, at_least

BOTS, MATCHES, RUNS, SEED = 8, 2, 400, 31
"""Bots of a field, matches of a series, tournaments of each kind."""
SPREAD = 150.0
"""The standard deviation of true strengths in Elo."""
LOWEST = 93.0

Duel: TypeAlias = tuple[int, int]
"""Two bots that meet, by number."""


class Course:
    """The matches of a tournament of two seats, played series by series."""

    def __init__(self, rng: np.random.Generator, strength: Floats) -> None:
        self._rng, self._strength = rng, strength / ELO
        self._won: list[tuple[Duel, Floats]] = []

    def play(self, duels: Sequence[Duel], series: int) -> None:
        """Each two play so many series."""
        for first, second in duels:
            chance = 1 / (1 + np.exp(self._strength[second] - self._strength[first]))
            for _ in range(series):
                self._won.append(((first, second), self._rng.random(MATCHES) < chance))

    def winner(self, duel: Duel) -> int:
        """Who won more of their matches; the first if neither did."""
        share = np.mean([won for which, won in self._won if which == duel])
        return duel[int(share < 0.5)]

    def points(self) -> Floats:
        """What each bot has won."""
        points = np.zeros(len(self._strength))
        for (first, second), won in self._won:
            points[first] += np.sum(won)
            points[second] += np.sum(~won.astype(bool))
        return points

    def columns(self) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], ...]:
        """Columns match, series, bot, rank."""
        rows = [
            (MATCHES * series + match, series, bot, rank)
            for series, ((first, second), won) in enumerate(self._won)
            for match, is_won in enumerate(won)
            for bot, rank in ((first, 1 if is_won else 2), (second, 2 if is_won else 1))
        ]
        return tuple(np.array(rows, np.int64).T)


def round_robin(series: int) -> Callable[[Course], None]:
    return lambda course: course.play(list(combinations(range(BOTS), 2)), series)


def gauntlet(series: int) -> Callable[[Course], None]:
    return lambda course: course.play([(0, other) for other in range(1, BOTS)], series)


def knockout(series: int) -> Callable[[Course], None]:
    def held(course: Course) -> None:
        left = list(range(BOTS))
        while len(left) > 1:
            duels = list(zip(left[::2], left[1::2], strict=True))
            course.play(duels, series)
            left = [course.winner(duel) for duel in duels]

    return held


def swiss(rounds: int, series: int) -> Callable[[Course], None]:
    def held(course: Course) -> None:
        for _ in range(rounds):
            order = np.argsort(-course.points(), kind="stable").tolist()
            course.play(list(zip(order[::2], order[1::2], strict=True)), series)

    return held


COURSES = {
    "round-robin, 1 series a pair": round_robin(1),
    "round-robin, 4 series a pair": round_robin(4),
    "gauntlet, 2 series a pair": gauntlet(2),
    "gauntlet, 10 series a pair": gauntlet(10),
    "knockout, 3 series a pair": knockout(3),
    "knockout, 10 series a pair": knockout(10),
    "Swiss, 3 rounds of 2 series": swiss(3, 2),
    "Swiss, 5 rounds of 4 series": swiss(5, 4),
}


def coverage(held: Callable[[Course], None], seed: int) -> float:
    """In which share of all bots of all tournaments the interval holds the true rating."""
    rng, hits = np.random.default_rng([SEED, seed]), 0
    for _ in range(RUNS):
        strength = rng.normal(0.0, SPREAD, BOTS)
        course = Course(rng, strength)
        held(course)
        ratings = rate([str(bot) for bot in range(BOTS)], *course.columns())
        truth = ANCHOR + strength - np.mean(strength)
        hits += int(np.sum((ratings.low <= truth) & (truth <= ratings.high)))
    return hits / (RUNS * BOTS)


def rating_interval_rows() -> Iterator[Measure]:
    """The coverage of each kind of tournament."""
    for seed, (what, held) in enumerate(COURSES.items()):
        share = 100 * coverage(held, seed)
        yield Measure("trust", f"95 % intervals of ratings: {what}", "%", (share,), at_least(LOWEST))
