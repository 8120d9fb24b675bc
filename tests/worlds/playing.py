"""A cell is played: what came of it, or why it cannot be played here."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from needs import missing

from arena.starter import LANGUAGES

from .cells import Cell
from .entering import unavailable
from .errands import ERRANDS
from .ground import Ground
from .site import site_of


def lacking(cell: Cell, ground: Ground) -> str:
    """Why this cell cannot be played on this machine; empty if it can."""
    wanted = []
    if cell.world in ("bubblewrap", "refused"):
        wanted.append("bubblewrap")
    if cell.world in ("refused", "landlock"):
        wanted.append("Landlock")
    if cell.errand.startswith("new-"):
        wanted.append(LANGUAGES[cell.errand.removeprefix("new-")].title)
    if cell.errand == "compare":
        wanted.append("git")
    if cell.world == "bubblewrap" and Path(sysconfig.get_path("purelib")).is_relative_to("/tmp"):
        return "what the arena needs is installed in /tmp, where each box has a folder of its own"
    home = None if cell.user == "root" else ground.home(cell.user)
    return missing(*wanted) or unavailable(cell.world, cell.user, home)


def play_cell(cell: Cell, ground: Ground) -> None:
    """Raises AssertionError if the arena does not do there what it does elsewhere."""
    ERRANDS[cell.errand](site_of(cell, ground))
