"""Finds the board of a game (a script that draws its scenes) and its emblem, beside the game's class."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from arena.match.game import Game


def board_of(game: type[Game[Any, Any]]) -> Path | None:
    """The path of a game's board, `board.js` in its folder or `kuhn.board.js` beside its file, or None.

    A game in a package, such as `arena/games/blef/rules.py`, has a folder of its own.
    """
    return _of(game, "board.js")


def emblem_of(game: type[Game[Any, Any]]) -> Path | None:
    """The path of a game's emblem, `emblem.svg`, a small picture that stands for it; None: no emblem."""
    return _of(game, "emblem.svg")


def _of(game: type[Game[Any, Any]], name: str) -> Path | None:
    module = sys.modules.get(game.__module__)
    file = getattr(module, "__file__", None)
    if module is None or not file:
        return None
    own = Path(file)
    beside = own.with_name(f"{own.stem}.{name}")
    found = own.with_name(name) if module.__package__ else beside
    return found if found.is_file() else beside if beside.is_file() else None
