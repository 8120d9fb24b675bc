"""What a ladder costs follows from how long its matches take, and the guide's table is what is computed."""

from __future__ import annotations

import pytest

from arena.schedule.ladder_costs import ladder_costs
from tests.league.costs_table import GUIDE, PLACE, table
from tests.trust.placing import LadderOfNewcomers

USUAL = {"bots": 40, "match_s": 4.0, "cores": 1.0, "match_bytes": 1_000.0, "batch_s": 15.0}


def test_the_guide_has_the_table_that_is_computed():
    assert [table()] == PLACE.findall(GUIDE.read_text())


@pytest.mark.parametrize(("change", "factor"), [({"cores": 2.0}, 0.5), ({"match_s": 8.02}, 2.0)])
def test_twice_the_cores_or_half_the_thinking_halves_what_it_takes(change, factor):
    """But for the batches in which a newcomer comes to play as much as it may."""
    one, other = ladder_costs(**USUAL), ladder_costs(**USUAL | change)
    assert factor * one.settled_hours == pytest.approx(other.settled_hours)
    assert one.gb_a_week == pytest.approx(factor * other.gb_a_week)
    growing = 6 * 15.0 / 60
    assert factor * (one.newcomer_minutes - growing) == pytest.approx(other.newcomer_minutes - growing)


MEASURED = {10: 3_334, 20: 7_192, 40: 19_282, 80: 47_164}
"""Bots -> matches until 99 % of the pairs 100 Elo apart are in a sure order, as the nightly test measures it."""


@pytest.mark.parametrize("bots", MEASURED)
def test_how_long_an_order_takes_is_what_was_measured(bots):
    """Within a fifth."""
    costs = ladder_costs(**USUAL | {"bots": bots})
    assert costs.settled_hours * costs.matches_an_hour == pytest.approx(MEASURED[bots], rel=0.2)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("bots", [10, 40])
def test_how_long_an_order_takes_is_measured(bots):
    """With the schedule and the ratings as they are."""
    ladder = LadderOfNewcomers(2, 29, bots, warm_up=1)
    assert ladder.until_sure(100.0, 0.99) == pytest.approx(MEASURED[bots], rel=0.2)
