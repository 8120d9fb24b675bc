"""Blef: bets on what the cards of all hands together hold."""

from arena.games.blef.rules import Blef

__all__ = ["Blef"]
