"""The store: what is kept survives, is shown in schedule order, and troubles are told in sentences."""

from __future__ import annotations

import csv
import json
import multiprocessing
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from array import array
from contextlib import closing
from datetime import datetime
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.match.game import Seat
from arena.match.record import Capsule, Decision, Entry, MatchRecord
from arena.schedule import Pairing
from arena.store import (
    DATABASE,
    TABLES,
    FaultCount,
    Store,
    StoredBot,
    chunks,
    erase,
    exports,
    holds_tournament,
    store_lock,
    write_tables,
    write_text,
)
from arena.store import files as store_files
from arena.store.capsules import CAPSULE_BYTES_MAX, CAPSULES_MAX, LEFT_OUT
from arena.store.schema import STORED, rows_of
from arena.tournament.play.match import outcomes_of

SECRET = 0xDEADBEEFDEADBEEFDEADBEEFDEADBEEF


def pairing(series: int = 0, rotation: int = 0, bots: tuple[str, ...] = ("ann", "bob")) -> Pairing:
    return Pairing(f"s{series}.{rotation}", "dice", bots, SECRET, f"s{series}", rotation, series)


def decision(seat: int = 0, elapsed_s: float = 0.25, **more) -> Decision:
    return Decision(more.pop("turn", 0), Seat(seat), more.pop("move", '"pass"'), elapsed_s, **more)


def entry(
    plan: Pairing | None = None,
    *,
    ranks: tuple[int, ...] = (1, 2),
    points: tuple[float, ...] = (1.0, 0.0),
    returns: tuple[float, ...] = (1.0, -1.0),
    decisions: tuple[Decision, ...] = (decision(0), decision(1, 0.125)),
    error: str | None = None,
    **more,
) -> Entry:
    plan = plan or pairing()
    nobody = (False,) * len(plan.bots)
    result = ((), (), ()) if error else (ranks, returns, points)
    record = MatchRecord(
        turns=({},) * 4,
        decisions=decisions,
        ranks=result[0],
        returns=result[1],
        abandoned=more.pop("abandoned", nobody),
        capsules=more.pop("capsules", ()),
        duration_s=0.5,
        error=error,
    )
    defaults = {
        "match_id": f"{plan.cycle:08x}{plan.rotation:04x}",
        "deals": "same",
        "versions": ("1.0",) * len(plan.bots),
        "withdrawn": nobody,
        "packed": b"\x00moves",
        "decisions": tuple(each for each in decisions if each.fault),
        "started_at": 1_700_000_000.25,
    }
    return Entry(pairing=plan, record=record, points=result[2], **(defaults | more))


@pytest.fixture
def store(tmp_path: Path):
    with Store.create(tmp_path / "run", meta={"game_version": 3}) as store:
        yield store


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# keeping


def test_a_match_comes_back_as_it_was_added(store):
    """What a replay needs is there again: bots, seed, moves, results."""
    store.add(entry())
    match = store.match("0000")
    assert match.match_id == "000000000000"
    assert match.pairing_id == "s0.0"
    assert match.bots == ("ann", "bob")
    assert match.versions == ("1.0", "1.0")
    assert match.seed == SECRET
    assert match.packed == b"\x00moves"
    assert match.game_version == 3
    assert match.status == "done"
    assert match.error is None
    assert (match.turns, match.decisions) == (4, 2)
    assert [(seat.rank, seat.points, seat.returns) for seat in match.seats] == [(1, 1.0, 1.0), (2, 0.0, -1.0)]


def test_a_seat_sums_up_its_decisions(store):
    """Faults by kind, questions not asked, spoilt ones and thinking times, each seat its own."""
    decisions = (
        decision(0, 0.5),
        decision(0, 1.0, fault="too_late", reason="late"),
        decision(1, 0.25, fault="illegal", reason="no", lagged=True),
        decision(0, 0.0, asked=False),
        decision(0, 0.0, fault="gone", reason="closed"),
        decision(0, 0.125, fault="malformed", reason="NaN"),
    )
    store.add(entry(decisions=decisions, abandoned=(True, False), withdrawn=(False, True)))
    ann, bob = store.match("0").seats
    assert (ann.too_late, ann.malformed, ann.illegal, ann.gone, ann.faults) == (1, 1, 0, 1, 3)
    assert (bob.too_late, bob.malformed, bob.illegal, bob.gone, bob.faults) == (0, 0, 1, 0, 1)
    assert (ann.not_asked, ann.decisions, ann.lagged) == (1, 5, 0)
    assert (bob.not_asked, bob.decisions, bob.lagged) == (0, 1, 1)
    assert (ann.think_s, ann.think_max_s) == (1.625, 1.0)
    assert (ann.abandoned, ann.withdrawn, bob.abandoned, bob.withdrawn) == (True, False, False, True)


