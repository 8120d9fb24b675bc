"""The 24 cards of Blef, and the 88 sets that are bet on: what each is called, and whether a pool holds it.

A pool of cards is an int with one bit per card.  Every set is a few needs of the same kind: at least n of
certain cards.  A pair of aces needs 2 of the aces, a small straight 1 of each value but the aces, a
flush 5 of a colour, a straight flush all 5 of five cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_

import attrs


@attrs.frozen(slots=False)
class Card:
    """A card in the document's words."""

    value: int
    """The value, 0..5: 9, 10, J, Q, K, A."""
    colour: int
    """The colour, 0..3: clubs, diamonds, hearts, spades."""


@attrs.frozen
class CardSet:
    """The cards that a bet claims."""

    name: str
    needs: tuple[tuple[int, int], ...]
    """Pairs (pool, n): at least n of the pool's cards are needed."""

    def is_in(self, cards: int) -> bool:
        """Whether a pool of cards holds the set."""
        return all((cards & of).bit_count() >= least for of, least in self.needs)


CARDS = tuple(Card(value, colour) for value in range(6) for colour in range(4))
"""The cards by number, which is 4 × value + colour."""
TEXTS = tuple(value + colour for value in "9TJQKA" for colour in "CDHS")
"""The cards as people and the other games write them, by number."""


def pool(cards: Iterable[Card]) -> int:
    """The cards as bits: card number n is bit n."""
    bits = 0
    for card in cards:
        bits |= 1 << (4 * card.value + card.colour)
    return bits


_ONES = ("nine", "ten", "jack", "queen", "king", "ace")
_MANY = ("nines", "tens", "jacks", "queens", "kings", "aces")
_COLOURS = ("clubs", "diamonds", "hearts", "spades")
_STRAIGHTS = (("small", range(5)), ("big", range(1, 6)), ("great", range(6)))

_OF_VALUE = tuple(0b1111 << 4 * value for value in range(6))
_OF_COLOUR = tuple(sum(1 << (4 * value + colour) for value in range(6)) for colour in range(4))


def _all_sets() -> Iterator[CardSet]:
    """The sets in their order of seniority."""
    values = list(zip(_MANY, _OF_VALUE, strict=True))
    colours = list(zip(_COLOURS, _OF_COLOUR, strict=True))
    for one, of in zip(_ONES, _OF_VALUE, strict=True):
        yield CardSet(f"high card {one}", ((of, 1),))
    for many, of in values:
        yield CardSet(f"pair of {many}", ((of, 2),))
    for high, (many, of) in enumerate(values):
        for less, of_less in values[:high]:
            yield CardSet(f"two pair, {many} and {less}", ((of, 2), (of_less, 2)))
    for size, run in _STRAIGHTS:
        yield CardSet(f"{size} straight", tuple((_OF_VALUE[value], 1) for value in run))
    for many, of in values:
        yield CardSet(f"three {many}", ((of, 3),))
    for many, of in values:
        for other, of_other in values:
            if other != many:
                yield CardSet(f"full house, {many} over {other}", ((of, 3), (of_other, 2)))
    for colour, of in colours:
        yield CardSet(f"flush of {colour}", ((of, 5),))
    for many, of in values:
        yield CardSet(f"four {many}", ((of, 4),))
    for size, run in _STRAIGHTS:
        in_run = reduce(or_, (_OF_VALUE[value] for value in run))
        for colour, of in colours:
            yield CardSet(f"{size} straight flush of {colour}", ((of & in_run, len(run)),))


SETS = tuple(_all_sets())
"""All sets, indexed by action id, 0..87."""
