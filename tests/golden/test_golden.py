"""Seeded tournaments come to what the golden files say, in whatever way they are played; see the package."""

from __future__ import annotations

import pytest
from daily import NIGHTLY

from .keeping import FOLDER, changed_columns, first_difference, golden, kept, path_of, tables_of, text_of
from .plans import EVERYWHERE, ONE_GO, TOURNAMENTS, WAYS, ways_of
from .run import exact_columns, formats, games, matches_planned, play

KEPT_BYTES_MAX = 400_000
INTERLEAVED = ("four tables", "Ctrl-C")
BY_OTHERS_TOO = {
    ("until", "two workers"),
    ("withdrawn-when-gone", "four workers"),
    ("holdem-2", "two workers"),
    ("knockout", "two workers"),
    ("blef-4", "two workers"),
    ("bluff-2", "two workers"),
}
"""The first three are among what tests/cluster plays at every change; `swiss` is planned round by round as well,
and `chamber-5` is a game of two workers."""
PLAYED = [
    pytest.param(
        tournament,
        way,
        id=f"{tournament.name}-{way}".replace(" ", "-"),
        marks=NIGHTLY if way == INTERLEAVED[number % 2] or (tournament.name, way) in BY_OTHERS_TOO else (),
    )
    for number, tournament in enumerate(TOURNAMENTS)
    for way in ways_of(tournament)
]
"""At every change each in one go, by turns at four tables or interrupted, and in whatever way is its own."""


@pytest.mark.slow
@pytest.mark.parametrize(("tournament", "way"), PLAYED)
def test_a_tournament_is_as_it_was(tournament, way):
    """Every exact column: in one go, at four tables, interrupted and resumed."""
    told = first_difference(golden(tournament), kept(play(tournament, way)))
    if told is not None:
        pytest.fail(f"{path_of(tournament).name}, {way}: {told}", pytrace=False)


# The set as a whole.


def seats():
    """Every row of `seats` in all files, by column, with its tournament."""
    for tournament in TOURNAMENTS:
        header, *rows = golden(tournament)["seats"]
        yield from ((tournament, dict(zip(header, row, strict=True))) for row in rows)


def test_the_files_are_those_of_the_tournaments():
    """One each, and all together small enough to be kept for ever."""
    assert {path_of(tournament) for tournament in TOURNAMENTS} == set(FOLDER.iterdir())
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < KEPT_BYTES_MAX


def test_every_game_is_played_at_two_seats_and_at_more():
    """A game that is new is to be added."""
    at_two = {row["game"] for _, row in seats() if row["seats"] == "2"}
    at_more = {row["game"] for _, row in seats() if int(row["seats"]) > 2}
    assert games() == at_two == at_more


def test_every_format_is_played():
    """The balanced sample and the comparison among them."""
    assert formats() | {"balanced", "compare"} == {tournament.format for tournament in TOURNAMENTS}


def test_every_fault_of_bots_in_this_process_occurs():
    """Their limits are not enforced, so none is ever late; each kind is in tables and moves of two games at least."""
    found = {
        kind: {row["game"] for _, row in seats() if row[kind] != "0"}
        for kind in ("malformed", "illegal", "gone")
    }
    assert all(len(among) > 1 for among in found.values()), found
    assert {"0"} == {row["too_late"] for _, row in seats()}


def test_bots_are_abandoned_and_withdrawn():
    """For faults in match after match, and for being gone too often; default moves are played for them then."""
    for kind in ("illegal", "gone"):
        guilty = {(tournament.name, row["bot"]) for tournament, row in seats() if row[kind] != "0"}
        withdrawn = {(tournament.name, row["bot"]) for tournament, row in seats() if row["withdrawn"] == "1"}
        assert guilty & withdrawn, kind
    assert [row for _, row in seats() if row["abandoned"] == "1" and row["not_asked"] != "0"]
    assert [row for _, row in seats() if row["tie"] == "1"]


