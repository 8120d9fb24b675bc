"""The leaderboard: what counts, who is first, and intervals that stay honest."""

from __future__ import annotations

import random
import subprocess
import sys
from array import array
from math import isfinite

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import play

from arena.analysis.leaderboard import (
    COLUMNS,
    MANY_TIMES,
    Row,
    leaderboard,
    progress_of,
    quantiles,
    student_t,
    win_rate_interval,
)
from arena.store import SeriesState, Store, StoredBot


def test_the_numbers_of_a_small_tournament(played):
    """ann wins five of six; a bot that was left out stands last with nothing."""
    ann, bob, cat = leaderboard(played).rows
    assert (ann.rank, ann.bot, ann.version, ann.status) == (1, "ann", "1.0", "ok")
    assert (ann.matches, ann.wins, ann.ties, ann.losses) == (6, 5, 0, 1)
    assert ann.win_rate == ann.points_mean == pytest.approx(5 / 6)
    assert ann.returns_mean == pytest.approx((5 - 1) / 6)
    assert (ann.too_late, ann.malformed, ann.illegal, ann.gone) == (1, 0, 0, 0)
    assert (ann.move_time_median_s, ann.move_time_p99_s) == (0.25, 1.0)
    assert (bob.rank, bob.wins, bob.losses, bob.status) == (2, 1, 5, "withdrawn")
    assert (cat.rank, cat.matches, cat.status) == (3, 0, "left out")
    assert (cat.win_rate, cat.win_rate_low, cat.win_rate_high) == (0.0, 0.0, 1.0)


def test_equal_points_share_a_place(store):
    """Order inside a place: more wins first, then by name; the next place is left free."""
    bots = ("eve", "dan", "ann", "bob")
    store.add(play(0, 0, bots, (1, 4, 2, 3)))
    store.add(play(0, 1, bots, (4, 1, 2, 3)))
    rows = leaderboard(store).rows
    assert [(row.rank, row.bot, row.points_mean) for row in rows] == [
        (1, "ann", pytest.approx(2 / 3)),
        (2, "dan", 0.5),
        (2, "eve", 0.5),
        (4, "bob", pytest.approx(1 / 3)),
    ]


def test_bots_without_a_row_of_their_own_are_ranked_too(store):
    """Their version is the one they played with."""
    store.add(play(0, 0))
    assert [(row.bot, row.version, row.status) for row in leaderboard(store).rows] == [
        ("ann", "1.0", "ok"),
        ("bob", "1.0", "ok"),
    ]


def test_an_empty_store_has_an_empty_leaderboard(store):
    """No bots, no rows, no complaint."""
    board = leaderboard(store)
    assert board.rows == ()
    assert board.progress.note == ""


# what counts


def series(name: str, planned: int, stored: int, aborted: int = 0) -> SeriesState:
    return SeriesState(name, planned, max(0, planned - stored), stored, aborted)


@pytest.mark.parametrize(
    ("states", "counting", "note"),
    [
        pytest.param([series("a", 2, 2), series("b", 2, 2)], {"a", "b"}, "", id="all closed"),
        pytest.param(
            [series("a", 2, 2), series("b", 2, 1), series("c", 2, 2)],
            {"a"},
            "2 of 6 matches counted; 3 played, waiting for their series or one before it",
            id="the prefix ends at the first open series",
        ),
        pytest.param(
            [series("a", 2, 0), series("b", 2, 0)], set(), "0 of 4 matches counted", id="nothing played yet"
        ),
        pytest.param(
            [series("a", 2, 2, 1), series("b", 2, 2)],
            {"b"},
            "2 of 4 matches counted; 2 left out with a match that was aborted (series a)",
            id="a series with an aborted match is left out whole",
        ),
        pytest.param([series("a", 0, 2), series("b", 0, 1)], {"a", "b"}, "", id="no schedule: everything"),
        pytest.param(
            [series("a", 2, 2), series("z", 0, 3)],
            {"a"},
            "2 of 2 matches counted; 3 not in the schedule",
            id="what the schedule does not name",
        ),
    ],
)
def test_what_counts(states, counting, note):
    """The longest prefix of the schedule whose series are all closed."""
    progress = progress_of(states)
    assert progress.series == counting
    assert progress.note == note


def test_matches_that_do_not_count_are_in_no_number(store):
    """An open series gives neither matches nor faults nor times."""
    plans = [play(0, 0), play(0, 1), play(1, 0), play(1, 1)]
    store.set_schedule(entry.pairing for entry in plans)
    store.add_many([plans[0], plans[1], plans[3]])
    assert [row.matches for row in leaderboard(store).rows] == [2, 2]
    store.add(plans[2])
    assert [row.matches for row in leaderboard(store).rows] == [4, 4]


def test_an_aborted_match_takes_its_series_with_it(store):
    """The other rotation would favour one seat."""
    store.add_many([play(0, 0, error="boom"), play(0, 1), play(1, 0)])
    board = leaderboard(store)
    assert [row.matches for row in board.rows] == [1, 1]
    assert board.progress.spoilt == ("s0",)


# the interval


