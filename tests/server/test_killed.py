"""A few of what `python -m tests.server.killed` does by the fifty."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from daily import nightly_rows

from tests.server.killed import run, said_of


@pytest.mark.slow
@pytest.mark.parametrize(("kills", "seed"), [(2, 1), *nightly_rows((3, 1), (4, 3))])
@pytest.mark.filterwarnings("ignore:Async generator 'httpx:ResourceWarning")  # of a request that a kill cuts
async def test_kill_9_loses_nothing_that_was_acknowledged(kills: int, seed: int, tmp_path: Path) -> None:
    """Moves over HTTP and packets, acts of poker, chat, hosts, tables; matches end, and are archived once."""
    world = await run(tmp_path / "data", kills=kills, seed=seed)
    gc.collect()
    assert world.ledger.wrong == []
    assert world.ledger.kills == kills
    assert world.killed_with_open_matches >= kills - 1, said_of(world)
    assert world.ledger.acknowledged > 12 * kills, said_of(world)
    assert world.ledger.acts > 2 * kills, said_of(world)
