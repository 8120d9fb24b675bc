"""The standings of a tournament that is going on are those that its folder would give."""

from __future__ import annotations

import random
from itertools import combinations
from math import sqrt

import pytest
from synthetic import play

from arena.analysis.leaderboard import Scale
from arena.analysis.live import Standings
from arena.analysis.ranking import leaderboard, ranked
from arena.analysis.running import RunningEstimate, Stratum
from arena.analysis.sheet import read_sheet
from arena.analysis.strata import Strata, estimates
from arena.match.record import Entry
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


# Running estimates.


def running(store, values, sets, *, by_sets: bool):
    """The estimates of all bots in two ways: series by series, and from the store at once."""
    told = {bot: RunningEstimate(by_sets=by_sets) for bot in "abcde"}
    strata = {bots: [Stratum() for _ in bots] for bots in sets}
    for series, bots in enumerate(sets):
        gains = values(series, bots)
        store.add_many(
            play(series, rotation, bots, range(1, 1 + len(bots)), returns=gains)
            for rotation in range(len(bots))
        )
        for bot, stratum, gain in zip(bots, strata[bots], gains, strict=True):
            told[bot].add(stratum, gain * len(bots), len(bots))
    sheet = read_sheet(store)
    at_once = estimates(Strata.of(sheet), sheet.returns, by_sets=by_sets)
    return [told[bot].estimate for bot in sheet.bots], at_once


def assert_alike(shown, expected, *, error: float) -> None:
    """Mean and standard error to this much, the rest likewise."""
    for one, other in zip(shown, expected, strict=True):
        assert (one.series, one.weight) == (other.series, pytest.approx(other.weight))
        assert (other.mean, sqrt(other.variance)) == pytest.approx((one.mean, sqrt(one.variance)), abs=error)
        freedoms = [each.freedom_of(each.variance) for each in (one, other)]
        assert freedoms[0] == pytest.approx(freedoms[1], rel=1e-6)


@pytest.mark.parametrize("by_sets", [True, False])
@pytest.mark.parametrize("series", [1, 2, 13, 25, 40])
def test_running_sums_give_the_estimates_of_the_leaderboard(store, series, by_sets):
    """Sets of two and of three bots, with none, one or more series each, whatever is weighed."""
    rng = random.Random(series)
    every = [*combinations("abcde", 2), *combinations("abcde", 3)]
    sets = [rng.choice(every) for _ in range(series)]
    shown, expected = running(store, lambda _, bots: [rng.gauss(0, 9) for _ in bots], sets, by_sets=by_sets)
    assert_alike(shown, expected, error=1e-9)


def test_large_returns_that_are_nearly_alike_keep_their_spread(store):
    """A million chips each, give or take one: sums of squares alone would know 3 digits of that."""
    rng = random.Random(3)
    sets = [*combinations("abcde", 2)] * 4 + [("a", "b"), ("a", "c", "d")]
    shown, expected = running(
        store, lambda _, bots: [1e6 + rng.uniform(-1, 1) for _ in bots], sets, by_sets=True
    )
    assert 0.05 < sqrt(expected[0].variance) < 0.5
    assert_alike(shown, expected, error=1e-7)


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
    standings = Standings(by_rating=True, by_sets=False, anchor=anchor)
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
    from arena.match.game import Seat
    from arena.match.record import Decision

    late = Decision(1, Seat(1), "0", 1.0, "too_late", "no answer within 1 s")
    standings = Standings()
    standings.add(closed(play(0, 0, decisions=(late, late)), play(0, 1, ("bob", "ann"), decisions=(late,))))
    assert {"bob": 2, "ann": 1} == {row.bot: row.faults for row in standings.rows()}
