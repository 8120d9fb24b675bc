"""Chamber: players shoot live and blank shells, in an order that nobody knows."""

from arena.games.chamber.rules import Chamber

__all__ = ["Chamber"]
