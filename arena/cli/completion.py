"""Completes words at the Tab key: bots, games, folders, matches.  Imports neither trio, numpy nor pandas.

Nothing here may raise: whoever presses Tab wants no traceback in the middle of a line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

COMPLETED_MAX = 200
"""How many words are offered, more than anybody reads."""


def bots(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """Built-in bots, after `NAME=` too; then folders, and files that can be bots or plans."""
    name, equals, spec = begun.rpartition("=")
    words = _beginning(spec, _builtin_bots()) + _paths(spec, (".py", ".js", ".toml"))
    return [f"{name}{equals}{word}" for word in words]


def games(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The built-in games, then folders and Python files."""
    from arena.games import GAMES

    return _beginning(begun, GAMES) + _paths(begun, (".py",))


def languages(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The languages in which `arena new` writes a bot."""
    from arena.starter import LANGUAGES

    return _beginning(begun, LANGUAGES)


def folders(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """Results folders, then all folders."""
    from arena.store import LATEST
    from arena.store.finding import results_folders

    known = [str(folder) for folder in (LATEST, *results_folders()) if folder.is_dir()]
    words = _beginning(begun, dict.fromkeys(known))
    return words + [path for path in _paths(begun, ()) if path.rstrip("/") not in words]


def matches(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The matches of the folder that is named, or of the latest one; else of all in `results/`."""
    from arena.store import LATEST
    from arena.store.finding import folders_with

    folder = context.params.get("folder")
    found = folders_with(begun, None if folder in (None, LATEST) else [Path(folder)])
    return [match_id for ids in found.values() for match_id in ids][:COMPLETED_MAX]


def bots_of_folder(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The bots that played in the folder that is named, or in the latest one."""
    from arena.store import LATEST
    from arena.store.finding import bot_names

    return _beginning(begun, bot_names(Path(context.params.get("folder") or LATEST)))


def _beginning(begun: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(begun)][:COMPLETED_MAX]


def _builtin_bots() -> Iterator[str]:
    from arena.tournament.bots.entrants import builtin_bots

    yield from builtin_bots()


def _paths(begun: str, endings: tuple[str, ...]) -> list[str]:
    """Paths with this beginning: folders, with a slash, and files with these endings; hidden if asked for."""
    folder, start = os.path.split(begun)
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as found:
            entries = [entry for entry in found if entry.name.startswith(start)]
            shown = [entry for entry in entries if start or not entry.name.startswith((".", "__"))]
            names = [
                f"{entry.name}/" if entry.is_dir() else entry.name
                for entry in shown
                if entry.is_dir() or entry.name.endswith(endings or "/")
            ]
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names)][:COMPLETED_MAX]
