"""`python -m tests.worlds`: all cells, and their table."""

from __future__ import annotations

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it

from .cells import INSTALLS, Cell, all_cells, cover
from .enter import HOUSE
from .entering import USERS, WORLDS, entered
from .errands import ERRANDS
from .ground import Ground, a_ground, clone_into
from .playing import lacking, play_cell

FIRST_S_MAX = 900
"""It installs what the arena needs, on a machine that may be busy."""


def outcome(cell: Cell, ground: Ground) -> tuple[str, str, float]:
    """`ok`, `skip` or `FAIL`, why, and how long it took."""
    began = time.monotonic()
    if reason := lacking(cell, ground):
        return "skip", reason, 0.0
    try:
        play_cell(cell, ground)
    except Exception as error:
        return "FAIL", f"{type(error).__name__}: {error}", time.monotonic() - began
    return "ok", "", time.monotonic() - began


def table(found: dict[Cell, tuple[str, str, float]]) -> str:
    """A row for each errand, a column for each world, user and way to install."""
    errands = [errand for errand in ERRANDS if any(cell.errand == errand for cell in found)]
    columns = [(world, user, install) for world in WORLDS for user in USERS for install in INSTALLS]
    titles = [f"{user[0]}{install[0]}" for _, user, install in columns]
    heads = "".join(f"{world:<{5 * len(USERS) * len(INSTALLS)}}" for world in WORLDS)
    lines = [f"{'':<18}{heads}".rstrip(), f"{'':<18}{''.join(f'{title:<5}' for title in titles)}".rstrip()]
    for errand in errands:
        marks = (found.get(Cell(*column, errand), ("–", "", 0.0))[0] for column in columns)
        lines.append(f"{errand:<18}{''.join(f'{mark:<5}' for mark in marks)}".rstrip())
    return "\n".join([*lines, "(r root, u ordinary user; e editable install, w wheel)"])


def first_commands(at_once: int) -> int:
    """Runs the README's first command in an empty clone in each world; 0: it played everywhere, in the right box."""
    with ThreadPoolExecutor(at_once) as apart:
        return 0 if all(list(apart.map(first_command, WORLDS.items()))) else 1


def first_command(at: tuple[str, str]) -> bool:
    """Runs it in one world, given with the box that bots are to be in there; prints how it went."""
    world, box = at
    command = re.findall(
        r"^python3 -m venv .* && arena run$", (HOUSE / "README.md").read_text(), re.MULTILINE
    )[0]
    with tempfile.TemporaryDirectory(prefix="arena-first-", dir="/var/tmp") as clone:
        clone_into(Path(clone))
        began = time.monotonic()
        ended = subprocess.run(
            entered(world, None, "bash", "-euo", "pipefail", "-c", command),
            cwd=clone,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=FIRST_S_MAX,
            check=False,
        )
        said = ended.stdout + ended.stderr
        bots = Path(clone, "results/quickstart/bots.csv")
        boxes = (
            {row["box"] for row in csv.DictReader(bots.open(encoding="utf-8"))} if bots.exists() else set()
        )
    is_well = ended.returncode == 0 and boxes == {box}
    mark = "ok" if is_well else "FAIL"
    print(
        f"{mark:<5}{time.monotonic() - began:6.1f} s  {world}: {', '.join(boxes) or said[-2000:]}", flush=True
    )
    return is_well


def environment() -> dict[str, str]:
    """Ours, without a virtual environment that is active: the command makes its own."""
    active = Path(sys.prefix, "bin")
    path = [folder for folder in os.environ["PATH"].split(os.pathsep) if Path(folder) != active]
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    return {**kept, "PATH": os.pathsep.join(path)}


def main() -> int:
    """0: every cell that can be played here was, as it should; 1: one failed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.worlds", description="The arena on machines that lack something."
    )
    parser.add_argument("--cover", action="store_true", help="only the cells that the suite plays")
    parser.add_argument("--only", default="", help="only cells with this in their name")
    parser.add_argument("--at-once", type=int, default=2, help="how many (2)")
    parser.add_argument(
        "--first-command", action="store_true", help="the README's first command in each world"
    )
    asked = parser.parse_args()
    if asked.first_command:
        return first_commands(asked.at_once)
    cells = [
        cell
        for cell in dict.fromkeys((*cover(), *(() if asked.cover else all_cells())))
        if asked.only in cell.name
    ]
    began = time.monotonic()
    found: dict[Cell, tuple[str, str, float]] = {}
    with a_ground() as ground, ThreadPoolExecutor(asked.at_once) as apart:
        outcomes = apart.map(lambda cell: outcome(cell, ground), cells)
        for cell, came in zip(cells, outcomes, strict=True):
            found[cell] = came
            print(f"{came[0]:<5}{came[2]:6.1f} s  {cell.name}{'  ' if came[1] else ''}{came[1]}", flush=True)
    print(f"\n{table(found)}")
    marks = [mark for mark, _, _ in found.values()]
    counts = ", ".join(f"{marks.count(mark)} {mark}" for mark in ("ok", "FAIL", "skip"))
    print(f"{len(found)} cells in {time.monotonic() - began:.0f} s: {counts}")
    return 1 if "FAIL" in marks else 0


if __name__ == "__main__":
    sys.exit(main())
