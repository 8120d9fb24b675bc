"""Where one cell is played: its folder, and commands in its world."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from pathlib import Path

import attrs

from .cells import Cell
from .entering import WORLDS, entered
from .ground import Ground, hand_over

COMMAND_S_MAX = 300
_HIDDEN = ("PYTHONPATH", "PYTEST_CURRENT_TEST", "VIRTUAL_ENV", "COLUMNS", "NO_COLOR")


@attrs.frozen
class Site:
    """The folder of a cell, and who plays there."""

    cell: Cell
    ground: Ground
    folder: Path

    @property
    def clone(self) -> Path:
        return self.ground.clone(self.cell.user)

    def write(self, files: dict[str, str], folder: Path | None = None) -> None:
        """Puts files there that belong to the user of the cell."""
        top = folder or self.folder
        for name, text in files.items():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_text(text, encoding="utf-8")
        self.give(top)

    def give(self, path: Path) -> None:
        if self.cell.user != "root":
            hand_over(path)

    def words(self, *command: str | Path) -> list[str]:
        return entered(self.cell.world, self.home, *command)

    @property
    def home(self) -> Path | None:
        return None if self.cell.user == "root" else self.ground.home("user")

    @property
    def environment(self) -> dict[str, str]:
        programs = self.ground.environment(self.cell.install, self.cell.user) / "bin"
        kept = {name: value for name, value in os.environ.items() if name not in _HIDDEN}
        return {**kept, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "LANG": "C.UTF-8"}

    def call(
        self, *command: str | Path, cwd: Path | None = None, input: str = "", codes: tuple[int, ...] = (0,)
    ) -> str:
        """What the command prints, with what it complains of; it must end with one of these codes."""
        ended = subprocess.run(
            self.words(*command),
            cwd=cwd or self.folder,
            env=self.environment,
            input=input,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=COMMAND_S_MAX,
            check=False,
        )
        assert ended.returncode in codes, f"{command}: code {ended.returncode}\n{ended.stdout[-3000:]}"
        return ended.stdout

    def run(self, *bots: str, cwd: Path | None = None, out: str = "results/run") -> None:
        """`arena run`: one series without a fault, in the box that this world has."""
        self.call(
            "arena", "run", *bots, "--series", "1", "--rule", "dice=2", "--strict", "--out", out, cwd=cwd
        )
        with ((cwd or self.folder) / out / "bots.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert {WORLDS[self.cell.world]} == {row["box"] for row in rows}
        assert len(bots) == len(rows)


def site_of(cell: Cell, ground: Ground) -> Site:
    """An empty folder of the cell's own."""
    folder = ground.top / "cells" / cell.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    found = Site(cell, ground, folder)
    found.give(folder)
    return found
