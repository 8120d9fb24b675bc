"""GAMES: every game of the house by its name, imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from arena.game import Game

__all__ = ["GAMES", "SERVICES"]

# One line per game: its name, and where its class is.  Names alone cost no import,
# which keeps the help of commands quick.
_PLACES = {
    "liars-dice": "liars_dice.LiarsDice",
    "holdem": "holdem.Holdem",
    "bluff": "bluff.Bluff",
    "blef": "blef.Blef",
    "chamber": "chamber.Chamber",
}


class _Games(Mapping[str, type[Game[Any, Any]]]):
    """A read-only dict of name -> class that imports a game at its first use."""

    def __getitem__(self, name: str) -> type[Game[Any, Any]]:
        module, _, class_name = _PLACES[name].partition(".")
        found: type[Game[Any, Any]] = getattr(import_module(f"arena.games.{module}"), class_name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)

    def __contains__(self, name: object) -> bool:
        return name in _PLACES


GAMES: Mapping[str, type[Game[Any, Any]]] = _Games()

SERVICES: Mapping[str, str] = {"poker": "holdem", "packets": "chamber", "guests": "liars-dice"}
"""The services of the server that a game's document describes, and that game: HTTP with ring tables, the open
lobby of packets, and bots that come over TCP without a token."""