def test_thinking_times_of_asked_decisions_are_kept_each(store):
    """One float32 an asked decision, so that quantiles need no decisions table."""
    store.add(entry(decisions=(decision(0, 0.5), decision(0, 0.0, asked=False), decision(0, 0.25))))
    ((*_, times),) = chunks.seats(store)
    assert (array("f", [0.5, 0.25]).tobytes(), b"") == times


@pytest.mark.parametrize(
    ("ranks", "wins", "ties"),
    [
        pytest.param((1, 2, 3), [1, 0, 0], [0, 0, 0], id="alone first wins"),
        pytest.param((1, 1, 3), [0, 0, 0], [1, 1, 0], id="shared first ties"),
        pytest.param((2, 2, 1), [0, 0, 1], [0, 0, 0], id="shared second is no tie"),
    ],
)
def test_win_and_tie(store, ranks, wins, ties):
    """A win is alone first, a tie is shared first."""
    plan = pairing(bots=("ann", "bob", "cat"))
    store.add(entry(plan, ranks=ranks, points=(0.0,) * 3, returns=(0.0,) * 3))
    seats = store.match("0").seats
    assert wins == [seat.win for seat in seats]
    assert ties == [seat.tie for seat in seats]


def test_an_aborted_match_keeps_its_evidence(store):
    """Traceback, seed and moves stay; it is finished, but has no points."""
    store.add(entry(error="Traceback\n  boom"))
    match = store.match("0")
    assert (match.status, match.error, match.seed) == ("aborted", "Traceback\n  boom", SECRET)
    assert match.packed == b"\x00moves"
    finished = store.finished()["s0.0"]
    assert finished.aborted
    assert finished.points == ()


@pytest.mark.parametrize(("late", "lagged", "illegal", "is_lagged"), [
    (1, 2, 1, True), (2, 1, 1, False), (0, 2, 1, False), (3, 3, 0, True), (0, 3, 0, False),
])  # fmt: skip
def test_a_folder_knows_whose_faults_may_be_the_arenas(store, late, lagged, illegal, is_lagged):
    """Half of the faults or more; it says what was said when the match was played."""
    marks = [True] * lagged + [False] * (late + illegal)
    faults = ["too_late"] * late + ["illegal"] * illegal
    faults += [None] * (len(marks) - len(faults))
    decisions = [
        decision(1, turn=turn, fault=fault, reason="why", lagged=mark)
        for turn, (fault, mark) in enumerate(zip(faults, marks, strict=True))
    ]
    played = entry(decisions=(decision(0), *decisions), abandoned=(False, True))
    store.add(played)
    assert (False, is_lagged) == store.finished()["s0.0"].lagged
    assert is_lagged is outcomes_of(played)["bob"].lagged


def test_finished_tells_what_a_resumed_run_must_know(store):
    """Who gave up, who crashed, who was withdrawn, by seat; and the points for adaptive formats."""
    gone = decision(1, fault="gone", reason="closed")
    store.add(entry(decisions=(decision(0), gone), abandoned=(False, True), withdrawn=(True, False)))
    finished = store.finished()["s0.0"]
    assert finished.match_id == "000000000000"
    assert finished.points == (1.0, 0.0)
    assert finished.abandoned == (False, True)
    assert finished.crashed == (False, True)
    assert finished.withdrawn == (True, False)
    assert not finished.aborted


def test_removed_matches_leave_nothing(store):
    """A match that must be replayed can be added again; its neighbours stay."""
    fault = decision(0, fault="illegal", reason="no")
    first, second = entry(pairing(0, 0), decisions=(fault,)), entry(pairing(0, 1), decisions=(fault,))
    store.add_many([first, second])
    store.remove([first.match_id, "unknown"])
    assert list(store.finished()) == ["s0.1"]
    assert [
        store.connection.execute(f"SELECT COUNT(DISTINCT match) FROM {table}").fetchone()[0]
        for table in ("seats", "decisions")
    ] == [1, 1]
    store.add(first)
    assert {"s0.0", "s0.1"} == set(store.finished())


def test_evidence_is_hidden_again_when_its_series_is_open_again(store):
    """A match is removed to be played again: what the other rotations on the same deals hid is not to be read."""
    fault = decision(0, fault="illegal", reason="no")
    plans = [pairing(0, 0), pairing(0, 1), pairing(1, 0)]
    store.set_schedule(plans)
    for plan in plans:
        played = entry(plan, decisions=(fault,))
        record = attrs.evolve(played.record, capsules=(Capsule(fault, 0, ({"text": "a hand"},)),))
        store.add(attrs.evolve(played, record=record))
    exports.publish(store)
    ids = [entry(plan).match_id for plan in plans]
    faults = store.folder / "faults"
    assert sorted(f"{id}-0-0.jsonl" for id in ids) == sorted(path.name for path in faults.iterdir())
    store.remove([ids[0]])
    assert [f"{ids[2]}-0-0.jsonl"] == [path.name for path in faults.iterdir()]
    exports.publish(store)
    assert [f"{ids[2]}-0-0.jsonl"] == [path.name for path in faults.iterdir()]


