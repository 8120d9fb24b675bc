"""Every example runs."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.workflow import read_workflow

EXAMPLES = Path(__file__).parent.parent / "examples"
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def arena(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "arena.cli", *words],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=230,  # hundreds of Python programs are started; a minute and more on a busy machine
        check=False,
    )


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
        "luck.py",
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
    "plan", ["two_seats.toml", "short_dice.toml", "cup.toml", "swiss.toml", "gauntlet.toml"]
)
def test_the_plans_are_played(plan: str, tmp_path: Path) -> None:
    """A plan of bots that the arena starts is played to its end, here with one series."""
    result = arena("run", str(EXAMPLES / plan), "--series", "1", "--strict", folder=tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
def test_the_settled_one_stops_by_itself(tmp_path: Path) -> None:
    """odds is the best of these, which takes a few of the 500 cycles to know."""
    plan = str(EXAMPLES / "settled.toml")
    result = arena("run", plan, "--seed", "1", "--rule", "dice=2", "--json", "-q", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    (line,) = [line for line in result.stderr.splitlines() if "settled after" in line]
    cycles = int(line.split("settled after ")[1].split()[0])
    assert line == f"top 1 at 95%: settled after {cycles} of 500 cycles: odds"
    assert cycles <= 100
    (random,) = [row for row in json.loads(result.stdout) if row["bot"] == "random"]
    assert random["rating"] == random["rating_low"] == random["rating_high"] == 1500


@pytest.mark.slow
def test_the_open_house_is_planned(tmp_path: Path) -> None:
    """The plan that waits for others is right; who comes is played out in tests/test_runner.py."""
    result = arena("run", str(EXAMPLES / "open_house.toml"), "--dry-run", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "3 bots" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["first_bot.py", "plain_bot.py"])
def test_the_bots_play_without_a_fault(bot: str, tmp_path: Path) -> None:
    """The first bots play a few matches against a built-in one; `--strict` would tell of a fault."""
    result = arena("run", str(EXAMPLES / bot), "random", "--series", "2", "--strict", folder=tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
def test_the_game_is_played_and_retold(tmp_path: Path) -> None:
    """Kuhn poker, of which the house knows nothing: the random bot plays it over TCP, and its page shows matches."""
    game, out = str(EXAMPLES / "kuhn.py"), "out"
    words = ["run", "--game", game, "random", "other=random", "--series", "2", "--strict", "--json", "-q"]
    result = arena(*words, "--out", out, folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert {"chips"} == {row["rating_unit"] for row in json.loads(result.stdout)}
    assert "" == arena("report", out, folder=tmp_path).stderr
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


def luck(folder: Path, *words: str, without: str = "") -> list[str]:
    """What `python examples/luck.py` printed, by lines; `without` one of its lists.  It leaves nothing in the folder."""
    script = ["-c", f"import luck; luck.{without} = (); luck.main()"] if without else [EXAMPLES / "luck.py"]
    result = subprocess.run(
        [sys.executable, *map(str, script), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(EXAMPLES)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert [] == list(folder.iterdir())
    return result.stdout.splitlines()


def rows_of(lines: list[str]) -> dict[str, list[str]]:
    """The cells of a Markdown table, by the bots that a row names."""
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    return {cells[2]: cells for cells in rows}


@pytest.mark.slow
def test_shared_deals_shrink_the_interval(tmp_path: Path) -> None:
    """Two versions of a bot: shared deals say the same with fewer matches, and the table divides rightly."""
    rows = rows_of(luck(tmp_path, "--series", "40", "bluff"))
    assert {"bots", "---", "doubter : doubter-keen"} == set(rows)
    *_, matches, independent, shared, needs = rows["doubter : doubter-keen"]
    assert "80" == matches
    ratio, _, interval = needs.partition(" × ")
    assert float(ratio) == pytest.approx((float(independent) / float(shared)) ** 2, rel=0.06)
    low, high = map(float, interval.strip("()").split("–"))
    assert low < float(ratio) < high
    # Seeded.  Without an effect the interval holds 1.
    assert low > 1


@pytest.mark.slow
def test_every_meeting_of_a_game_is_played(tmp_path: Path) -> None:
    """Bots with chance of their own, and four at a table too: a row for each, in the order of the list."""
    meetings = runpy.run_path(str(EXAMPLES / "luck.py"))["MEETINGS"]
    shown = rows_of(luck(tmp_path, "--series", "2", "liars-dice", without="MEMORIES"))
    expected = [
        (each.names, each.draws, 2 * len(each.bots)) for each in meetings if each.game == "liars-dice"
    ]
    assert [
        (" : ".join(names[:2]) + ", twice" * (len(names) > 2), "yes" if draws else "no", str(matches))
        for names, draws, matches in expected
    ] == [(bots, cells[3], cells[4]) for bots, cells in shown.items()][2:]


def test_the_luck_table_of_the_readme_has_the_rows_of_the_example() -> None:
    """Whoever changes what is measured runs it again: the same columns, games and bots, in the same order."""
    text = (EXAMPLES.parent / "README.md").read_text().split("## Luck removed")[1].split("\n## ")[0]
    shown = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    names = runpy.run_path(str(EXAMPLES / "luck.py"))
    assert [*names["HEAD"]] == shown[0]
    measured = [
        (str(len(meeting.bots)), " : ".join(meeting.names[:2]), str(len(meeting.bots) * meeting.series))
        for meeting in names["MEETINGS"]
    ]
    assert measured == [
        (row[1], row[2].removesuffix(", twice"), row[4].replace(",", "")) for row in shown[2:]
    ]


@pytest.mark.slow
def test_who_remembers_deals_gains_nothing(tmp_path: Path) -> None:
    """Its interval holds even odds; with a memory across instances, the same bot would win clearly."""
    lines = [line.split() for line in luck(tmp_path, "--series", "20", "liars-dice", without="MEETINGS")]
    rows = {words[0]: words[1:] for words in lines if len(words) == 5}
    matches, _, low, high = map(float, rows["remembers"])
    assert 40 == matches
    assert low < 0.5 < high
    low_of_all = float(rows["remembers-all"][-2])
    assert low_of_all > 0.5
