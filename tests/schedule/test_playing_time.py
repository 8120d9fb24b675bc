"""Playing time by owner: an equal part for each, what is left is saved, what is too much is paid back."""

from __future__ import annotations

from math import ceil, fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.playing_time import CREDIT, TimeAccounts, spent_by_owner

OWNERS = ("a", "b", "c", "d")


def after(*batches, owners=OWNERS, series=100):
    accounts = TimeAccounts()
    for spent in batches:
        accounts = accounts.after(spent, owners, series)
    return accounts


def even(seconds):
    return dict.fromkeys(OWNERS, seconds)


def test_who_sleeps_is_charged_and_not_who_waits():
    """The seats of a match, each with the time that was waited for its bot."""
    seats = [("s@1", 30.0), ("a@1", 0.5), ("s@1", 40.0), ("a@2", 0.25), ("b@1", 0.0)]
    owners = {"s@1": "sleeper", "a@1": "a", "a@2": "a", "b@1": "b"}
    assert {"a": 0.75, "b": 0.0, "sleeper": 70.0} == spent_by_owner(seats, owners)


def test_who_uses_an_equal_part_keeps_what_it_has():
    """Nobody is paid or charged more than the others."""
    accounts = after(*[even(25.0)] * 30)
    assert accounts.credit == pytest.approx(CREDIT)
    assert [accounts.of("a")] * 4 == [accounts.of(owner) for owner in OWNERS]
    assert not any(map(accounts.is_overdrawn, OWNERS))


def test_who_uses_too_much_waits_until_it_is_paid():
    """A thousand seconds at once: of the 60 that are played in a batch it has 15 each time."""
    accounts = after(even(15.0), {"a": 1000.0, "b": 15.0, "c": 15.0, "d": 15.0})
    assert accounts.is_overdrawn("a")
    rest = {"a": 0.0, "b": 20.0, "c": 20.0, "d": 20.0}
    accounts = accounts.after(rest, OWNERS, 100)
    due, waited = accounts.batches_until_share("a"), 0
    assert ceil(-accounts.of("a") / 15) == due
    while accounts.is_overdrawn("a"):
        accounts, waited = accounts.after(rest, OWNERS, 100), waited + 1
    assert waited == due


@given(
    st.lists(st.fixed_dictionaries({owner: st.floats(0, 50) for owner in OWNERS}), min_size=1, max_size=30),
    st.sampled_from(OWNERS),
)
def test_nobody_ever_uses_more_than_its_share_and_its_credit_unless_it_is_overdrawn(batches, owner):
    """What is left is at most the share so far, less what was used, and the credit of now or of the start."""
    accounts, credits = TimeAccounts(), [0.0]
    for number, spent in enumerate(batches, 1):
        accounts = accounts.after(spent, OWNERS, 10)
        credits.append(accounts.credit)
        share = fsum(fsum(batch.values()) for batch in batches[:number]) / len(OWNERS)
        used = fsum(batch[owner] for batch in batches[:number])
        assert accounts.of(owner) <= share - used + max(credits) + 1e-6
        assert accounts.of(owner) <= accounts.credit


def test_what_was_saved_outlasts_batches_in_which_nothing_closes():
    """Short batches beside long series: what a series takes is not forgotten, nor what anybody has left."""
    before = accounts = after(*[even(25.0)] * 10)
    for _ in range(100):
        accounts = accounts.after({}, OWNERS, 0)
    assert accounts.credit == pytest.approx(before.credit)
    assert [accounts.of(owner) for owner in OWNERS] == pytest.approx([before.of(owner) for owner in OWNERS])
    assert accounts.credit == pytest.approx(CREDIT)


def test_what_a_series_takes_is_learnt_anew():
    """After some hundred series that take ten times as long, the credit is ten times as large."""
    accounts = after(*[even(25.0)] * 30, *[even(250.0)] * 30)
    assert accounts.credit == pytest.approx(10 * CREDIT, rel=0.1)


def test_who_is_away_neither_earns_nor_forgets():
    """A debt stays as it is until its owner is present again; what it had begun is still charged."""
    accounts = after(even(10.0), {"a": 500.0})
    debt = accounts.of("a")
    for _ in range(20):
        accounts = accounts.after({"b": 10.0}, ("b", "c", "d"), 100)
    assert debt == accounts.of("a")
    assert debt - 3 == accounts.after({"a": 3.0}, ("b",), 100).of("a")


def test_somebody_new_has_credit():
    """As much as may be saved, however long the others have been there."""
    accounts = after(*[even(10.0)] * 5)
    assert accounts.credit == accounts.of("new")
    assert 0 < accounts.credit


def test_who_is_overdrawn_plays_where_nobody_else_wants_to():
    """As many owners are let in as a match takes, those who owe least first."""
    accounts = TimeAccounts({"a": 5.0, "b": -1.0, "c": -7.0, "d": -3.0})
    assert {"a"} == accounts.admitted(OWNERS, 1)
    assert {"a", "b"} == accounts.admitted(OWNERS, 2)
    assert {"a", "b", "d"} == accounts.admitted(OWNERS, 3)
    assert {"b", "c"} == accounts.admitted(("b", "c"), 2)


def test_in_the_first_batch_nobody_is_charged():
    """It is not known yet what a series takes; then what was taken counts at once."""
    assert not TimeAccounts().during({"a": 1000.0}).is_overdrawn("a")
    assert after(even(1.0)).during({"a": 1000.0}).is_overdrawn("a")
    assert not after(even(1.0)).during({"a": 1000.0}).is_overdrawn("b")
