"""Plays a world of a server: started, killed and started again as often as it says, then asked for everything."""

from __future__ import annotations

from pathlib import Path
from random import Random
from uuid import UUID

import trio
import trio._core._run as _run  # its dice decide who goes first: they are drawn from the seed too
import trio.testing

import arena.server.open_tables
import arena.server.tables.gathering

from ..network import Trace
from ..stand_ins import patched
from .ledger import Ledger
from .minds import people_of
from .town import Town
from .world import World

VIRTUAL_S_MAX = 20_000.0
"""A world that takes longer hangs."""


class Numbers:
    """In the place of what draws ids and keys."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(f"numbers/{seed}")

    def uuid4(self) -> UUID:
        return UUID(int=self._rng.getrandbits(128), version=4)

    def new_key(self) -> str:
        return self._rng.randbytes(16).hex()


def play(world: World, folder: Path, trace: Trace) -> Ledger:
    """All that happens in a world, and what is wrong with it."""
    _run._ALLOW_DETERMINISTIC_SCHEDULING = True
    _run._r.seed(f"server/{world.seed}")
    town, numbers = Town(world, folder, trace), Numbers(world.seed)

    async def main() -> None:
        with trio.fail_after(VIRTUAL_S_MAX):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(town.serve)
                async with trio.open_nursery() as living:
                    for person in people_of(town):
                        living.start_soon(person)
                await town.settle()
                await town.check()
                nursery.cancel_scope.cancel()

    with (
        patched(arena.server.open_tables, uuid4=numbers.uuid4),
        patched(arena.server.tables.gathering, uuid4=numbers.uuid4, new_key=numbers.new_key),
    ):
        clock = trio.testing.MockClock(autojump_threshold=0)
        trio.run(main, clock=clock, instruments=[town])
    return town.ledger


__all__ = ["play"]
