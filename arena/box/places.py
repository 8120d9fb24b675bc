"""What each bot may see: its own folder and what it needs, and what must be hidden from it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import attrs

import arena

KEPT_BY_THE_ARENA = frozenset(("arena.db", "server.db"))
"""The files by which a folder with results, or with a server's data, is known: they hold deals and seeds."""
LOOKED_AT_MAX = 1_000_000
"""How many files and folders are looked through for such folders, which takes about two seconds."""
_GRAPHICS = ("/dev/dri", "/dev/kfd")
FILES_SHOWN_MAX = 10_000
"""How many files Landlock allows one by one in a folder of which a part is hidden."""


@attrs.frozen(kw_only=True)
class FileView:
    """The files of one started program.  All paths are absolute and free of links."""

    folder: Path
    """The program's working directory."""
    own: tuple[Path, ...]
    """What in the folder is its own: all of it, or only the bot's files if it is a file among others."""
    is_writable: bool = False
    """Whether it may write to its folder and everything in it, as a build does."""
    writes: tuple[Path, ...] = ()
    """Existing files and folders in its folder that it may write if it may not write all."""
    scratch: Path | None = None
    """The folder that it writes to and finds again the next time; the box makes it."""
    read: tuple[Path, ...] = ()
    """Other paths that it may read, even if they are hidden from other programs."""
    has_gpu: bool = False
    """Whether it has the machine's graphics cards."""
    hidden: tuple[Path, ...] = ()
    """The paths that it must not see: results, other bots."""

    @property
    def writable(self) -> tuple[Path, ...]:
        """The paths that it may write, with all below them.

        None lies above something hidden: where a program may write, it could put a link in the place of what
        will be hidden the next time.
        """
        top = (self.folder,) if self.is_writable else ()
        scratch = () if self.scratch is None else (self.scratch,)
        parts = [path for path in (*top, *self.writes) if not any(path in one.parents for one in self.hidden)]
        return (*parts, *scratch)

    def check_links(self) -> None:
        """Raises OSError if one of the paths to show or hide has become a link, which may lead anywhere.

        A bot cannot put one there by itself, as none of these paths lies below what it may write.  But a link
        from before the bot was started would be followed by whatever mounts or opens these paths.
        """
        for path in (self.folder, *self.own, *self.read, *self.hidden, *self.writable):
            if os.path.realpath(path) != str(path):
                raise OSError(errno.ELOOP, f"a link leads to {path}, where there was none before")


@lru_cache(maxsize=1)
def needed_paths() -> tuple[Path, ...]:
    """The paths that a Python bot needs besides the system: interpreter, environment, and this package."""
    homes = {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve(), Path(sys.prefix)}
    package = Path(arena.__file__).resolve().parent
    return tuple(sorted({*homes, package}))


def graphics() -> Iterator[Path]:
    """The devices of this machine's graphics cards."""
    names = sorted(name for name in os.listdir("/dev") if name.startswith("nvidia"))
    paths = map(Path, (*_GRAPHICS, *(f"/dev/{name}" for name in names)))
    return (path for path in paths if path.exists())


def below(path: Path, tops: Iterable[Path]) -> bool:
    """Whether the path is one of the tops, or lies in one of them."""
    return any(path == top or top in path.parents for top in tops)


def is_kept_by_the_arena(folder: Path) -> bool:
    """Whether a folder holds results, or a server's data."""
    return any(os.path.lexists(folder / name) for name in KEPT_BY_THE_ARENA)


def kept_in(folder: Path) -> list[Path]:
    """The folders in this one that hold results, or a server's data; links are left out."""
    with suppress(PermissionError), os.scandir(folder) as entries:
        inner = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
        return [path for path in inner if is_kept_by_the_arena(path)]
    return []


@lru_cache(maxsize=256)
def kept_below(top: Path) -> tuple[Path, ...]:
    """The folders below this one with results or a server's data, as of the first look; no link is followed.

    Raises OSError if there is more than may be looked through.
    """
    found: list[Path] = []
    looked, level = 0, [top]
    while level:
        inner: list[Path] = []
        for folder in level:
            with (
                suppress(PermissionError, FileNotFoundError, NotADirectoryError),
                os.scandir(folder) as entries,
            ):
                for entry in entries:
                    looked += 1
                    if looked > LOOKED_AT_MAX:
                        raise OSError(errno.EFBIG, f"more than {LOOKED_AT_MAX:,} files", str(top))
                    if entry.is_dir(follow_symlinks=False):
                        inner.append(Path(entry.path))
        level = []
        for folder in inner:
            (found if is_kept_by_the_arena(folder) else level).append(folder)
    return tuple(found)


def shown_paths(hidden: Sequence[Path], top: Path = Path("/")) -> list[Path]:
    """Paths that, with all below them, cover what exists below `top` now, except what is hidden."""
    if top in hidden:
        return []
    if not any(top in path.parents for path in hidden):
        return [top]
    try:
        names = sorted(os.listdir(top))[:FILES_SHOWN_MAX]
    except OSError:
        return []
    found: list[Path] = []
    for name in names:
        path = top / name
        if not path.is_symlink():
            found += shown_paths([one for one in hidden if one == path or path in one.parents], path)
    return found
