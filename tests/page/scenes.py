"""Scenes written by hand, in the form that film.js makes."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def scene(names: list[str], state: Json | None, **others: Any) -> Json:
    """A scene of a spectator in which nothing was said, except as given."""
    blank: Json = {
        "game": "", "title": "", "rules": {}, "viewer": "spectator", "own": [None] * len(names), "step": 1,
        "steps": 9, "turn": 1, "round": 1, "asked": [0], "said": [""] * len(names), "acted": [], "events": [],
        "shown": None, "out": [False] * len(names), "ranks": None, "live": False,
    }  # fmt: skip
    return blank | {"names": names, "state": state} | others


def dice_scene(
    left: list[int], bid: tuple[int, int] = (0, 0), bidder: str = "not_available", **others: Any
) -> Json:
    """Liar's Dice: seat 0 to move, so many dice each; `bid` is face and count."""
    names = [f"bot-{seat}" for seat in range(len(left))]
    state = {
        "round_number": 1,
        "move_number": 2,
        "your_hand": [],
        "other_hands": [[name, count] for name, count in zip(names, left, strict=True) if count],
        "last_move": "bid_made",
        "last_bid": list(bid),
        "last_bidder": bidder,
        "last_loser": "not_available",
        "last_challenger": "not_available",
    }
    out = [not count for count in left]
    rules = {"dice": 5, "faces": 6, "wild_ones": False, "challenge": "anyone", "turns_max": 2000}
    return scene(names, state, game="liars-dice", rules=rules, out=out) | others
