"""Puts a folder's old results aside until a fresh start begins play, and removes unused folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from arena.store import DATABASE, LOCK, erase
from arena.store.capsules import FOLDER as FAULTS
from arena.store.capsules import LEFT_OUT
from arena.store.files import COLUMNS_FOLDER, KEPT_BOARD, sentences, sweep
from arena.tournament.folder.contents import ASIDE, EXPORTED, FolderContents, contents_of
from arena.tournament.folder.seal import OPENING_FILE, SEAL_FILE
from arena.tournament.play.logs import FOLDER as LOGS

_SUFFIXES = ("", "-wal", "-shm")
"""Suffixes of the files that SQLite keeps for one database."""
_TOLD = (
    *(*EXPORTED, "run.json", "run.log", "bugs.log", SEAL_FILE, OPENING_FILE, KEPT_BOARD),
    *(
        "logs/*-[0-9]*.log",
        "logs/*-build.log",
        f"{FAULTS}/{'[0-9a-f]' * 12}-*-*.jsonl",
        f"{FAULTS}/{LEFT_OUT}",
    ),
    f"{COLUMNS_FOLDER}/[0-9]*",
)
"""Patterns of the other files in which runs tell of their matches."""


@contextmanager
def put_aside(folder: Path, contents: FolderContents) -> Iterator[Callable[[], None]]:
    """Renames the database until play begins; yields what is then to be called, and forgets the old results.

    At the end they are put back unless they were forgotten.  A damaged database is renamed for good.
    """
    if contents.is_damaged:
        _rename(folder, DATABASE, f"{DATABASE}.damaged")
        yield lambda: None
        return
    _rename(folder, DATABASE, ASIDE)
    old = {path: path.stat().st_mtime_ns for told in _TOLD for path in folder.glob(told) if path.is_file()}
    try:
        yield partial(_forget_aside, folder, old)
    finally:
        _put_back(folder)


def _forget_aside(folder: Path, old: Mapping[Path, int]) -> None:
    """Removes what was put aside, and the `old` files that have not changed since."""
    with sentences(folder):
        for suffix in _SUFFIXES:
            (folder / f"{ASIDE}{suffix}").unlink(missing_ok=True)
        for path, time_ns in old.items():
            if path.is_file() and path.stat().st_mtime_ns == time_ns:
                path.unlink()


def _put_back(folder: Path) -> None:
    """Gives the folder back the database that was put aside, if one was."""
    if (folder / ASIDE).exists():
        with sentences(folder):
            for suffix in _SUFFIXES:
                (folder / f"{DATABASE}{suffix}").unlink(missing_ok=True)
        _rename(folder, ASIDE, DATABASE)


def settle_folder(folder: Path) -> None:
    """Cleans up after a run that was killed while it put files aside, or while it wrote a file."""
    for place in (folder, folder / FAULTS):
        sweep(place)
    contents = contents_of(folder)
    if contents.is_aside:
        if contents.readable().matches:
            _forget_aside(folder, {})
        else:
            _put_back(folder)


def remove_made(folder: Path, made_here: Sequence[Path]) -> None:
    """Removes a folder in which nothing happened, and those above it that were made for it.

    It is kept if some bot's log says why it could not play.
    """
    logs = list((folder / LOGS).glob("*.log"))
    if any(log.stat().st_size for log in logs):
        return
    with suppress(OSError):
        for log in logs:
            log.unlink()
        erase(folder)
        (folder / LOCK).unlink()
        if (folder / LOGS).is_dir():
            (folder / LOGS).rmdir()
        for path in made_here:
            path.rmdir()


def _rename(folder: Path, old: str, new: str) -> None:
    """Renames a database and the files that SQLite keeps beside it."""
    with sentences(folder):
        for suffix in _SUFFIXES:
            if (folder / f"{old}{suffix}").exists():
                (folder / f"{old}{suffix}").replace(folder / f"{new}{suffix}")
