"""Makes folders of links, through which a program finds what lies in folders that it cannot list.

Where Landlock hides something, no folder above it can be listed, and Python takes such a folder for an empty
one, as does Java.  A folder of links to everything else can be listed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

import arena
from arena.box.places import FILES_SHOWN_MAX

_IMPORTED = ("sdk", "wire")
"""The folders of this package from which Python bots import."""


def link_package(folder: Path) -> None:
    """Makes a folder for the import path of bots, with nothing in it but a link to this package."""
    folder.mkdir()
    (folder / arena.__name__).symlink_to(Path(arena.__file__).resolve().parent)


def keep_compiled() -> None:
    """Compiles what every Python bot imports of this package, as the bot cannot write there in its box."""
    if sys.dont_write_bytecode:
        return
    sources = [source for room in _IMPORTED for source in (Path(arena.__file__).parent / room).glob("*.py")]
    stale = [source for source in sources if not _is_compiled(source)]
    if stale:
        import py_compile  # not when there is nothing to do, which is nearly always

        for source in stale:
            with suppress(OSError, py_compile.PyCompileError):  # where nothing can be kept, it takes longer
                py_compile.compile(str(source))


def _is_compiled(source: Path) -> bool:
    compiled = cache_from_source(str(source))
    return os.path.exists(compiled) and os.path.getmtime(compiled) >= os.path.getmtime(source)


def link_shown(folder: Path, hidden: Sequence[Path], into: Path) -> None:
    """Adds to `into` a link to everything in the folder that exists now and is not hidden."""
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
