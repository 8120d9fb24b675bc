"""Folders of links, through which a program finds what lies in folders that it cannot list.

Where Landlock hides something, no folder above it can be listed.  Python then takes such a folder for an
empty one, and so does Java.  A folder of links to all the rest can be listed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import arena
from arena.box.places import FILES_SHOWN_MAX


def link_package(folder: Path) -> None:
    """Makes the folder, which holds nothing but a link to this package, for the import path of bots."""
    folder.mkdir()
    (folder / arena.__name__).symlink_to(Path(arena.__file__).resolve().parent)


def link_shown(folder: Path, hidden: Sequence[Path], into: Path) -> None:
    """Adds to `into` a link to everything in the folder that is not hidden, as of now."""
    into.mkdir(exist_ok=True)
    with suppress(OSError):  # what we cannot list, no bot can
        for name in sorted(os.listdir(folder))[:FILES_SHOWN_MAX]:
            path = folder / name
            if path in hidden:
                continue
            if any(path in one.parents for one in hidden):
                link_shown(path, hidden, into / name)
            elif not os.path.lexists(into / name):
                (into / name).symlink_to(path)
