"""What a seed stands for: the owners of a class, what each hands in and when, and what befalls the halves."""

from __future__ import annotations

from random import Random
from typing import Literal, TypeAlias

import attrs

from .bots import BROKEN, HABITS, SOUND

HOUR_S = 3600.0
SIGN_UP_S = 120.0
"""Everybody joins within this time."""
RUSH_S = 120.0
"""Before the deadline: most of what is handed in comes in it."""
RUSH = 0.75
Half: TypeAlias = Literal["server", "process", "disk"]
"""What ends: a half, or the room on the disk to which the process writes."""


@attrs.frozen
class Kill:
    """One half ends at a moment, without a word."""

    half: Half
    at_s: float
    statement: int
    """0: at once; else within a write of the playing process, at this statement from then on."""


@attrs.frozen
class PlannedHandIn:
    """Something that an owner hands in."""

    at_s: float
    habit: str
    pace_s: float
    """How long a move takes, on average."""


@attrs.frozen
class ClassOwner:
    """What one of the class does."""

    name: str
    joins_at: float
    hand_ins: tuple[PlannedHandIn, ...]
    withdraws_at: float | None
    goes_back_at: float | None


@attrs.frozen(kw_only=True)
class ClassWorld:
    """All that is drawn from a seed."""

    seed: int
    hours: float
    owners: tuple[ClassOwner, ...]
    tables: int
    batch_s: float
    kills: tuple[Kill, ...]
    excludes_at: float | None
    """When the host excludes a bot, which it readmits later."""
    pauses_at: float | None
    slow_s: float
    """A commit takes up to so long."""
    full_at: tuple[tuple[float, float], ...]
    """From when until when the server's disk is full."""
    faults: float
    """The share of the server's commits that fail, half of them after the data were written."""

    @property
    def ends_s(self) -> float:
        return self.hours * HOUR_S


def draw_class(seed: int) -> ClassWorld:
    """A small class: what the suite can afford."""
    rng = Random(f"class/{seed}")
    return _drawn(rng, seed, owners=rng.randint(3, 6), hand_ins=rng.randint(8, 14), hours=0.15, kills=3)


def draw_whole_class(seed: int) -> ClassWorld:
    """Forty owners and two hundred hand-ins, of which thirty are broken; one half killed each hour."""
    return _drawn(Random(f"whole class/{seed}"), seed, owners=40, hand_ins=200, hours=6.0, kills=6)


def _drawn(rng: Random, seed: int, *, owners: int, hand_ins: int, hours: float, kills: int) -> ClassWorld:
    ends_s = hours * HOUR_S
    deadline_s = 0.6 * ends_s
    by_owner: dict[int, list[PlannedHandIn]] = {number: [] for number in range(owners)}
    broken = max(2, round(0.15 * hand_ins))
    order = rng.sample(sorted(BROKEN), len(BROKEN))
    habits = [order[number % len(order)] for number in range(broken)]
    habits += rng.choices(sorted(SOUND), [HABITS[each].weight for each in sorted(SOUND)], k=hand_ins - broken)
    habits[-owners:] = ["good"] * owners  # each owner's first
    for number, habit in enumerate(reversed(habits)):
        owner = number if number < owners else rng.randrange(owners)
        in_rush = rng.random() < RUSH
        at_s = deadline_s - rng.uniform(0.0, RUSH_S) if in_rush else rng.uniform(SIGN_UP_S, deadline_s)
        at_s = rng.uniform(SIGN_UP_S, SIGN_UP_S + 60.0) if number < owners else at_s
        by_owner[owner].append(PlannedHandIn(at_s, habit, rng.choice([0.5, 1.0, 2.0])))

    def sometimes(value: float, share: float = 0.5) -> float:
        return value if rng.random() < share else 0.0

    def someday(share: float) -> float | None:
        return rng.uniform(0.3, 0.9) * ends_s if rng.random() < share else None

    each_s = ends_s / kills
    return ClassWorld(
        seed=seed,
        hours=hours,
        owners=tuple(
            ClassOwner(
                f"owner {number:02}",
                rng.uniform(0.0, SIGN_UP_S),
                tuple(sorted(handed, key=lambda each: each.at_s)),
                someday(0.1),
                someday(0.2),
            )
            for number, handed in by_owner.items()
        ),
        tables=rng.choice([2, 4]),
        batch_s=rng.choice([15.0, 60.0]),
        kills=tuple(
            Kill(
                rng.choice(["server", "process", "process", "disk"]),
                (number + rng.random()) * each_s,
                rng.choice([0, rng.randint(1, 40)]),
            )
            for number in range(kills)
        ),
        excludes_at=someday(0.7),
        pauses_at=someday(0.5),
        slow_s=sometimes(rng.choice([0.02, 0.3])),
        full_at=((begins := rng.uniform(0.0, ends_s), begins + 20.0),) if rng.random() < 0.3 else (),
        faults=sometimes(rng.uniform(0.02, 0.2), 0.3),
    )


__all__ = ["ClassOwner", "ClassWorld", "Kill", "PlannedHandIn", "draw_class", "draw_whole_class"]
