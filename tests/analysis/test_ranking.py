"""Ratings and ranks on the leaderboard: what they are called, who anchors them, what orders the rows; bad input."""

from __future__ import annotations

import csv
from math import isfinite

import pytest
from synthetic import play

from arena.analysis import export
from arena.analysis.ranking import leaderboard
from arena.analysis.strength.ratings import ANCHOR
from arena.analysis.tables import COLUMNS
from arena.errors import ConfigError
from arena.store import Store, StoredBot


def triangle(store) -> Store:
    """ann wins most and bob some: five series of each pair."""
    for number, (bots, wins) in enumerate([(("ann", "bob"), 4), (("ann", "cat"), 4), (("bob", "cat"), 3)]):
        for series in range(5):
            for rotation in (0, 1):
                ranks = (1, 2) if series < wins else (2, 1)
                store.add(play(5 * number + series, rotation, bots, ranks))
    return store


def test_ratings_are_in_elo_around_the_mean(store):
    """The order of points where all meet all; inside their intervals; to a hundredth."""
    rows = leaderboard(triangle(store)).rows
    assert ["ann", "bob", "cat"] == [row.bot for row in rows]
    assert pytest.approx(3 * ANCHOR, abs=0.02) == sum(row.rating for row in rows)
    for row, next_row in zip(rows, [*rows[1:], None], strict=True):
        assert row.rating_low < row.rating < row.rating_high
        assert "Elo" == row.rating_unit
        assert row.rating == round(row.rating, 2)
        assert 0.5 == row.better_than_next if next_row is None else 0.5 < row.better_than_next < 1.0


def test_an_anchor_has_1500(store):
    """Named in the call, or else in the plan; the distances stay, and its own interval has no width."""
    free = {row.bot: row.rating for row in leaderboard(triangle(store)).rows}
    store.set_meta("plan", {"anchor": "cat"})
    for board in (leaderboard(store), leaderboard(store, anchor="cat")):
        cat = board.row("cat")
        assert (ANCHOR, ANCHOR, ANCHOR) == (cat.rating_low, cat.rating, cat.rating_high)
        assert pytest.approx(free["ann"] - free["cat"], abs=0.03) == board.row("ann").rating - ANCHOR
    assert ANCHOR == leaderboard(store, anchor="bob").row("bob").rating


def left_out(store) -> None:
    """Three bots that never played, first and last by name."""
    store.put_bots([StoredBot(name, status="left out") for name in ("aaa", "no1", "zzz")])


@pytest.mark.parametrize("anchor", [None, "cat"])
def test_bots_without_a_match_change_no_rating(store, anchor):
    """They stand last with zeros, and neither the ratings of the others nor their intervals depend on them."""
    alone = leaderboard(triangle(store), anchor=anchor).rows
    left_out(store)
    board = leaderboard(store, anchor=anchor)
    assert alone == board.rows[:3]
    assert ["aaa", "no1", "zzz"] == [row.bot for row in board.rows[3:]]
    for row in board.rows[3:]:
        assert (4, 0.0, 0.0, 0.0) == (row.rank, row.rating_low, row.rating, row.rating_high)
    assert [0.5] * 4 == [row.better_than_next for row in board.rows[2:]]
    assert [True, True, *[False] * 5] == [board.is_compared(place) for place in range(7)]


def test_an_anchor_without_a_match_anchors_nothing(store):
    """The mean has 1500 then, and a note says so."""
    alone = leaderboard(triangle(store)).rows
    left_out(store)
    board = leaderboard(store, anchor="no1")
    assert alone == board.rows[:3]
    assert "ratings are relative to the mean: no1, their anchor, has no match that counts" in board.notes


@pytest.mark.parametrize("rated_by", ["ranks", "returns"])
def test_nobody_is_rated_before_a_match_counts(store, rated_by):
    """Zeros, whatever the game is rated by."""
    store.set_meta("rated_by", rated_by)
    nothing_counts(store)
    rows = leaderboard(store, anchor="ann").rows
    assert [("ann", 0.0, 0.0, 0.0, 0.5), ("bob", 0.0, 0.0, 0.0, 0.5)] == [
        (row.bot, row.rating_low, row.rating, row.rating_high, row.better_than_next) for row in rows
    ]


def test_an_anchor_must_be_a_bot(store):
    """A sentence that names those there are."""
    with pytest.raises(ConfigError, match="anchor: no bot is called 'zoe' here; there are ann, bob and cat"):
        leaderboard(triangle(store), anchor="zoe")


def test_returns_are_the_rating_where_the_game_is_rated_by_them(chips):
    """In its unit, with their interval; and who leads surely is better surely."""
    for series in range(6):
        chips.add(play(series, 0, returns=(40 + series, -40 - series)))
    ann, bob = leaderboard(chips).rows
    assert (ann.score, ann.score_low, ann.score_high, "bb/100") == (
        ann.rating,
        ann.rating_low,
        ann.rating_high,
        ann.rating_unit,
    )
    assert ann.better_than_next > 0.999
    assert 0.5 == bob.better_than_next


