"""Bots that beat each other in a circle: what a tournament of them says, from the command to the report."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def arena(folder: Path, *words: str, is_told_beside: bool = False) -> str:
    """What the command printed; or what it told beside that, on stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "arena.cli", *words],
        cwd=folder,
        env={"PYTHONPATH": str(TESTS), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=230,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr if is_told_beside else done.stdout


@pytest.mark.nightly
@pytest.mark.slow
def test_rock_paper_scissors_has_no_leader(tmp_path: Path) -> None:
    """The circle is named, terminal and report say that no one number orders it, and head to head comes first."""
    bots = ("paper=roshambo:Papers", "rock=roshambo:Thrower", "scissors=roshambo:Scissorers")
    game = f"{TESTS / 'roshambo.py'}:Roshambo"
    out = arena(
        tmp_path,
        "run",
        "--game",
        game,
        *bots,
        "--series",
        "40",
        "--seed",
        str(2**64 + 5),
        "--out",
        "out",
        "-q",
    )
    assert (
        EXPECTED.splitlines()
        == re.sub(r" +([\d.]+ (µs|ms)|median|─+)$", "", out.strip(), flags=re.M).splitlines()
    )
    arena(tmp_path, "report", "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert re.search(
        r'<p class="verdict">One number does not order this field: who wins depends on who', page
    )
    assert page.index('<section id="head-to-head"') < page.index('<section id="leaderboard"')


@pytest.mark.slow
def test_in_a_circle_all_meet_equally_often_again_and_the_run_says_so(tmp_path: Path) -> None:
    """Once the circle is sure, no pair gets more matches than another: its mean would depend on whom it met."""
    bots = ("paper=roshambo:Papers", "rock=roshambo:Thrower", "scissors=roshambo:Scissorers")
    words = ("--until", "top 1 at 95%", "--series", "60", "--seed", str(2**64 + 5), "--out", "out")
    game = f"{TESTS / 'roshambo.py'}:Roshambo"
    said = arena(tmp_path, "run", "--game", game, *bots, *words, is_told_beside=True)
    assert (
        "top 1 at 95%: not settled after 60 of 60 cycles; "
        "paper > rock > scissors > paper, so that all meet equally often again"
    ) in said
    with (tmp_path / "out" / "matches.csv").open(newline="") as file:
        late = [row["series_id"].partition("#")[0] for row in csv.DictReader(file) if int(row["cycle"]) >= 40]
    assert {late.count("paper+rock")} == {late.count(pair) for pair in late}


# What the command printed when each line of it had been checked against head_to_head.csv, without times.
EXPECTED = """\
rank  bot       matches  points (95 %)  rating (95 %)  better  faults
───────  ────────  ───────  ─────────────  ─────────────  ──────
1 (1–3)  rock          160  53.4% (47–60)      1514 ± 42     61%       0
2 (1–3)  scissors      160  48.8% (42–55)      1495 ± 41     52%       0
3 (1–3)  paper         160  47.8% (41–55)      1491 ± 41       –       0
points: share of this field beaten; better: chance to be stronger than the next
rank: in brackets which may be the true ones, in 95 % for all rows at once
paper > rock > scissors > paper: each surely beats the next head to head
one number does not order this field: who wins depends on who meets whom, more than luck explains (p < 0.001); \
rock, for one, scores 86% against scissors, where one number per bot says 53%
paper (rank 3) beats the leader rock head to head: 79.4% (67–88)
"""
