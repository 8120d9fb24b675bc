"""Chamber's items and rounds: what can be owned and loaded, and how it changes hands."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias, TypeVar

from arena.game import Seat

T = TypeVar("T")

Item: TypeAlias = str
Belongings: TypeAlias = tuple[tuple[Item, ...], ...]
"""Each seat's items, in the order of ITEMS."""

SKIP: Final = "Skip"
DOUBLE_DAMAGE: Final = "DoubleDamage"
CHAMBER_CHECK: Final = "ChamberCheck"
REBALANCER: Final = "Rebalancer"
QUICKSHOT: Final = "Quickshot"
STEAL: Final = "Steal"
ADD_LIFE: Final = "AddLife"
ITEMS: Final = (SKIP, DOUBLE_DAMAGE, CHAMBER_CHECK, REBALANCER, QUICKSHOT, STEAL, ADD_LIFE)
"""All items, in the order in which those of a seat are listed."""
DECK: Final = ITEMS * 4
LATE_DECK: Final = tuple(DOUBLE_DAMAGE if item == ADD_LIFE else item for item in DECK)
"""The deck in sudden death."""

LIVE: Final = "live"
BLANK: Final = "blank"


@lru_cache(maxsize=4096)
def in_order(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The items, sorted in the order of ITEMS."""
    return tuple(sorted(items, key=ITEMS.index))


def without(items: Belongings, seat: Seat, item: Item) -> Belongings:
    """Everybody's items, with one such item fewer for this seat."""
    place = items[seat].index(item)
    return replaced(items, seat, items[seat][:place] + items[seat][place + 1 :])


def replaced(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    """The values of all seats, with this seat's replaced by `value`."""
    return (*values[:seat], value, *values[seat + 1 :])
