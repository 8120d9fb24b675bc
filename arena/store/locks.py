"""Locks: one process writes a folder, and others can ask whether one does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from arena.errors import ELSEWHERE, ConfigError, Hint
from arena.store.files import LOCK, made, sentences
from arena.store.foreign import check_folder


@contextmanager
def store_lock(folder: str | Path) -> Iterator[None]:
    """Locks the folder for one run, creating it if missing.  Raises ConfigError if another run has it."""
    others = "another run (process {process}) is writing {folder}: wait for it"
    check_folder(folder)  # before its lock is written
    with held(made(Path(folder)) / LOCK, others=others, hints=(ELSEWHERE,)):
        yield


@contextmanager
def held(path: Path, *, others: str, hints: Sequence[Hint] = ()) -> Iterator[None]:
    """Holds a lock file.  Raises ConfigError if another process has it.

    The lock is the kernel's: it ends with the process, however that ends.
    `others`: the sentence about that process, with `{process}` and `{folder}`; `hints`: other ways out.
    """
    with sentences(path):
        file = path.open("a+", encoding="utf-8")
    with file:
        with sentences(path):
            _take(file, others.replace("{folder}", str(path.parent)), hints)
        yield


def is_held(path: Path) -> bool:
    """Whether another process has this lock file.

    Takes a shared lock for an instant; a run that began just then would be told that the folder is taken, so
    ask seldom.
    """
    import fcntl  # not on Windows, where bots are written and brought to a league

    try:
        with path.open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # there is no lock file
        return False
    return False


def _take(file: TextIO, others: str, hints: Sequence[Hint]) -> None:
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        process = file.read(20).strip() or "unknown"
        raise ConfigError(others.replace("{process}", process), hints=hints) from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
