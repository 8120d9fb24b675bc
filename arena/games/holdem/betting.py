"""One hand of No-Limit Hold'em in chips: blinds, calls and raises, streets, pots and how they are shared.

Pure functions over a frozen `Hand`.  Its `waiting` lists who still has to act on the street, in playing
order; a bet above the highest one puts all others back on that list.

Source: RULES.md, "No-Limit Hold'em".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import attrs

from arena.game import Seat
from arena.games.hands import category, strength
from arena.games.states import changed

STREETS = ("preflop", "flop", "turn", "river")
BOARD_AT = 20
"""Where the board begins in the deck: after the hole cards of the largest table, so that a deck has the
same board, and the same hole cards for the same seats, however many sit at the table."""
_BOARD_CARDS = (0, 3, 4, 5)
"""How many cards are on the board on each street."""


@attrs.frozen(slots=False)  # for `changed`
class Hand:
    """A hand under way; tuples with a value per seat have one for every seat of the table."""

    deck: tuple[str, ...]
    """All 52: seat s holds cards 2s and 2s + 1, the board begins at BOARD_AT.  Hidden."""
    button: Seat
    street: int
    """Index into STREETS."""
    stacks: tuple[int, ...]
    """Each seat's chips that are not bet yet."""
    bets: tuple[int, ...]
    """Each seat's chips bet on this street."""
    spent: tuple[int, ...]
    """Each seat's chips bet in this hand, those of this street included."""
    live: tuple[bool, ...]
    """Whether each seat is dealt in and has not folded."""
    acted: tuple[bool, ...]
    """Whether each seat has acted on this street; posting a blind does not count."""
    waiting: tuple[Seat, ...]
    """The seats that still have to act on this street, the one on turn first."""
    raise_size: int
    """The last full bet or raise of the street in chips; at first the big blind."""


@attrs.frozen
class Pot:
    """Chips, and who has bet into it."""

    size: int
    seats: tuple[Seat, ...]
    """The seats that can win it: they have not folded."""
    bettors: tuple[Seat, ...]
    """All seats that have bet into it, folded ones included."""


# Who, and what may be done.


@lru_cache(maxsize=1024)  # needed several times at every decision
def clockwise(seats: int, after: Seat) -> tuple[Seat, ...]:
    """All seats in clockwise order, from the one left of `after` to `after` itself."""
    return tuple([Seat(seat % seats) for seat in range(after + 1, after + seats + 1)])


@lru_cache(maxsize=1024)  # needed at every decision, with the stacks before the hand
def small_blind_seat(button: Seat, chips: tuple[int, ...]) -> Seat:
    """The seat of the small blind: heads-up the button, else the next seat with chips after it."""
    order = [seat for seat in clockwise(len(chips), button) if chips[seat]]
    return order[1] if len(order) == 2 else order[0]


def is_all_in(hand: Hand, seat: Seat) -> bool:
    """Whether the seat is in the hand and has nothing left to bet."""
    return hand.live[seat] and not hand.stacks[seat]


def to_call(hand: Hand, seat: Seat) -> int:
    """How many chips the seat needs to match the highest bet; it may have fewer."""
    return max(hand.bets) - hand.bets[seat]


def raises(hand: Hand, seat: Seat) -> tuple[int, int] | None:
    """The fewest and the most chips with which a waiting seat may raise, or None if it may not.

    Less than a full raise is an all-in; then both numbers are the same.
    """
    bets, stacks, top = hand.bets, hand.stacks, max(hand.bets)
    call, stack = top - bets[seat], stacks[seat]
    # A seat that has acted may raise again only where it must call a full raise (`raise_size`: the last).
    # A short all-in is less than that, but several together may amount to one.
    if stack <= call or (hand.acted[seat] and call < hand.raise_size):
        return None
    # If no other seat could call more, the raise would only be given back.
    for other, chips in enumerate(stacks):
        if other != seat and hand.live[other] and chips + bets[other] > top:
            return min(call + hand.raise_size, stack), stack
    return None


# How a hand goes.


