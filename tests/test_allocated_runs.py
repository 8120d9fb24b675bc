"""`arena run --until` from its first match to its last: bots whose order is open meet more often."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from calls import call
from tournaments import exact, matches_in

from arena.analysis.stopping.goal import RULE
from arena.analysis.tables import COLUMNS
from arena.store import Store

FIELD = (
    "ann=tournaments:Steady",
    "bob=tournaments:Doubter",
    "cat=tournaments:Chancy",
    "dan=tournaments:Cheeky",
)
LUCK = ("--rule", "dice=2", "--seed", "4")
GOAL = ("--until", "top 3 at 60%", *LUCK)
WAIT_S = 60.0
TESTS = Path(__file__).parent


@pytest.fixture
def arena(tmp_path, capsys, monkeypatch):
    """`arena WORDS` in this process: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    return partial(call, capsys, monkeypatch)


def rows(folder: str, table: str) -> list[dict[str, str]]:
    with Path(folder, f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def left(folder: str) -> object:
    """All that must be equal: exact columns of every table, and the schedule."""
    with Store.open(Path(folder)) as store:
        schedule = list(store.rows("SELECT position, pairing_id FROM schedule ORDER BY position"))
    return exact(Path(folder), COLUMNS), schedule


def killed_after(matches: int, *words: str) -> None:
    """`arena WORDS` as a process, killed when its folder holds so many matches."""
    folder = Path(words[words.index("--out") + 1])
    path = os.pathsep.join([str(TESTS), str(TESTS.parent)])
    with subprocess.Popen(
        [sys.executable, "-m", "arena.cli", *words],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ) as process:
        until = time.monotonic() + WAIT_S
        while matches_in(folder) < matches and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.kill()
        assert -signal.SIGKILL == process.wait(), "it was over before"


@pytest.mark.slow
def test_a_run_that_allocates_leaves_the_same_however_it_was_played(arena):
    """At one table, at four, and killed twice on its way: the same tables, and the same conclusion."""
    words = ("run", *FIELD, *GOAL, "--series", "40")
    code, _, said = arena(*words, "--out", "one", "--concurrency", "1")
    conclusion = next(line for line in said.splitlines() if line.startswith("top 3 at 60%: settled after "))
    assert 0 == code
    assert "4 bots, at most 6 pairs × 40 series × 2 seats = 480 matches" in said
    arena(*words, "--out", "four", "--concurrency", "4")
    assert left("one") == left("four")
    whole = len(rows("one", "matches"))
    for share in (0.4, 0.8):
        killed_after(int(whole * share), *words, "--out", "cut", "--concurrency", "4")
    assert 0 < matches_in(Path("cut")) < 480
    code, _, said = arena("run", "--resume", "cut", "--concurrency", "2")
    assert (0, True) == (code, conclusion in said)
    assert left("one") == left("cut")
    assert "nothing left to play" in arena("run", "--resume", "cut", "--dry-run")[1]


@pytest.mark.slow
def test_bots_whose_order_is_open_meet_more_often(arena):
    """Sets play different numbers of series, each at least one in five batches; batches are as large as laps."""
    assert 0 == arena("run", *FIELD, *GOAL, "--series", "12", "--out", "out", "-q")[0]
    matches = rows("out", "matches")
    series = {match["series_id"]: int(match["cycle"]) for match in matches}
    batches = Counter(series.values())
    assert {6} == {batches[number] for number in range(len(batches))}
    sets = Counter(id.partition("#")[0] for id in series)
    assert len(set(sets.values())) > 1
    assert min(sets.values()) >= 2 + (len(batches) - 2) // 5
    for bots, times in sets.items():
        assert {f"{bots}#{number}" for number in range(times)} <= series.keys()
    code, said, _ = arena("verify", "out")
    assert (0, True) == (code, said.startswith(f"verified: {len(matches):,} matches"))
    assert 0 == arena("report", "out")[0]
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "round-robin, 12 series each on average, more where the order is open" in page
    assert f"{len(matches)} of {len(matches)} planned" in page


@pytest.mark.slow
def test_a_longer_schedule_goes_on_where_the_shorter_one_ended(arena):
    """What it plays is what it would have played from the start: the bound has no planned end."""
    goal = ("--until", "best at 99.99%", *LUCK, "-q")
    three = FIELD[:3]
    arena("run", *three, *goal, "--series", "20", "--out", "long")
    code, _, said = arena("run", *three, *goal, "--series", "8", "--out", "grown")
    assert (0, True) == (code, "not settled after 8 of 8 cycles" in said)
    code, _, said = arena("run", *three, *goal, "--series", "20", "--out", "grown")
    assert (0, True) == (code, "after 20 of 20 cycles" in said)
    assert left("long") == left("grown")


REFUSED = [
    (
        "another goal",
        ("--until", "best at 90%"),
        'was begun with --until "top 1 at 80%", and gave its matches to the bots whose order was open',
    ),
    (
        "no goal",
        ("--until", "none"),
        "gave its matches to the bots whose order its goal left open, and cannot",
    ),
    ("another way", ("--until", "best at 80%", "--allocate", "even"), "allocate: was open, now even"),
    ("one bot more", ("--until", "best at 80%", "eve=tournaments:Steady"), "began without eve"),
    ("a bot less", ("--until", "best at 80%", "--without", "dan"), "--without"),
    ("fewer series", ("--until", "best at 80%", "--series", "5"), "cannot become 5"),
]


@pytest.mark.slow
def test_what_cannot_go_on_is_refused_in_a_sentence(arena):
    """Nothing is lost, and the folder goes on as it began."""
    words = ("run", *FIELD, *LUCK, "--out", "out", "-q")
    assert 0 == arena(*words, "--until", "best at 80%", "--series", "6")[0]
    before = left("out")
    for case, more, sentence in REFUSED:
        code, _, said = arena(*words, *(() if "--series" in more else ("--series", "6")), *more)
        assert (2, True, False) == (code, sentence in said, "Traceback" in said), (case, said)
        assert before == left("out"), case
    code, _, said = arena("run", "--resume", "out", "--until", "none")
    assert (2, True) == (code, "there is no goal" in said)
    assert 0 == arena(*words, "--until", "best at 80%", "--series", "6")[0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--allocate", "open"),
            "allocate = open is for the sets of bots whose order until leaves open, but there",
        ),
        (("--allocate", "open", "--tournament", "swiss"), "allocate = open is for a round-robin only"),
        (("--allocate", "most", "--until", "best at 80%"), '--allocate: found "most", expected open or even'),
    ],
)
def test_where_nothing_is_open_nothing_is_allocated(arena, words, sentence):
    """One sentence says what is missing."""
    code, _, said = arena("run", "odds", "random", *words)
    assert (2, True) == (code, sentence in said), said


