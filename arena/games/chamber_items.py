"""Chamber's items and moves, and what of it is legal: the options, out of public facts alone.

What they do is in `chamber.py`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, Final, TypeAlias, TypeVar

import attrs

from arena.game import Form, OneOf, Option, Seat, Tagged

__all__ = [
    "ADD_LIFE",
    "BLANK",
    "CHAMBER_CHECK",
    "DECK",
    "DOUBLE_DAMAGE",
    "ITEMS",
    "LATE_DECK",
    "LIVE",
    "QUICKSHOT",
    "REBALANCER",
    "SKIP",
    "STEAL",
    "Belongings",
    "Item",
    "Load",
    "Move",
    "Pass",
    "Rebalance",
    "ShootPlayer",
    "UseAddLifeItem",
    "UseChamberCheckItem",
    "UseDoubleDamageItem",
    "UseItem",
    "UseQuickshotItem",
    "UseRebalancerItem",
    "UseSkipItem",
    "UseStealItem",
    "in_order",
    "options_in_window",
    "options_on_turn",
    "replaced",
    "without",
]

T = TypeVar("T")

Item: TypeAlias = str
Belongings: TypeAlias = tuple[tuple[Item, ...], ...]
"""What everybody owns: by seat, each in the order of ITEMS."""

SKIP: Final = "Skip"
DOUBLE_DAMAGE: Final = "DoubleDamage"
CHAMBER_CHECK: Final = "ChamberCheck"
REBALANCER: Final = "Rebalancer"
QUICKSHOT: Final = "Quickshot"
STEAL: Final = "Steal"
ADD_LIFE: Final = "AddLife"
ITEMS: Final = (SKIP, DOUBLE_DAMAGE, CHAMBER_CHECK, REBALANCER, QUICKSHOT, STEAL, ADD_LIFE)
"""In the order in which what a seat owns is listed."""
DECK: Final = ITEMS * 4
LATE_DECK: Final = tuple(DOUBLE_DAMAGE if item == ADD_LIFE else item for item in DECK)
"""Of sudden death."""

LIVE: Final = "live"
BLANK: Final = "blank"


@lru_cache(maxsize=4096)
def in_order(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The same in the order of ITEMS."""
    return tuple(sorted(items, key=ITEMS.index))


def without(items: Belongings, seat: Seat, item: Item) -> Belongings:
    """The same with one such item less for this seat."""
    place = items[seat].index(item)
    return replaced(items, seat, items[seat][:place] + items[seat][place + 1 :])


