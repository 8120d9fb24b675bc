"""Servers, and every few seeds two matches that a viewer must not be able to tell apart."""

from __future__ import annotations

from ..network import Trace
from ..run import workspace
from ..swarm import Outcome, Swarm
from .play import play
from .twins import wrong_twins
from .world import draw

TWINS_EVERY = 4


def _play(outcome: Outcome, trace: Trace) -> None:
    outcome.counts[f"game {outcome.world.game}"] += 1
    with workspace() as root:
        outcome.wrong += play(outcome.world, root / "data", trace).wrong
        if outcome.seed % TWINS_EVERY == 0:
            outcome.wrong += wrong_twins(outcome.seed, root, trace)


SERVERS = Swarm(
    draw,
    _play,
    (
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
    ),
)