@pytest.mark.slow
def test_even_is_the_old_way(arena):
    """All sets play equally often, and the folder may go on without a goal."""
    words = ("run", *FIELD[:3], *LUCK, "--series", "8", "--out", "out", "-q")
    assert 0 == arena(*words, "--until", "best at 80%", "--allocate", "even")[0]
    series = {match["series_id"] for match in rows("out", "matches")}
    sets = Counter(id.partition("#")[0] for id in series)
    assert 1 == len(set(sets.values()))
    with Store.open(Path("out")) as store:
        assert 3 * 2 * 8 == store.planned()
    assert "even" == json.loads(Path("out", "run.json").read_text())["plan"]["allocate"]
    code, _, said = arena(*words, "--until", "best at 90%")
    assert (2, True) == (code, "a goal that is chosen when results are known errs more often" in said)
    assert 0 == arena(*words, "--until", "none")[0]


@pytest.mark.slow
def test_a_goal_of_another_rule_is_not_continued(arena):
    """The folder keeps the number of the rule; what was begun by another one is refused, and nothing is played."""
    words = ("run", *FIELD, *GOAL, "--series", "6", "--out", "out", "-q")
    assert 0 == arena(*words)[0]
    with Store.open(Path("out"), write=True) as store:
        assert RULE == store.meta()["until_rule"]
        store.set_meta("until_rule", 1)
    before = left("out")
    for command in (words, ("verify", "out")):
        code, _, said = arena(*command)
        refused = f"--until goes by rule 1 in this folder, and by {RULE} in this arena"
        assert (2, True) == (code, refused in said), said
    assert before == left("out")


@pytest.mark.slow
def test_a_lost_match_is_played_again_and_so_is_what_was_planned_upon_it(arena):
    """Later batches stay in the folder until they are planned again; then all is as it was."""
    words = ("run", *FIELD, *GOAL, "--series", "12", "--out", "out", "-q")
    assert 0 == arena(*words)[0]
    whole = left("out")
    with Store.open(Path("out"), write=True) as store:
        first = next(iter(store.finished().values()))
        store.remove([first.match_id])
    assert 0 == arena(*words)[0]
    assert whole == left("out")
