"""A few of what `python tests/kills.py` does by the hundred."""

from __future__ import annotations

import sys

import kills
import pytest
from daily import nightly
from kills import try_all


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
@pytest.mark.parametrize("kills_wanted", [1, *nightly(2)])
def test_kill_9_costs_nothing_and_leaves_nobody(kills_wanted):
    """Killed and resumed, exact columns are those of the run in one go, and no process of a sticky bot is left."""
    told = try_all(["until"], kills_wanted, seed=3)
    assert [] == [wrong for each in told.values() for wrong in each.wrong]
    assert kills_wanted == sum(each.kills for each in told.values())
    assert all(each.tournaments == each.equal > 0 for each in told.values())


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_kill_9_of_workers_and_of_their_run(monkeypatch):
    """A lost worker's matches are played by another one, a lost run's by the next; nobody stays in either case."""
    monkeypatch.setattr(kills, "WORKER_SHARE", 1.0)
    told = try_all(["swiss"], 1, seed=3, workers=3)
    assert [] == [wrong for each in told.values() for wrong in each.wrong]
    assert all(each.tournaments == each.equal > 0 for each in told.values())
    assert sum(each.workers for each in told.values()) > 0
