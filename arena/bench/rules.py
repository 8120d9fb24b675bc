"""Measures rules alone: decisions per second of one core's time.

Time is processor time (`process_time`): other programs on the machine do not count.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from typing import Any

import attrs

from arena.bench.measures import Effort, Measure, at_least
from arena.games import GAMES
from arena.match.game import CHANCE, Game
from arena.testing.games import random_match

RULES_GOAL = 50_000
SAMPLES_AT_LENGTH = 2
"""Up to this many measurements each get the full time of a sample; with more games each gets less."""


def games_measured() -> Iterator[tuple[Game[Any, Any], int]]:
    """Every game with its default rules, at its smallest table and at one of about six seats."""
    for name in GAMES:
        game = GAMES[name]()
        for seats in sorted({game.seats[0], min(6, game.seats[-1])}):
            yield game, seats


@attrs.frozen
class Alone:
    """How much was played without bots, and how long it took."""

    decisions: int
    draws: int
    """How many moves of chance were drawn."""
    cpu_s: float

    @property
    def decisions_per_s(self) -> float:
        return self.decisions / self.cpu_s


def measure_rules(effort: Effort) -> list[Measure]:
    """Measures random legal play, without bots, clocks or JSON."""
    found, tables = [], list(games_measured())
    seconds = sample_s(effort, len(tables))
    for game, seats in tables:
        play_alone(game, seats, 0.0, effort.repeats)  # fills the caches that matches share
        samples = [
            play_alone(game, seats, seconds, repeat).decisions_per_s for repeat in range(effort.repeats)
        ]
        # Where hands are played, the work is in the hand (deal, streets, showdown), not in the decision.
        goal = None if "hands" in attrs.fields_dict(type(game)) else at_least(RULES_GOAL)
        found.append(Measure("rules", f"{game.name}, {seats} seats", "decisions/s", tuple(samples), goal))
    return found


def play_alone(game: Game[Any, Any], seats: int, seconds: float, seed: int) -> Alone:
    """Plays complete matches of random legal moves, at least one, for about this long."""
    rng, decisions, draws = Random(seed), 0, 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds or not decisions:
        for moves, _ in random_match(game, seats, rng):
            if CHANCE in moves:
                draws += 1
            else:
                decisions += len(moves)
    return Alone(decisions, draws, spent)


def sample_s(effort: Effort, numbers: int) -> float:
    """How long one sample takes if there are this many measurements."""
    return effort.seconds * min(1.0, SAMPLES_AT_LENGTH / numbers)
