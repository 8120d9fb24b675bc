"""Tournaments: each played without trouble, then with it."""

from __future__ import annotations

from arena.errors import FAULT_KINDS
from arena.store import Store

from .checks import wrong_in
from .network import Trace
from .run import Played, play_calmly, play_troubled, workspace
from .swarm import Outcome, Swarm
from .transcripts import wrong_transcripts
from .world import draw


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
        rule = outcome.world.rule
        outcome.counts[f"game {outcome.world.game.name}"] += 1
        outcome.counts[f"format {rule[0] if rule else outcome.world.plan.tournament}"] += 1
    outcome.wrong += [f"({label}) {each}" for each in wrong]


TOURNAMENTS = Swarm(
    draw,
    _play,
    (
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
    ),
)
