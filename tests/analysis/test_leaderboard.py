"""The leaderboard: what counts, who is first, and intervals that stay honest."""

from __future__ import annotations

import random
import subprocess
import sys
from array import array
from math import fsum, isfinite, sqrt

import attrs
import pytest
from daily import NIGHTLY
from hypothesis import given
from hypothesis import strategies as st
from synthetic import mean_interval, play

from arena.analysis.counted import progress_of
from arena.analysis.intervals import (
    MANY_TIMES,
    NOTHING,
    Extremes,
    interval_of_mean,
    quantiles,
    win_rate_interval,
)
from arena.analysis.leaderboard import COLUMNS, LeaderboardRow
from arena.analysis.ranking import leaderboard
from arena.analysis.student import student_t
from arena.store import SeriesState, Store, StoredBot


def test_the_numbers_of_a_small_tournament(played):
    """ann wins five of six; a bot that was left out stands last with nothing."""
    ann, bob, cat = leaderboard(played).rows
    assert (ann.rank, ann.bot, ann.version, ann.status) == (1, "ann", "1.0", "ok")
    assert (ann.matches, ann.wins, ann.ties, ann.losses) == (6, 5, 0, 1)
    assert ann.win_rate == ann.points_mean == pytest.approx(5 / 6)
    assert ann.returns_mean == pytest.approx((5 - 1) / 6)
    assert (ann.score, ann.score_unit) == (ann.points_mean, "points")
    assert (ann.score_low, ann.score_high) == (ann.win_rate_low, ann.win_rate_high), "no ties: the same"
    assert (ann.too_late, ann.malformed, ann.illegal, ann.gone) == (1, 0, 0, 0)
    assert (ann.move_time_median_s, ann.move_time_p99_s) == (0.25, 1.0)
    assert (bob.rank, bob.wins, bob.losses, bob.status) == (2, 1, 5, "withdrawn")
    assert (cat.rank, cat.matches, cat.status) == (3, 0, "left out")
    assert (cat.win_rate, cat.win_rate_low, cat.win_rate_high) == (0.0, 0.0, 1.0)
    assert (cat.score, cat.score_low, cat.score_high) == (0.0, 0.0, 1.0)
    assert (cat.returns_mean, cat.returns_low, cat.returns_high) == (0.0, 0.0, 0.0)


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


# games rated by returns


def test_returns_rank_where_the_game_is_rated_by_them(chips):
    """By hand: ann's series have means of −10, 30 and 10 chips, so 10 ± 4.3027 · 20/√3; 4 chips are one bb/100."""
    won_by_ann = [(40, -60), (30, 30), (10, 10)]
    for series, matches in enumerate(won_by_ann):
        for rotation, won in enumerate(matches):
            ranks = (1, 2) if won > 0 else (2, 1)
            chips.add(play(series, rotation, ranks=ranks, returns=(won, -won)))
    ann, bob = leaderboard(chips).rows
    half = 4.302652729911275 * 20 / sqrt(3)
    assert (ann.returns_mean, ann.returns_low, ann.returns_high) == pytest.approx((10, 10 - half, 10 + half))
    assert (ann.score, ann.score_unit) == (2.5, "bb/100")
    assert (ann.score_low, ann.score_high) == pytest.approx(((10 - half) / 4, (10 + half) / 4))
    assert (bob.score_low, bob.score, bob.score_high) == pytest.approx(
        (-ann.score_high, -ann.score, -ann.score_low)
    )


def test_many_small_wins_do_not_outrank_a_large_one(chips):
    """Three of four matches won, and last by chips: the win rate orders equal scores only."""
    for rotation, won in enumerate((5, 5, 5, -100)):
        ranks = (1, 2) if won > 0 else (2, 1)
        chips.add(play(0, rotation, ranks=ranks, returns=(won, -won)))
    bob, ann = leaderboard(chips).rows
    assert [(row.rank, row.bot, row.wins) for row in (bob, ann)] == [(1, "bob", 1), (2, "ann", 3)]
    assert bob.points_mean < ann.points_mean


