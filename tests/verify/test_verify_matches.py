"""`arena verify`: every match follows from its seed and its moves, and a change of anything that does is named."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Challenge, Forfeit
from arena.store import Store
from arena.store.schema import STORED
from tests.golden.plans import Leg, Tournament
from tests.golden.run import at_home, called
from tests.verify.folders import SMALL, changed, played, repacked, untruth, verified

pytestmark = pytest.mark.slow

RICH = "liars-dice-5"
"""A tournament with faults of several kinds, seats that were given up, and several seats a turn."""
CHALLENGE, FORFEIT = LiarsDice.moves.index(Challenge), LiarsDice.moves.index(Forfeit)


@pytest.fixture(scope="module")
def rich(tmp_path_factory) -> Path:
    return played(RICH, tmp_path_factory.mktemp("verify") / "rich")


@pytest.mark.parametrize("kept", ["all", "faults", "none"])
def test_how_many_decisions_were_kept_does_not_matter(tmp_path, kept):
    """The moves are always kept."""
    folder = played(RICH, tmp_path / kept, "--decisions", kept)
    code, told = verified(folder)
    assert (0, True) == (code, told.startswith("verified: 10 matches, ")), told
    with closing(sqlite3.connect(folder / "arena.db")) as database:
        ((faults,),) = database.execute("SELECT sum(too_late + malformed + illegal + gone) FROM seats")
    assert faults > 10
    assert f", {faults} faults: " in told
    assert "results from moves, not who made the moves" in told


def test_a_folder_may_keep_other_decisions_when_it_goes_on(tmp_path):
    """Its first matches have no rows of decisions, its last ones have all, and nothing is missing."""
    with at_home() as home:
        for series, kept in ((1, "none"), (2, "all")):
            more = Tournament("more", SMALL.bots, f"--seed 1 --series {series} --rule dice=1")
            called(more, Leg(f"--concurrency 1 --decisions {kept}"), home)
        shutil.copytree(home / "out", tmp_path / "x")
    assert {} == untruth(tmp_path / "x")


NOT_FROM_MOVES = {
    "matches": {"duration_s", "started_at"},
    "seats": {"seat", "version", "bot", "lagged", "think_s", "think_max_s"},
    "decisions": {"number", "elapsed_s", "reason", "lagged"},
}
"""Columns that do not follow from the moves: names, clocks, texts of the operating system; and the keys of rows."""
OF_THE_SCHEDULE = {"match_id", "pairing_id", "series_id", "cycle", "rotation", "game", "deals"}
CHANGES = [
    pytest.param(table, column, id=f"{table}.{column}")
    for table in NOT_FROM_MOVES
    for column in STORED[table]
    if column not in NOT_FROM_MOVES[table] | (OF_THE_SCHEDULE if table == "matches" else set())
]


@pytest.mark.parametrize(("table", "column"), CHANGES)
def test_a_changed_cell_is_found_though_its_checksum_fits(rich, tmp_path, table, column):
    """One cell of each column that follows from the moves, in the middle of the folder."""
    with Store.open(rich) as store:
        chosen = [*store.matches()][4]
        (number,) = next(store.rows("SELECT number FROM matches WHERE match_id = ?", chosen.match_id))
    of = "number" if table == "matches" else "match"
    kind = {"packed": "x'00'", "error": "'x'", "times": "x'00000000'", "seed": "'5' || seed"}.get(column)
    text = f"'+' || {column}" if column in ("status", "move", "fault", "opponents") else f"{column} + 1"
    where = f"{of} = {number}" + {"seats": " AND seat = 2", "decisions": " AND number = 7"}.get(table, "")
    folder = changed(rich, tmp_path / "x", f"UPDATE {table} SET {column} = {kind or text} WHERE {where}")
    found = untruth(folder)
    assert f"match {chosen.match_id}" == found["where"], found
    if column != "seed":  # that shows in what chance drew
        assert column in str(found["column"]), found


@pytest.fixture
def match_of_rich(rich) -> tuple[str, list]:
    with Store.open(rich) as store:
        match = [*store.matches()][3]
    return match.match_id, json.loads(zlib.decompress(match.packed))


def test_a_move_of_chance_is_compared_with_what_the_seed_gives(rich, tmp_path, match_of_rich):
    """The first roll: one die is another one."""
    match_id, turns = match_of_rich

    def reroll(turns):
        dice = turns[0][0][2]
        dice[0][0] = dice[0][0] % 6 + 1

    found = untruth(repacked(rich, tmp_path / "x", match_id, reroll))
    assert (f"match {match_id}", 0, "move of chance") == (found["where"], found["turn"], found["column"])
    assert str(turns[0][0][2]).replace(" ", "") in found["expected"]


def test_a_move_that_the_rules_do_not_allow_is_named(rich, tmp_path, match_of_rich):
    """A bid of nine hundred dice, with the turn and the seat."""
    match_id, turns = match_of_rich
    turn = next(place for place, rows in enumerate(turns) if rows[0][0] >= 0 and len(rows[0]) == 4)

    def raise_it(turns):
        turns[turn][0][3] = 900

    found = untruth(repacked(rich, tmp_path / "x", match_id, raise_it))
    assert (match_id, turn, turns[turn][0][0]) == (found["where"][6:], found["turn"], found["seat"])
    assert "legal" in found["expected"]


@pytest.fixture(scope="module")
def decided(rich) -> tuple[str, int, int]:
    """A match, a turn of one seat alone, and that seat, which never failed."""
    with Store.open(rich) as store:
        for match in store.matches():
            failed = {place for place, seat in enumerate(match.seats) if seat.faults or seat.not_asked}
            for turn, rows in enumerate(json.loads(zlib.decompress(match.packed))):
                if len(rows) == 1 and rows[0][0] >= 0 and rows[0][0] not in failed:
                    return match.match_id, turn, rows[0][0]
    raise AssertionError("all seats fail")


def test_a_default_that_no_bot_can_choose_is_not_legal(rich, tmp_path, decided):
    """A round that a seat without faults forfeits."""
    match_id, turn, seat = decided
    folder = repacked(
        rich, tmp_path / "x", match_id, lambda turns: turns[turn].__setitem__(0, [seat, FORFEIT])
    )
    found = untruth(folder)
    assert (turn, seat, "move") == (found["turn"], found["seat"], found["column"])
    assert "a legal one" in found["expected"]


def test_a_move_of_somebody_else_is_named(rich, tmp_path, decided):
    """The move is legal, but another seat was asked."""
    match_id, turn, seat = decided

    def swap(turns):
        turns[turn][0][0] = seat + 1

    found = untruth(repacked(rich, tmp_path / "x", match_id, swap))
    assert (turn, seat, "seat that moved") == (found["turn"], found["seat"], found["column"])
    assert (str(seat + 1), str(seat)) == (found["stored"], found["expected"])


def test_after_a_fault_the_default_is_played(rich, tmp_path):
    """A seat that was too late cannot have challenged."""
    with closing(sqlite3.connect(rich / "arena.db")) as database:
        match_id, turn, seat = database.execute(
            "SELECT match_id, turn, seat FROM decisions JOIN matches ON match = matches.number WHERE fault != '' AND turn > 1"
        ).fetchone()

    def challenge(turns):
        turns[turn] = [[seat, CHALLENGE] if row == [seat, FORFEIT] else row for row in turns[turn]]

    found = untruth(repacked(rich, tmp_path / "x", match_id, challenge))
    assert (turn, seat, "move") == (found["turn"], found["seat"], found["column"])
    assert "the default" in found["expected"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ("lagged = 1 WHERE fault = 'gone'", "decisions, lagged"),
        ("lagged = 1, asked = 0 WHERE fault = ''", "decisions, lagged"),
        ("lagged = 1 WHERE fault = '' AND asked", "lagged"),  # as decisions.csv says otherwise
    ],
    ids=["gone", "not asked", "an answer that counts"],
)
def test_lag_is_believed_only_where_a_ruling_can_mark_it(rich, tmp_path, change, place):
    """The arena's own lag hangs nobody up, and takes no time of a seat that is not asked."""
    assert place == untruth(changed(rich, tmp_path / "x", f"UPDATE decisions SET {change}"))["column"]


