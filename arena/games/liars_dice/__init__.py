"""Liar's Dice: players bid on what all hidden dice show together."""

from arena.games.liars_dice.rules import LiarsDice

__all__ = ["LiarsDice"]