def test_equal_returns_share_a_place(chips):
    """As equal points do: the next place is left free, inside one more wins come first."""
    bots = ("eve", "dan", "ann", "bob")
    chips.add(play(0, 0, bots, (1, 2, 3, 4), returns=(30, 20, 10, -60)))
    chips.add(play(0, 1, bots, (3, 2, 1, 4), returns=(10, 20, 30, -60)))
    chips.add(play(0, 2, bots, (4, 1, 1, 3), returns=(-60, 40, 40, -20)))
    rows = leaderboard(chips).rows
    assert [(row.rank, row.bot, row.returns_mean) for row in rows] == [
        (1, "ann", pytest.approx(80 / 3)),
        (1, "dan", pytest.approx(80 / 3)),
        (3, "eve", pytest.approx(-20 / 3)),
        (4, "bob", pytest.approx(-140 / 3)),
    ]


def test_a_bot_without_a_match_stands_below_those_who_lose(chips):
    """Its zero is no result; its interval has no width, for no number would be wide enough."""
    chips.put_bots([StoredBot("cat", status="left out")])
    chips.add(play(0, 0, returns=(10, -10)))
    ann, bob, cat = leaderboard(chips).rows
    assert [row.rank for row in (ann, bob, cat)] == [1, 2, 3]
    assert (cat.bot, cat.score, cat.score_low, cat.score_high) == ("cat", 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("meta", "unit", "score"),
    [
        pytest.param({}, "points", 1.0, id="nothing: ranks, whatever its returns are"),
        pytest.param({"rated_by": "ranks", "returns_unit": ["", 1.0]}, "points", 1.0, id="ranks"),
        pytest.param({"rated_by": "returns"}, "returns", 30.0, id="returns without a unit"),
        pytest.param({"rated_by": "returns", "returns_unit": ["", 1.0]}, "returns", 30.0, id="an empty unit"),
        pytest.param({"rated_by": "returns", "returns_unit": ["stacks", 60.0]}, "stacks", 0.5, id="stacks"),
    ],
)
def test_what_a_folder_says_of_its_scale(tmp_path, meta, unit, score):
    """The analysis knows no game: all it needs is in the store."""
    with Store.create(tmp_path / "other", meta=meta) as store:
        store.add(play(0, 0, returns=(30, -30)))
        first = leaderboard(store).rows[0]
    assert (first.score_unit, first.score) == (unit, score)


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
            "2 of 6 matches counted; 3 played, waiting for their series or one before it; "
            "95 % intervals hold for one look",
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
            "2 of 2 matches counted; 3 belong to replaced or excluded bots",
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


@pytest.mark.nightly
@pytest.mark.slow
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


def test_points_of_larger_tables_have_an_interval_too(store):
    """Thirds instead of wins: around the mean, inside 0 to 1, and narrower than that of the wins."""
    bots = ("ann", "bob", "cat", "dan")
    rng = random.Random(11)
    for series in range(12):
        store.add(play(series, 0, bots, rng.sample((1, 2, 3, 4), 4)))
    for row in leaderboard(store).rows:
        assert 0 < row.score_low < row.score == row.points_mean < row.score_high < 1
        assert row.score_high - row.score_low < row.win_rate_high - row.win_rate_low


# the interval of returns


@pytest.mark.parametrize(
    ("tallies", "largest", "low", "high"),
    [
        pytest.param([(0, 2), (4, 2)], 2.0, 1 - 12.7062, 1 + 12.7062, id="two: t of 1 degree, means 0 and 2"),
        pytest.param([(2, 1), (4, 1), (6, 1)], 6.0, 4 - 4.9683, 4 + 4.9683, id="three: 4 ± 4.3027 · 2/√3"),
        pytest.param([(0, 1), (9, 3)], 3.0, 2.25 - 14.2945, 2.25 + 14.2945, id="a longer series weighs more"),
        pytest.param([(10, 2)], 30.0, 5 - 570, 5 + 570, id="one: 19 times the largest return"),
        pytest.param([(0, 2)], 30.0, -570, 570, id="one that evened out is no certainty"),
        pytest.param([(10, 2)] * 100, 5.0, 5 - 0.95, 5 + 0.95, id="a hundred alike: a hundredth of it"),
        pytest.param([(0.3, 3)] * 19, 0.1, 0.0, 0.2, id="alike but for rounding"),
        pytest.param([(0, 4)] * 3, 0.0, 0.0, 0.0, id="no chip ever moved"),
    ],
)
def test_the_interval_of_a_mean_return(tallies, largest, low, high):
    """By hand: mean ± t · s/√k with t from printed tables.

    Of unequal series: 0 and 9 are ∓2.25 from what the mean makes them, so ± t · √(2 · 2 · 2.25²) / 4.
    """
    assert mean_interval(tallies, largest) == pytest.approx((low, high), rel=1e-4, abs=1e-9)