def dealt(
    deck: tuple[str, ...], button: Seat, stacks: tuple[int, ...], small_blind: int, big_blind: int
) -> Hand:
    """The hand with its blinds posted, as far as the stacks go; a seat without chips is not in it."""
    order = [seat for seat in clockwise(len(stacks), button) if stacks[seat]]
    if len(order) == 2:
        order.reverse()  # the button posts the small blind, and acts first before the flop
    bets = [0] * len(stacks)
    bets[order[0]] = min(small_blind, stacks[order[0]])
    bets[order[1]] = min(big_blind, stacks[order[1]])
    posted = tuple(bets)
    left = tuple([chips - bet for chips, bet in zip(stacks, posted, strict=True)])
    live = tuple([chips > 0 for chips in stacks])
    nobody = (False,) * len(stacks)
    waiting = tuple([seat for seat in (*order[2:], *order[:2]) if left[seat]])
    hand = Hand(
        deck=deck,
        button=button,
        street=0,
        stacks=left,
        bets=posted,
        spent=posted,
        live=live,
        acted=nobody,
        waiting=waiting,
        raise_size=big_blind,
    )
    return _settled(hand)


def folded(hand: Hand) -> Hand:
    """The hand after the seat on turn folded; if one seat is left, nobody has to act."""
    seat = hand.waiting[0]
    live = (*hand.live[:seat], False, *hand.live[seat + 1 :])
    waiting = () if sum(live) == 1 else hand.waiting[1:]
    return _settled(changed(hand, live=live, waiting=waiting))


def paid(hand: Hand, amount: int) -> Hand:
    """The hand after the seat on turn puts in this many more chips: a check, a call, a bet or a raise."""
    seat, waiting = hand.waiting[0], hand.waiting[1:]
    acted = (*hand.acted[:seat], True, *hand.acted[seat + 1 :])
    if not amount:  # a check, the most frequent act
        return _settled(changed(hand, acted=acted, waiting=waiting))
    raised_by = amount - to_call(hand, seat)
    if raised_by > 0:
        others = clockwise(len(hand.stacks), seat)[:-1]
        waiting = tuple([other for other in others if hand.live[other] and hand.stacks[other]])
    after = changed(
        hand,
        stacks=_plus(hand.stacks, seat, -amount),
        bets=_plus(hand.bets, seat, amount),
        spent=_plus(hand.spent, seat, amount),
        acted=acted,
        waiting=waiting,
        raise_size=max(hand.raise_size, raised_by),
    )
    return _settled(after)


def called(hand: Hand) -> tuple[Hand, Seat | None, int]:
    """The hand at a street's end with the uncalled part of a bet given back, to whom, and how much."""
    top = max(hand.bets)
    if hand.bets.count(top) > 1:
        return hand, None, 0
    seat = Seat(hand.bets.index(top))
    excess = top - max([bet for other, bet in enumerate(hand.bets) if other != seat])
    back = changed(
        hand,
        stacks=_plus(hand.stacks, seat, excess),
        bets=_plus(hand.bets, seat, -excess),
        spent=_plus(hand.spent, seat, -excess),
    )
    return back, seat, excess


def next_street(hand: Hand, big_blind: int) -> Hand:
    """The hand with the next cards on the board; if fewer than two can still bet, nobody has to act."""
    none, seats = (0,) * len(hand.stacks), clockwise(len(hand.stacks), hand.button)
    waiting = tuple([seat for seat in seats if hand.live[seat] and hand.stacks[seat]])
    return changed(
        hand,
        street=hand.street + 1,
        bets=none,
        acted=(False,) * len(none),
        waiting=waiting if len(waiting) > 1 else (),
        raise_size=big_blind,
    )


def _settled(hand: Hand) -> Hand:
    """The hand; nobody has to act if the last seat that could owes nothing and all others are all-in."""
    if len(hand.waiting) == 1 and (0 in hand.stacks or not all(hand.live)):  # else others could act too
        (seat,) = hand.waiting
        able = [other for other, chips in enumerate(hand.stacks) if chips and hand.live[other]]
        if able == [seat] and not to_call(hand, seat):
            return changed(hand, waiting=())
    return hand


def _plus(chips: tuple[int, ...], seat: Seat, amount: int) -> tuple[int, ...]:
    return (*chips[:seat], chips[seat] + amount, *chips[seat + 1 :])


# Cards and pots.


