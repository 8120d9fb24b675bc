"""Copies a bot's folder, as it is and through no link, for a build.

The folder may be a submission's: it is never written, and a link in it is copied as a link, so that nothing
gets into the copy that its owner could not read.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import trio

from arena.box.places import is_kept_by_the_arena
from arena.box.scratch import make_kept_folder, remove_folder
from arena.players.folders import FILES
from arena.tournament.bots.fingerprints import BUILT

FILES_MAX, BYTES_MAX = 100_000, 2_000_000_000
"""Hidden folders are copied too: an environment for Python has some ten thousand files."""
KEPT = 3
"""How many builds of a bot are kept, so that two versions of it can play in turn."""
_NOT_COPIED = frozenset((".git", ".arena", "__pycache__"))
_LOOK_S = 0.05


@asynccontextmanager
async def alone_in(folder: Path) -> AsyncIterator[None]:
    """Makes the folder of a build and keeps others from building in it.  Raises OSError."""
    os.close(make_kept_folder(folder))
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        while not _locks(lock):  # noqa: ASYNC110
            await trio.sleep(_LOOK_S)
        yield
    finally:
        os.close(lock)


def _locks(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def copy_anew(source: Path, folder: Path, hidden: Collection[Path]) -> None:
    """Makes the copy in the folder of a build, without what is hidden from the bot.

    Left out are also the bot's repository, results of runs in its folder, and what earlier builds left in
    `build/`.  Raises OSError.
    """
    with suppress(FileNotFoundError):
        (folder / BUILT).unlink()
    top = folder / FILES
    remove_folder(top)
    top.mkdir()
    octets = 0
    for files, path in enumerate(_walk(source, hidden), 1):
        into = top / path.relative_to(source)
        if path.is_symlink():
            into.symlink_to(_target(path, source))
        elif path.is_dir():
            into.mkdir()
        else:
            octets += _copy_file(path, into)
        if files > FILES_MAX or octets > BYTES_MAX:
            said = f"its folder has more than {FILES_MAX:,} files or {BYTES_MAX // 1_000_000_000} GB"
            raise OSError(errno.EFBIG, f"{said}, too much to be copied for a build", str(source))


def _walk(source: Path, hidden: Collection[Path]) -> Iterator[Path]:
    """What to copy, folders before what lies in them; pipes and devices are left out."""
    folders = [source]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                path = Path(entry.path)
                if entry.name in _NOT_COPIED or path in hidden or path == source / "build":
                    continue
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_folder and is_kept_by_the_arena(path):
                    continue
                if is_folder:
                    folders.append(path)
                if is_folder or entry.is_symlink() or entry.is_file(follow_symlinks=False):
                    yield path


def _target(link: Path, source: Path) -> str:
    """Where the copy of a link leads: within the folder to the copy of its target, else to the target."""
    target = os.path.normpath(link.parent / os.readlink(link))
    inside = os.path.relpath(target, link.parent)
    return inside if Path(target).is_relative_to(source) else target


def _copy_file(path: Path, into: Path) -> int:
    """Copies a file's content, mode and times; returns its size (bytes)."""
    with open(path, "rb", opener=_opened) as read, into.open("xb") as written:
        shutil.copyfileobj(read, written, 1 << 20)
        seen = os.fstat(read.fileno())
        os.fchmod(written.fileno(), seen.st_mode & 0o755 | 0o600)
        os.utime(written.fileno(), ns=(seen.st_atime_ns, seen.st_mtime_ns))
        return seen.st_size


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def note_built(folder: Path) -> None:
    """Notes that the copy is ready, and removes the oldest ones of the same bot."""
    (folder / BUILT).touch()
    of_bot, _, _ = folder.name.rpartition("-")
    others = [path for path in folder.parent.glob("*-*") if path.name.rpartition("-")[0] == of_bot]
    others.sort(key=_made_at, reverse=True)
    for old in others[KEPT:]:
        remove_folder(old)


def _made_at(folder: Path) -> float:
    with suppress(OSError):
        return (folder / BUILT).stat().st_mtime
    return 0.0