@pytest.fixture
def uneven(store) -> Store:
    """eve beats only the weakest, always; ann beats bob more often than not, and loses to none else."""
    triangle(store)
    for series in range(20, 25):
        store.add_many([play(series, 0, ("dan", "eve"), (2, 1)), play(series, 1, ("eve", "dan"), (1, 2))])
        store.add_many([play(series + 5, 0, ("cat", "dan")), play(series + 5, 1, ("dan", "cat"), (2, 1))])
        store.add_many([play(series + 10, 0, ("ann", "eve")), play(series + 10, 1, ("eve", "ann"), (2, 1))])
    return store


def test_a_format_may_rank_by_rating(uneven):
    """Where opponents differ; then the next bot of the row is the next by rating."""
    uneven.set_meta("ranked_by", "rating")
    rows = leaderboard(uneven).rows
    assert [row.rating for row in rows] == sorted((row.rating for row in rows), reverse=True)
    assert [1, 2, 3, 4, 5] == [row.rank for row in rows]
    assert all(row.better_than_next > 0.4 for row in rows), "errors differ, and with them what is believed"
    assert [row.score for row in rows] != sorted((row.score for row in rows), reverse=True)


def test_a_format_may_give_places(uneven):
    """They stand first; equal places share a rank, by rating inside; who has none stands last, by rating."""
    uneven.put_bots([StoredBot("fay", status="left out")])
    uneven.set_meta("ranked_by", "places")
    uneven.set_meta("places", {"dan": 1, "cat": 2, "bob": 3, "eve": 3})
    rows = leaderboard(uneven).rows
    shared = sorted(("bob", "eve"), key=lambda bot: -leaderboard(uneven).row(bot).rating)
    assert ["dan", "cat", *shared, "ann", "fay"] == [row.bot for row in rows]
    assert [1, 2, 3, 3, 5, 6] == [row.rank for row in rows]


# Bad input: wide, and never blank.


def nothing(store):
    pass


def one_bot(store):
    store.put_bots([StoredBot("ann", "1")])


def never_met(store):
    store.add_many([play(0, 0, ("ann", "bob")), play(1, 0, ("cat", "dan"))])


def all_tied(store):
    store.add_many(play(series, 0, ranks=(1, 1), returns=(0, 0)) for series in range(3))


def nothing_counts(store):
    store.add_many([play(0, 0, error="boom"), play(0, 1)])


def only_aborted(store):
    store.add(play(0, 0, error="boom"))


def one_match(store):
    store.add(play(0, 0))


def always_won(store):
    store.add_many(play(series, rotation) for series in range(9) for rotation in (0, 1))


CASES = [nothing, one_bot, never_met, all_tied, nothing_counts, only_aborted, one_match, always_won]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("rated_by", ["ranks", "returns"])
def test_no_table_has_a_blank_or_a_nan(tmp_path, case, rated_by):
    """Whatever was played: every number reads as one, is finite, and inside its interval."""
    meta = {"game_version": 1, "rated_by": rated_by, "returns_unit": ["bb/100", 4.0]}
    with Store.create(tmp_path / "run", meta=meta) as store:
        case(store)
        board = export(store)
    for name, columns in COLUMNS.items():
        with (tmp_path / "run" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                for column in columns:
                    assert column.type == "text" or isfinite(float(line[column.name])), column.name
    for row in board.rows:
        assert row.rating_low <= row.rating <= row.rating_high
        assert 0 <= row.better_than_next <= 1
    for each in board.meetings:
        assert 0 <= each.share_low <= each.share <= each.share_high <= 1
        assert each.lead_low <= each.lead_mean <= each.lead_high


@pytest.mark.parametrize("case", [never_met, all_tied, one_match])
def test_little_known_is_widely_told(store, case):
    """No rating from next to nothing claims to be known to 300 points, or that one is surely better."""
    case(store)
    for row in leaderboard(store).rows:
        assert row.rating_high - row.rating_low > 300
        assert row.better_than_next < 0.95


def test_the_rows_do_not_depend_on_the_order_of_matches(tmp_path, store):
    """The last first: the same digits, ratings and head to head included."""
    entries = [
        play(
            series,
            rotation,
            bots,
            (1, 2) if (series + rotation) % 3 else (2, 1),
            returns=(1 / 3, -0.1 * series),
        )
        for series, bots in enumerate([("ann", "bob"), ("bob", "cat"), ("cat", "ann")] * 4)
        for rotation in (0, 1)
    ]
    store.add_many(entries)
    with Store.create(tmp_path / "other", meta={"game_version": 1}) as other:
        other.add_many(reversed(entries))
        other.put_bots(StoredBot(bot, "1.0") for bot in ("cat", "ann", "bob"))
        assert leaderboard(store).table == leaderboard(other).table
        one, another = (list(leaderboard(each).meetings.rows()) for each in (store, other))
        assert one == another