def test_a_pairing_is_kept_once(store):
    """Adding it twice is our mistake: it travels, and nothing of the second is kept."""
    store.add(entry())
    with pytest.raises(sqlite3.IntegrityError):
        store.add_many([entry(pairing(0, 1)), entry(match_id="another")])
    assert list(store.finished()) == ["s0.0"]


def test_meta_and_bots_survive(tmp_path):
    """What is put in is there after opening again; the same name replaces."""
    with Store.create(tmp_path, meta={"game_version": 1, "seed": SECRET}) as store:
        store.set_meta("plan", {"seats": 2, "names": ["ä"]})
        store.put_bots([StoredBot("bob", "1"), StoredBot("ann", "1", margin_s=1)])
        store.put_bots([StoredBot("bob", "2")])
        store.set_status("ann", "withdrawn")
    with Store.open(tmp_path) as store:
        assert store.meta() == {"game_version": 1, "seed": SECRET, "plan": {"seats": 2, "names": ["ä"]}}
        assert store.bots() == [
            StoredBot("ann", "1", status="withdrawn", margin_s=1.0),
            StoredBot("bob", "2"),
        ]


def test_what_bots_say_cannot_hurt(store):
    """NULs, newlines, lone surrogates in a move or reason are escaped, in the database and the CSV."""
    evil = 'a\x00b\ud800\n"\r,ä'
    store.add(entry(decisions=(decision(0, move=evil, fault="malformed", reason=evil),)))
    exports.write(store)
    (row,) = rows(store.folder, "decisions")
    assert row["reason"] == row["move"] == 'a\\x00b\\ud800\\n"\\r,ä'
    assert store.decisions("000000000000")[0].reason == row["reason"]


def failing(number: int, faults: int, text: str = "x") -> Entry:
    """A match in which bob failed so often, with evidence."""
    bad = [decision(1, turn=turn, fault="illegal", reason="no") for turn in range(faults)]
    lines = ({"t_s": 0.0, "dir": "<", "text": text},) * 3
    match = entry(pairing(number), decisions=tuple(bad))
    capsules = tuple(Capsule(each, place, lines) for place, each in enumerate(bad))
    return attrs.evolve(match, record=attrs.evolve(match.record, capsules=capsules))


