"""`arena verify` of folders that somebody changed on purpose, checksums included: each change is found and named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.store import Store
from tests.verify.folders import SMALL, changed, played, told, untruth, verified

pytestmark = pytest.mark.slow

ALL = ("seats", "decisions", "capsules")
SEAT = (
    'seat, bot, version, opponents, rank, "returns", luck_adjusted_returns, points, win, tie, too_late, malformed, illegal, gone, '
    "not_asked, lagged, abandoned, withdrawn, decisions, think_s, think_max_s, times"
)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return played(SMALL, tmp_path_factory.mktemp("forged") / "small")


def without(condition: str) -> tuple[str, ...]:
    """Takes these matches out, with all that belongs to them."""
    of = f"(SELECT number FROM matches WHERE {condition})"
    return (
        *(f"DELETE FROM {table} WHERE match IN {of}" for table in ALL),
        f"DELETE FROM matches WHERE {condition}",
    )


COPIED = (
    "CREATE TEMP TABLE copied AS SELECT * FROM matches WHERE number = 3",
    "UPDATE copied SET number = 99, match_id = '0123456789ab', pairing_id = 'bob+cat#9/0', series_id = 'bob+cat#9'",
    "INSERT INTO matches SELECT * FROM copied",
    f"INSERT INTO seats SELECT 99, {SEAT} FROM seats WHERE match = 3",
    "INSERT INTO decisions SELECT 99, number, turn, seat, move, elapsed_s, fault, reason, asked, lagged "
    "FROM decisions WHERE match = 3",
)
"""A match stands there twice, under another id."""
SERIES = "series_id = 'ann+cat#0'"
FORGERIES = {
    "a series taken out, and its rows of the schedule too": (
        [*without(SERIES), f"DELETE FROM schedule WHERE {SERIES}"],
        ("schedule, position 2", "pairing_id", "'ann+cat#0/0'"),
    ),
    "a series taken out of the matches alone": (
        without(SERIES),
        ("run.json", "status", "stopped, interrupted or failed, as 2 matches of the plan are missing"),
    ),
    "a match that stands there twice": (
        COPIED,
        ("match 0123456789ab", "pairing_id", "one of the schedule"),
    ),
    "a match that stands there twice, as the schedule says": (
        [*COPIED, "INSERT INTO schedule VALUES (12, 'bob+cat#9/0', 'bob+cat#9')"],
        ("match 0123456789ab", "pairing_id", "one of the schedule"),
    ),
    "an order number of the schedule": (
        ["UPDATE schedule SET position = 99 WHERE position = 7"],
        ("schedule, position 7", "pairing_id", "'"),
    ),
    "no matches, but what belongs to them": (
        ["DELETE FROM matches"],
        ("arena.db", "seats", "none"),
    ),
    "no matches at all": (
        [f"DELETE FROM {table}" for table in (*ALL, "matches")],
        ("run.json", "status", "stopped, interrupted or failed"),
    ),
    "no seats": (["DELETE FROM seats"], ("match ", "seats", "0, as so many have rows")),
    "no decisions": (["DELETE FROM decisions"], ("match ", "decisions, rows", "")),
    "no schedule": (["DELETE FROM schedule"], ("schedule", "rows", "12")),
    "no bots": (["DELETE FROM bots"], ("match ", "bot", "one of bots.csv")),
    "a bot more": (
        [
            "INSERT INTO bots SELECT 'zoe', version, path, command, language, fingerprint, status, margin_s, box "
            "FROM bots WHERE bot = 'ann'"
        ],
        ("bots.csv, zoe", "status", "'left out'"),
    ),
    "rows of no match": (
        [f"INSERT INTO seats SELECT 99, {SEAT} FROM seats WHERE match = 3"],
        ("arena.db", "seats", "none"),
    ),
    "a game of its own": (
        ["INSERT INTO games VALUES (3, 9, '{}', '{}')"],
        ("match ", "games", "none: the folder says which game it is"),
    ),
    "another seed in the plan": (
        ["UPDATE meta SET value = json_set(value, '$.seed', 3) WHERE key = 'plan'"],
        ("arena.db", "plan.seed", "1"),
    ),
    "another seed wherever it stands": (
        ["UPDATE meta SET value = json_set(value, '$.seed', 3) WHERE key IN ('plan', 'identity')"],
        ("match ", "match_id", "'"),
    ),
    "a verdict of one's own": (
        ["UPDATE meta SET value = '[\"bob is best\"]' WHERE key = 'conclusion'"],
        ("arena.db", "conclusion", "nothing"),
    ),
    "when a bot joined": (
        ["UPDATE meta SET value = json_set(value, '$[1].matches', 7) WHERE key = 'roster'"],
        ("run.json", "roster[1].matches", "7"),
    ),
    "no decisions of one match": (
        ["DELETE FROM decisions WHERE match = 3", "DELETE FROM capsules WHERE match = 3"],
        ("match ", "decisions, rows", ""),
    ),
    "a sum of times": (
        ["UPDATE seats SET think_s = think_s + 0.001 WHERE match = 3 AND seat = 1"],
        ("match ", "think_s", ""),
    ),
    "the longest time": (
        ["UPDATE seats SET think_max_s = think_max_s * 2 + 0.001 WHERE match = 3 AND seat = 1"],
        ("match ", "think_max_s", ""),
    ),
    "who got more matches": (
        ["UPDATE meta SET value = json_set(value, '$.allocate', 'open') WHERE key = 'identity'"],
        ("arena.db", "identity.allocate", "'even'"),
    ),
    "who got more matches, in the plan too": (
        ["UPDATE meta SET value = json_set(value, '$.allocate', 'open') WHERE key IN ('plan', 'identity')"],
        ("arena.db", "identity.allocate", "'even'"),
    ),
    "a key by another name": (
        ["UPDATE meta SET key = 'verdict' WHERE key = 'conclusion'"],
        ("arena.db", "meta, verdict", "nothing"),
    ),
    "a key of the identity by another name": (
        [
            "UPDATE meta SET value = json_set(json_remove(value, '$.bank'), '$.banc', null) WHERE key = 'identity'"
        ],
        ("arena.db", "identity.banc", "nothing"),
    ),
    "a bot of the plan": (
        ["UPDATE meta SET value = json_set(value, '$.bots[0].spec', 'zoe') WHERE key = 'plan'"],
        ("run.json", "plan.bots[0].spec", '"zoe"'),
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_is_found_and_named(small, tmp_path, forgery):
    """Where it is, which column, and what should be there."""
    statements, (where, column, expected) = FORGERIES[forgery]
    found = untruth(changed(small, tmp_path / "x", *statements))
    assert column == found["column"], found
    assert str(found["where"]).startswith(where), found
    assert str(found["expected"]).startswith(expected), found


def test_what_should_be_there_is_said_in_words_without_quotes(small, tmp_path):
    """Only texts that are compared are quoted."""
    change = "UPDATE seats SET withdrawn = 1 WHERE match = 3 AND seat = 1"
    code, said = verified(changed(small, tmp_path / "x", change))
    assert (1, True) == (code, said.startswith("not verified: match ")), said
    assert ", seat 1, withdrawn: 1 is stored, and it should be 0, as it was asked " in said


def test_a_damaged_folder_is_one_sentence(small, tmp_path):
    """A view that answers otherwise, which no check of values sees: what is damaged, and that it is whole otherwise."""
    change = ("DROP VIEW unplayed", "CREATE VIEW unplayed AS SELECT * FROM schedule")
    shutil.copytree(small, tmp_path / "x")
    code, said = verified(changed_layout(tmp_path / "x", *change))
    assert (1, True) == (
        code,
        said.startswith(
            "not verified: arena.db, checksums: something else than was written is stored, and it should be "
            f"what was written ({tmp_path / 'x' / 'arena.db'} is damaged: "
        ),
    ), said


def changed_layout(folder: Path, *statements: str) -> Path:
    """The folder with its layout changed, of which there is no count of rows."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / "arena.db")) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
    return folder


