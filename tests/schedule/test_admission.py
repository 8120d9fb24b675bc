"""How many matches play at once: as many as the bots' demand leaves room for, within bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.admission import Capacity, Demand, admits, expected_load

DEMANDS = {
    "worker": Demand(matches=10, cpu_s=1.0, wall_s=1.0),
    "sleeper": Demand(matches=4, cpu_s=0.0, wall_s=20.0),
    "halfway": Demand(matches=1, cpu_s=0.1, wall_s=0.2),
    "ponderer": Demand(matches=1, cpu_s=0.2, wall_s=0.1),
}
"""A match waits for them for 0.1, 5, 0.2 and 0.1 s."""


@pytest.mark.parametrize(
    ("bots", "load"),
    [
        (["worker", "worker"], 1.0),
        (["worker", "sleeper"], 0.1 / 5.1),
        (["sleeper", "sleeper"], 0.0),
        (["worker", "halfway"], 0.2 / 0.3),
        (["ponderer", "ponderer"], 2.0),
        (["worker", "nobody knows"], 2.0),
        (["sleeper", "nobody knows", "nor this one"], 2.0),
        ([], 0.0),
    ],
)
def test_a_match_wants_what_its_bots_want_in_the_time_it_takes(bots, load):
    """A bot that computes is idle while the other sleeps; one of which nothing is known keeps a core busy."""
    assert load == pytest.approx(expected_load(bots, DEMANDS))


TWO, EIGHT = Capacity(first=1, most=16, cores=2), Capacity(first=4, most=64, cores=8)


@pytest.mark.parametrize(
    ("capacity", "running", "candidate", "arena", "begins"),
    [
        (TWO, [], 6.0, 1.0, True),  # one always plays, whatever it wants
        (TWO, [2.0], 2.0, 0.0, False),  # unknown bots: one table, as many as have a core for every seat
        (EIGHT, [2.0] * 3, 2.0, 0.0, True),
        (EIGHT, [2.0] * 4, 2.0, 0.0, False),
        (TWO, [1.0], 0.9, 0.05, True),
        (TWO, [1.0], 0.9, 0.1, False),  # the arena needs the rest
        (TWO, [0.02] * 15, 0.02, 0.01, True),
        (TWO, [0.02] * 16, 0.02, 0.01, False),  # a bound on processes
        (TWO, [2.0], 0.1, 0.05, True),  # light beside heavy, in either order
        (TWO, [0.1, 0.1], 2.0, 0.05, True),
        (TWO, [2.0, 0.3], 0.3, 0.05, False),
        (TWO, [0.3, 0.3], 2.0, 0.05, False),
        (Capacity.fixed(3), [9.0, 9.0], 9.0, 9.0, True),  # as many as were asked for
        (Capacity.fixed(3), [0.0] * 3, 0.0, 0.0, False),
    ],
)
def test_a_match_begins_if_all_find_a_core(capacity, running, candidate, arena, begins):
    """Or nearly all: light matches do not keep a heavy one waiting."""
    assert begins == admits(capacity, running, candidate, arena)


Loads = st.floats(0, 8)


@given(st.lists(Loads), Loads, st.floats(0, 1), st.integers(1, 8), st.integers(0, 20), st.integers(1, 16))
def test_there_is_always_one_table_and_never_more_than_allowed(running, candidate, arena, first, more, cores):
    """Whatever was measured; and who wants less, or finds less going on, begins as well."""
    capacity = Capacity(first=first, most=first + more, cores=cores)
    begins = admits(capacity, running, candidate, arena)
    assert begins or running
    assert not begins or len(running) < capacity.most
    if begins:
        assert admits(capacity, running, candidate / 2, arena / 2)
        assert admits(capacity, running[1:], candidate, arena)


def test_what_a_bot_did_long_ago_is_forgotten():
    """A hundred matches after its slow first one it is what it has been since."""
    demand = Demand().with_more(1, 3.0, 3.0)
    assert Demand(1, 3.0, 3.0) == demand
    for _ in range(100):
        demand = demand.with_more(1, 0.0, 0.1)
    assert 0.1 == pytest.approx(demand.wall_s / demand.matches, rel=0.5)
    assert expected_load(["it"], {"it": demand}) < 0.05
    assert demand.matches < 40
