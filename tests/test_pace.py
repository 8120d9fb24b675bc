"""How long a run still takes: from the matches that it has played, by the bots that are left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_progress import Played, course

from arena.analysis.live import Standings
from arena.terminal.account import Account
from arena.terminal.pace import Pace, Waits, left_s

WAITS = {"quick": Waits(10, 1.0), "slow": Waits(2, 10.0)}


@pytest.mark.parametrize(
    ("left", "tables", "expected_s"),
    [
        ({"quick": 20}, 1, 2.0),
        ({"quick": 20}, 4, 0.5),
        ({"quick": 10, "slow": 10}, 2, 25.5),
        ({"quick": 1, "slow": 1}, 8, 5.0),  # one match is not divided among tables
        ({"quick": 0, "slow": -1}, 1, 0.0),  # played again
        ({"new": 12}, 1, 11.0),  # as the others on average
        ({}, 1, 0.0),
    ],
)
def test_a_match_takes_as_long_as_its_bots_took_before(left, tables, expected_s):
    """Shared by the tables, but never less than the slowest that is left."""
    assert expected_s == pytest.approx(left_s(left, WAITS, tables))


@given(st.dictionaries(st.sampled_from(["quick", "slow", "new"]), st.integers(-2, 100)), st.floats(0.1, 50))
def test_more_matches_never_take_less_time(left, tables):
    """And more tables never more."""
    now_s = left_s(left, WAITS, tables)
    assert now_s >= 0
    assert left_s({**left, "slow": left.get("slow", 0) + 1}, WAITS, tables) >= now_s
    assert left_s(left, WAITS, tables * 2) <= now_s


def test_the_slow_bots_matches_may_be_left_for_last():
    """At one table, 20 matches of 0.2 s and then 20 of 5.1 s: the rate alone would promise 4 s at half time."""
    pairs = [("quick", "other")] * 20 + [("quick", "slow")] * 20
    pace, now = Pace(0.0), 0.0
    pace.plan([*pairs, ("quick", "slow")])
    pace.played(("quick", "slow"), (0.1, 5.0), now := now + 5.1)
    for pair in pairs[:20]:
        pace.played(pair, (0.1, 0.1), now := now + 0.2)
    assert pace.left_s(now) == pytest.approx(20 * 5.1, rel=0.05)


def test_what_is_played_at_once_changes():
    """First one table, later four: a minute after the change the estimate is that of four."""
    pace, now = Pace(0.0), 0.0
    pace.plan([("ann", "bob")] * 1000)
    assert pace.left_s(1.0) is None
    for tables, count in ((1, 100), (4, 300)):
        for _ in range(count):
            pace.played(("ann", "bob"), (0.4, 0.4), now := now + 0.8 / tables)
    assert pace.left_s(now) == pytest.approx(600 * 0.8 / 4, rel=0.1)


def test_the_account_knows_who_is_left(monkeypatch):
    """Of three bots, one slow: after a lap without it, what it has left is in the estimate."""
    now = [100.0]
    monkeypatch.setattr("arena.terminal.account.time.monotonic", lambda: now[0])
    account, tournament = Account(Standings()), course("ann", "bob", "slow", series=2)
    account.begins(tournament, 0)
    for bots in (("ann", "slow"), ("ann", "bob"), ("ann", "bob")):
        took_s = 4.0 if "slow" in bots else 1.0
        now[0] += took_s
        account.played(Played(bots=bots, duration_s=took_s))
    # Left: one match between ann and slow in this lap and two in the next, four of bob and slow, two of ann
    # and bob; without decisions the time of a match is everybody's.
    ann_s, bob_s, slow_s = 6.0 / 2 / 3, 0.5, 2.0
    expected_s = (3 + 2) * ann_s + (4 + 2) * bob_s + (3 + 4) * slow_s
    assert f"{expected_s:.0f} s left" in account.state()
