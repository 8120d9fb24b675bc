"""`arena torture`: its habits, its arithmetic, and a few of them in earnest."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import attrs
import pytest
from daily import nightly
from documents import block_named
from tournaments import BAD

from arena.box.processes import descendants
from arena.errors import FAULT_KINDS
from arena.games import GAMES
from arena.tournament.play.startup import BUDGET_S
from arena.trials.torture.habits import HONEST, Habit, habits, honest_bot
from arena.trials.torture.promises import Findings, TrialRow, TrialTerms
from arena.trials.torture.table import as_objects, conclusion, header_lines, line
from arena.trials.torture.trial import Trial, _last_words

RUDE = Habit(name="rude", run=("rude.py", "3"), faults=frozenset({"malformed"}))
HELD = Findings(
    exit_code=0,
    seconds=3.0,
    peak_mb=56.0,
    left=0,
    faults={"malformed": 12},
    honest_faults={},
    planned=6,
    played=6,
    aborted=0,
    times_s=[0.001] * 98 + [0.010] * 2,
    last_words="",
    obeyed=False,
)

STOPS = ["stops-parent"] if shutil.which("bwrap") else []
"""Needs a box."""


def row(habit: Habit = RUDE, **changes) -> TrialRow:
    return TrialRow(habit=habit, observed=attrs.evolve(HELD, **changes), without=HELD, extra_s=8.0)


@pytest.mark.parametrize(
    ("what", "changes", "breaches"),
    [
        ("all held", {}, []),
        ("hung", {"exit_code": None, "seconds": 51.0}, ["the run hung: killed after 51 s"]),
        (
            "a bug",
            {"exit_code": 70, "last_words": "KeyError"},
            ["the arena ended with exit code 70: KeyError"],
        ),
        ("a match missing", {"played": 5}, ["1 of 6 matches are missing"]),
        ("aborted", {"aborted": 2}, ["2 matches were aborted by a bug of the arena"]),
        ("others hurt", {"honest_faults": {"gone": 1}}, ["honest bots were charged with gone 1"]),
        ("orphans", {"left": 3}, ["3 processes were left"]),
        ("nobody can count them", {"left": None, "peak_mb": None}, []),
        ("memory", {"peak_mb": 100.0}, ["the arena held 100 MB; promised: less than 100"]),
        ("just in time", {"seconds": 11.0}, []),
        ("time", {"seconds": 11.5}, ["it took 11.5 s; promised: 11.0 s at most"]),
        ("a delay that may be", {"times_s": [0.0019] * 100}, []),
        (
            "delay",
            {"times_s": [0.0025] * 100},
            ["the honest bots answered 1.50 ms later (median); promised: 1 ms"],
        ),
        ("too few answers to tell", {"times_s": [0.5] * 49}, []),
        ("a terminal obeys", {"obeyed": True}, ["the arena printed terminal escape sequences"]),
        ("uncharged", {"faults": {}}, ["it was not charged with malformed"]),
        (
            "charged wrongly",
            {"faults": {"malformed": 1, "gone": 1}},
            ["it was charged with gone 1, which it did not do"],
        ),
    ],
)
def test_a_promise_is_broken_exactly_where_it_was_not_kept(what, changes, breaches):
    """Each promise by itself, its edge included."""
    assert breaches == row(**changes).breaches, what


def test_who_must_be_refused_is_broken_by_playing():
    """A bot that cannot play ends the run before it begins, with exit code 2."""
    refused = attrs.evolve(RUDE, faults=frozenset(), refused=True)
    assert [] == row(refused, exit_code=2, planned=0, played=0, faults={}, times_s=[]).breaches
    assert ["the run should have refused to start (exit code 2), but ended with exit code 0"] == row(
        refused
    ).breaches


def test_what_only_a_box_promises_is_open_without_one():
    """Stopping the arena is nobody's right in a box, and anybody's without."""
    stops = attrs.evolve(RUDE, box=True)
    found = [
        row(stops, exit_code=None, box=box).verdict
        for box in ("shield (bubblewrap)", "strict (bubblewrap)", "limits", "")
    ]
    assert ["broken", "broken", "open", "open"] == found
    assert "held" == row(stops, box="").verdict


def test_somebodys_own_bot_may_fail_as_it_likes():
    """It is shown with its faults; only what it does to others is a breach."""
    yours = Habit(name="mine", run=("mine.py",), is_yours=True)
    assert "held" == row(yours, faults={"illegal": 9, "gone": 2}).verdict
    assert "held" == row(yours, exit_code=2, played=0, planned=0, faults={}).verdict
    assert "broken" == row(yours, honest_faults={"too_late": 1}).verdict


def test_why_somebodys_own_bot_was_refused_is_told():
    """It held, as nobody was harmed; but its author wants to know why it did not play."""
    yours = Habit(name="mine", run=("mine.py",), is_yours=True)
    refused = row(yours, exit_code=2, played=0, planned=0, faults={}, last_words="ImportError: \x1bno")
    assert ["mine was refused before play: ImportError: \\x1bno", "2 of 2 habits held"] == conclusion(
        [refused, row()]
    )


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["arena: 1 bot cannot play:", "  bad: it ended", "    | KeyError: 'hand'"], "KeyError: 'hand'"),
        (["arena: cannot listen", "results in x"], "arena: cannot listen"),
        (["one", "two"], "two"),
        ([], ""),
    ],
)
def test_the_last_words_are_those_that_tell_why(said, expected):
    """An exception, also where it is quoted from a bot's log; else what the arena said."""
    assert expected == _last_words(said)


def test_delays_are_differences_of_quantiles():
    """By the median, and by what one answer in a hundred exceeds."""
    slow = row(times_s=[0.0015] * 98 + [0.012] * 2)
    assert (0.5, 2.0) == (round(slow.delay_ms, 6), round(slow.delay_p99_ms, 6))


