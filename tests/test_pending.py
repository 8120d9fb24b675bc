"""What is still to be played: the first match in order of play whose bots are free."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from round_robins import round_robin

from arena.schedule.queue import Pending

BOTS = ("ann", "bob", "cat", "dan", "eve")
ORDER = list(round_robin(BOTS, game="g", seats=2, series=2, seed=1, deals="same"))


def taken(pending, busy):
    def can_play(pairing):
        return not set(pairing.bots) & set(busy)

    return pending.take(can_play, lambda: [bot for bot in BOTS if bot not in busy])


@pytest.fixture(scope="module", autouse=True)
def _few_are_looked_at_first():
    """Of so few matches all would be, and nobody would be asked who is free."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.schedule.queue.NEXT_MAX", 3)
        yield


def test_who_is_free_is_asked_only_if_none_of_the_next_can_be_played():
    """With thousands of bots that takes longer than a match."""
    pending = Pending(ORDER, [pairing.id for pairing in ORDER])
    for pairing in (ORDER[1], ORDER[0], ORDER[2]):
        assert pairing == pending.take(lambda it, wanted=pairing: it == wanted, pytest.fail)


@given(
    st.sets(st.integers(0, len(ORDER) - 1)),
    st.lists(st.tuples(st.sets(st.sampled_from(BOTS)), st.booleans())),
)
def test_it_is_the_first_that_can_be_played(wanted, steps):
    """Whoever is busy, and whatever is put back: the same as looking through all of them in order."""
    pending = Pending(ORDER, [ORDER[index].id for index in wanted])
    left = set(wanted)
    for busy, comes_back in steps:
        fitting = [index for index in sorted(left) if not set(ORDER[index].bots) & busy]
        found = taken(pending, busy)
        assert (ORDER[fitting[0]] if fitting else None) == found
        if found is None:
            continue
        left.remove(fitting[0])
        if comes_back:
            left.add(fitting[0])
            pending.put_back(found.id)
        assert [ORDER[index] for index in sorted(left)] == list(pending)
        assert len(left) == len(pending)


def test_nothing_is_left_after_clear():
    """A run that is to stop begins nothing more."""
    pending = Pending(ORDER, [pairing.id for pairing in ORDER])
    pending.clear()
    assert not pending
    assert taken(pending, ()) is None


@pytest.mark.slow
def test_a_hundred_bots_that_play_one_match_at_a_time_fill_all_tables():
    """64 tables for 128 bots, although the first 254 matches of the schedule are all the first bot's."""
    bots = [f"bot{number:03}" for number in range(128)]
    order = list(round_robin(bots, game="g", seats=2, series=1, seed=1, deals="fresh"))
    pending, busy = Pending(order, [pairing.id for pairing in order]), set()

    def can_play(pairing):
        return not busy.intersection(pairing.bots)

    for _ in range(64):
        found = pending.take(can_play, lambda: [bot for bot in bots if bot not in busy])
        assert found is not None
        busy.update(found.bots)
    assert 128 == len(busy)