RECORDS = {
    "nothing": ("DELETE FROM meta WHERE key <> 'mark'", "identity: found nothing, expected an object"),
    "no plan": ("DELETE FROM meta WHERE key = 'plan'", "plan: found nothing, expected an object"),
    "no seed": (
        "UPDATE meta SET value = json_remove(value, '$.seed') WHERE key = 'identity'",
        "identity.seed: found nothing, expected of type int",
    ),
    "a seed of words": (
        "UPDATE meta SET value = json_set(value, '$.seed', 'x') WHERE key = 'identity'",
        'identity.seed: found "x", expected of type int',
    ),
    "no roster": ("UPDATE meta SET value = '[7]' WHERE key = 'roster'", "roster[0] is not what may happen"),
    "somebody joins twice": (
        "UPDATE meta SET value = json_set(value, '$[1].slot', 'ann') WHERE key = 'roster'",
        "roster[1] is not what may happen",
    ),
    "a question of nobody": (
        "INSERT INTO meta VALUES ('comparison', '{\"a\": 1}')",
        "does not say what was asked of the run",
    ),
    "decisions of nobody's choice": (
        "UPDATE meta SET value = '[7]' WHERE key = 'decisions'",
        "decisions: found [7], expected a list with that of the plan",
    ),
    "a goal of nobody": ("INSERT INTO meta VALUES ('until', '7')", "does not say what was asked of the run"),
}


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_that_no_arena_wrote_is_a_sentence(small, tmp_path, record):
    """What the folder says of itself, made unreadable with checksums that fit: no traceback, exit code 2."""
    statement, said = RECORDS[record]
    with pytest.raises(ConfigError) as error:
        verified(changed(small, tmp_path / "x", statement))
    assert said in str(error.value)
    assert "nothing can be verified" in str(error.value)


