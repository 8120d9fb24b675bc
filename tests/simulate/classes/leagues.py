"""Classes in leagues: each played in virtual time with all that befalls it, then checked."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import trio
import trio._core._run as _run  # its dice decide who goes first: they are drawn from the seed too
import trio.testing

import arena.players.lag
import arena.server.league.rest.league_api
from arena.errors import FAULT_KINDS

from ..network import Trace
from ..run import workspace
from ..stand_ins import patched
from ..swarm import Outcome, Swarm
from .checks import wrong_answers, wrong_field, wrong_folder, wrong_matches, wrong_states
from .process import stood_in
from .school import School
from .world import ClassWorld, draw_class, draw_whole_class

VIRTUAL_S_MAX = 200_000.0
"""A class that takes longer hangs."""


class ClassDice:
    """In the place of the module `secrets`."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(f"secrets/{seed}")

    def randbits(self, bits: int) -> int:
        return self._rng.getrandbits(bits)

    def token_urlsafe(self, size: int) -> str:
        return self._rng.randbytes(size).hex()

    def token_hex(self, size: int) -> str:
        return self._rng.randbytes(size).hex()


async def _at_once(function: Any, *words: Any, **_: Any) -> Any:
    """In the place of a thread, which virtual time does not wait for."""
    await trio.lowlevel.checkpoint()
    return function(*words)


def play_class(world: ClassWorld, folder: Path, trace: Trace) -> School:
    """All that happens in a class, and what is wrong with it."""
    _run._ALLOW_DETERMINISTIC_SCHEDULING = True
    _run._r.seed(f"class/{world.seed}")
    school, dice = School(world, folder, trace), ClassDice(world.seed)

    async def main() -> None:
        with trio.fail_after(VIRTUAL_S_MAX):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(school.serve)
                await school.live()
                await school.settle()
                await school.restart()
                school.wrong += await wrong_answers(school)
                school.wrong += wrong_states(school)
                school.wrong += wrong_field(school)
                school.life.kill()
                nursery.cancel_scope.cancel()

    with (
        patched(trio.to_thread, run_sync=_at_once),
        patched(trio.from_thread, check_cancelled=lambda: None),
        patched(arena.players.lag, perf_counter=lambda: 0.0),
        patched(arena.server.league.rest.league_api, secrets=dice),
        stood_in(world, school.supervised, dice, school.now),
    ):
        trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    return school


def _play(outcome: Outcome, trace: Trace) -> None:
    with workspace() as root:
        school = play_class(outcome.world, root / "data", trace)
        outcome.wrong += school.wrong
        outcome.wrong += wrong_matches(school)
        outcome.wrong += wrong_folder(school.results)
        outcome.counts["hand-ins"] += len(school.told.versions)
        outcome.counts["not taken"] += school.told.refused
        for entry in school.league.entries.values():
            outcome.counts.update(f"version {each.state}" for each in entry.versions)


OCCURS = (
    *FAULT_KINDS,
    "server killed",
    "process killed",
    "killed within a write",
    "league's disk full",
    "not taken",
    "version failed",
    "version refused",
    "version replaced",
    "version playing",
)
CLASSES = Swarm(draw_class, _play, OCCURS)
WHOLE_CLASSES = Swarm(draw_whole_class, _play, OCCURS)

__all__ = ["CLASSES", "WHOLE_CLASSES", "play_class"]
