"""What is told about a match of Hold'em: payloads for `arena replay`, bots and spectators."""

from __future__ import annotations

import attrs

from arena.game import Seat

__all__ = [
    "Eliminated",
    "Folded",
    "HandOver",
    "HandStarted",
    "Hole",
    "MatchOver",
    "Opened",
    "Paid",
    "PotWon",
    "Showdown",
    "Uncalled",
]


@attrs.frozen(slots=False)
class HandStarted:
    """Public, `hand_started`."""

    hand_number: int
    button: Seat
    stacks: tuple[tuple[Seat, int], ...]
    """Of the seats in it, before the blinds, in the order in which they act after the flop."""
    blinds: tuple[tuple[Seat, int], ...]
    """As posted: the small one, the big one."""


@attrs.frozen(slots=False)
class Hole:
    """Private, `hole`: to each seat in the hand its own cards."""

    cards: tuple[str, ...]


@attrs.frozen(slots=False)
class Folded:
    """Public, `fold`."""

    player: Seat


@attrs.frozen(slots=False)
class Paid:
    """Public, `check`, `call`, `bet` or `raise`."""

    player: Seat
    amount: int
    """Chips put in by it."""
    to: int
    """The player's whole bet on this street."""
    all_in: bool


@attrs.frozen(slots=False)
class Uncalled:
    """Public, `uncalled`: the part of a bet that nobody matched, given back."""

    player: Seat
    amount: int


@attrs.frozen(slots=False)
class Opened:
    """Public, `flop`, `turn` or `river`."""

    cards: tuple[str, ...]
    """The cards that were opened now."""
    pot: int
    """All chips bet so far."""


@attrs.frozen(slots=False)
class Showdown:
    """Public, `showdown`: all seats that are in show."""

    board: tuple[str, ...]
    hands: tuple[tuple[Seat, tuple[str, ...], str], ...]
    """Seat, hole cards, and what they make; from the first seat left of the button on."""


@attrs.frozen(slots=False)
class PotWon:
    """Public, `pot`: the main pot first."""

    size: int
    winners: tuple[tuple[Seat, int], ...]


@attrs.frozen(slots=False)
class HandOver:
    """Public, `hand_over`."""

    won: tuple[tuple[Seat, int], ...]
    """Chips won or lost in the hand, of each seat that was in it."""


@attrs.frozen(slots=False)
class Eliminated:
    """Public, `eliminated`: a seat has no chips left in a freeze-out."""

    seat: Seat


@attrs.frozen(slots=False)
class MatchOver:
    """Public, `match_over`."""

    ranks: tuple[tuple[Seat, int], ...]
    returns: tuple[tuple[Seat, int], ...]
