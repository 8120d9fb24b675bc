"""What the referee decides without a clock: chance's moves, and when a seat is not asked any more.  Pure.

Matches are played with these functions, and verified with them long after.
"""

from __future__ import annotations

from random import Random
from typing import Any

from arena.match.game import Game
from arena.schedule import derive_seed


def draw_of(game: Game[Any, Any], state: Any, seed: int) -> Any:
    """The move that chance makes in this state of the match with this seed."""
    return game.draw(state, Random(derive_seed(seed, *game.chance_key(state))))


def is_given_up(faults: int, faults_max: int) -> bool:
    """Whether a seat with this many faults is not asked any more in its match."""
    return faults >= faults_max
