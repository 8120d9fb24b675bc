"""What a plan allows to a run is divided among its processes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.players.entrant import Entrant
from arena.schedule.admission import Capacity
from arena.tournament.play.logs import LOGS_KEPT, Logs
from arena.tournament.play.share import Share, capacity_in, entrants_of


@given(whole=st.integers(0, 1000), of=st.integers(1, 300))
def test_parts_add_up(whole, of):
    """No process has two more than another, and all together have the whole."""
    parts = [Share(place, of).part(whole) for place in range(of)]
    assert whole == sum(parts)
    assert parts == sorted(parts, reverse=True)
    assert max(parts) - min(parts) <= 1


@given(first=st.integers(1, 64), more=st.integers(0, 64), cores=st.integers(1, 128), of=st.integers(1, 64))
def test_every_process_has_a_table(first, more, cores, of):
    """And no more tables than the whole run may have, unless there are more processes than tables."""
    whole = Capacity(first=first, most=first + more, cores=cores)
    parts = [capacity_in(whole, Share(place, of)) for place in range(of)]
    assert all(1 <= part.first <= part.most for part in parts)
    assert sum(part.most for part in parts) <= max(whole.most, of)
    assert all(part.is_fixed == (more == 0) or part.most == 1 or of > 1 for part in parts)
    assert abs(sum(part.cores for part in parts) - cores) < 1e-6


def test_instances_are_divided():
    """A bot without a limit has none anywhere."""
    bots = (Entrant(name="one", kind="process", instances_max=1), Entrant(name="any", kind="process"))
    three = Entrant(name="three", kind="process", instances_max=3)
    most = [[bot.instances_max for bot in entrants_of((*bots, three), Share(place, 2))] for place in range(2)]
    assert [[1, None, 2], [1, None, 1]] == most


@pytest.mark.slow
def test_no_two_processes_write_the_same_log(tmp_path):
    """Each has numbers of its own, goes on from those that are there, and leaves the others' new ones alone."""
    (tmp_path / "ann-7.log").touch()
    shares = [Logs(tmp_path, Share(place, 3)) for place in range(3)]
    names = [logs.next_path("ann").name for logs in shares for _ in range(4)]
    assert len(names) == len(set(names))
    assert min(int(name[4:-4]) for name in names) == 8
    slow = shares[0].next_path("ann")
    slow.touch()
    for _ in range(3 * LOGS_KEPT):
        shares[1].next_path("ann").touch()
    assert slow.exists()
    assert LOGS_KEPT // 3 <= len(list(tmp_path.glob("*.log"))) <= LOGS_KEPT
