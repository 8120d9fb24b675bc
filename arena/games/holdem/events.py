"""What is told about a match of Hold'em: payloads for `arena replay`, bots and spectators."""

from __future__ import annotations

import attrs

from arena.game import Seat


@attrs.frozen(slots=False)
class HandStarted:
    """Public, `hand_started`."""

    hand_number: int
    button: Seat
    stacks: tuple[tuple[Seat, int], ...]
    """Each seat in the hand and its chips before the blinds, in the order of play after the flop."""
    blinds: tuple[tuple[Seat, int], ...]
    """The small and the big blind, as posted."""


@attrs.frozen(slots=False)
class Hole:
    """Private, `hole`: each seat in the hand is told its own cards."""

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
    """How many chips were put in."""
    to: int
    """The player's whole bet on this street."""
    all_in: bool


@attrs.frozen(slots=False)
class Uncalled:
    """Public, `uncalled`: the part of a bet that nobody matched is given back."""

    player: Seat
    amount: int


@attrs.frozen(slots=False)
class Opened:
    """Public, `flop`, `turn` or `river`."""

    cards: tuple[str, ...]
    """The cards that have just been opened."""
    pot: int
    """All chips bet so far."""


@attrs.frozen(slots=False)
class Showdown:
    """Public, `showdown`: all seats still in the hand show their cards."""

    board: tuple[str, ...]
    hands: tuple[tuple[Seat, tuple[str, ...], str], ...]
    """Seat, hole cards, and the hand they make; from the first seat left of the button on."""


@attrs.frozen(slots=False)
class PotWon:
    """Public, `pot`: who won a pot; the main pot comes first."""

    size: int
    winners: tuple[tuple[Seat, int], ...]


@attrs.frozen(slots=False)
class HandOver:
    """Public, `hand_over`."""

    won: tuple[tuple[Seat, int], ...]
    """Each seat that was in the hand, and the chips it won or lost."""


@attrs.frozen(slots=False)
class Eliminated:
    """Public, `eliminated`: a seat has no chips left in a freeze-out."""

    seat: Seat


@attrs.frozen(slots=False)
class MatchOver:
    """Public, `match_over`."""

    ranks: tuple[tuple[Seat, int], ...]
    returns: tuple[tuple[Seat, int], ...]
