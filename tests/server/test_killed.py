"""A few of what `python -m tests.server.killed` does by the fifty."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from tests.server.killed import run, said_of


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Async generator 'httpx:ResourceWarning")  # of a request that a kill cuts
async def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Moves over HTTP and packets, acts of poker, chat, hosts, tables; matches end, and are archived once."""
    world = await run(tmp_path / "data", kills=4, seed=3)
    gc.collect()
    assert world.ledger.wrong == []
    assert world.ledger.kills == 4
    assert world.killed_with_open_matches >= 3, said_of(world)
    assert world.ledger.acknowledged > 50, said_of(world)
    assert world.ledger.acts > 10, said_of(world)
