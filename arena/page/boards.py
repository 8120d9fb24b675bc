"""Finds the board of a game (a script that draws its scenes) and its emblem, beside the game's class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.match.game import Game
from arena.telling.guide import beside


def board_of(game: type[Game[Any, Any]]) -> Path | None:
    """The path of a game's board, `board.js` in its folder or `kuhn.board.js` beside its file, or None."""
    return beside(game, "board.js")


def emblem_of(game: type[Game[Any, Any]]) -> Path | None:
    """The path of a game's emblem, `emblem.svg`, a small picture that stands for it; None: no emblem."""
    return beside(game, "emblem.svg")
