"""What a seed stands for: a game, who plays and watches it, a disk, and when the server ends."""

from __future__ import annotations

from random import Random
from typing import Any, Literal, TypeAlias

import attrs

from arena.games import GAMES

RULES: dict[str, list[dict[str, Any]]] = {
    "liars-dice": [{"dice": 1}, {"dice": 2}, {"dice": 1, "challenge": "next"}],
    "holdem": [{"hands": 2}, {"hands": 4}],
}
"""House rules under which a match is short."""
EndKind: TypeAlias = Literal["killed", "stopped"]
Moment: TypeAlias = Literal["step", "acknowledged", "left", "archived"]
"""A step of a task; a request has been acknowledged, or that somebody leaves; a match has been archived."""
MOST: dict[Moment, int] = {"step": 1000, "acknowledged": 60, "left": 2, "archived": 3}
"""At which of them at the latest the server ends; a world has some hundreds of steps."""


@attrs.frozen
class End:
    """How the server ends, and when."""

    kind: EndKind
    moment: Moment
    count: int
    """At which such moment since it was started."""


@attrs.frozen(kw_only=True)
class World:
    """All that is drawn from a seed."""

    seed: int
    game: str
    rules: dict[str, Any]
    move_time: float | Literal["none"]
    tables: int
    people: int
    """At each table."""
    spectators: int
    """At each table, with keys; two watch without."""
    bots: int
    are_bots_broken: bool
    """Whether house bots cannot be started."""
    acts: int
    """What each of the people does."""
    haste_s: float
    """Up to so long somebody waits before the next act."""
    rudeness: float
    """The share of moves that are illegal, stale or sent again."""
    absence: float
    """How often somebody goes away for a while instead of acting."""
    leaving: float
    """How often somebody leaves instead of acting."""
    ends: tuple[End, ...]
    slow_s: float
    """A commit takes up to so long."""
    full_at: tuple[tuple[float, float], ...]
    """From when until when the disk is full."""
    faults: float
    """The share of commits that fail, half of them after the data were written."""


def draw(seed: int) -> World:
    """The world of a seed; each kind of trouble is on in about half of the worlds."""
    rng = Random(f"server/{seed}")
    game = rng.choice(sorted(GAMES))

    def sometimes(value: float, share: float = 0.5) -> float:
        return value if rng.random() < share else 0.0

    full_at = []
    if rng.random() < 0.4:
        begins = 0.0
        for _ in range(rng.randint(1, 3)):
            begins += rng.uniform(0.0, 20.0)
            full_at.append((begins, begins := begins + rng.uniform(0.1, 8.0)))
    return World(
        seed=seed,
        game=game,
        rules=rng.choice(RULES.get(game, [{}])),
        move_time=rng.choice(["none", 2.0, 8.0, 30.0]),
        tables=1 + (rng.random() < 0.25),
        people=rng.choice([1, 2, 2, 3, 4]),
        spectators=rng.choice([0, 1, 1, 2]),
        bots=rng.choice([0, 0, 1, 2]),
        are_bots_broken=rng.random() < 0.05,
        acts=rng.choice([10, 20, 40]),
        haste_s=rng.choice([0.0, 0.1, 0.5, 2.0]),
        rudeness=sometimes(rng.uniform(0.05, 0.5)),
        absence=sometimes(rng.uniform(0.02, 0.2)),
        leaving=sometimes(rng.uniform(0.01, 0.1)),
        ends=tuple(_end(rng) for _ in range(rng.choice([0, 1, 2, 3, 5]))),
        slow_s=sometimes(rng.choice([0.02, 0.3, 0.9])),
        full_at=tuple(full_at),
        faults=sometimes(rng.uniform(0.02, 0.3), 0.3),
    )


def _end(rng: Random) -> End:
    moments: list[Moment] = ["step", "step", "acknowledged", "acknowledged", "left", "archived"]
    moment = rng.choice(moments)
    count = int((MOST[moment] + 1) ** rng.random())
    return End("stopped" if rng.random() < 0.2 else "killed", moment, count)


__all__ = ["End", "Moment", "World", "draw"]
