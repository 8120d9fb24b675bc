"""The standings of a tournament that is going on are those that its folder would give."""

from __future__ import annotations

import random
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import clusters_of, play

from arena.analysis.clusters import mean_interval
from arena.analysis.intervals import Moments, win_rate_interval
from arena.analysis.leaderboard import Scale
from arena.analysis.live import Standings
from arena.analysis.ranking import leaderboard, ranked
from arena.analysis.sheet import read_sheet
from arena.record import Entry
from arena.schedule.course import ClosedSeries, MatchResult
from arena.store import StoredBot


def closed(*entries: Entry, cycle: int = 0, ends_cycle: bool = False) -> ClosedSeries:
    """The series of these matches; a bot has as many faults as its first seat has decisions with one."""
    matches = []
    for entry in entries:
        faulty = [decision.seat for decision in entry.record.decisions if decision.fault]
        faults = tuple(faulty.count(seat) for seat in range(len(entry.pairing.bots)))
        result = MatchResult(points=entry.points, returns=entry.record.returns, faults=faults)
        matches.append((entry.pairing, result))
    return ClosedSeries(entries[0].pairing.series, cycle, ends_cycle, tuple(matches))


# Moments.


def moments(tallies) -> Moments:
    gathered = Moments()
    for total, played in tallies:
        gathered.add(total, played)
    return gathered


POINTS = st.lists(st.floats(0, 1), min_size=1, max_size=6).map(lambda points: (fsum(points), len(points)))
RETURNS = st.lists(st.floats(-1e4, 1e4).map(lambda value: round(value, 3)), min_size=1, max_size=6)


@given(tallies=st.lists(POINTS, max_size=30))
def test_sums_give_the_interval_of_points(tallies):
    """As the series themselves do."""
    assert win_rate_interval(tallies) == pytest.approx(moments(tallies).win_rate_interval(), abs=1e-7)


@pytest.mark.slow
@given(series=st.lists(RETURNS, max_size=30))
def test_sums_give_the_interval_of_returns(series):
    """As the series themselves do, to 1 part in 10⁶ of the largest return."""
    tallies = [(fsum(values), len(values)) for values in series]
    largest = max((abs(value) for values in series for value in values), default=0.0)
    expected = mean_interval(clusters_of(tallies), largest)
    assert expected == pytest.approx(moments(tallies).mean_interval(largest), abs=1e-6 * largest)


def test_large_returns_that_are_nearly_alike_keep_their_spread():
    """A million chips each, give or take one: sums of squares alone would know 3 digits of that."""
    rng = random.Random(3)
    tallies = [(1e6 * played + rng.uniform(-1, 1), played) for played in rng.choices((1, 2, 4), k=500)]
    expected = mean_interval(clusters_of(tallies), 1e6)
    assert expected[1] - expected[0] < 0.2
    assert expected == pytest.approx(moments(tallies).mean_interval(1e6), rel=0, abs=1e-6)


# Standings.


def test_standings_are_those_of_the_leaderboard(store):
    """Bot by bot the same place, matches, score and interval, from what is told and from the store."""
    rng = random.Random(7)
    standings = Standings()
    for series in range(12):
        pair = rng.sample(("ann", "bob", "cat", "dan"), 2)
        entries = [play(series, r, pair, rng.choice([(1, 2), (2, 1), (1, 1)])) for r in range(2)]
        store.add_many(entries)
        standings.add(closed(*entries, cycle=series))
    expected = [
        (row.rank, row.bot, row.matches, *map(pytest.approx, (row.score, row.score_low, row.score_high)))
        for row in leaderboard(store).rows
    ]
    shown = [(row.rank, row.bot, row.matches, row.score, row.low, row.high) for row in standings.rows()]
    assert (4, 11) == (len(expected), standings.cycle)
    assert sorted(expected, key=lambda row: row[1]) == sorted(shown, key=lambda row: row[1])


