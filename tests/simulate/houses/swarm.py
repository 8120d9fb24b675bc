"""One seed or many: played, checked, counted."""

from __future__ import annotations

import gc
import traceback
from collections import Counter
from collections.abc import Callable, Iterable

import attrs

from ..network import Trace
from ..run import workspace
from .play import play
from .twins import wrong_twins
from .world import World, draw

TWINS_EVERY = 4
"""Of so many seeds one also plays two matches that a viewer must not be able to tell apart."""


@attrs.define
class Outcome:
    """What came of one seed."""

    seed: int
    world: World
    wrong: list[str] = attrs.field(factory=list)
    counts: Counter[str] = attrs.field(factory=Counter)
    digest: str = ""

    def __str__(self) -> str:
        return "\n".join([f"seed {self.seed}: {wrong}" for wrong in self.wrong] + [str(self.world)])


def simulate(seed: int, tell: Callable[[str], None] | None = None) -> Outcome:
    """Plays the world of a seed and checks it."""
    outcome, trace = Outcome(seed, draw(seed)), Trace(tell)
    try:
        with workspace() as root:
            outcome.wrong += play(outcome.world, root / "data", trace).wrong
            if seed % TWINS_EVERY == 0:
                outcome.wrong += wrong_twins(seed, root, trace)
    except Exception:  # a bug of the arena or ours: this seed has failed, the others go on
        outcome.wrong.append(traceback.format_exc())
    outcome.counts.update(trace.counts)
    outcome.counts[f"game {outcome.world.game}"] += 1
    outcome.digest = trace.digest
    return outcome


EXPECTED = (
    "killed",
    "stopped",
    "ended at: step",
    "ended at: acknowledged",
    "ended at: left",
    "ended at: archived",
    "went on",
    "disk slow",
    "disk full",
    "write failed",
    "write failed once done",
    "moved",
    "illegal",
    "stale",
    "sent again",
    "away",
    "matches",
    "views checked",
    "twins",
    "twins' kills",
    "POST 503",
    "DELETE 200",
)
"""What must have occurred in a swarm, each."""


def swarm(seeds: Iterable[int], failed: Callable[[Outcome], None]) -> Counter[str]:
    """What occurred, how often."""
    counts: Counter[str] = Counter()
    gc.freeze()  # what is imported stays, and need not be looked through again
    gc.set_threshold(50_000, 20, 100)
    for seed in seeds:
        outcome = simulate(seed)
        counts.update(outcome.counts)
        counts["worlds"] += 1
        if outcome.wrong:
            counts["failed"] += 1
            failed(outcome)
    return counts


__all__ = ["EXPECTED", "Outcome", "simulate", "swarm"]
