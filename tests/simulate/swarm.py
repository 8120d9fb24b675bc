"""One seed or many: played, checked, counted."""

from __future__ import annotations

import gc
import traceback
from collections import Counter
from collections.abc import Callable, Iterable

import attrs

from arena.errors import FAULT_KINDS
from arena.store import Store

from .checks import wrong_in
from .network import Trace
from .run import Played, play_calmly, play_troubled, workspace
from .transcripts import wrong_transcripts
from .world import World, draw


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
    outcome = Outcome(seed, draw(seed))
    trace = Trace(tell)
    try:
        _play(outcome, trace)
    except Exception:  # a bug of the arena or ours: this seed has failed, the others go on
        outcome.wrong.append(traceback.format_exc())
    outcome.counts.update(trace.counts)
    outcome.digest = trace.digest
    return outcome


def _play(outcome: Outcome, trace: Trace) -> None:
    world = outcome.world
    with workspace() as root:
        calm = play_calmly(world, root / "calm", trace)
        _check(outcome, calm, None)
        if outcome.wrong:
            return
        troubled = play_troubled(world, root, trace, calm.last)
        _check(outcome, troubled, calm if world.is_exact else None)
        outcome.counts["settled early"] += troubled.last.summary.is_settled


def _check(outcome: Outcome, played: Played, calm: Played | None) -> None:
    label = "calm" if calm is None and played.folder.name == "calm" else "troubled"
    wrong = [*wrong_in(played, calm)]
    if not wrong:
        for session in played.sessions:
            lines = session.network.lines if session.network is not None else []
            wrong += wrong_transcripts(lines, outcome.world.game, outcome.seed, outcome.counts)
        with Store.open(played.folder) as store:
            for match in store.matches():
                outcome.counts["matches"] += 1
                for seat in match.seats:
                    outcome.counts.update({kind: getattr(seat, kind) for kind in FAULT_KINDS})
                    outcome.counts["withdrawn"] += seat.withdrawn
                    outcome.counts["abandoned"] += seat.abandoned
        outcome.counts[f"game {outcome.world.game.name}"] += 1
        outcome.counts[
            f"format {outcome.world.rule[0] if outcome.world.rule else outcome.world.plan.tournament}"
        ] += 1
    outcome.wrong += [f"({label}) {each}" for each in wrong]


EXPECTED = (
    *FAULT_KINDS,
    "withdrawn",
    "abandoned",
    "delayed",
    "split",
    "coalesced",
    "stalled",
    "window full",
    "reset",
    "half-closed",
    "vanished",
    "came back",
    "disk slow",
    "disk full",
    "killed at an await",
    "killed within a write",
    "stopped in order",
    "out of time",
    "stranger",
)
"""What must have occurred in a swarm, each."""


def swarm(seeds: Iterable[int], failed: Callable[[Outcome], None]) -> Counter[str]:
    """What occurred, how often."""
    counts: Counter[str] = Counter()
    gc.freeze()  # what is imported stays; a fifth of the time went into looking for garbage there
    gc.set_threshold(50_000, 20, 100)
    for seed in seeds:
        outcome = simulate(seed)
        counts.update(outcome.counts)
        counts["runs"] += 1
        if outcome.wrong:
            counts["failed"] += 1
            failed(outcome)
    return counts


def table(counts: Counter[str]) -> str:
    """What occurred, for people."""
    return "\n".join(f"{counts[name]:>12,}  {name}" for name in sorted(counts))
