"""Every draw of Chamber with its probability: where few items are dealt, and few shells loaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod
from typing import Final

from arena.game import CHANCES_MAX
from arena.games.chamber.items import BLANK, ITEMS, LIVE, Belongings, Item
from arena.games.chamber.moves import Load, Rebalance

AMOUNT_MAX: Final = 6
"""The most shells that one Rebalancer adds."""


@lru_cache(maxsize=4)  # a few megabytes each
def loads(
    deck: tuple[Item, ...], seats: int, each: int, live_max: int, blank_max: int
) -> tuple[tuple[Load, float], ...] | None:
    """Every load that deals this many items of the deck to each seat; None if there may be too many."""
    counts = list(product(range(1, live_max + 1), range(1, blank_max + 1)))
    # At least as many as there are: a hand may need more items of a kind than the deck has left.
    hands = comb(len(ITEMS) + each - 1, each) ** seats
    if hands * sum([comb(live + blank, live) for live, blank in counts]) > CHANCES_MAX:
        return None
    return tuple(
        [
            (Load(items, chamber), likely / len(counts) / comb(live + blank, live))
            for items, likely in _dealt(Counter(deck), seats, each)
            for live, blank in counts
            for chamber in _chambers(live, blank)
        ]
    )


def rebalances(
    seats: int, counts_after: Callable[[tuple[int, ...]], tuple[int, int]]
) -> tuple[tuple[Rebalance, float], ...] | None:
    """Every rebalance, or None if there are too many.

    `counts_after` returns the live and blank shells once these amounts, one for each seat, are added.
    """
    count = AMOUNT_MAX**seats
    if count > CHANCES_MAX:
        return None
    counts = {amounts: counts_after(amounts) for amounts in product(range(1, AMOUNT_MAX + 1), repeat=seats)}
    if sum([comb(live + blank, live) for live, blank in counts.values()]) > CHANCES_MAX:
        return None
    return tuple(
        [
            (Rebalance(amounts, chamber), 1 / count / comb(live + blank, live))
            for amounts, (live, blank) in counts.items()
            for chamber in _chambers(live, blank)
        ]
    )


def _dealt(deck: Counter[Item], seats: int, each: int) -> Iterator[tuple[Belongings, float]]:
    """Every way to deal this many items to each seat, in the order of ITEMS, with its probability."""
    if not seats:
        yield (), 1.0
        return
    for hand in combinations_with_replacement(ITEMS, each):
        taken = Counter(hand)
        ways = prod([comb(deck[item], times) for item, times in taken.items()])
        for others, likely in _dealt(deck - taken, seats - 1, each) if ways else ():
            yield (hand, *others), ways / comb(deck.total(), each) * likely


def _chambers(live: int, blank: int) -> Iterator[tuple[str, ...]]:
    """Every order of this many live and blank shells."""
    for places in combinations(range(live + blank), live):
        yield tuple([LIVE if place in places else BLANK for place in range(live + blank)])
