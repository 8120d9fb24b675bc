"""The README is true: its commands run, its outputs have the shape that is shown, its links lead somewhere."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from operator import not_
from pathlib import Path

import pytest
from daily import daily
from documents import pages

from arena.bench.measures import short
from arena.cli import cli
from arena.games import GAMES
from arena.tournament.prepare import QUICKSTART
from tests.bench.__main__ import main as bench
from tests.bench.command import MEASURINGS

HOUSE = Path(__file__).parent.parent
README = (HOUSE / "README.md").read_text()
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def blocks(language: str, page: str = "README.md") -> list[str]:
    """The blocks of a page in this language, or with this name after it."""
    text = (HOUSE / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder where a reader of the README may stand: the project's folders, and results of one's own."""
    (tmp_path / "examples").symlink_to(HOUSE / "examples")
    # A copy: as in a clone, the built-in bots lie in the folder that mybot.py may write to.
    shutil.copytree(HOUSE / "bots", tmp_path / "bots")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "sample").symlink_to(HOUSE / "results" / "sample")
    return tmp_path


def test_the_two_set_up_commands_do_all_by_themselves() -> None:
    """Each makes its environment, installs, and then runs or tests; .ci/run executes the second one as it stands."""
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert [
        "python3 -m venv .venv && . .venv/bin/activate && pip install -e . && arena run",
        'python3 -m venv .venv && . .venv/bin/activate && pip install -e ".[dev]" && pytest -n auto',
    ] == commands


@pytest.mark.slow
def test_the_first_output_is_what_the_first_command_prints(home: Path) -> None:
    """`arena run` ends with a leaderboard of the same columns and bots as the README shows, and says what to do next."""
    (block,) = blocks("text first run")
    shown = block.splitlines()
    result = shell("arena run", home)
    assert result.returncode == 0, result.stderr
    printed = result.stdout.splitlines()

    def columns(lines: list[str]) -> str:
        """Those that are always there: whether there is room for times depends on the numbers."""
        (head,) = [" ".join(line.split()) for line in lines if line.split()[:1] == ["rank"]]
        return head.partition(" faults")[0]

    assert columns(shown) == columns(printed)

    def bots(lines: list[str]) -> set[str]:
        return set(re.findall(r"^ *\d+(?: \([\d–]+\))?  (\w+)", "\n".join(lines), re.MULTILINE))

    assert bots(shown) == bots(printed)
    assert "4 bots, 6 pairs × 10 series × 2 seats = 120 matches" in result.stderr
    assert "arena replay" in result.stderr
    assert (home / "results" / "quickstart" / "leaderboard.csv").is_file()


GUIDES = ("README.md", "results/README.md", "arena/games/README.md", "arena/tournament/README.md")
"""Pages whose `$` lines are run, one after the other in one folder."""
UNSHOWN = ("run mybot.py", "run odds", "results/three")
"""Parts of commands of whose output no page shows anything: they are run nightly.

At every change `tests/test_documents.py` has the program read them, and `arena check` plays the bot of the front page.
"""


@pytest.mark.slow
@pytest.mark.parametrize("is_whole", daily(not_, (False, True)), ids=["shown", "all"])
def test_the_commands_run_as_they_stand(is_whole: bool, home: Path) -> None:
    """Every `$` line ends with exit code 0, and prints what is shown of it; MATCH is a match's id."""
    (home / "mybot.py").write_text("".join(blocks("python mybot")))
    lines = [line for page in GUIDES for block in blocks("console", page) for line in block.splitlines()]
    commands = dict.fromkeys(line[2:] for line in lines if line.startswith("$ "))
    assert len(commands) >= 6
    if not is_whole:
        commands = [each for each in commands if not any(part in each for part in UNSHOWN)]
    printed = ""
    for command in commands:
        if "MATCH" in command:
            folder = Path(re.search(r"MATCH (\S+)", command)[1])
            first = (home / folder / "matches.csv").read_text().splitlines()[1]
            command = command.replace("MATCH", first.split(",")[0])
        result = shell(command, home)
        assert result.returncode == 0, f"{command}\n{result.stderr}"
        assert result.stdout.strip(), f"{command} printed nothing"
        printed += result.stderr + result.stdout
    # Seeded: the first match of Kuhn poker, the verdict and its proof are the same in every run, to the letter.
    (retold,) = blocks("text replay", "arena/games/README.md")
    (proved,) = blocks("text verified", "results/README.md")
    (compared,) = blocks("text comparison")
    assert retold in printed
    assert proved in printed
    lines = iter(printed.splitlines())
    assert [] == [line for line in compared.splitlines() if line not in lines]


@pytest.mark.slow
def test_the_analysis_runs_as_it_stands(home: Path) -> None:
    """The lines of Python that read tables print one mean for each bot of the sample."""
    (code,) = (block for block in blocks("python", "results/README.md") if "arena.analysis" in block)
    result = shell(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}", home)
    assert result.returncode == 0, result.stderr
    assert "odds" in result.stdout


