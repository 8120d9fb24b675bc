"""Where the board of a game is: a script that draws its scenes, found by where the game's class is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from arena.game import Game

__all__ = ["board_of"]

NAME = "board.js"


def board_of(game: type[Game[Any, Any]]) -> Path | None:
    """`board.js` in the game's folder, or `kuhn.board.js` beside a game that is one file; None: it has none.

    A game of a package, such as `arena/games/blef/rules.py`, has a folder of its own.
    """
    module = sys.modules.get(game.__module__)
    file = getattr(module, "__file__", None)
    if module is None or not file:
        return None
    own = Path(file)
    beside = own.with_name(f"{own.stem}.{NAME}")
    found = own.with_name(NAME) if module.__package__ else beside
    return found if found.is_file() else beside if beside.is_file() else None
