"""One seed or many: played, checked, counted."""

from __future__ import annotations

import gc
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import attrs

from .network import Trace


@attrs.define
class Outcome:
    """What came of one seed."""

    seed: int
    world: Any
    wrong: list[str] = attrs.field(factory=list)
    counts: Counter[str] = attrs.field(factory=Counter)
    digest: str = ""

    def __str__(self) -> str:
        return "\n".join([f"seed {self.seed}: {wrong}" for wrong in self.wrong] + [str(self.world)])


@attrs.frozen
class Swarm:
    """Worlds of one kind."""

    draw: Callable[[int], Any]
    """The world of a seed."""
    play: Callable[[Outcome, Trace], None]
    """Plays the world of an outcome, and adds to it what is wrong and what is counted."""
    expected: tuple[str, ...]
    """What must have occurred among many seeds, each."""

    def simulate(self, seed: int, tell: Callable[[str], None] | None = None) -> Outcome:
        """Plays the world of a seed and checks it."""
        outcome, trace = Outcome(seed, self.draw(seed)), Trace(tell)
        try:
            self.play(outcome, trace)
        except Exception:  # a bug of the arena or ours: this seed has failed, the others go on
            outcome.wrong.append(traceback.format_exc())
        outcome.counts.update(trace.counts)
        outcome.digest = trace.digest
        return outcome

    def simulate_all(self, seeds: Iterable[int], failed: Callable[[Outcome], None]) -> Counter[str]:
        """What occurred, how often."""
        counts: Counter[str] = Counter()
        gc.freeze()  # what is imported stays; a fifth of the time went into looking for garbage there
        gc.set_threshold(50_000, 20, 100)
        for seed in seeds:
            outcome = self.simulate(seed)
            counts.update(outcome.counts)
            counts["worlds"] += 1
            if outcome.wrong:
                counts["failed"] += 1
                failed(outcome)
        return counts

    def missing(self, counts: Counter[str]) -> list[str]:
        """What should have occurred, and never did."""
        return [name for name in self.expected if not counts[name]]