@pytest.mark.parametrize("cut", [slice(0, -1), slice(0, 0)], ids=["the last turn", "all turns"])
def test_moves_that_do_not_lead_to_an_end_are_no_match(rich, tmp_path, match_of_rich, cut):
    """A match whose last moves are gone, or all of them."""
    match_id, _ = match_of_rich

    def shorten(turns):
        turns[:] = turns[cut]

    found = untruth(repacked(rich, tmp_path / "x", match_id, shorten))
    assert (f"match {match_id}", "packed") == (found["where"], found["column"])


def test_moves_after_the_end_are_found(rich, tmp_path, match_of_rich):
    """A turn more than the match has."""
    match_id, turns = match_of_rich
    found = untruth(repacked(rich, tmp_path / "x", match_id, lambda turns: turns.append(turns[-1])))
    assert (f"match {match_id}", len(turns)) == (found["where"], found["turn"])


def test_a_lost_match_cannot_be_called_aborted(rich, tmp_path):
    """All results of a match without faults taken out: its moves still lead to an end."""
    with closing(sqlite3.connect(rich / "arena.db")) as database:
        (match_id,) = database.execute(
            "SELECT match_id FROM matches WHERE number NOT IN "
            "(SELECT match FROM seats WHERE too_late + malformed + illegal + gone + not_asked > 0)"
        ).fetchone()
    number = f"(SELECT number FROM matches WHERE match_id = '{match_id}')"
    folder = changed(
        rich,
        tmp_path / "x",
        f"DELETE FROM decisions WHERE match = {number}",
        "UPDATE seats SET rank = 0, returns = 0, luck_adjusted_returns = 0, points = 0, win = 0, tie = 0,"
        f" too_late = 0, malformed = 0, illegal = 0, gone = 0, not_asked = 0, abandoned = 0, decisions = 0 WHERE match = {number}",
        f"UPDATE matches SET status = 'aborted', error = 'x', decisions = 0 WHERE match_id = '{match_id}'",
    )
    found = untruth(folder)
    assert (f"match {match_id}", "status") == (found["where"], found["column"])


