"""Hands per second of the games played in hands, and PokerKit's in the same loop if it is installed.

One core's processor time, with samples of both taken in turn, as everywhere here.
"""

from __future__ import annotations

import sys
import time
from random import Random
from types import ModuleType
from typing import Any

import attrs

from arena.bench.measures import Effort, Measure, at_least, ratios
from arena.bench.rules import games_measured, is_played_in_hands, play_alone
from arena.match.game import Game

HANDS_GOAL = 2_000
SEATS = 6
"""The table for which the goal is set."""


def measure_hands(effort: Effort) -> list[Measure]:
    """Random legal play, without bots, clocks or JSON; a hand is counted by its one chance move, the deal."""
    found = []
    for game, seats in games_measured():
        if is_played_in_hands(game) and seats == min(SEATS, game.seats[-1]):
            found += _beside_pokerkit(game, seats, effort)
    return found


def _beside_pokerkit(game: Game[Any, Any], seats: int, effort: Effort) -> list[Measure]:
    """Our hands; and, if PokerKit can play here, its hands and the ratio."""
    loop = _loop_for(game)
    play_alone(game, seats, 0.0, effort.repeats)  # fills what is kept from match to match
    ours, theirs = [], []
    for repeat in range(effort.repeats):
        ours.append(play_alone(game, seats, effort.seconds / 2, repeat).draws_per_s)
        if loop is not None:
            theirs.append(_hands_per_s(loop, game, seats, effort.seconds / 2, repeat))
    table = f"{game.name}, {seats} seats"
    found = [Measure("hands", f"{table}, random legal moves", "hands/s", tuple(ours), at_least(HANDS_GOAL))]
    if loop is not None:
        their_loop = f"PokerKit {loop.VERSION}: same loop, seats, stacks, blinds"
        found.append(Measure("hands", their_loop, "hands/s", tuple(theirs)))
        found.append(Measure("hands", f"{table} ÷ PokerKit", "×", ratios(ours, theirs)))
    return found


def _loop_for(game: Game[Any, Any]) -> ModuleType | None:
    """PokerKit's loop, if it can play by this game's house rules; reports it if PokerKit is not installed."""
    try:
        from arena.bench import pokerkit_loop
    except ModuleNotFoundError as missing:
        if missing.name != "pokerkit":
            raise
        print(
            "hands: PokerKit is not installed, so ours are compared with nothing; pip install pokerkit",
            file=sys.stderr,
        )
        return None
    return pokerkit_loop if attrs.asdict(game).keys() >= pokerkit_loop.HOUSE_RULES else None


def _hands_per_s(loop: ModuleType, game: Game[Any, Any], seats: int, seconds: float, seed: int) -> float:
    rng, rules, hands = Random(seed), attrs.asdict(game), 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds or not hands:
        loop.play_hands(rules, seats, rng)
        hands += rules["hands"]
    return hands / spent
