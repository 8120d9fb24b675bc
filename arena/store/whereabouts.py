"""Finds an open file, whatever has become of the path by which it was opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

File: TypeAlias = tuple[int, int]
"""Device and inode: the file itself, whatever it is called."""
_OPEN_FILES = Path("/proc/self/fd")
"""The links to our open files.  Only Linux has them; elsewhere nobody can tell where a moved file is."""


def file_of(path: Path) -> File | None:
    """The file at this path; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def where_it_went(path: Path, file: File) -> str:
    """The sentence for an open file that is not at its path any more: where it is, or that it is lost."""
    folder, place = path.parent, _place_of(file)
    if place is None:
        return f"{folder} was removed while a run was writing it: nothing of it is left"
    return f"{folder} was moved while a run was writing it: its matches are in {place.parent}; continue there"


def _place_of(file: File) -> Path | None:
    """Where an open file is now; None if it was deleted, or nobody can tell."""
    try:
        descriptors = list(_OPEN_FILES.iterdir())
    except OSError:
        return None
    for descriptor in descriptors:
        if file_of(descriptor) == file:
            place = Path(os.readlink(descriptor))
            if file_of(place) == file:  # else it was deleted
                return place
    return None