@given(st.lists(st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=30))
def test_an_interval_is_finite_and_holds_its_rate(tallies):
    """Whatever was played: 0 ≤ low ≤ rate ≤ high ≤ 1, and never a point."""
    low, high = win_rate_interval(tallies)
    rate = sum(won for won, _ in tallies) / max(1, sum(played for _, played in tallies))
    assert isfinite(low)
    assert isfinite(high)
    assert 0 <= low <= rate <= high <= 1
    assert high - low > 0.05


@pytest.mark.parametrize(
    ("tallies", "low", "high"),
    [
        pytest.param([], 0.0, 1.0, id="no series: nothing is known"),
        pytest.param([(2, 2)], 0.0, 0.01, id="one series, all won: nearly nothing is known"),
        pytest.param([(10, 10)] * 10, 0.66, 0.67, id="ten alike count as ten matches, not as a hundred"),
        pytest.param([(1, 1)] * 1000, 0.996, 0.997, id="a thousand wins: low as Wilson's"),
        pytest.param([(1, 2)] * 100, 0.48, 0.5, id="mirrored deals: narrower than independent matches"),
        pytest.param([(0, 2), (2, 2)] * 50, 0.39, 0.42, id="all or nothing: as wide as 100 matches"),
    ],
)
def test_how_low_the_interval_reaches(tallies, low, high):
    """By hand: n series that were all won reach down to n/(n + t²), Wilson's lower end at rate 1."""
    reached, _ = win_rate_interval(tallies)
    assert low <= reached <= high


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("kind", ["independent", "alike", "mirrored"])
def test_intervals_hold_the_truth(rate, kind):
    """Over 400 simulated tournaments of 20 series the interval misses the true rate seldom enough."""
    rng = random.Random(f"{rate} {kind}")

    def wins() -> int:
        first, second = rng.random(), rng.random()
        second = {"independent": second, "alike": first, "mirrored": 1 - first}[kind]
        return (first < rate) + (second < rate)

    hits = 0
    for _ in range(400):
        low, high = win_rate_interval([(wins(), 2) for _ in range(20)])
        hits += low <= rate <= high
    # 95 % less three standard errors of 400 draws
    assert hits / 400 >= 0.917


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [
        (1, 12.7062),
        (2, 4.3027),
        (3, 3.1824),
        (4, 2.7764),
        (5, 2.5706),
        (10, 2.2281),
        (30, 2.0423),
        (1000, 1.9623),
    ],
)
def test_students_t(freedom, expected):
    """Against the printed tables (e.g. NIST/SEMATECH e-Handbook, 1.3.6.7.2, column 0.975)."""
    assert student_t(freedom) == pytest.approx(expected, rel=0.002)


def test_the_interval_does_not_depend_on_the_order_of_series():
    """To the last digit: it is an exact column, and series come in as they end."""
    rng = random.Random(3)
    tallies = [(rng.randint(0, played), played) for played in rng.choices(range(1, 30), k=200)]
    assert len({win_rate_interval(rng.sample(tallies, 200)) for _ in range(50)}) == 1


# thinking times


@pytest.mark.parametrize("count", [1, 2, 99, 100, 101, MANY_TIMES + 1])
def test_quantiles_are_times_that_were_measured(count):
    """The smallest time that at least the share does not exceed; numpy gives the same."""
    times = array("f", range(count))
    random.Random(count).shuffle(times)
    median, p99, largest = quantiles(times, 0.5, 0.99, 1.0)
    assert median == (count + 1) // 2 - 1
    assert p99 == -(-99 * count // 100) - 1
    assert largest == count - 1


def test_no_times_no_quantiles():
    """A bot that was never asked shows zeros."""
    assert quantiles(array("f"), 0.5, 0.99) == (0.0, 0.0)


# the house


def test_the_columns_are_the_fields():
    """Types are known to the dictionary; only times are measured."""
    assert [column.name for column in COLUMNS] == [field.name for field in attrs.fields(Row)]
    assert {column.type for column in COLUMNS} == {"integer", "text", "real"}
    measured = [column.name for column in COLUMNS if not column.exact]
    assert measured == ["move_time_median_s", "move_time_p99_s"]


@pytest.mark.slow
def test_a_small_leaderboard_needs_no_pandas(played, tmp_path):
    """`arena run` ends with a leaderboard: neither pandas nor numpy is worth the wait for that."""
    script = (
        "import sys\nfrom arena.store import Store\nfrom arena.analysis import export\n"
        "print(len(export(Store.open(sys.argv[1])).rows), {'pandas', 'numpy'} & set(sys.modules))"
    )
    played.close()
    done = subprocess.run(
        [sys.executable, "-c", script, played.folder], capture_output=True, text=True, check=True
    )
    assert done.stdout == "3 set()\n"


def test_order_of_play_changes_no_digit(tmp_path, store):
    """Sums are exact: thirds added in any order give the same mean."""
    bots = ("ann", "bob", "cat", "dan")
    rng = random.Random(5)
    plans = [(series, rotation) for series in range(30) for rotation in range(1 + series % 3)]
    matches = [play(*plan, bots, rng.sample((1, 2, 3, 4), 4)) for plan in plans]
    store.add_many(matches)
    with Store.create(tmp_path / "other", meta={}) as other:
        other.add_many(rng.sample(matches, len(matches)))
        other.put_bots([StoredBot(bot, "1.0") for bot in bots])
        assert leaderboard(other).rows == leaderboard(store).rows