def hole(hand: Hand, seat: Seat) -> tuple[str, ...]:
    """The seat's own two cards."""
    return hand.deck[2 * seat : 2 * seat + 2]


def hand_strength(hand: Hand, seat: Seat) -> int:
    """The strength of the seat's cards with the board."""
    return _strength(hole(hand, seat) + board(hand))


def hands_at_end(hand: Hand) -> tuple[tuple[Seat, tuple[str, ...], str], ...]:
    """The seats in at the end, from the first one left of the button, their cards and what these make."""
    live = [seat for seat in clockwise(len(hand.live), hand.button) if hand.live[seat]]
    if len(live) == 1:
        return ((live[0], hole(hand, live[0]), ""),)
    return tuple([(seat, hole(hand, seat), category(hand_strength(hand, seat))) for seat in live])


@lru_cache(maxsize=64)  # needed twice at every showdown
def _strength(cards: tuple[str, ...]) -> int:
    return strength(cards)


def board(hand: Hand, street: int | None = None) -> tuple[str, ...]:
    """The open cards of the hand, on its street or on the one given."""
    return hand.deck[BOARD_AT : BOARD_AT + _BOARD_CARDS[hand.street if street is None else street]]


def bets_in(hand: Hand) -> int:
    """All chips bet in this hand."""
    return sum(hand.spent)


def pots(hand: Hand) -> tuple[Pot, ...]:
    """The main pot, then the side pots, cut where somebody is all-in.

    Each cut leaves at least one seat out of the next pot, so no two pots have the same seats.
    """
    spent, live = hand.spent, hand.live
    cuts = {spent[seat] for seat in _seats_in(live) if not hand.stacks[seat]} if 0 in hand.stacks else ()
    if not cuts:  # the usual case: one pot, for all who have bet and are still in
        bettors = _bettors(spent, 0)
        return (Pot(sum(spent), tuple([seat for seat in bettors if live[seat]]), bettors),)
    found: list[Pot] = []
    low = 0
    for cut in sorted({*cuts, max(spent)}):
        size = sum([min(chips, cut) - min(chips, low) for chips in spent])
        bettors = _bettors(spent, low)
        seats = tuple([seat for seat in bettors if live[seat]])
        if seats or not found:
            found.append(Pot(size, seats, bettors))
        else:  # chips that only folded seats have bet go to those who are left
            found[-1] = Pot(found[-1].size + size, found[-1].seats, found[-1].bettors)
        low = cut
    return tuple(found)


def _bettors(spent: tuple[int, ...], low: int) -> tuple[Seat, ...]:
    """The seats that have bet more than `low`."""
    return tuple([Seat(seat) for seat, chips in enumerate(spent) if chips > low])


@lru_cache(maxsize=1024)  # needed at every decision
def _seats_in(live: tuple[bool, ...]) -> tuple[Seat, ...]:
    """The seats that are still in the hand."""
    return tuple([Seat(seat) for seat, is_in in enumerate(live) if is_in])


def shares(
    hand: Hand, shown: Mapping[Seat, int] | None = None
) -> list[tuple[Pot, tuple[tuple[Seat, int], ...]]]:
    """Each pot, and who gets how many chips of it.

    Odd chips go one each, clockwise from the first winner left of the button.  `shown`: the strength of each
    live seat; None: with the board.
    """
    order = [seat for seat in clockwise(len(hand.live), hand.button) if hand.live[seat]]
    if len(order) == 1:
        return [(Pot(bets_in(hand), (order[0],), _bettors(hand.spent, 0)), ((order[0], bets_in(hand)),))]
    if shown is None:
        shown = {seat: hand_strength(hand, seat) for seat in order}
    return [(pot, _split(pot, order, shown)) for pot in pots(hand)]


def _split(pot: Pot, order: Sequence[Seat], shown: Mapping[Seat, int]) -> tuple[tuple[Seat, int], ...]:
    """The winners of a pot, in playing order, each with the chips won."""
    best = max([shown[seat] for seat in pot.seats])
    winners = [seat for seat in order if seat in pot.seats and shown[seat] == best]
    share, odd = divmod(pot.size, len(winners))
    return tuple([(seat, share + (place < odd)) for place, seat in enumerate(winners)])
