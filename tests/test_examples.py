"""Every example runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from calls import called
from daily import nightly

from tests.workflow import read_workflow

EXAMPLES = Path(__file__).parent.parent / "examples"


def arena(*words: str, folder: Path) -> tuple[str, str]:
    """What the command prints in that folder to standard output and standard error; it ends with exit code 0."""
    with chdir(folder):
        code, said, errors = called(*words)
    assert code == 0, errors
    return said, errors


def test_no_example_is_forgotten() -> None:
    """Whoever adds an example says here how it is run."""
    known = {
        "two_seats.toml",
        "short_dice.toml",
        "open_house.toml",
        "cup.toml",
        "swiss.toml",
        "gauntlet.toml",
        "settled.toml",
        "first_bot.py",
        "plain_bot.py",
        "analyse.py",
        "kuhn.py",
        "parquet.py",  # by tests/release.py, where its packages are
        "results.ipynb",
    }
    assert known == {path.name for path in EXAMPLES.iterdir() if path.suffix in (".toml", ".py", ".ipynb")}


def test_the_workflow_installs_what_its_variable_names() -> None:
    """One variable at its top says where the arena is; `python -m tests.release` carries all steps out."""
    workflow = read_workflow()
    assert ["ARENA"] == [*workflow["env"]]
    scripts = [step["run"] for step in workflow["jobs"]["compare"]["steps"] if "run" in step]
    assert ['pip install "$ARENA"'] == re.findall("pip install .*", "\n".join(scripts))


@pytest.mark.slow
@pytest.mark.parametrize(
    "plan", ["two_seats.toml", "cup.toml", *nightly("short_dice.toml", "swiss.toml", "gauntlet.toml")]
)
def test_the_plans_are_played(plan: str, tmp_path: Path) -> None:
    """A plan of bots that the arena starts is played to its end, here with one series."""
    arena("run", str(EXAMPLES / plan), "--series", "1", "--strict", folder=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("plan", ["short_dice.toml", "swiss.toml", "gauntlet.toml"])
def test_the_plans_are_planned(plan: str, tmp_path: Path) -> None:
    """Those that the nightly workflow plays."""
    arena("run", str(EXAMPLES / plan), "--dry-run", folder=tmp_path)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("goal", ["top 1 at 70%", *nightly("top 1 at 95%")])
def test_the_settled_one_stops_by_itself(goal: str, tmp_path: Path) -> None:
    """odds is the best of these, which takes a few of the 500 cycles to know, and fewer to be less sure of."""
    plan = str(EXAMPLES / "settled.toml")
    until = () if f'"{goal}"' in Path(plan).read_text() else ("--until", goal)
    words = (*until, "--seed", "1", "--rule", "dice=2", "--json", "-q")
    said, errors = arena("run", plan, *words, folder=tmp_path)
    (line,) = [line for line in errors.splitlines() if "settled after" in line]
    cycles = int(line.split("settled after ")[1].split()[0])
    assert line == f"{goal}: settled after {cycles} of 500 cycles: odds"
    assert cycles <= 100
    (random,) = [row for row in json.loads(said) if row["bot"] == "random"]
    assert random["rating"] == random["rating_low"] == random["rating_high"] == 1500


@pytest.mark.slow
def test_the_open_house_is_planned(tmp_path: Path) -> None:
    """The plan that waits for others is right; who comes is played out in tests/test_runner.py."""
    said, _ = arena("run", str(EXAMPLES / "open_house.toml"), "--dry-run", folder=tmp_path)
    assert "3 bots" in said


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["first_bot.py", "plain_bot.py"])
def test_the_bots_play_without_a_fault(bot: str, tmp_path: Path) -> None:
    """The first bots play a few matches against a built-in one; `--strict` would tell of a fault."""
    arena("run", str(EXAMPLES / bot), "random", "--series", "2", "--strict", folder=tmp_path)


@pytest.mark.slow
def test_the_game_is_played_and_retold(tmp_path: Path) -> None:
    """Kuhn poker, of which the house knows nothing: the random bot plays it over TCP, and its page shows matches."""
    game, out = str(EXAMPLES / "kuhn.py"), "out"
    words = ["run", "--game", game, "random", "other=random", "--series", "2", "--strict", "--json", "-q"]
    said, _ = arena(*words, "--out", out, folder=tmp_path)
    assert {"chips"} == {row["rating_unit"] for row in json.loads(said)}
    assert "" == arena("report", out, folder=tmp_path)[1]
    assert "Kuhn Poker" in (tmp_path / out / "report.html").read_text()


@pytest.mark.slow
def test_the_analysis_of_the_sample_runs() -> None:
    """`python examples/analyse.py` works on the sample tournament, from the project's folder."""
    result = subprocess.run(
        [sys.executable, str(EXAMPLES / "analyse.py")],
        cwd=EXAMPLES.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "odds" in result.stdout


def cells(kind: str) -> list[dict[str, Any]]:
    """The cells of the notebook that are of this kind."""
    notebook = json.loads((EXAMPLES / "results.ipynb").read_text())
    assert (4, 5) == (notebook["nbformat"], notebook["nbformat_minor"])
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def test_the_notebook_holds_no_outputs() -> None:
    """None that could be of another tournament, or of an older arena; and each cell is explained."""
    code = cells("code")
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert len(cells("markdown")) >= len(code) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("start", [EXAMPLES, EXAMPLES.parent], ids=["beside it", "from the project"])
def test_the_notebook_runs(start: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells, one after the other; what the last lines of cells show is there, and says what the text says."""
    monkeypatch.chdir(start)
    names: dict[str, Any] = {}
    shown = []
    for cell in cells("code"):
        *lines, last = "".join(cell["source"]).split("\n")
        exec("\n".join(lines), names)
        shown.append(eval(last, names))
    results, board, shares, by_seat, longest = shown
    assert "liars-dice, 4 bots, 60 matches" in repr(results)
    assert list(results.leaderboard["bot"]) == list(board.index) == list(shares.index)
    assert 0.0 <= shares.min().min() <= shares.max().max() <= 1.0
    assert {0, 1} == set(by_seat.columns)
    assert all(names["last"] in bots.split("; ") for bots in longest["bots"])
