"""Finds the source of a Python module without importing anything, and makes bots' modules importable."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from arena.players.entrant import Entrant


def module_file(module: str, base: Path) -> tuple[Path, bool] | None:
    """The source file of a module below `base`, or else an installed one; and whether it is below."""
    own = _file_of(base.joinpath(*module.split(".")))
    if own is not None:
        return own, True
    installed = _installed(module)
    return None if installed is None else (installed, False)


def make_importable(entrants: Iterable[Entrant]) -> None:
    """Puts the folders of bots in this process where Python looks for modules."""
    for entrant in entrants:
        if entrant.kind == "local" and entrant.folder is not None and str(entrant.folder) not in sys.path:
            sys.path.insert(0, str(entrant.folder))


def _file_of(path: Path) -> Path | None:
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _installed(module: str) -> Path | None:
    """The source file of a module on `sys.path`."""
    from importlib.util import find_spec

    package, *inner = module.split(".")  # a module in it would be found only after the package is imported
    try:
        found = find_spec(package)
    except (ImportError, ValueError):
        return None
    if found is None:
        return None
    if not inner:
        return Path(found.origin) if found.origin and os.path.isfile(found.origin) else None
    files = (_file_of(Path(folder, *inner)) for folder in found.submodule_search_locations or ())
    return next((file for file in files if file is not None), None)
