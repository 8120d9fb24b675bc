"""The strength of poker hands: the best five of five to seven cards, as a number that compares.

Our own evaluator, pure Python and quick (about a microsecond a hand once it has met the ranks): each
card is a number, their sum tells how often each rank and each suit occurs, and what follows from
ranks alone is worked out once for every multiset of ranks (there are 49,205 of seven cards).

Source: the usual order of poker hands; the ace is high, and low in A-2-3-4-5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from arena.games.cards import DECK, RANKS, SUITS

CATEGORIES: Final = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
"""The kinds of hands, from the weakest to the strongest."""

HIGH, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)


def strength(cards: Iterable[str]) -> int:
    """How strong the best five of five to seven different cards are: more is better, equal is a tie."""
    numbers = codes(cards)
    return _strength(numbers, sum(numbers))


def codes(cards: Iterable[str]) -> list[int]:
    """The cards as `strengths_with` takes them: numbers whose sum counts each rank and each suit."""
    return [_CODES[card] for card in cards]


def strengths_with(
    hands: Sequence[Sequence[int]], more: Sequence[Sequence[int]]
) -> Iterator[tuple[int, ...]]:
    """The strength of each hand with the first cards of `more`, then with the second ones, and so on.

    All are `codes`; a hand and its cards more are five to seven.  It takes half as long as `strength`.
    """
    sums = [sum(each) for each in more]
    return zip(*[_with_each(hand, more, sums) for hand in hands], strict=True)


def _with_each(hand: Sequence[int], more: Sequence[Sequence[int]], sums: Sequence[int]) -> list[int]:
    own, to_come = sum(hand), len(more[0])
    if not (own >> _SUITS_AT) + 0x3333 + 0x1111 * to_come & 0x8888:  # too few of each suit for a flush
        return [_of_ranks(own + theirs & _RANKS_MASK) for theirs in sums]
    totals = [own + theirs for theirs in sums]
    return [
        _strength((*hand, *more[place]), total)
        if (total >> _SUITS_AT) + 0x3333 & 0x8888
        else _of_ranks(total & _RANKS_MASK)
        for place, total in enumerate(totals)
    ]


def _strength(codes: Iterable[int], total: int) -> int:
    # A suit's count and 3 make 8 or more from five cards on; seven and 3 still fit the four bits.
    flush = (total >> _SUITS_AT) + 0x3333 & 0x8888
    if not flush:
        return _of_ranks(total & _RANKS_MASK)
    suit = flush << _SUITS_AT - 3
    return _of_suit(sum([code & _RANKS_MASK for code in codes if code & suit]))


def category(strength: int) -> str:
    """The name of a hand of this strength."""
    return CATEGORIES[strength >> _CATEGORY_AT]


# A card is two digits set in one number: its rank, three bits wide, and its suit, four bits wide above.

_SUITS_AT: Final = 39
_RANKS_MASK: Final = (1 << _SUITS_AT) - 1
_CATEGORY_AT: Final = 20
_ASCENDING: Final = RANKS[1:] + RANKS[0]
"""The ranks from the deuce to the ace."""
_CODES: Final = {
    card: 1 << 3 * _ASCENDING.index(card[0]) | 1 << _SUITS_AT + 4 * SUITS.index(card[1]) for card in DECK
}


@cache  # as many entries as there are multisets of five to seven ranks, 73,775 at most
def _of_ranks(counts: int) -> int:
    """The strength of cards of which no five have one suit; `counts` has three bits for each rank."""
    count_of = [counts >> 3 * rank & 7 for rank in range(13)]
    # The most frequent ranks first; of equally frequent ones the highest.
    ranks = sorted((rank for rank in range(13) if count_of[rank]), key=lambda r: (-count_of[r], -r))
    first, second = count_of[ranks[0]], count_of[ranks[1]]
    if first == 4:
        return _number(FOUR, ranks[0], max(ranks[1:]))
    if first == 3 and second >= 2:
        # Of two threes the lower one is the pair; a pair below it may be a higher one.
        return _number(FULL_HOUSE, ranks[0], max(rank for rank in ranks[1:] if count_of[rank] >= 2))
    top = _straight(ranks)
    if top is not None:
        return _number(STRAIGHT, top)
    if first == 3:
        return _number(THREE, *ranks[:3])
    if second == 2:
        return _number(TWO_PAIR, *ranks[:2], max(ranks[2:]))
    return _number(PAIR, *ranks[:4]) if first == 2 else _number(HIGH, *ranks[:5])


@cache  # as many entries as there are sets of five to seven ranks: 4,719
def _of_suit(ranks: int) -> int:
    """The strength of five to seven cards of one suit: with two cards more, nothing else beats it."""
    present = [rank for rank in range(12, -1, -1) if ranks >> 3 * rank & 1]
    top = _straight(present)
    return _number(FLUSH, *present[:5]) if top is None else _number(STRAIGHT_FLUSH, top)


def _straight(ranks: Iterable[int]) -> int | None:
    """The highest rank that ends five in a row, or None; the ace may also come below the deuce."""
    present = {*ranks}
    if 12 in present:
        present.add(-1)
    return next((top for top in range(12, 2, -1) if present.issuperset(range(top - 4, top + 1))), None)


def _number(kind: int, *ranks: int) -> int:
    """A strength as one number: the category, then up to five ranks, four bits each, decisive ones first."""
    number = kind
    for rank in (*ranks, 0, 0, 0, 0, 0)[:5]:
        number = number << 4 | rank
    return number
