"""`results/latest`: a link to the results folder of the last run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.store import LATEST


def point_latest(folder: Path) -> None:
    """Makes `results/latest` point to the folder, if the file system allows it."""
    if LATEST.exists() and not LATEST.is_symlink():
        return  # the user's own
    link = LATEST.with_name(f".{LATEST.name}.{os.getpid()}.tmp")
    try:
        LATEST.parent.mkdir(exist_ok=True)
        link.symlink_to(os.path.relpath(folder.resolve(), LATEST.parent.resolve()), target_is_directory=True)
        link.replace(LATEST)
    except OSError:
        link.unlink(missing_ok=True)


@contextmanager
def latest_kept() -> Iterator[None]:
    """Restores `results/latest` when the context ends, for runs in temporary folders."""
    had_results = LATEST.parent.exists()
    before = os.readlink(LATEST) if LATEST.is_symlink() else None
    try:
        yield
    finally:
        if LATEST.is_symlink() and not LATEST.exists():
            with suppress(OSError):
                LATEST.unlink()
                if before is not None:
                    LATEST.symlink_to(before, target_is_directory=True)
                if not had_results:
                    LATEST.parent.rmdir()


def is_latest(folder: Path) -> bool:
    """Whether this folder is the one that commands read by default."""
    return LATEST.resolve() == folder.resolve()