def test_a_change_that_contradicts_nothing_is_found_by_its_checksum(rich, tmp_path):
    """How long a match took: only the checksum knows."""
    change = "UPDATE matches SET duration_s = duration_s + 1 WHERE number = 3"
    found = untruth(changed(rich, tmp_path / "x", change, is_repaired=False))
    assert ("arena.db", "checksums") == (found["where"], found["column"])


def test_a_damaged_folder_is_told_by_what_is_wrong_in_it(rich, tmp_path):
    """A rank changed without its checksum: the match, the seat and the column, not only that it is damaged."""
    change = "UPDATE seats SET rank = 5 - rank WHERE match = 3 AND seat = 1"
    found = untruth(changed(rich, tmp_path / "x", change, is_repaired=False))
    assert (1, "rank") == (found["seat"], found["column"])


def test_mistakes_of_the_user_are_told_in_a_sentence(rich, tmp_path):
    """No folder, no results in it, another version of the game: exit code 2, as for every command."""
    (tmp_path / "empty").mkdir()
    for folder, words in ((tmp_path / "none", "no such folder"), (tmp_path / "empty", "no arena.db")):
        with pytest.raises(ConfigError, match=words):
            verified(folder)
    change = (
        "UPDATE meta SET value = replace(value, '\"version\": 1', '\"version\": 99') WHERE key = 'identity'"
    )
    with pytest.raises(ConfigError, match="version 99"):
        verified(changed(rich, tmp_path / "x", change))
