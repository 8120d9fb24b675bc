"""A match of Hold'em between two moves."""

from __future__ import annotations

import attrs

from arena.game import Seat
from arena.games.holdem.betting import Hand
from arena.games.holdem.view import LastWinner


@attrs.frozen(slots=False)  # for `changed`
class State:
    """The full state between two moves."""

    hand_number: int
    """The number of the current hand, or between hands of the next one; counted from 1."""
    button: Seat
    stacks: tuple[int, ...]
    """Each seat's chips before the hand."""
    results: tuple[int, ...]
    """Each seat's chips won or lost in the hands that are over."""
    hand: Hand | None = None
    """The hand under way; None between hands, when chance is due or the match is over."""
    last: tuple[LastWinner, ...] = ()
    """How the previous hand ended."""
    busts: tuple[tuple[Seat, int, int], ...] = ()
    """The seats that are out, each with the number of the hand and its chips before that hand."""
    run_outs: tuple[tuple[int, Hand], ...] = attrs.field(default=(), eq=False)
    """The hands that were all-in before the river, as they were then, each after its number: hidden, and only
    for `luck`, so states that differ in nothing else are equal, and sampled ones have none."""
