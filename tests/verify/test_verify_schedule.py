"""`arena verify`: who played whom, under which ids, with which seeds and in which seats; who is withdrawn."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.store import DATABASE, Store
from tests.golden.run import at_home
from tests.verify.folders import changed, played, untruth, verified

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def swiss(tmp_path_factory) -> Path:
    return played("swiss", tmp_path_factory.mktemp("verify") / "swiss")


@pytest.fixture(scope="module")
def withdrawn(tmp_path_factory) -> Path:
    """A tournament in which a bot is withdrawn for its faults."""
    return played("withdrawn-for-faults", tmp_path_factory.mktemp("verify") / "withdrawn")


ROW = "number = (SELECT number FROM matches ORDER BY pairing_id LIMIT 1 OFFSET 7)"
CHANGES = {
    "match_id": "'0123456789ab'",
    "pairing_id": "pairing_id || '7'",
    "series_id": "'a+b#0'",
    "cycle": "cycle + 1",
    "rotation": "1 - rotation",
    "game": "'poker'",
    "deals": "'fresh'",
}
"""Column of `matches` -> what stands there instead."""


@pytest.mark.parametrize("column", CHANGES)
def test_a_match_has_the_place_that_the_schedule_gives_it(swiss, tmp_path, column):
    """One cell changed, with checksums that fit: the match and the column are named."""
    with closing(sqlite3.connect(swiss / DATABASE)) as db:
        ((match_id,),) = db.execute(f"SELECT match_id FROM matches WHERE {ROW}").fetchall()
    found = untruth(
        changed(swiss, tmp_path / "x", f"UPDATE matches SET {column} = {CHANGES[column]} WHERE {ROW}")
    )
    where = "0123456789ab" if column == "match_id" else match_id
    assert (f"match {where}", column) == (found["where"], found["column"])


@pytest.mark.parametrize("statement", ["bot = 'zoe', opponents = opponents", "bot = 'zoe'"])
def test_a_bot_that_did_not_play_cannot_be_named(swiss, tmp_path, statement):
    """Somebody else's name at a seat, also where the opponents' lists agree with it."""
    more = ()
    if "opponents" in statement:
        names = "(SELECT bot FROM seats o WHERE o.match = seats.match AND o.seat <> seats.seat)"
        more = (f"UPDATE seats SET opponents = {names} WHERE match = 3",)
    found = untruth(
        changed(swiss, tmp_path / "x", f"UPDATE seats SET {statement} WHERE match = 3 AND seat = 1", *more)
    )
    assert ("bot" if more else "opponents") == found["column"], found


def test_seats_cannot_be_swapped(swiss, tmp_path):
    """The loser's name on the winner's seat, in all rows of the match."""
    other = "(SELECT bot FROM seats o WHERE o.match = seats.match AND o.seat <> seats.seat)"
    found = untruth(
        changed(
            swiss,
            tmp_path / "x",
            "CREATE TEMP TABLE old AS SELECT * FROM seats WHERE match = 3",
            "UPDATE seats SET bot = (SELECT bot FROM old WHERE old.seat <> seats.seat) WHERE match = 3",
            f"UPDATE seats SET opponents = {other} WHERE match = 3",
        )
    )
    assert "bot" == found["column"], found


def test_another_order_of_the_schedule_is_found(swiss, tmp_path):
    """Two rows exchanged: their series would count at other moments."""
    found = untruth(
        changed(
            swiss,
            tmp_path / "x",
            "CREATE TEMP TABLE old AS SELECT * FROM schedule WHERE position IN (2, 5)",
            "DELETE FROM schedule WHERE position IN (2, 5)",
            "INSERT INTO schedule SELECT 7 - position, pairing_id, series_id FROM old",
        )
    )
    assert ("schedule, position 2", "pairing_id") == (found["where"], found["column"])


def test_a_match_that_is_missing_is_said(swiss, tmp_path):
    """Taken out with all its rows, checksums repaired: the rest is true, and how much is missing is said."""
    number = "(SELECT number FROM matches ORDER BY number DESC LIMIT 1)"
    folder = changed(
        swiss,
        tmp_path / "x",
        f"DELETE FROM seats WHERE match = {number}",
        f"DELETE FROM decisions WHERE match = {number}",
        f"DELETE FROM matches WHERE number = {number}",
    )
    for table in folder.glob("*.csv"):
        table.unlink()
    (folder / "run.json").unlink()
    result = CliRunner().invoke(cli, ["verify", str(folder)], standalone_mode=False)
    assert "1 match of 32 planned so far missing" in result.stderr
    assert (0, True) == (
        result.return_value,
        result.stdout.startswith("verified as far as it is: 31 matches"),
    )


def test_who_is_withdrawn_follows_from_the_matches(withdrawn, tmp_path):
    """A bot that was withdrawn cannot be called ok, nor the other way round."""
    with Store.open(withdrawn) as store:
        status = {bot.bot: bot.status for bot in store.bots()}
    assert {"ok", "withdrawn"} == set(status.values())
    for bot, said in status.items():
        other = "ok" if said == "withdrawn" else "withdrawn"
        folder = tmp_path / bot
        found = untruth(changed(withdrawn, folder, f"UPDATE bots SET status = '{other}' WHERE bot = '{bot}'"))
        assert (f"bots.csv, {bot}", "status") == (found["where"], found["column"])


@pytest.mark.parametrize(
    ("key", "old", "new", "column"),
    [
        ("plan", '"withdrawn_after": 2', '"withdrawn_after": 3', "plan"),
        ("rated_by", "ranks", "returns", "rated_by"),
        ("identity", '"deals": "same"', '"deals": "fresh"', "plan"),
    ],
)
def test_the_record_of_the_plan_agrees_with_itself(withdrawn, tmp_path, key, old, new, column):
    """A limit, the rating, the luck: changed where it is kept."""
    statement = f"UPDATE meta SET value = replace(value, '{old}', '{new}') WHERE key = '{key}'"
    assert column == untruth(changed(withdrawn, tmp_path / "x", statement))["column"]


def called_with(*words: str) -> int:
    result = CliRunner().invoke(cli, [*words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return int(result.return_value or 0)


def test_bots_that_were_replaced_or_excluded_leave_true_matches(tmp_path):
    """A new version, an exclusion, a readmission, more series, one bot more: after each the folder is true."""
    ways = (
        ("--replace", "new=golden_bots:First"),
        ("--without", "bob"),
        ("--readmit", "bob"),
        ("--series", "3"),
    )
    with at_home() as home:
        begin = [
            f"{name}=golden_bots:{bot}"
            for name, bot in (("ann", "Honest"), ("bob", "Chancy"), ("new", "Rude"))
        ]
        options = ("--series", "2", "--seed", "5", "--rule", "dice=1", "--out", "out", "--quiet")
        assert called_with("run", *begin, *options) == 0
        for words in ways:
            assert called_with("run", "--resume", "out", "--quiet", *words) == 0
            assert 0 == verified(Path("out"))[0], words
        field = ("dan=golden_bots:Cheeky", "new=golden_bots:First", *begin[:2])
        assert called_with("run", *field, *options, "--series", "3") == 0
        code, told = verified(Path("out"))
        assert (0, True) == (code, told.startswith("verified: ")), told
        with Store.open("out") as store:
            assert {"ok", "replaced"} == {bot.status for bot in store.bots()}
        change = "UPDATE matches SET cycle = 7 WHERE pairing_id = 'ann+new#0/0'"
        assert "cycle" == untruth(changed(home / "out", tmp_path / "x", change))["column"]


def test_a_run_that_was_cut_by_a_goal_is_true_and_nothing_past_it(tmp_path):
    """`--until` stops where it says; a match beyond would not be one that counts."""
    folder = played("until", tmp_path / "until")
    assert 0 == verified(folder)[0]
    change = "UPDATE meta SET value = replace(value, '80', '51') WHERE key IN ('until', 'plan')"
    found = untruth(changed(folder, tmp_path / "x", change))
    assert "pairing_id" == found["column"], json.dumps(found)
