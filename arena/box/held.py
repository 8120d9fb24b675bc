"""Measures what a program holds besides its processes' memory, if no cgroup does: files, also in memory."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from contextlib import suppress

from arena.box.processes import resident_bytes

_BLOCK_BYTES = 512
_NAMELESS, _SHARED = " (deleted)", "/dev/shm/"
"""How links in /proc/PID/fd end if they lead to files without a name, as files in memory (memfd) are, and
how they begin if they lead to shared memory with a name."""


class Hidden(Exception):
    """Raised if a process keeps others from seeing what it has open."""


def open_bytes(pids: Iterable[int]) -> int:
    """The size of the files in memory that these processes have open; one that several have open counts once.

    Raises Hidden if one of them cannot be looked at.
    """
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        sizes.update(_open_files(pid))
    return sum(sizes.values())


def _open_files(pid: int) -> dict[tuple[int, int], int]:
    folder, found = f"/proc/{pid}/fd", {}
    try:
        names = os.listdir(folder)
    except PermissionError:
        if resident_bytes(pid):  # one that has ended has none, and is not to be looked at either
            raise Hidden from None
        return {}
    except OSError:
        return {}
    for name in names:
        path = f"{folder}/{name}"
        with suppress(OSError):
            link = os.readlink(path)  # asked first: `stat` may wait for a file on another machine
            if link.endswith(_NAMELESS) or link.startswith(_SHARED):
                seen = os.stat(path)
                found[seen.st_dev, seen.st_ino] = seen.st_blocks * _BLOCK_BYTES
    return found


def folder_bytes(top: str) -> int:
    """How much disk or memory a folder takes; if it cannot be looked at, more than any limit."""
    sizes: dict[int, int] = {}
    folders = [top]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    seen = entry.stat(follow_symlinks=False)
                    sizes[seen.st_ino] = seen.st_blocks * _BLOCK_BYTES
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.ENAMETOOLONG):
                return sys.maxsize
    return sum(sizes.values())
