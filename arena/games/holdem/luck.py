"""What the board gave in a hand that was all-in before the river, beyond what each seat could expect.

From the last decision on, nothing but the board decides.  Decisions depend on no more than all hole cards,
those of folded seats included, and the open board, so any of the cards left may come on the board alike: what
a seat gets, less its mean over such boards, is 0 on average, whoever plays.

From the flop on the mean is exact, over 990 boards at most.  Before the flop there are over a million: the
mean over `BOARDS` of them is taken, drawn with an rng of their own, so that it does not depend on the deck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from random import Random

from arena.game import Seat
from arena.games.cards import DECK, shuffled
from arena.games.hands import codes, strengths_with
from arena.games.holdem.betting import BOARD_AT, Hand, board, hole, pots, shares

BOARDS = 200
"""How many boards are drawn before the flop: they leave at most a 200th of the variance of the board."""
_BOARD_CARDS = 5


def luck_of(hand: Hand, rng: Random) -> tuple[float, ...]:
    """The chips that each seat gets with the board as it is dealt, less the mean over all that may come.

    `hand`: as it was after its last decision, with what nobody called given back.
    """
    seats = [Seat(seat) for seat, is_live in enumerate(hand.live) if is_live]
    opened = board(hand)
    known = [codes(hole(hand, seat) + opened) for seat in seats]
    boards = _boards(hand, rng)
    alike = _alike(
        strengths_with(known, boards), [[seats.index(seat) for seat in pot.seats] for pot in pots(hand)]
    )
    mean = [0.0] * len(hand.live)
    for shown, count in alike:
        for seat, chips in enumerate(_chips(hand, seats, shown)):
            mean[seat] += chips * count / len(boards)
    to_come = codes(hand.deck[BOARD_AT + len(opened) : BOARD_AT + _BOARD_CARDS])
    (as_dealt,) = strengths_with(known, [to_come])
    return tuple([got - sum for got, sum in zip(_chips(hand, seats, as_dealt), mean, strict=True)])


def _alike(
    shown: Iterable[tuple[int, ...]], pots: Sequence[Sequence[int]]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """One of all strengths that have the same winners in every pot, and how many have: few to share out for.

    `pots`: the places in the strengths of those who can win each pot.
    """
    counts: Counter[tuple[int, ...]] = Counter()
    example: dict[tuple[int, ...], tuple[int, ...]] = {}
    for strength, count in Counter(shown).items():
        winners: list[int] = []
        for places in pots:
            best = max([strength[place] for place in places])
            winners += [place for place in places if strength[place] == best]
            winners.append(-1)
        key = tuple(winners)
        counts[key] += count
        example.setdefault(key, strength)
    return ((example[key], count) for key, count in counts.items())


def _boards(hand: Hand, rng: Random) -> list[tuple[int, ...]]:
    """The cards that may come on the board, as codes: all combinations, or before the flop drawn ones."""
    opened = board(hand)
    dealt = {*opened, *hand.deck[: 2 * len(hand.live)]}
    left = [card for card in DECK if card not in dealt]
    if opened:
        return [*combinations(codes(left), _BOARD_CARDS - len(opened))]
    # Boards from one shuffled deck share no card, and each is any board alike.
    found: list[tuple[int, ...]] = []
    while len(found) < BOARDS:
        pack = codes(shuffled(rng, left))
        found += [tuple(pack[at : at + 5]) for at in range(0, len(pack) - _BOARD_CARDS + 1, _BOARD_CARDS)]
    return found[:BOARDS]


def _chips(hand: Hand, seats: Sequence[Seat], strengths: Sequence[int]) -> list[int]:
    """The chips that each seat of the table gets from all pots; `strengths`: those of the `seats` in it."""
    got = [0] * len(hand.live)
    for _, winners in shares(hand, dict(zip(seats, strengths, strict=True))):
        for seat, chips in winners:
            got[seat] += chips
    return got