def test_deals_are_the_same_and_fresh():
    """Both kinds, and of the same deals several formats."""
    deals = {row[table[0].index("deals")] for table in map(matches, TOURNAMENTS) for row in table[1:]}
    assert {"same", "fresh"} == deals


def matches(tournament):
    return golden(tournament)["matches"]


@pytest.mark.slow
def test_one_tournament_stops_early():
    """`--until` ends it before its plan does, and `arena compare` before --max-series."""
    (until,) = (tournament for tournament in TOURNAMENTS if "--until" in tournament.words)
    assert 0 < len(matches(until)) - 1 < matches_planned(until)
    (compared,) = (tournament for tournament in TOURNAMENTS if tournament.name == "compare")
    assert 0 < len(matches(compared)) - 1 < 100


def test_every_tournament_is_interrupted_and_resumed():
    """By Ctrl-C; some are killed, stopped at a fault, or made longer."""
    assert {ONE_GO, "four tables", "Ctrl-C"} == set(EVERYWHERE)
    assert set(WAYS) == {way for tournament in TOURNAMENTS for way in ways_of(tournament)}
    assert {(130, 2), (-9, 2)} == {(legs[0].codes[0], len(legs)) for legs in WAYS.values() if legs[0].stop}


# What keeps and compares them.


def test_the_exact_columns_are_those_that_the_project_names():
    """From results/README.md, whose truth is tested elsewhere: moves are exact, times are not."""
    assert {"move", "fault"} < set(exact_columns("decisions"))
    assert not {"elapsed_s", "reason", "lagged"} & set(exact_columns("decisions"))
    assert "started_at" not in exact_columns("matches")


@pytest.mark.parametrize("tournament", TOURNAMENTS, ids=lambda tournament: tournament.name)
def test_a_file_is_read_as_it_was_written(tournament):
    """Text to tables and back."""
    text = path_of(tournament).read_text(encoding="utf-8")
    assert text == text_of(tables_of(text))


ONE = {
    "seats": [["match_id", "seat", "rank"], ["a1", "0", "1"], ["a1", "1", "2"]],
    "series": [["bot", "ties"], ["ann", "0"]],
}
DIFFERENCES = {
    "a cell": (
        {**ONE, "seats": [*ONE["seats"][:2], ["a1", "1", "1"]]},
        "table seats, row 2 (match_id a1, seat 1), column rank: expected '2', found '1'",
        ["seats.rank"],
    ),
    "a row": (
        {"seats": ONE["seats"][:2], "series": [["bot", "ties"], ["ann", "1"]]},
        "table seats, expected 2 rows, found 1, the same as far as they go; series differ as well",
        ["seats: 1 rows gone", "series.ties"],
    ),
    "a key": (
        {**ONE, "seats": [*ONE["seats"][:2], ["b2", "1", "2"]]},
        "table seats, row 2 (match_id a1, seat 1), column match_id: expected 'a1', found 'b2'",
        ["seats: 1 rows gone", "seats: 1 rows new"],
    ),
    "a column": (
        {**ONE, "series": [["bot", "draws"], ["ann", "0"]]},
        "table series, expected the columns bot, ties, found bot, draws",
        ["series.ties", "series.draws"],
    ),
    "nothing": (ONE, None, []),
}


@pytest.mark.parametrize(("found", "sentence", "columns"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_a_difference_is_told_in_one_sentence(found, sentence, columns):
    """Where it begins, for who runs the tests; all columns, for who writes the commit."""
    assert sentence == first_difference(ONE, found)
    assert columns == list(changed_columns(ONE, found))


def test_a_move_that_changes_in_any_match_is_found():
    """Also in those of which only digests are kept: match and column are told."""
    header = ["match_id", "seat", "move"]
    rows = [[f"m{match}", str(turn % 2), str(turn)] for match in range(4) for turn in range(40)]
    changed = [*rows[:-1], [*rows[-1][:-1], "7"]]
    told = first_difference(kept({"decisions": [header, *rows]}), kept({"decisions": [header, *changed]}))
    assert told is not None
    assert told.startswith("table decisions by match, row 3 (match_id m3), column move: expected ")
