"""The JSON Schema of a game as the user named it."""

from __future__ import annotations

from typing import Any

from arena.players.schema import game_schema
from arena.tournament.bots.game_source import find_game


def schema_of(word: str) -> dict[str, Any]:
    """The schema of the questions and moves of the game that a word names.  Raises ConfigError."""
    return game_schema(find_game(word).cls)