def test_without_a_series_an_interval_of_returns_is_a_point():
    """As no number would be wide enough."""
    assert (0.0, 0.0) == interval_of_mean(NOTHING, Extremes(30.0))


RETURNS = st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=4)


@given(st.lists(RETURNS, min_size=1, max_size=20))
def test_an_interval_of_returns_is_finite_and_holds_its_mean(series):
    """Whatever was won; and it is a point only if nothing ever was."""
    values = [value for values in series for value in values]
    largest = max(map(abs, values), default=0.0)
    low, high = mean_interval([(fsum(values), len(values)) for values in series], largest)
    mean = fsum(values) / max(1, len(values))
    assert isfinite(low)
    assert isfinite(high)
    assert low <= mean <= high
    assert (low < high) == (largest > 0)


def independent(rng: random.Random) -> list[float]:
    return [rng.gauss(40, 300) for _ in range(2)]


def shared_luck(rng: random.Random) -> list[float]:
    deals = rng.gauss(40, 300)
    return [rng.gauss(deals, 100) for _ in range(2)]


def mirrored(rng: random.Random) -> list[float]:
    deals = rng.gauss(0, 300)
    return [rng.gauss(40 + deals, 50), rng.gauss(40 - deals, 50)]


def all_in(rng: random.Random) -> list[float]:
    """Twenty hands: mostly blinds, now and then 1000 chips; 2 a hand on average."""
    return [sum(rng.choices((-1000, -50, 50, 1000), (6, 42, 46, 6), k=20)) for _ in range(2)]


DAILY = [(independent, 2), (mirrored, 5), (all_in, 5)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("series", "count"),
    [
        pytest.param(series, count, marks=() if (series, count) in DAILY else NIGHTLY)
        for series in (independent, shared_luck, mirrored, all_in)
        for count in (2, 5, 40)
    ],
)
def test_intervals_of_returns_hold_the_truth(count, series):
    """Over 1000 simulated tournaments the true mean of 40 chips is inside in 93 to 97 %, however matches hang together."""
    rng = random.Random(f"{count} {series.__name__}")
    hits = 0
    for _ in range(1000):
        played = [series(rng) for _ in range(count)]
        largest = max(abs(value) for values in played for value in values)
        low, high = mean_interval([(fsum(values), 2) for values in played], largest)
        hits += low <= 40 <= high
    assert 0.93 <= hits / 1000 <= 0.97


@pytest.mark.slow
@pytest.mark.nightly
def test_the_interval_of_one_series_holds_the_truth():
    """Also in the worst case of one peak: uniform returns of ±19/18 of the mean, where ±19·|x| misses 5 %."""
    rng = random.Random(0)
    hits = 0
    for _ in range(10_000):
        returns = 18 + 19 * rng.uniform(-1, 1)
        low, high = mean_interval([(returns, 1)], abs(returns))
        hits += low <= 18 <= high
    # 95 % ± four standard errors of 10,000 draws
    assert 0.9413 <= hits / 10_000 <= 0.9587


# Student's t


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
    assert [column.name for column in COLUMNS] == [field.name for field in attrs.fields(LeaderboardRow)]
    assert {column.type for column in COLUMNS} == {"integer", "text", "real"}
    measured = [column.name for column in COLUMNS if not column.exact]
    assert measured == ["move_time_median_s", "move_time_p99_s"]


@pytest.mark.slow
def test_a_leaderboard_needs_no_pandas(played):
    """`arena run` ends with a leaderboard: pandas is not worth the wait for that, nor numpy before it."""
    script = (
        "import sys\nfrom arena.store import Store\nfrom arena.analysis import export\n"
        "assert 'numpy' not in sys.modules\n"
        "print(len(export(Store.open(sys.argv[1])).rows), {'pandas'} & set(sys.modules))"
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
