"""A match of Hold'em between two moves."""

from __future__ import annotations

import attrs

from arena.game import Seat
from arena.games.holdem.betting import Hand
from arena.games.holdem.view import LastWinner

__all__ = ["State"]


@attrs.frozen(slots=False)  # for `changed`
class State:
    """All there is to know between two moves."""

    hand_number: int
    """From 1: the hand under way, or the next one."""
    button: Seat
    stacks: tuple[int, ...]
    """By seat, before the hand."""
    results: tuple[int, ...]
    """Chips won or lost in the hands that are over, by seat."""
    hand: Hand | None = None
    """None between hands, when chance is due or the match is over."""
    last: tuple[LastWinner, ...] = ()
    """How the hand before ended."""
    busts: tuple[tuple[Seat, int, int], ...] = ()
    """Who is out: seat, hand number, and its chips before that hand."""
