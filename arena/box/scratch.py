"""Makes the folders that programs write to, for a while or for good; none is made through a link."""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path

SCRATCH = "ARENA_SCRATCH"
"""The environment variable that tells a bot which folder it may write to."""
_OWN_LEVELS = 3
"""How many of the last parts of a path are the arena's own: `.arena/scratch/NAME`."""
_AS_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_folder(folder: Path) -> None:
    """Removes a folder, however deep a bot has nested others in it."""
    import shutil  # not when the keeper starts: that would take as long as a bot's start
    import subprocess

    with suppress(RecursionError):  # up to Python 3.12 it calls itself for each
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        subprocess.run(["rm", "-rf", "--", folder], stderr=subprocess.DEVNULL, check=False)


def make_kept_folder(path: Path) -> int:
    """Makes a folder such as `.arena/scratch/NAME`, three levels deep; returns a descriptor of the one above.

    Raises OSError, also if one of the three is a link, as a bot's files may have brought along `.arena`.
    """
    above = os.open(path.parents[_OWN_LEVELS - 1], _AS_FOLDER & ~os.O_NOFOLLOW)
    for level in range(_OWN_LEVELS - 1, -1, -1):
        part = path.parents[level - 1] if level else path
        try:
            with suppress(FileExistsError):
                os.mkdir(part.name, 0o700, dir_fd=above)
            inner = os.open(part.name, _AS_FOLDER, dir_fd=above)
        except OSError as error:
            os.close(above)
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                said = f"{part} is a link or a file, where the arena keeps a folder: remove it"
                raise OSError(errno.ELOOP, said) from None
            raise
        if level == 0:
            os.close(inner)
        else:
            os.close(above)
            above = inner
    return above


class KeptFolders:
    """The folders of bots that are kept; those that are empty when the arena ends are removed."""

    def __init__(self) -> None:
        self._held: dict[Path, int] = {}
        """The folders above them, by path, as descriptors that lock each while this arena has bots in it."""

    def make(self, path: Path) -> None:
        """Makes a folder if it does not exist.  Raises OSError."""
        above = make_kept_folder(path)
        if path.parent in self._held:
            os.close(above)
            return
        self._held[path.parent] = above
        fcntl.flock(above, fcntl.LOCK_SH)
        os.close(make_kept_folder(path))  # another arena may have removed it until now

    def close(self) -> None:
        """Removes the folders that are empty, unless another arena has bots there."""
        for folder, held in self._held.items():
            with suppress(OSError):
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for name in os.listdir(held):
                    with suppress(OSError):  # it holds something
                        os.rmdir(name, dir_fd=held)
                for empty in (folder, folder.parent):
                    os.rmdir(empty)
            os.close(held)
        self._held.clear()
