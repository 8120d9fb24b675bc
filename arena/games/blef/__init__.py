"""Blef: players bet that the cards of all hands together contain a set."""

from arena.games.blef.rules import Blef

__all__ = ["Blef"]