def test_evidence_of_one_bot_is_bounded(store):
    """However often it fails, in one match or many, before or after a break; what is left out is counted."""
    half = CAPSULES_MAX // 2
    store.add_many(failing(number, 4) for number in range(half // 4))
    store.remove([entry(pairing(0)).match_id])
    with Store.open(store.folder, write=True) as other:
        other.add_many(failing(number, 4) for number in range(half // 4, half))
        exports.publish(other)
        assert CAPSULES_MAX == other.connection.execute("SELECT COUNT(*) FROM capsules").fetchone()[0]
    files = list((store.folder / "faults").glob("*.jsonl"))
    told = (store.folder / "faults" / LEFT_OUT).read_text().splitlines()
    faults = 4 * (half - 1)
    assert (CAPSULES_MAX, f"bob: {faults - CAPSULES_MAX} more faults, of which no evidence was kept") == (
        len(files),
        told[0],
    )
    with Store.checked(store.folder) as reader:
        assert reader.damage is None


def test_a_capsule_is_bounded(store):
    """The last lines are kept; how many were before them is told."""
    store.add(failing(0, 1, "long" * 12_000))
    exports.publish(store)
    (path,) = (store.folder / "faults").glob("*.jsonl")
    first, left_out, *kept = map(json.loads, path.read_text().splitlines())
    assert ("bob", {"left_out": "1 lines before these"}, 2) == (first["bot"], left_out, len(kept))
    assert path.stat().st_size < CAPSULE_BYTES_MAX + 100


# asking


def test_decisions_come_back(store):
    """Those with a row of their own, in order."""
    fault = decision(1, turn=2, move="[3, 4]", fault="illegal", reason="count 4 is not 1 to 3", lagged=True)
    silent = decision(0, 0.0, turn=3, move="0", asked=False)
    store.add(entry(decisions=(fault, silent)))
    store.add(entry(pairing(1), decisions=(fault, silent), match_id="b", packed=b""))
    assert store.decisions("000000000000") == [fault]
    store.remove(["b"])
    store.add(attrs.evolve(entry(pairing(1), match_id="b"), decisions=(fault, silent)))
    assert store.decisions("b") == [fault, silent]


@pytest.mark.parametrize(
    ("prefix", "sentence"),
    [
        pytest.param("", "no match in .* begins with ''", id="nothing"),
        pytest.param("ff", "no match in .* begins with 'ff'", id="unknown"),
        pytest.param("%", "no match in .* begins with '%'", id="no pattern"),
        pytest.param(
            "0000", r"2 matches in .* begin with '0000' \(000000000000, 000000000001, …\)", id="ambiguous"
        ),
    ],
)
def test_a_prefix_must_name_one_match(store, prefix, sentence):
    """Anything else is the user's mistake, told in a sentence."""
    store.add_many([entry(pairing(0, 0)), entry(pairing(0, 1))])
    with pytest.raises(ConfigError, match=sentence):
        store.match(prefix)
    assert store.match("000000000001").pairing_id == "s0.1"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param({}, ["s0.0", "s0.1", "s1.0"], id="all"),
        pytest.param({"bot": "cat"}, ["s1.0"], id="of a bot"),
        pytest.param({"fault": "any"}, ["s0.1", "s1.0"], id="with any fault"),
        pytest.param({"fault": "gone"}, ["s1.0"], id="with one kind"),
        pytest.param({"bot": "bob", "fault": "any"}, ["s0.1"], id="the bot's own faults"),
        pytest.param({"bot": "nobody"}, [], id="unknown bot"),
    ],
)
def test_matches_can_be_picked(store, query, expected):
    """By bot, by fault, or where this bot had this fault."""
    late, gone = (decision(1, fault=kind, reason=kind) for kind in ("too_late", "gone"))
    store.add(entry(pairing(1, 0, ("bob", "cat")), decisions=(gone,)))
    store.add(entry(pairing(0, 1), decisions=(late,)))
    store.add(entry(pairing(0, 0)))
    assert expected == [match.pairing_id for match in store.matches(**query)]


def test_an_unknown_kind_of_fault_is_refused(store):
    """The sentence names the kinds."""
    with pytest.raises(ConfigError, match="slow is not a kind of fault: expected any, too_late, malformed"):
        store.matches(fault="slow")


def test_the_tally_of_faults_is_whole(store):
    """By bot, kind and reason; those without a row of their own count with an empty reason."""
    late = decision(0, fault="too_late", reason="no answer")
    bad = decision(1, fault="illegal", reason="count 9")
    store.add(entry(pairing(0), decisions=(late, late, bad)))
    store.add(attrs.evolve(entry(pairing(1), decisions=(late, bad)), decisions=()))
    assert [
        FaultCount("ann", "too_late", "no answer", 2, seats=1),
        FaultCount("ann", "too_late", "", 1),
        FaultCount("bob", "illegal", "", 1),
        FaultCount("bob", "illegal", "count 9", 1, seats=1),
    ] == store.faults()


def test_the_tally_of_faults_says_in_how_many_seats_and_where_the_evidence_is(store):
    """The first evidence in schedule order that was kept; its log, if that is still there."""
    gone = [decision(1, fault="gone", reason="crashed") for _ in range(2)]
    late = decision(1, fault="too_late", reason="no answer")
    silent = decision(1)._replace(asked=False)
    store.set_schedule([pairing(0, 0), pairing(0, 1)])
    for rotation, said in (
        (1, [{"log": "logs/bob-2.log"}]),
        (0, [{"log": "logs/bob-1.log"}, {"stderr": "!"}]),
    ):
        failed = (late, *gone)
        capsules = [Capsule(each, number, tuple(said)) for number, each in enumerate(failed) if number != 2]
        store.add(entry(pairing(0, rotation), decisions=(*failed, silent), capsules=tuple(capsules)))
    first = f"faults/{entry(pairing(0, 0)).match_id}-1"
    found = store.faults(published=True)
    assert [
        FaultCount("bob", "gone", "crashed", 4, seats=2, not_asked=2, capsule=f"{first}-1.jsonl"),
        FaultCount("bob", "too_late", "no answer", 2, seats=2, not_asked=2, capsule=f"{first}-0.jsonl"),
    ] == found
    assert "" == store.log_of(found[0].capsule)
    store.folder.joinpath("logs").mkdir()
    store.folder.joinpath("logs/bob-1.log").touch()
    assert "logs/bob-1.log" == store.log_of(found[0].capsule)
    exports.publish(store)
    assert (store.folder / found[0].capsule).is_file()


def test_a_bot_that_was_gone_was_so_for_its_last_reason(store):
    """With short limits the end of its connection is charged before that of its process is known."""
    lost, crash = (decision(1, fault="gone", reason=reason) for reason in ("closed", "crashed"))
    bad = decision(1, fault="illegal", reason="count 9")
    store.add(entry(pairing(0), decisions=(bad, lost, crash, crash)))
    store.add(entry(pairing(1), decisions=(lost,)))
    assert [
        FaultCount("bob", "gone", "crashed", 3, seats=1),
        FaultCount("bob", "gone", "closed", 1, seats=1),
        FaultCount("bob", "illegal", "count 9", 1, seats=1),
    ] == store.faults()


def test_reasons_are_published_when_their_series_is_closed(store):
    """A reason may tell of a hand that some bot is still to play: until then the fault counts without it."""
    bad = decision(1, fault="illegal", reason="holds no 6")
    store.set_schedule([pairing(0, 0), pairing(0, 1)])
    store.add(entry(pairing(0, 0), decisions=(bad,)))
    assert [FaultCount("bob", "illegal", "", 1)] == store.faults(published=True)
    known = [FaultCount("bob", "illegal", "holds no 6", 1, seats=1)]
    assert known == store.faults(published=True, and_of=entry(pairing(0, 0)).match_id)
    store.add(entry(pairing(0, 1)))
    assert known == store.faults(published=True)


# exporting


def everything(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.csv")}


SCHEDULE = [pairing(series, rotation) for series in range(3) for rotation in range(2)]


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.permutations(SCHEDULE), st.integers(0, 6))
def test_exports_do_not_depend_on_the_order_of_play(tmp_path_factory, order, cut):
    """Any order, any interruption with a new plan afterwards: the same bytes, in schedule order."""
    folders = [tmp_path_factory.mktemp("run") for _ in range(2)]
    with Store.create(folders[0], meta={"game_version": 1}) as store:
        store.set_schedule(SCHEDULE)
        for plan in SCHEDULE:
            store.add(entry(plan))
        exports.write(store)
    with Store.create(folders[1], meta={"game_version": 1}) as store:
        store.set_schedule(SCHEDULE[:cut])
        store.add_many(entry(plan) for plan in order[:cut])
        exports.write(store)
    with Store.open(folders[1], write=True) as store:
        store.set_schedule(SCHEDULE)
        store.add_many(entry(plan) for plan in order[cut:])
        exports.write(store)
    assert everything(folders[0]) == everything(folders[1])
    assert [plan.id for plan in SCHEDULE] == [row["pairing_id"] for row in rows(folders[1], "matches")]


def test_what_a_batch_adds_and_drops_is_known_to_be_whole(tmp_path):
    """The checksums that grow with it are those of all rows; a batch that is changed is damage."""
    with Store.create(tmp_path, meta={"game_version": 1}) as store:
        store.add_batch({"batch": 0}, SCHEDULE[:4], [])
        store.add_batch({"batch": 1}, SCHEDULE[4:], [plan.id for plan in SCHEDULE[:2]])
        assert [plan.id for plan in SCHEDULE[2:]] == [
            pairing for (pairing,) in store.rows("SELECT pairing_id FROM schedule ORDER BY position")
        ]
    with Store.checked(tmp_path) as store:
        assert store.damage is None
        assert [(0, '{"batch": 0}'), (1, '{"batch": 1}')] == list(store.batches())
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db, db:
        db.execute("UPDATE batches SET row = '{}' WHERE number = 1")
    with Store.checked(tmp_path) as store:
        assert store.damage is not None
        assert {"schedule"} == store.damage.parts


@pytest.mark.parametrize("table", STORED)
def test_rows_are_read_and_written_by_name(store, table):
    """All columns of the layout, in its order, but for what only ties rows together."""
    columns = [name for (name,) in store.rows(f"SELECT name FROM pragma_table_info('{table}')")]
    ties = {"matches": {"number", "checksum"}}.get(table, {"match"})
    assert [name for name in columns if name not in ties] == list(STORED[table])


@pytest.mark.parametrize("name", ["matches", "seats", "decisions"])
def test_a_table_found_in_order_is_the_table_sorted(store, name):
    """A schedule that names every match gives the rows that sorting gives, whatever lay where."""
    plans = [pairing(series, rotation) for series in (4, 0, 3, 1) for rotation in (1, 0)]
    fault = decision(1, fault="too_late", reason="late")
    store.set_schedule(plans)
    store.add_many(entry(plan, decisions=(fault, decision(0))) for plan in plans[::-1])
    read = [list(store.rows(rows_of(name, is_whole=is_whole))) for is_whole in (True, False)]
    assert read[0] == read[1] != []
    assert "TEMP B-TREE" not in str(list(store.rows(f"EXPLAIN QUERY PLAN {rows_of(name, is_whole=True)}")))


def test_matches_outside_the_schedule_come_last(store):
    """Ordered by their pairing ids."""
    store.set_schedule([pairing(9), pairing(1)])
    store.add_many(entry(pairing(series)) for series in (5, 1, 3, 9))
    exports.write(store)
    assert [row["pairing_id"] for row in rows(store.folder, "matches")] == ["s9.0", "s1.0", "s3.0", "s5.0"]


def test_cells_hold_what_their_columns_promise(store):
    """No blank in a number column, floats that read back the same, booleans 0 or 1; aborted matches too."""
    store.put_bots([StoredBot("ann"), StoredBot("bob", margin_s=0.2)])
    late = decision(0, 1 / 3, fault="too_late", reason="late")
    store.add(entry(pairing(0), points=(1 / 3, 2 / 3), returns=(-0.0, 1e-9), decisions=(late,)))
    store.add(entry(pairing(1), error="boom", decisions=(late,)))
    exports.write(store)
    parse = {"text": str, "integer": int, "real": float, "boolean": lambda cell: ("0", "1").index(cell)}
    for table, columns in TABLES.items():
        shown = rows(store.folder, table)
        assert shown
        for row in shown:
            assert [column.name for column in columns] == list(row)
            for column in columns:
                parse[column.type](row[column.name])
    first = rows(store.folder, "seats")[0]
    assert (first["points"], first["returns"]) == ("0.3333333333333333", "0.0")
    assert first["think_s"] == "0.333333"
    assert [row["margin_s"] for row in rows(store.folder, "seats")[:2]] == ["0.0", "0.2"]
    assert (rows(store.folder, "seats")[2]["rank"], rows(store.folder, "seats")[2]["status"]) == (
        "0",
        "aborted",
    )


def test_opponents_stand_by_seat(store):
    """Joined by the documented separator, without the bot itself."""
    plan = pairing(bots=("ann", "bob", "cat"))
    store.add(entry(plan, ranks=(1, 2, 3), points=(1.0, 0.5, 0.0), returns=(0.0,) * 3))
    exports.write(store)
    assert [row["opponents"] for row in rows(store.folder, "seats")] == ["bob; cat", "ann; cat", "ann; bob"]


@pytest.mark.parametrize(
    ("bots", "ranks", "error", "told"),
    [
        (("ann", "bob"), (2, 1), None, ("ann; bob", "bob")),
        (("ann", "bob", "cat"), (1, 3, 1), None, ("ann; bob; cat", "ann; cat")),
        (("ann", "bob"), (1, 2), "Traceback", ("ann; bob", "")),
        (("=1+1", "'", "-"), (2, 1, 3), None, ("'=1+1; '; -", "''")),
    ],
    ids=["a winner", "two share it", "aborted", "formulas"],
)
def test_a_match_says_who_played_who_won_and_when(store, bots, ranks, error, told):
    """Names by seat in one cell, which no spreadsheet takes for a formula; the time in seconds and in words."""
    points = tuple(float(rank == 1) for rank in ranks)
    store.add(entry(pairing(bots=bots), ranks=ranks, points=points, returns=points, error=error))
    exports.write(store)
    (row,) = rows(store.folder, "matches")
    assert told == (row["bots"], row["winners"])
    assert ("1700000000.25", "2023-11-14T22:13:20.250+00:00") == (row["started_epoch_s"], row["started_at"])
    assert 1700000000.25 == datetime.fromisoformat(row["started_at"]).timestamp()


def test_no_seed_is_ever_exported(store):
    """A deal seed is a hidden thing: neither in decimal nor in hexadecimal in any CSV."""
    store.put_bots([StoredBot("ann"), StoredBot("bob")])
    store.add(entry(decisions=(decision(0, fault="gone", reason="closed"),)))
    exports.write(store)
    assert {"matches.csv", "seats.csv", "bots.csv", "decisions.csv"} == set(everything(store.folder))
    for content in everything(store.folder).values():
        assert str(SECRET).encode() not in content
        assert f"{SECRET:x}".encode() not in content


def test_moves_are_shown_when_their_series_is_closed(store):
    """A series that is still played shares its deals: its decisions stay in the database."""
    fault = decision(0, fault="illegal", reason="no")
    store.set_schedule([pairing(0, 0), pairing(0, 1), pairing(1, 0)])
    store.add_many(entry(plan, decisions=(fault,)) for plan in (pairing(0, 0), pairing(1, 0)))
    exports.write(store)
    assert [row["series_id"] for row in rows(store.folder, "decisions")] == ["s1"]
    store.add(entry(pairing(0, 1), decisions=(fault,)))
    exports.write(store)
    assert [row["series_id"] for row in rows(store.folder, "decisions")] == ["s0", "s0", "s1"]


def test_a_failed_export_leaves_the_old_tables(store):
    """All tables or none; and no temporary file stays."""
    store.add(entry())
    exports.write(store)
    before = everything(store.folder)

    def breaking():
        yield ("x",)
        raise OSError(28, "No space left on device")

    with pytest.raises(ConfigError, match="the disk is full"):
        write_tables(store.folder, {"matches": (["new"], []), "seats": (["new"], breaking())})
    assert before == everything(store.folder)
    assert [path.name for path in store.folder.iterdir() if path.suffix == ".tmp"] == []


def test_an_export_is_of_one_moment(store):
    """What a run adds meanwhile is in none of the tables."""
    store.add(entry(pairing(0)))
    with Store.open(store.folder) as reader, reader.frozen():
        matches = len(list(exports.table(reader, "matches")[1]))
        store.add(entry(pairing(1)))
        assert 2 * matches == len(list(exports.table(reader, "seats")[1]))
    with Store.open(store.folder) as reader:
        assert len(list(exports.table(reader, "seats")[1])) == 4


def test_small_files_are_written_whole(tmp_path):
    """The new text takes the old one's place; a folder that is missing gets a sentence."""
    write_text(tmp_path / "run.json", "old")
    write_text(tmp_path / "run.json", "näu")
    assert (tmp_path / "run.json").read_text(encoding="utf-8") == "näu"
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    with pytest.raises(ConfigError, match="there is no folder"):
        write_text(tmp_path / "missing" / "run.json", "x")


# opening


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE recipes (name)")
    connection.close()


def newer(path: Path) -> None:
    Store.create(path.parent, meta={}).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def truncated(path: Path) -> None:
    with Store.create(path.parent, meta={}) as store:
        store.add_many(entry(pairing(series)) for series in range(200))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


BROKEN = [
    pytest.param(
        lambda path: path.write_bytes(b"hello " * 1000), "not a database, or only half of one", id="text"
    ),
    pytest.param(lambda path: path.write_bytes(b""), "is empty: its run ended before it began", id="no byte"),
    pytest.param(foreign, "is not a database of the arena", id="another program's"),
    pytest.param(newer, "written by a newer arena .schema 99; this one knows 6.", id="newer schema"),
    pytest.param(truncated, "is damaged", id="half-written"),
]


@pytest.mark.parametrize(("break_it", "sentence"), BROKEN)
@pytest.mark.parametrize("write", [False, True])
def test_a_broken_database_gets_a_sentence_and_is_not_touched(tmp_path, break_it, sentence, write):
    """Whatever lies there, opening or reading it says what is wrong and changes nothing."""
    path = tmp_path / DATABASE
    break_it(path)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=sentence), Store.open(tmp_path, write=write) as store:
        list(store.matches())
    assert before == path.read_bytes()


@pytest.mark.parametrize("make", [BROKEN[0].values[0], foreign, newer], ids=["text", "foreign", "newer"])
def test_creating_never_overwrites(tmp_path, make):
    """What is there already is refused and stays."""
    path = tmp_path / DATABASE
    make(path)
    before = path.read_bytes()
    with pytest.raises(ConfigError):
        Store.create(tmp_path, meta={})
    assert before == path.read_bytes()


def test_creating_twice_is_refused(store):
    """The sentence tells both ways on."""
    store.add(entry())
    with pytest.raises(ConfigError, match="holds a tournament already") as refused:
        Store.create(store.folder, meta={})
    assert ["resume", "fresh"] == [hint.setting for hint in refused.value.hints]
    assert list(store.finished()) == ["s0.0"]


def test_a_run_killed_before_it_began_is_no_tournament(tmp_path):
    """Its empty database is there, but can be created again."""
    assert not holds_tournament(tmp_path)
    (tmp_path / DATABASE).touch()
    assert not holds_tournament(tmp_path)
    with Store.create(tmp_path, meta={}):
        assert holds_tournament(tmp_path)


def test_a_folder_without_results_gets_a_sentence(tmp_path):
    """So does a folder that cannot be made."""
    with pytest.raises(ConfigError, match="nothing"):
        Store.open(tmp_path / "nothing")
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file"):
        Store.create(tmp_path / "file", meta={})


def test_a_folder_may_have_any_name(tmp_path):
    """Question marks, hashes, percent signs and spaces are no URI."""
    folder = tmp_path / "100% a?b#c d"
    with Store.create(folder, meta={"game_version": 1}) as store:
        store.add(entry())
    with Store.open(folder) as store:
        assert list(store.finished()) == ["s0.0"]


def test_a_reader_cannot_write_and_leaves_nothing_behind(tmp_path):
    """Reading makes no files beside the database."""
    Store.create(tmp_path, meta={}).close()
    with Store.open(tmp_path) as store:
        list(store.matches())
        with pytest.raises(ConfigError, match="cannot be written"):
            store.add(entry())
    assert [path.name for path in tmp_path.iterdir()] == [DATABASE]


READ_AS_NOBODY = """
import os, sys
from arena.store import Store, holds_tournament
if os.geteuid() == 0:
    os.setuid(65534)
assert holds_tournament(sys.argv[1])
with Store.open(sys.argv[1]) as store:
    print(list(store.finished()))
"""


@pytest.mark.slow
def test_a_folder_that_may_not_be_written_can_be_read():
    """Another user's results: SQLite would like to put files beside the database, but need not."""
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders let no other user in
        folder = Path(name)
        with Store.create(folder, meta={"game_version": 1}) as store:
            store.add(entry())
        (folder / DATABASE).chmod(0o444)
        folder.chmod(0o555)
        command = [sys.executable, "-c", READ_AS_NOBODY, folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        folder.chmod(0o755)
    assert (done.stdout, done.stderr) == ("['s0.0']\n", "")


def test_a_full_disk_keeps_what_was_there(store):
    """The match that does not fit is not there at all, and the user is told."""
    store.add(entry(pairing(0)))
    pages = store.connection.execute("PRAGMA page_count").fetchone()[0]
    store.connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(ConfigError, match=r"the disk is full: .* is as it was"):
        store.add(entry(pairing(1), packed=bytes(100_000)))
    assert list(store.finished()) == ["s0.0"]


def test_a_locked_database_gets_a_sentence(tmp_path, monkeypatch):
    """Another program that holds it is named as the reason, after a wait that has an end."""
    monkeypatch.setattr(store_files, "BUSY_S", 0.01)
    with Store.create(tmp_path, meta={}) as store:
        other = sqlite3.connect(tmp_path / DATABASE, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ConfigError, match="is locked by another program"):
            store.add(entry())
        other.close()
        store.add(entry())
        assert list(store.finished()) == ["s0.0"]


def test_a_second_run_on_a_folder_is_refused(tmp_path):
    """The lock names the process; when the first run ends, the next one may."""
    with store_lock(tmp_path / "run"):
        with (
            pytest.raises(ConfigError, match=r"another run \(process \d+\) is writing .*run"),
            store_lock(tmp_path / "run"),
        ):
            pytest.fail("two runs on one folder")
        with store_lock(tmp_path / "other"):
            pass
    with store_lock(tmp_path / "run"):
        pass


def test_the_lock_does_not_take_errors_for_its_own(tmp_path):
    """What breaks inside travels unchanged."""
    with pytest.raises(FileNotFoundError), store_lock(tmp_path):
        (tmp_path / "missing").read_text()


def _add_forever(folder: Path) -> None:
    with Store.create(folder, meta={"game_version": 1}) as store:
        for series in range(1_000_000):
            store.add(entry(pairing(series)))


@pytest.mark.slow
def test_a_killed_run_has_every_match_whole_or_not_at_all(tmp_path):
    """`kill -9` in the middle: it opens, and each match has both of its seats."""
    process = multiprocessing.get_context("spawn").Process(target=_add_forever, args=(tmp_path,))
    process.start()
    wal = tmp_path / f"{DATABASE}-wal"
    deadline = time.monotonic() + 20
    while not (wal.exists() and wal.stat().st_size > 500_000) and time.monotonic() < deadline:
        process.join(0.01)
    process.kill()
    process.join()
    with Store.open(tmp_path, write=True) as store:
        finished = store.finished()
        assert len(finished) > 10
        assert all(len(match.points) == 2 for match in finished.values())
        assert [f"s{series}.0" for series in range(len(finished))] == sorted(
            finished, key=lambda name: int(name[1:-2])
        )
        assert store.connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_erasing_takes_the_tables_only(store):
    """`--fresh` removes what it will write again; a user's own file stays."""
    exports.write(store)
    (store.folder / "notes.txt").touch()
    store.close()
    erase(store.folder)
    assert [path.name for path in store.folder.iterdir()] == ["notes.txt"]
    Store.create(store.folder, meta={}).close()


@pytest.mark.slow
def test_keeping_a_match_is_quick(tmp_path):
    """Adding costs little beside playing: the median stays under a millisecond (measured: 0.06 ms)."""
    decisions = tuple(decision(turn % 2, random.Random(turn).random(), turn=turn) for turn in range(12))
    costs_s = []
    with Store.create(tmp_path, meta={"game_version": 1}) as store:
        for series in range(500):
            match = entry(pairing(series), decisions=decisions)
            start_s = time.perf_counter()
            store.add(match)
            costs_s.append(time.perf_counter() - start_s)
    assert sorted(costs_s)[250] < 0.001
