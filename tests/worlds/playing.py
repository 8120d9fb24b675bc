"""A cell is played: what came of it, or why it cannot be played here."""

from __future__ import annotations

import os
import shutil
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
    if reason := missing(*wanted):
        return reason
    if cell.user == "root":
        return unavailable(cell.world, cell.user, None)
    language = LANGUAGES.get(cell.errand.removeprefix("new-"))
    if hidden := [
        name for name in (language.needs if language else ()) if not shutil.which(name, path=_open_path())
    ]:
        return f"not tried: {hidden[0]} is in a folder that only its owner may enter"
    return unavailable(cell.world, cell.user, ground.home(cell.user))


def _open_path() -> str:
    """The folders of PATH that every user may enter: a toolchain in root's home is root's alone."""
    folders = [Path(each) for each in os.environ["PATH"].split(os.pathsep) if Path(each).is_dir()]
    return os.pathsep.join(
        str(each) for each in folders if all(above.stat().st_mode & 0o001 for above in (each, *each.parents))
    )


def play_cell(cell: Cell, ground: Ground) -> None:
    """Raises AssertionError if the arena does not do there what it does elsewhere."""
    ERRANDS[cell.errand](site_of(cell, ground))
