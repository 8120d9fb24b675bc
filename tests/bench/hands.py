"""Hands per second of Hold'em, and PokerKit's in the same loop if it is installed.

One core's processor time, with samples of both taken in turn, as everywhere here.
"""

from __future__ import annotations

import sys
import time
from random import Random
from types import ModuleType
from typing import Any

import attrs

from arena.bench.measures import Effort, Measure, at_least
from arena.bench.rules import play_alone
from arena.games import GAMES, SERVICES
from arena.match.game import Game
from tests.bench.figures import ratios

HANDS_GOAL = 2_000
SEATS = 6
"""The table for which the goal is set."""


def measure_hands(effort: Effort) -> list[Measure]:
    """Random legal play, without bots, clocks or JSON, beside PokerKit's.

    A hand is counted by its one chance move, the deal.
    """
    game, loop = GAMES[SERVICES["poker"]](), _loop()
    play_alone(game, SEATS, 0.0, effort.repeats)  # fills what is kept from match to match
    ours, theirs = [], []
    for repeat in range(effort.repeats):
        played = play_alone(game, SEATS, effort.seconds / 2, repeat)
        ours.append(played.draws / played.cpu_s)
        if loop is not None:
            theirs.append(_hands_per_s(loop, game, SEATS, effort.seconds / 2, repeat))
    table = f"{game.name}, {SEATS} seats"
    found = [Measure("hands", f"{table}, random legal moves", "hands/s", tuple(ours), at_least(HANDS_GOAL))]
    if loop is not None:
        their_loop = f"PokerKit {loop.VERSION}: same loop, seats, stacks, blinds"
        found.append(Measure("hands", their_loop, "hands/s", tuple(theirs)))
        found.append(Measure("hands", f"{table} ÷ PokerKit", "×", ratios(ours, theirs)))
    return found


def _loop() -> ModuleType | None:
    """PokerKit's loop; None, which is reported, if PokerKit is not installed."""
    try:
        from . import pokerkit_loop
    except ModuleNotFoundError as missing:
        if missing.name != "pokerkit":
            raise
        print(
            "hands: PokerKit is not installed, so ours are compared with nothing; pip install pokerkit",
            file=sys.stderr,
        )
        return None
    return pokerkit_loop


def _hands_per_s(loop: ModuleType, game: Game[Any, Any], seats: int, seconds: float, seed: int) -> float:
    rng, rules, hands = Random(seed), attrs.asdict(game), 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds or not hands:
        loop.play_hands(rules, seats, rng)
        hands += rules["hands"]
    return hands / spent