def test_times_are_doubted_where_the_machine_may_have_been_busy():
    """With the habit or without it: both are measured anew then, which nothing but times can bring about."""
    times = [
        ({}, False),
        ({"times_s": [0.0025] * 100}, True),
        ({"times_s": [0.0004] * 100}, True),
        ({"seconds": 12.0}, True),
        ({"seconds": 51.0, "exit_code": None}, False),
        ({"honest_faults": {"gone": 1}}, False),
        ({"times_s": []}, False),
    ]
    assert [doubtful for _, doubtful in times] == [row(**changes).is_doubtful for changes, _ in times]


def test_what_a_habit_may_cost_is_limit_and_grace_for_each_match():
    """Four matches a series with the bad one, at two tables; strangers have no seat, and get one match."""
    terms = TrialTerms(series=3, limit_s=2.0, grace_s=2.0, tables=2)
    assert 24.0 == Trial(RUDE, terms).extra_s
    assert 6.0 == Trial(attrs.evolve(RUDE, way="lobby"), terms).extra_s
    assert 24.0 + BUDGET_S / 2 == Trial(attrs.evolve(RUDE, slow=True), terms).extra_s


def test_the_table_fits_a_terminal():
    """80 columns, whatever the numbers are; the sentences below it say what was broken."""
    rows = [
        row(),
        row(
            attrs.evolve(RUDE, name="x" * 40),
            seconds=123.4,
            left=999,
            faults={"malformed": 100, "too_late": 100},
        ),
    ]
    printed = [*header_lines().splitlines(), *map(line, rows)]
    assert [] == [each for each in printed if len(each) > 80]
    assert "1 of 2 habits held" == conclusion(rows)[-1]
    assert f"{'x' * 40}: 999 processes were left" in conclusion(rows)
    assert ["held", "broken"] == [each["verdict"] for each in as_objects(rows)]


def test_every_bad_bot_is_a_habit():
    """And every habit is a file that is there, in a game that is there, described in the README."""
    scripts = {path.name for path in BAD.glob("*.py")} - {HONEST}
    assert scripts == {habit.run[0] for habit in habits()}
    assert set() == {habit.game for habit in habits()} - set(GAMES) - {""}
    assert all(honest_bot(habit.game) for habit in habits() if habit.game)
    readme = (BAD / "README.md").read_text()
    assert [] == [script for script in scripts if f"| `{script.removesuffix('.py')}` |" not in readme]


def test_the_readme_says_of_each_bad_bot_what_its_habits_may_get():
    """The kinds of fault that its row names are those of its habits; nothing must be charged where "no fault" stands."""
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", (BAD / "README.md").read_text(), re.MULTILINE))
    for script in {habit.run[0] for habit in habits()}:
        ways = [habit for habit in habits() if habit.run[0] == script]
        row = rows[script.removesuffix(".py")]
        kinds = {kind for habit in ways for kind in habit.faults | habit.may}
        assert kinds == {kind for kind in FAULT_KINDS if f"`{kind}`" in row}, script
        must = {bool(habit.faults or habit.refused) for habit in ways if not habit.is_stranger}
        assert must <= {not row.startswith("no fault")}, script
        assert any(habit.refused for habit in ways) == ("the run refuses to start" in row), script


def test_the_table_of_security_is_of_todays_habits():
    """SECURITY.md shows a row for each, under today's header, with faults that it may get, and every promise held."""
    shown = block_named("SECURITY.md", "text habits")
    assert shown.startswith(header_lines() + "\n")
    rows = [re.split(r"  +", each) for each in shown.splitlines()[2:]]
    assert [habit.name for habit in habits()] == [row[0] for row in rows]
    for habit, row in zip(habits(), rows, strict=True):
        kinds = {*habit.faults, *habit.may, *(["refused"] if habit.refused else [])}
        for word in re.findall("[a-z_]+", row[1]):
            assert any(kind.startswith(word) for kind in kinds), f"{habit.name}: {word} (may be cut off)"
        assert "held" == row[-1], habit.name


def test_descendants_are_found_by_parent():
    """Whatever their environment."""
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], env={})
    try:
        assert sleeper.pid in descendants(os.getpid())
    finally:
        sleeper.kill()
        sleeper.wait()
    assert sleeper.pid not in descendants(os.getpid())


SHORTLY = (
    "from arena.trials.torture import command, trial; command.SERIES_QUICK = 1; trial.LOBBY_SERIES = 8; "
    "from arena.cli import main; main()"
)
"""In so few matches as tell nothing of speed, whose promises are not looked at here: nothing is measured twice."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [["empty-id-stranger"], *nightly([*STOPS, "empty-id-stranger"])], ids=",".join
)
def test_some_habits_in_earnest(tmp_path, names):
    """Each in a run of its own, with a stranger's and somebody's own bot: every promise but those of speed holds.

    Daemons, and who turns on its parent, are in tests/box at every change.
    """
    words = ["torture", str(BAD / "crash.py"), "--quick", "--json"]
    words += [f"--only={name}" for name in names]
    done = subprocess.run(
        [sys.executable, "-c", SHORTLY, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert [] == list(tmp_path.iterdir())
    found = {each["habit"]: each for each in json.loads(done.stdout)}
    assert 1 == len({found[name]["box"] for name in ("crash", *names) if "stranger" not in name})
    assert ["crash", *names] == list(found)
    for each in found.values():
        assert each["planned"] == each["matches"] > 0
        assert 0 == each["exit_code"]
        assert {} == each["honest_faults"]
        if sys.platform == "linux":
            assert 0 == each["processes_left"]
            assert each["peak_mb"] < 100
    assert ["gone"] == list(found["crash"]["faults"])
