"""Some dozens of servers that every change must pass, that a seed is a whole world, and that losses are seen."""

from __future__ import annotations

import pytest

from .swarm import EXPECTED, simulate, swarm

WORLDS = 40
"""Few, so that the suite stays quick; `python -m tests.simulate --server --worlds 10000` plays as many as one likes."""


@pytest.mark.slow
def test_forty_worlds():
    """No world of forty fails, and all the trouble there is has occurred in some of them."""
    failed: list[str] = []
    counts = swarm(range(WORLDS), lambda outcome: failed.append(str(outcome)))
    assert not failed, "\n\n".join(failed)
    assert [] == [name for name in EXPECTED if not counts[name]]


@pytest.mark.slow
def test_a_seed_is_the_whole_world():
    """The same seed gives the same requests and answers at the same moments."""
    for seed in (3, 5, 8):
        assert simulate(seed).digest == simulate(seed).digest
