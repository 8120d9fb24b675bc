"""Chamber: live and blank shells in an order nobody knows."""

from arena.games.chamber.rules import Chamber

__all__ = ["Chamber"]