def replaced(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    """The same with another value for this seat."""
    return (*values[:seat], value, *values[seat + 1 :])


# Moves of chance.


@attrs.frozen
class Load:
    """Chance: items for every seat, also for dead ones, and the chamber, the next round to be fired first."""

    items: tuple[tuple[Item, ...], ...]
    chamber: tuple[str, ...]


@attrs.frozen
class Rebalance:
    """Chance: how many rounds each seat's Rebalancer is good for, and the chamber with what was added."""

    amounts: tuple[int, ...]
    """1 to 6, by seat; those of the seats that used one count, as far as there is room."""
    chamber: tuple[str, ...]


# Moves of seats: named as the document's packets.


def _packet(name: str, **keys: str) -> Form:
    """The form `{"packet": name, …}`; `keys` where a field has another name there."""
    return Tagged({"packet": name}, keys)


@attrs.frozen
class ShootPlayer:
    """Fire the next round at a living seat, perhaps the own one."""

    form: ClassVar[Form] = _packet("ShootPlayer", target="username")
    target: Seat


@attrs.frozen
class UseSkipItem:
    """Another seat loses its next turn."""

    form: ClassVar[Form] = _packet("UseSkipItem")
    item: ClassVar[Item] = SKIP
    target: Seat


@attrs.frozen
class UseDoubleDamageItem:
    """The next shot takes two lives, if it is live."""

    form: ClassVar[Form] = _packet("UseDoubleDamageItem")
    item: ClassVar[Item] = DOUBLE_DAMAGE


@attrs.frozen
class UseChamberCheckItem:
    """Learn the next round."""

    form: ClassVar[Form] = _packet("UseChamberCheckItem")
    item: ClassVar[Item] = CHAMBER_CHECK


@attrs.frozen
class UseRebalancerItem:
    """Before a round's first turn only: add live or blank rounds."""

    form: ClassVar[Form] = _packet("UseRebalancerItem")
    item: ClassVar[Item] = REBALANCER
    ammo: str


@attrs.frozen
class UseQuickshotItem:
    """The next shot that would end the turn does not."""

    form: ClassVar[Form] = _packet("UseQuickshotItem")
    item: ClassVar[Item] = QUICKSHOT


@attrs.frozen
class UseStealItem:
    """Use an item of `target` as if it were one's own; a Skip goes to `skip_target`."""

    form: ClassVar[Form] = _packet("UseStealItem")
    target: Seat
    item: Item
    skip_target: Seat | None = None


@attrs.frozen
class UseAddLifeItem:
    """One more life."""

    form: ClassVar[Form] = _packet("UseAddLifeItem")
    item: ClassVar[Item] = ADD_LIFE


@attrs.frozen
class Pass:
    """Keep one's Rebalancer, before a round's first turn; on turn there is no passing."""

    form: ClassVar[Form] = _packet("Pass")


UseItem: TypeAlias = (
    UseSkipItem | UseDoubleDamageItem | UseChamberCheckItem | UseQuickshotItem | UseStealItem | UseAddLifeItem
)
Move: TypeAlias = Load | Rebalance | ShootPlayer | UseItem | UseRebalancerItem | Pass


# Options.

_STEALABLE = (SKIP, DOUBLE_DAMAGE, CHAMBER_CHECK, QUICKSHOT, ADD_LIFE)
_ON_ONESELF = {
    kind.item: Option(kind)
    for kind in (UseDoubleDamageItem, UseChamberCheckItem, UseQuickshotItem, UseAddLifeItem)
}
_IN_WINDOW = (Option(UseRebalancerItem, {"ammo": OneOf((LIVE, BLANK))}), Option(Pass))


def options_in_window() -> tuple[Option, ...]:
    """What the owner of a Rebalancer may do before a round's first turn."""
    return _IN_WINDOW


@lru_cache(maxsize=4096)  # asked for twice at every decision: for the question, and to check the answer
def options_on_turn(
    seat: Seat,
    living: tuple[Seat, ...],
    items: Belongings,
    skipped: tuple[bool, ...],
    active: tuple[Item, ...],
) -> tuple[Option, ...]:
    """A shot at any living seat, each kind of item that is owned and would do something, each kind to steal.

    `active` are the items whose effect is on.  A stolen item is an option of its own, since who can be
    stolen from depends on it; so does whom it is meant for.
    """
    options, own = [_shoot(living)], items[seat]
    if not own:
        return tuple(options)
    others = tuple([other for other in living if other != seat])
    to_skip = tuple([other for other in others if not skipped[other]])
    for item in dict.fromkeys(own):
        if item in _ON_ONESELF and item not in active:
            options.append(_ON_ONESELF[item])
        elif item == SKIP and to_skip:
            options.append(_skip(to_skip))
    if STEAL in own:
        for item in _STEALABLE:
            owners = tuple([other for other in others if item in items[other]])
            for_whom = to_skip if item == SKIP else (None,)
            if owners and for_whom and item not in active:
                options.append(_steal(owners, item, for_whom))
    return tuple(options)


@lru_cache(maxsize=1024)
def _shoot(targets: tuple[Seat, ...]) -> Option:
    return Option(ShootPlayer, {"target": OneOf(targets)})


@lru_cache(maxsize=1024)
def _skip(targets: tuple[Seat, ...]) -> Option:
    return Option(UseSkipItem, {"target": OneOf(targets)})


@lru_cache(maxsize=4096)
def _steal(owners: tuple[Seat, ...], item: Item, for_whom: tuple[Seat | None, ...]) -> Option:
    fields = {"target": OneOf(owners), "item": OneOf((item,)), "skip_target": OneOf(for_whom)}
    return Option(UseStealItem, fields)
