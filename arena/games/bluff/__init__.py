"""Bluff: cards go face down, and what is said about them may be a lie."""

from arena.games.bluff.rules import Bluff

__all__ = ["Bluff"]
