"""What each bot may see: its own folder, what it needs, and what must be hidden from it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import attrs

import arena

_GRAPHICS = ("/dev/dri", "/dev/kfd")
FILES_SHOWN_MAX = 10_000
"""With Landlock, if part of a folder is hidden the rest is allowed file by file, up to this many."""


@attrs.frozen(kw_only=True)
class FileView:
    """The files of one started program.  All paths are absolute and free of links."""

    folder: Path
    """Its working directory."""
    own: tuple[Path, ...]
    """Which part of it is its own: the folder, or only the bot's files if it is a file among others."""
    is_writable: bool = False
    """Whether it may write to its folder."""
    read: tuple[Path, ...] = ()
    """What else it may read, which another place may hide."""
    has_gpu: bool = False
    """Whether it has the machine's graphics cards."""
    hidden: tuple[Path, ...] = ()
    """What it must not see: results, other bots."""


@lru_cache(maxsize=1)
def needed_paths() -> tuple[Path, ...]:
    """What a Python bot needs besides the system: interpreter, virtual environment, and this package."""
    homes = {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve(), Path(sys.prefix)}
    package = Path(arena.__file__).resolve().parent
    return tuple(sorted({*homes, package}))


def graphics() -> Iterator[Path]:
    """The devices of this machine's graphics cards."""
    names = sorted(name for name in os.listdir("/dev") if name.startswith("nvidia"))
    paths = map(Path, (*_GRAPHICS, *(f"/dev/{name}" for name in names)))
    return (path for path in paths if path.exists())


def below(path: Path, tops: Iterable[Path]) -> bool:
    """Whether the path is one of these, or in one of them."""
    return any(path == top or top in path.parents for top in tops)


def shown_paths(hidden: Sequence[Path], top: Path = Path("/")) -> list[Path]:
    """Paths that, with all below them, cover everything below `top` except what is hidden, as of now."""
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
