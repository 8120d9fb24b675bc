"""A deck of 52 cards as strings, such as "AS" and "TC", and how it is shuffled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Final

__all__ = ["DECK", "PLACES", "RANKS", "SUITS", "shuffled", "sort_cards"]

RANKS: Final = "A23456789TJQK"
"""The first letters of cards, in the order in which hands are shown."""
SUITS: Final = "CDHS"
"""The second letters of cards: clubs, diamonds, hearts, spades."""
DECK: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""All cards, by rank from the ace to the king, then by suit."""
PLACES: Final[Mapping[str, int]] = MappingProxyType({card: place for place, card in enumerate(DECK)})
"""Where each card stands in the deck."""


def sort_cards(cards: Sequence[str]) -> tuple[str, ...]:
    """The cards in the order of the deck."""
    return tuple(sorted(cards, key=PLACES.__getitem__))


def shuffled(rng: Random, cards: Sequence[str] = DECK) -> tuple[str, ...]:
    """The cards in random order, every order as likely as any other."""
    # Not rng.shuffle: only random() is promised to give the same numbers in every version of Python.
    pack, luck = list(cards), rng.random
    for last in range(len(pack) - 1, 0, -1):
        other = int(luck() * (last + 1))
        pack[last], pack[other] = pack[other], pack[last]
    return tuple(pack)