@pytest.mark.parametrize("anchor", [None, "cat", "non"])
def test_where_the_leaderboard_is_ordered_by_rating_so_are_the_standings(store, anchor):
    """The same ratings and places, ties at three seats included, as far as a cycle has ended; scores before.

    Also with a bot that never plays.
    """
    rng = random.Random(5)
    standings = Standings(by_rating=True, anchor=anchor)
    standings.enter(["non", "eve", "dan", "cat", "bob", "ann"])
    store.put_bots([StoredBot("non", status="left out")])
    assert standings.unrated() is None
    for series in range(14):
        bots = rng.sample(("ann", "bob", "cat", "dan", "eve"), 3 if series % 3 else 2)
        orders = [(1, 2, 3), (1, 1, 3), (3, 1, 1), (1, 2, 2)] if len(bots) == 3 else [(1, 2), (1, 1), (1, 2)]
        entries = [play(series, r, bots, rng.choice(orders)) for r in range(2)]
        store.add_many(entries)
        standings.add(closed(*entries, cycle=series))
    by_score = [row.bot for row in standings.rows()]
    assert {None} == {row.rating for row in standings.rows()}
    standings.ratings = standings.unrated().ratings()
    board = ranked(read_sheet(store), store.bots(), Scale(ranked_by="rating"), anchor)
    assert by_score != [row.bot for row in board.rows]
    shown = {row.bot: (row.rank, row.rating) for row in standings.rows() if row.matches}
    assert {
        row.bot: (row.rank, pytest.approx(row.rating, abs=0.011)) for row in board.rows if row.matches
    } == shown
    assert [6, 6] == [board.row("non").rank, standings.rows()[-1].rank]


def test_standings_by_returns_are_in_the_unit_of_the_game(chips):
    """By hand: means of −10, 30 and 10 chips, so 10 ± 4.3027 · 20/√3; 4 chips are one bb/100."""
    standings = Standings(rated_by="returns", returns_unit=("bb/100", 4.0))
    for series, won in enumerate([(40, -60), (30, 30), (10, 10)]):
        entries = [play(series, r, returns=(chips, -chips)) for r, chips in enumerate(won)]
        standings.add(closed(*entries))
    ann, bob = standings.rows()
    half = 4.302652729911275 * 20 / 3**0.5
    assert ("bb/100", "ann", "bob") == (standings.unit, ann.bot, bob.bot)
    assert (2.5, (10 - half) / 4, (10 + half) / 4) == pytest.approx((ann.score, ann.low, ann.high))
    assert (-2.5, (-10 - half) / 4, (half - 10) / 4) == pytest.approx((bob.score, bob.low, bob.high))


def test_who_has_not_played_stands_last():
    """With nothing known; equal scores share a place, and the next one is left free."""
    standings = Standings()
    standings.enter(["zoe", "ann", "bob", "cat"])
    standings.add(closed(play(0, 0, ("bob", "ann"), (1, 1)), play(0, 1, ("ann", "bob"), (1, 1))))
    assert [(1, "ann", 2), (1, "bob", 2), (3, "cat", 0), (3, "zoe", 0)] == [
        (row.rank, row.bot, row.matches) for row in standings.rows()
    ]
    assert (0.0, 0.0, 1.0) == (standings.rows()[2].score, standings.rows()[2].low, standings.rows()[2].high)


def test_a_series_with_an_aborted_match_is_left_out():
    """All of it, and it is counted how many."""
    standings = Standings()
    standings.enter(["ann", "bob"])
    standings.add(closed(play(0, 0), play(0, 1, error="planted"), cycle=4))
    assert (4, 1, [0, 0]) == (standings.cycle, standings.spoilt, [row.matches for row in standings.rows()])


def test_places_of_the_format_come_before_the_score():
    """In a knockout who is out with many points is behind who is in with few."""
    standings = Standings()
    standings.add(closed(play(0, 0, ("ann", "bob"), (1, 2)), play(0, 1, ("cat", "bob"), (1, 2))))
    standings.places = {"bob": 1, "cat": 3, "ann": 3}
    assert [(1, "bob"), (3, "ann"), (3, "cat")] == [(row.rank, row.bot) for row in standings.rows()]


def test_faults_are_summed_over_counted_matches():
    """By bot, whatever its seat."""
    from arena.game import Seat
    from arena.record import Decision

    late = Decision(1, Seat(1), "0", 1.0, "too_late", "no answer within 1 s")
    standings = Standings()
    standings.add(closed(play(0, 0, decisions=(late, late)), play(0, 1, ("bob", "ann"), decisions=(late,))))
    assert {"bob": 2, "ann": 1} == {row.bot: row.faults for row in standings.rows()}
