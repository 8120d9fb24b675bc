"""A golden tournament, played: command line in, exact columns of the exported tables out."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import TypeAlias

from arena.cli import cli

from .bots import STOP
from .plans import BOTS, STOP_AT, WAYS, Leg, Tournament

Table: TypeAlias = list[list[str]]
"""Rows of cells, the header first."""

HERE = Path(__file__).parent
HOUSE = HERE.parent.parent
TABLES = ("decisions", "matches", "seats", "series")
"""In the order in which a cause comes before what follows from it."""


def play(tournament: Tournament, way: str) -> dict[str, Table]:
    """The exact columns of its tables, by name.  Raises AssertionError if a run does not end as it should."""
    with at_home() as home:
        for leg in WAYS[way]:
            called(tournament, leg, home)
        code, told, _ = _here(["verify", "out"])
        assert code == 0, f"`arena verify` ended with {code}: {told}"
        return tables_in(home / "out")


def tables_in(folder: Path) -> dict[str, Table]:
    """The exact columns of the tables of a results folder, by name."""
    return {table: _exact(folder / f"{table}.csv") for table in TABLES}


def bring_bots(home: Path) -> None:
    """The bots that the tournaments name are there."""
    shutil.copy(HERE / "bots.py", home / f"{BOTS}.py")


def matches_planned(tournament: Tournament) -> int:
    """How many there are if nothing stops it."""
    with at_home() as home:
        code, out, said = _here([*tournament.argv(home, "out"), "--dry-run", "--json"])
    assert code == 0, said
    return int(json.loads(out)["matches"])


def games() -> set[str]:
    """All that there are."""
    return {game["game"] for game in json.loads(_here(["games", "--json"])[1])}


def formats() -> set[str]:
    """All that `arena run --tournament` takes."""
    told = _here(["run", "--help"])[1].partition("--tournament FORMAT")[2].partition(".")[0]
    return set(re.findall(r"\w+(?:-\s*\w+)?", told)) - {"or"}


@cache
def exact_columns(table: str) -> tuple[str, ...]:
    """The columns of a table that results/README.md calls exact."""
    text = (HOUSE / "results" / "README.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## `{table}.csv`")[2].partition("\n## ")[0]
    columns = tuple(re.findall(r"^\| `(\w+)` \| \w+ \| exact \|", section, re.MULTILINE))
    assert columns, f"results/README.md tells no exact columns of {table}.csv"
    return columns


@contextmanager
def at_home() -> Iterator[Path]:
    """A new working directory that has the bots; what a run in this process changes is put back."""
    before, paths, hears = Path.cwd(), list(sys.path), signal.getsignal(signal.SIGTERM)
    with tempfile.TemporaryDirectory(prefix="arena-golden-") as name:
        home = Path(name).resolve()
        bring_bots(home)
        os.chdir(home)
        try:
            yield home
        finally:
            os.chdir(before)
            sys.path[:] = paths
            signal.signal(signal.SIGTERM, hears)
            _forget()


def _forget() -> None:
    """The next call imports the bots anew, and counts matches from the first."""
    sys.modules.pop(BOTS, None)
    os.environ.pop(STOP, None)


def called(tournament: Tournament, leg: Leg, home: Path) -> None:
    """One call of the command."""
    argv = [*tournament.argv(home, "out"), *leg.words.split()]
    _forget()
    if leg.stop:
        os.environ[STOP] = f"{leg.stop} {STOP_AT}"
    code, _, said = _apart(argv) if leg.stop == "SIGKILL" else _here(argv)
    assert code in leg.codes, f"`arena {' '.join(argv)}` ended with {code}, expected {leg.codes}: {said}"


def _here(argv: Sequence[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a call in this process."""
    out, said = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(said):
        code = cli.main(argv, standalone_mode=False) or 0
    return code, out.getvalue(), said.getvalue()


def _apart(argv: Sequence[str]) -> tuple[int, str, str]:
    """The same in a process of its own, which may be killed."""
    ended = subprocess.run(
        [sys.executable, "-c", "from arena.cli import main; main()", *argv],
        env={**os.environ, "PYTHONPATH": str(HOUSE)},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


def _exact(path: Path) -> Table:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = exact_columns(path.stem)
    missing = set(columns) - set(rows[0])
    assert not missing, f"{path.name} lacks {sorted(missing)}"
    wanted = [rows[0].index(column) for column in columns]
    return [[row[index] for index in wanted] for row in rows]