# run.json.


def test_what_run_json_says_is_compared(small, tmp_path):
    """Each of its fields that follows from the database: the first one that differs is named."""
    folder = Path(shutil.copytree(small, tmp_path / "x"))
    path = folder / "run.json"
    right = json.loads(path.read_text())
    for column, change in {
        "status": {"status": "stopped"},
        "plan.series": {"plan": right["plan"] | {"series": 3}},
        "plan.seed": {"plan": right["plan"] | {"seed": None}},
        "plan.rules.dice": {"plan": right["plan"] | {"rules": {}}},
        "plan.prize": {"plan": right["plan"] | {"prize": 7}},
        "guessable": {"guessable": 1},
        "seal": {"seal": {}},
        "game_version": {"game_version": 2},
        "roster[0].slot": {"roster": [right["roster"][0] | {"slot": "zoe"}, *right["roster"][1:]]},
        "roster[2]": {"roster": right["roster"][:2]},
        "winner": {"winner": "zoe"},
        "played": {"played": right["played"] + 1},
    }.items():
        path.write_text(json.dumps(right | change))
        found = untruth(folder)
        assert ("run.json", column) == (found["where"], found["column"])
    path.write_text(json.dumps(right | {"played": True}))
    assert ("played", "true") == (untruth(folder)["column"], untruth(folder)["stored"])
    for missing in ("plan", "status", "game_version", "played"):
        path.write_text(json.dumps({key: value for key, value in right.items() if key != missing}))
        found = untruth(folder)
        assert (missing, "nothing") == (found["column"], found["stored"])


def test_what_only_one_call_knows_is_not_claimed(small, tmp_path):
    """Times, the machine, how many tables there were, the arena's version: nobody can compute them again."""
    folder = Path(shutil.copytree(small, tmp_path / "x"))
    path = folder / "run.json"
    changes = {
        "arena": "9",
        "machine": {},
        "began_at": 0,
        "ended_at": 0,
        "played": 0,
        "concurrency": 77,
        "workers": 7,
    }
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    assert (0, "") == told(folder)[::2]


@pytest.mark.parametrize(
    ("content", "stored"), [("{", "Expecting property name"), ("[]", "[]"), ("[" * 100_000, "recursion")]
)
def test_a_run_json_that_is_none_is_found(small, tmp_path, content, stored):
    """Half written, or something else."""
    folder = Path(shutil.copytree(small, tmp_path / "x"))
    (folder / "run.json").write_text(content)
    found = untruth(folder)
    assert ("run.json", "JSON", True) == (found["where"], found["column"], stored in str(found["stored"]))


def test_a_run_json_that_is_not_there_is_said(small, tmp_path):
    """The matches are true without it; one that leaves something out says less than the run did."""
    folder = Path(shutil.copytree(small, tmp_path / "x"))
    path = folder / "run.json"
    run = json.loads(path.read_text())
    again = f"a run that goes on in {folder} writes it"
    path.unlink()
    assert (0, f"not there: run.json; {again}") == told(folder)[::2]
    path.write_text(json.dumps({key: run[key] for key in run if key not in ("guessable", "roster")}))
    found = untruth(folder)
    assert ("run.json", "guessable", "nothing") == (found["where"], found["column"], found["stored"])


def test_a_run_that_goes_on_may_keep_its_seed_to_itself(tmp_path):
    """run.json has it only when nothing is left to play, and another one is not the one."""
    folder = played(SMALL, tmp_path / "x", "-x")
    path = folder / "run.json"
    run = json.loads(path.read_text())
    assert ("stopped", None) == (run["status"], run["plan"]["seed"])
    code, said, note = told(folder)
    assert (0, True, True) == (code, said.startswith("verified as far as it is: "), "unfinished" in note), (
        note
    )
    path.write_text(json.dumps(run | {"plan": run["plan"] | {"seed": "7"}}))
    found = untruth(folder)
    assert ("plan.seed", '"7"', '"1"') == (found["column"], found["stored"], found["expected"])
    with Store.open(folder) as store:
        assert 0 < len(store.finished()) < 12