KEPT_RUN = HOUSE / "results" / "bench.json"


def test_the_page_of_figures_is_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    """It is what its command prints of the file, which holds every measuring of that run."""
    assert 0 == bench(["--show", str(KEPT_RUN), "--page"])
    assert capsys.readouterr().out == (HOUSE / "results" / "BENCH.md").read_text()
    assert MEASURINGS.keys() == {row["group"] for row in json.loads(KEPT_RUN.read_text())["measures"]}


def test_the_figures_of_the_front_page_are_of_that_run() -> None:
    """Five rows, what misses its goal first, each with the command that measures it."""
    rows = re.findall(
        r"^\| (.*) \| (\S+) (.*) \| ([≤≥] .*) \| (met|NOT MET) \| `python -m tests.bench --only (.*)` \|$",
        README,
        re.MULTILINE,
    )
    kept = {
        (row["what"], row["group"], row["unit"]): row
        for row in json.loads(KEPT_RUN.read_text())["measures"]
        if row["goal"]
    }
    assert 5 == len(rows)
    for what, value, unit, goal, verdict, group in rows:
        row = kept[what, group, unit]
        assert (short(row["value"]), row["goal"]) == (value, goal)
        assert row["is_met"] == (verdict == "met")
    assert sorted(row[4] != "NOT MET" for row in rows) == [row[4] != "NOT MET" for row in rows]


def test_the_front_page_is_short() -> None:
    """What does not fit stands on the pages that it links."""
    assert len(README.splitlines()) <= 150


def test_a_bot_takes_no_more_than_twenty_lines() -> None:
    """The README's bot has at most 20 lines that say something."""
    (code,) = blocks("python mybot")
    assert len([line for line in code.splitlines() if line.strip()]) <= 20


def test_every_command_is_on_the_front_page_or_on_one_that_it_links() -> None:
    """No command of the program is kept secret."""
    linked = [page for page in linked_from("README.md") if page.suffix == ".md"]
    told = README + "".join(page.read_text() for page in linked)
    missing = [name for name in cli.commands if f"arena {name}" not in told]
    assert not missing


def linked_from(page: str) -> list[Path]:
    """What the relative links of a page name."""
    path = HOUSE / page
    targets = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text())
    return [path.parent / target for target in targets]


def anchors(page: Path) -> set[str]:
    """What a link may name of a page: its headings, as GitHub writes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [page for page in pages() if page.endswith(".md")])
def test_links_lead_somewhere(page: str) -> None:
    """Every relative link of a page names a file that is there, or a heading."""
    assert not [str(target) for target in linked_from(page) if not target.exists()]
    path = HOUSE / page
    named = re.findall(r"\]\(([^):#\s]*)#([^)\s]+)\)", path.read_text())
    places = [(path.parent / target if target else path, anchor) for target, anchor in named]
    assert not [anchor for place, anchor in places if place.suffix == ".md" and anchor not in anchors(place)]


def test_what_contributors_are_sent_to_is_there() -> None:
    """Files, folders and commands that CONTRIBUTING.md names exist, and the commands are those of .ci/run."""
    page = (HOUSE / "CONTRIBUTING.md").read_text()
    named = set(re.findall(r"`((?:arena|tests|bots|results|examples|\.ci)/[\w./-]*)`", page))
    assert len(named) > 15
    assert not [name for name in named if not (HOUSE / name).exists()]
    modules = set(re.findall(r"python -m (tests[\w.]*)", page))
    packages = {".".join(path.relative_to(HOUSE).parts[:-1]) for path in HOUSE.glob("tests/**/__main__.py")}
    assert packages <= modules, "every command of the tests is named"
    for module in modules:
        place = HOUSE.joinpath(*module.split("."))
        assert place.with_suffix(".py").exists() or (place / "__main__.py").exists()
    checks = (HOUSE / ".ci" / "run").read_text()
    assert all(
        command in checks
        for command in ("ruff check .", "ruff format", "mypy", "g++", "nodejs", "bubblewrap", "chromium")
    )


NUMBERS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


@pytest.mark.parametrize(
    ("page", "counted", "there"),
    [
        ("README.md", "built-in games share one contract", len(GAMES)),
        ("README.md", "Python bots, each in its own process", len(QUICKSTART.bots)),
    ],
)
def test_what_is_counted_is_counted_right(page: str, counted: str, there: int) -> None:
    """No other number of bots, games, habits or tests stands in these pages: `arena bots` and the like count them."""
    text = (HOUSE / page).read_text()
    said = re.search(rf"(\w+) {counted}", text)
    assert said is not None
    assert NUMBERS[there] == said[1].lower()
    others = re.findall(r"(?i)\b(\w+ty|\d+) (?:bad )?(?:habits|tests|commands)\b", text)
    assert [] == others
