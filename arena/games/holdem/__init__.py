"""No-Limit Hold'em."""

from arena.games.holdem.rules import Holdem

__all__ = ["Holdem"]
