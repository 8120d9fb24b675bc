"""The table of Liar's Dice: the state between two moves, and what a seat may see of it."""

from __future__ import annotations

import attrs

from arena.game import Seat

NOBODY = "not_available"
"""Takes the place of a seat where there is none: the document's word."""


@attrs.frozen(slots=False)  # for `changed`
class State:
    """The full state between two moves."""

    dice: tuple[int, ...]
    """How many dice each seat has left; 0 = out."""
    hands: tuple[tuple[int, ...], ...]
    """Each seat's dice, sorted; empty between rounds, when chance is due or the match is over."""
    round_number: int
    move_number: int
    on_turn: Seat
    last_move: str
    last_bid: tuple[int, int]
    last_bidder: Seat | str
    last_loser: Seat | str
    last_challenger: Seat | str
    out: tuple[Seat, ...] = ()
    """The seats that are out, in the order in which they lost their last die."""
    turns: int = 0
    """Finished turns of the match, chance not counted."""


@attrs.frozen(slots=False)
class Observation:
    """What the document's `outbound` message says about the game, in its field names."""

    round_number: int
    """Counted from 1."""
    move_number: int
    """Counted from 1 in every round."""
    your_hand: tuple[int, ...]
    """The seat's own dice, sorted; empty for a spectator, for a seat that is out, and between rounds."""
    other_hands: tuple[tuple[Seat, int], ...]
    """How many dice each living seat has, the seat's own included, in playing order from the seat on turn."""
    last_move: str
    """What came last: `bid_made` when a bid is on the table, else `first_move`, or how the last round ended:
    `challenge_made` or `invalid_move`."""
    last_bid: tuple[int, int]
    """Face and count; (0, 0) when there is none in this round."""
    last_bidder: Seat | str
    """The seat that made the last bid of this round."""
    last_loser: Seat | str
    """The seat that lost the previous round."""
    last_challenger: Seat | str
