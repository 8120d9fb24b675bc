"""Two dozen servers that every change must pass, that a seed is a whole world, and that losses are seen."""

from __future__ import annotations

from uuid import UUID

import pytest
from daily import nightly

from .servers import SERVERS
from .town import Town

WORLDS = 24
"""Few, so that the suite stays quick; `python -m tests.simulate --server --worlds 10000` plays as many as one likes."""

CALM = 15
"""A seed in whose world nobody leaves."""


@pytest.mark.slow
@pytest.mark.parametrize("worlds", [WORLDS // 2, *nightly(WORLDS)])
def test_no_world_fails(worlds):
    """None of a dozen, at night of two, and all the trouble there is has occurred in some of them."""
    failed: list[str] = []
    counts = SERVERS.simulate_all(range(worlds), lambda outcome: failed.append(str(outcome)))
    assert not failed, "\n\n".join(failed)
    assert [] == SERVERS.missing(counts)


@pytest.mark.slow
def test_a_seed_is_the_whole_world():
    """The same seed gives the same requests and answers at the same moments."""
    for seed in (3, 8):
        assert SERVERS.simulate(seed).digest == SERVERS.simulate(seed).digest


FOUND = {
    4085: ("liars-dice", "absence: who had answered was asked again when the match woke"),
    3909: (
        "holdem",
        "records: a match that began while the last one was archived was forgotten at its end",
    ),
    254: ("blef", "pauses: the end of a pause was not told that had begun as another one ended"),
}
"""By seed the game that its world must have, and what was wrong."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", FOUND, ids=[found for _, found in FOUND.values()])
def test_a_seed_that_once_failed(seed):
    """Nothing is wrong with it any more, and it is still the world in which it was found."""
    assert FOUND[seed][0] == SERVERS.draw(seed).game
    assert [] == SERVERS.simulate(seed).wrong


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lose", "said"),
    [
        (lambda told: told.persons[0].__setattr__("has_left", True), "has left"),
        (
            lambda told: told.messages.update({(told.persons[0].at, "never said"): True}),
            "is 0 times in the chat",
        ),
        (lambda told: told.tables.update({f"/api/tables/{UUID(int=1)}": True}), "is gone"),
    ],
    ids=["who left", "a message", "a table"],
)
def test_what_is_not_there_is_seen(lose, said, monkeypatch):
    """Whatever was acknowledged and is not there in the end, a check says so."""
    check = Town.check

    async def check_what_was_lost(town):
        lose(town.ledger)
        await check(town)

    monkeypatch.setattr(Town, "check", check_what_was_lost)
    assert [wrong for wrong in SERVERS.simulate(CALM).wrong if said in wrong]
