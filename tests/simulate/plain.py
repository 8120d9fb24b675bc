"""Moves out of a question alone, as a bot has to find them that is not told its options."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

Question = Mapping[str, Any]

FACES = 6
LAST_BET, CHECK = 87, 88


def plain_move(game: str, question: Question, rng: Random) -> Any:
    """A legal move of a game."""
    return _MOVES[game](question, rng)


def illegal_move(game: str, question: Question) -> Any:
    """A move that the game has, and that is forbidden here."""
    match game:
        case "liars-dice":
            return [1, 999]
        case "holdem":
            return {"action": 1, "betAmount": 10**6}
        case "blef":
            return 0 if question["history"] else CHECK
        case "bluff":
            return "pass" if question["asked"] == "play" else {"play": ["AS"]}
        case _:
            is_turn = question["asked"] == "turn"
            return {"packet": "Pass"} if is_turn else {"packet": "ShootPlayer", "username": question["you"]}


def _liars_dice(question: Question, rng: Random) -> Any:
    hands, (face, count) = question["other_hands"], question["last_bid"]
    if hands[0][0] != "yourself":
        return "pass"
    if count and (count == sum(dice for _, dice in hands) or rng.random() < 0.4):
        return "challenge"
    return [face + 1, count] if 0 < face < FACES else [1, count + 1]


def _holdem(question: Question, rng: Random) -> Any:
    turn = question["turn"]
    owed = turn["bet_to_player"] - turn["bet_so_far"]
    if owed and rng.random() < 0.2:
        return {"action": 0}
    wealth = next(seat["wealth"] for seat in question["table"] if seat["playerID"] == turn["playerID"])
    return {"action": 1, "betAmount": min(owed, wealth)}


def _blef(question: Question, rng: Random) -> Any:
    last = question["history"][-1]["action_id"] if question["history"] else -1
    if last == LAST_BET or (last >= 0 and rng.random() < 0.5):
        return CHECK
    return rng.randint(last + 1, min(LAST_BET, last + 20))


def _bluff(question: Question, rng: Random) -> Any:
    if question["asked"] == "play":
        return {"play": [rng.choice(question["hand"])]}
    return "bluff" if rng.random() < 0.2 else "pass"


def _chamber(question: Question, rng: Random) -> Any:
    if question["asked"] == "rebalance":
        return {"packet": "Pass"}
    others = [name for name in question["turnOrder"] if name != question["you"]]
    return {"packet": "ShootPlayer", "username": rng.choice(others)}


_MOVES = {
    "liars-dice": _liars_dice,
    "holdem": _holdem,
    "blef": _blef,
    "bluff": _bluff,
    "chamber": _chamber,
}
