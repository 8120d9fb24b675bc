"""What a seat may see of a hand of Hold'em: the document's Game, in its field names.

Built from the open cards and the receiver's own two; nothing else of the deck is looked at.
"""

from __future__ import annotations

from functools import lru_cache

import attrs

from arena.game import Seat
from arena.games.holdem.betting import Hand, board, clockwise, hole, pots, raises, small_blind_seat

# The document's words: its names are not Python's.


@attrs.frozen(slots=False)
class Player:
    """One seat of the table."""

    playerID: Seat  # noqa: N815
    handle: Seat
    state: str
    """The state: `active` (still has to act), `folded`, `called`, `all_in`, or `out` (has no chips)."""
    wealth: int
    """Chips that are not bet yet."""
    bet_so_far: int
    """Chips bet on this street."""
    small_blind: bool


@attrs.frozen(slots=False)
class Turn:
    """What the seat on turn is asked."""

    playerID: Seat | None  # noqa: N815
    bet_so_far: int
    bet_to_player: int
    """The highest bet of the street, which must be matched to call."""
    minimum_raise: int
    """The least raise is `betAmount = bet_to_player - bet_so_far + minimum_raise`; 0: no raise is allowed."""


@attrs.frozen(slots=False)
class Cards:
    """What the receiver may see of the deck; cards not dealt or not its own are null."""

    hole: tuple[str, ...] | None
    flop: tuple[str, ...] | None
    turn: tuple[str, ...] | None
    river: tuple[str, ...] | None


@attrs.frozen(slots=False)
class OpenPot:
    """The main pot or a side pot, the bets of this street included."""

    size: int
    players: tuple[Seat, ...]
    """The seats that have bet into it, including those that have folded since."""


@attrs.frozen(slots=False)
class LastWinner:
    """How the previous hand ended for a seat that stayed in to its end."""

    playerID: Seat  # noqa: N815
    won: int
    """Chips from the pots; 0 for a seat that showed and lost."""
    hole: tuple[str, ...] | None
    """What it showed; null where all others had folded."""
    hand: str | None
    """The hand they made with the board: `two pair`."""


@attrs.frozen(slots=False)
class Observation:
    """The document's Game, for one seat."""

    hand_number: int
    """Counted from 1."""
    button: Seat
    table: tuple[Player, ...]
    """All seats by number, which is clockwise."""
    turn: Turn
    cards: Cards
    pots: tuple[OpenPot, ...]
    last_winners: tuple[LastWinner, ...]


def seen_in_hand(
    number: int, hand: Hand, stacks: tuple[int, ...], last: tuple[LastWinner, ...], seat: Seat | None
) -> Observation:
    """What one seat (None: a spectator) sees of a hand, which began with these stacks."""
    return Observation(
        hand_number=number,
        button=hand.button,
        table=_players_in(hand, stacks),
        turn=_turn_of(hand),
        cards=_cards_for(hand, seat if seat is not None and stacks[seat] else None),
        pots=_open_pots(hand),
        last_winners=last,
    )


def seen_between(
    number: int, button: Seat, stacks: tuple[int, ...], last: tuple[LastWinner, ...]
) -> Observation:
    """What everybody sees between two hands."""
    return Observation(
        hand_number=number,
        button=button,
        table=_players_between(button, stacks),
        turn=_NO_TURN,
        cards=_NO_CARDS,
        pots=_NO_POTS,
        last_winners=last,
    )


# The parts of it.


def _players_in(hand: Hand, stacks: tuple[int, ...]) -> tuple[Player, ...]:
    """Every seat as everybody sees it during a hand, which began with these stacks."""
    small, waiting = small_blind_seat(hand.button, stacks), hand.waiting
    seats = zip(_in_order(len(stacks)), stacks, hand.live, hand.stacks, hand.bets, strict=True)
    return tuple(
        [
            _player(seat, _standing(before, is_live, chips, seat in waiting), chips, bet, seat == small)
            for seat, before, is_live, chips, bet in seats
        ]
    )


@lru_cache(maxsize=8192)  # from one question to the next, few players change
def _player(seat: Seat, standing: str, chips: int, bet: int, is_small: bool) -> Player:
    """One seat of the table."""
    return Player(seat, seat, standing, chips, bet, is_small)


def _standing(chips_before: int, is_live: bool, chips: int, is_waiting: bool) -> str:
    """The document's word for the state of a seat in the hand."""
    if not chips_before:
        return "out"
    if not is_live:
        return "folded"
    if not chips:
        return "all_in"
    return "active" if is_waiting else "called"


def _players_between(button: Seat, stacks: tuple[int, ...]) -> tuple[Player, ...]:
    """Every seat between two hands."""
    small = small_blind_seat(button, stacks) if sum(map(bool, stacks)) > 1 else None
    return tuple(
        [
            _player(seat, "active" if chips else "out", chips, 0, seat == small)
            for seat, chips in zip(_in_order(len(stacks)), stacks, strict=True)
        ]
    )


def _turn_of(hand: Hand) -> Turn:
    """What the seat on turn has to respond to."""
    seat, top = hand.waiting[0], max(hand.bets)
    raising, bet = raises(hand, seat), hand.bets[seat]
    return Turn(seat, bet, top, 0 if raising is None else raising[0] - (top - bet))


def _cards_for(hand: Hand, seat: Seat | None) -> Cards:
    """The open cards of the board, and the hole cards of one seat."""
    opened = board(hand)
    return Cards(
        None if seat is None else hole(hand, seat),
        opened[:3] or None,
        opened[3:4] or None,
        opened[4:] or None,
    )


def _open_pots(hand: Hand) -> tuple[OpenPot, ...]:
    """The main pot, then the side pots."""
    return tuple([_pot(pot.size, pot.bettors) for pot in pots(hand)])


@lru_cache(maxsize=4096)  # the same until somebody bets or folds
def _pot(size: int, seats: tuple[Seat, ...]) -> OpenPot:
    """A pot as everybody sees it."""
    return OpenPot(size, seats)


def _in_order(seats: int) -> tuple[Seat, ...]:
    """All seats, from 0 on."""
    return clockwise(seats, Seat(seats - 1))


_NO_TURN = Turn(None, 0, 0, 0)
_NO_CARDS = Cards(None, None, None, None)
_NO_POTS = (OpenPot(0, ()),)
