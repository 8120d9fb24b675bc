"""Head to head: every pair that met, from both sides, and in which series."""

from __future__ import annotations

import random
from collections import defaultdict

import attrs
import pytest
from synthetic import play

from arena.analysis import head_to_head
from arena.analysis.head_to_head import COLUMNS, Meeting, meetings
from arena.analysis.ranking import leaderboard
from arena.analysis.sheet import read_sheet
from arena.store import StoredBot


def test_a_small_tournament_by_hand(played):
    """ann beat bob in five of six matches, in three series; cat met nobody."""
    ann, bob = leaderboard(played).meetings
    assert ("ann", "1.0", "bob", "1.0", 3, 6, 5, 0, 1) == attrs.astuple(ann)[:9]
    assert pytest.approx((5 / 6, 4 / 6, 8 / 6)) == (ann.share, ann.returns_mean, ann.lead_mean)
    assert ann.share_low < 0.5 < ann.share < ann.share_high
    assert ("bob", "ann", 1, 0, 5) == (bob.bot, bob.opponent, bob.better, bob.tied, bob.worse)
    assert pytest.approx((1 - ann.share_high, 1 - ann.share_low)) == (bob.share_low, bob.share_high)
    assert pytest.approx((-ann.lead_high, -ann.lead_low)) == (bob.lead_low, bob.lead_high)


@pytest.mark.parametrize("cells", [1, 7, 1 << 19])
def test_every_pair_of_every_table_is_counted(store, monkeypatch, cells):
    """Tables of two to four, ties, several series of a set: the same as counting one by one, in any chunks."""
    monkeypatch.setattr(head_to_head, "CELLS", cells)
    rng = random.Random(7)
    expected: defaultdict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0, 0, 0, 0.0])
    for series in range(12):
        bots = rng.sample(("ann", "bob", "cat", "dan", "eve"), rng.randint(2, 4))
        for rotation in range(len(bots)):
            seated = bots[rotation:] + bots[:rotation]
            ranks = [rng.randint(1, 3) for _ in seated]
            ranks = [1 + sum(other < rank for other in ranks) for rank in ranks]
            store.add(play(series, rotation, seated, ranks))
            for bot, rank in zip(seated, ranks, strict=True):
                for other, rank_of_other in zip(seated, ranks, strict=True):
                    if bot != other:
                        found = expected[bot, other]
                        found[0] += 1
                        found[1] += rank < rank_of_other
                        found[2] += rank == rank_of_other
                        found[3] += rank > rank_of_other
                        found[4] += 3.0 - 2 * rank
    sheet = read_sheet(store)
    told = {(each.bot, each.opponent): each for each in meetings(sheet, range(len(sheet.bots)))}
    assert set(expected) == set(told)
    for pair, (matches, better, tied, worse, returns) in expected.items():
        each = told[pair]
        assert (matches, better, tied, worse) == (each.matches, each.better, each.tied, each.worse)
        assert pytest.approx((returns / matches, (better + tied / 2) / matches)) == (
            each.returns_mean,
            each.share,
        )
        assert each.share_low <= each.share <= each.share_high


def test_they_stand_by_rank(store):
    """Of the bot, then of the opponent; whatever the names are."""
    for series, bots in enumerate((("zoe", "ann"), ("zoe", "bob"), ("bob", "ann"))):
        store.add_many([play(series, 0, bots), play(series, 1, bots[::-1], (2, 1))])
    table = leaderboard(store).meetings
    told = [(each.bot, each.opponent) for each in table]
    assert [
        ("zoe", "bob"),
        ("zoe", "ann"),
        ("bob", "zoe"),
        ("bob", "ann"),
        ("ann", "zoe"),
        ("ann", "bob"),
    ] == told
    assert [each for each in table if each.bot == "bob"] == list(table.of("bob"))
    assert [each for each in table if each.opponent == "bob"] == list(table.against("bob"))


def test_who_never_met_has_no_row(store):
    """Two pairs apart, and a bot that was left out."""
    store.put_bots([StoredBot("eve", status="left out")])
    store.add_many([play(0, 0, ("ann", "bob")), play(1, 0, ("cat", "dan"))])
    assert {("ann", "bob"), ("bob", "ann"), ("cat", "dan"), ("dan", "cat")} == {
        (each.bot, each.opponent) for each in leaderboard(store).meetings
    }


def test_an_empty_sheet_has_no_meetings(store):
    """Neither without bots nor without a match that counts."""
    assert [] == list(leaderboard(store).meetings)
    store.add(play(0, 0, error="boom"))
    assert [] == list(leaderboard(store).meetings)


def test_the_columns_are_the_fields():
    """All of them exact."""
    assert [column.name for column in COLUMNS] == [field.name for field in attrs.fields(Meeting)]
    assert all(column.exact for column in COLUMNS)


# Who beats the leader.


def plays(store, bots, won, series):
    """So many series of a match, of which the first bot wins the first ones."""
    for number in range(series):
        store.add(play(len(store.finished()), 0, bots, (1, 2) if number < won else (2, 1)))


@pytest.mark.parametrize(
    ("won", "note"),
    [
        (20, "cat (rank 2) beats the leader ann head to head: 100.0% ("),
        (11, "cat (rank 2) is ahead of the leader ann head to head so far: 55.0% ("),
        (10, None),
        (4, None),
    ],
)
def test_who_beats_the_leader_is_named(store, won, note):
    """In one line; surely only if the interval leaves out one half."""
    plays(store, ("ann", "bob"), 40, 40)
    plays(store, ("cat", "ann"), won, 20)
    plays(store, ("cat", "bob"), 0, 20)
    plays(store, ("ann", "dan"), 20, 20)
    plays(store, ("cat", "dan"), 0, 20)
    board = leaderboard(store)
    assert ["ann", "cat"] == [row.bot for row in board.rows if row.bot not in ("bob", "dan")]
    told = [each for each in board.notes if "(rank " in each]  # others are of one number for each bot
    noted = [each.replace(f"rank {board.row('cat').rank}", "rank 2") for each in told]
    assert (0 if note is None else 1) == len(noted)
    assert all(each.startswith(str(note)) for each in noted)


def test_returns_say_who_beats_the_leader(chips):
    """Where a game is rated by returns it is they, in its unit: 8 chips more a match are 2 bb/100."""
    for number, (ann, cat) in enumerate([(-4, 4), (-4, 5), (-3, 5), (-4, 3)]):
        chips.add(play(number, 0, ("cat", "ann"), returns=(cat, ann)))
    for number in range(4, 8):
        chips.add(play(number, 0, ("ann", "bob"), returns=(100 + number, -100 - number)))
        chips.add(play(number + 4, 0, ("bob", "cat"), (2, 1), returns=(-1, 1)))
    (note,) = leaderboard(chips).notes
    # leads of 8, 9, 8 and 7: ± 3.1824 · 0.8165 / 2 chips
    assert "cat (rank 2) beats the leader ann head to head: +2 ± 0.32" == note[: note.index("± ") + 6]
