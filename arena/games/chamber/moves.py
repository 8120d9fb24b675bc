"""The moves of Chamber, and how bots write them: named after the document's packets."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

import attrs

from arena.game import Form, Seat, Tagged
from arena.games.chamber.items import (
    ADD_LIFE,
    CHAMBER_CHECK,
    DOUBLE_DAMAGE,
    QUICKSHOT,
    REBALANCER,
    SKIP,
    Item,
)

# Moves of chance.


@attrs.frozen
class Load:
    """Chance: items for every seat, dead ones included, and the chamber, the next round to be fired first."""

    items: tuple[tuple[Item, ...], ...]
    chamber: tuple[str, ...]


@attrs.frozen
class Rebalance:
    """Chance: how many rounds each seat's Rebalancer is good for, and the chamber with what was added."""

    amounts: tuple[int, ...]
    """Each seat's amount, 1 to 6; only users of a Rebalancer count, as far as there is room."""
    chamber: tuple[str, ...]


# Moves of seats: named after the document's packets.


def _packet(name: str, **keys: str) -> Form:
    """The form `{"packet": name, …}`; `keys` where a field has another name there."""
    return Tagged({"packet": name}, keys)


@attrs.frozen
class ShootPlayer:
    """Fire the next shell at a living seat, possibly one's own."""

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
    """Learn the next shell."""

    form: ClassVar[Form] = _packet("UseChamberCheckItem")
    item: ClassVar[Item] = CHAMBER_CHECK


@attrs.frozen
class UseRebalancerItem:
    """Before a round's first turn only: add live or blank shells."""

    form: ClassVar[Form] = _packet("UseRebalancerItem")
    item: ClassVar[Item] = REBALANCER
    ammo: str


@attrs.frozen
class UseQuickshotItem:
    """The next shot that would end the turn does not end it."""

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
    """Gain one life."""

    form: ClassVar[Form] = _packet("UseAddLifeItem")
    item: ClassVar[Item] = ADD_LIFE


@attrs.frozen
class Pass:
    """Keep one's Rebalancer before a round's first turn; on turn, passing is not allowed."""

    form: ClassVar[Form] = _packet("Pass")


UseItem: TypeAlias = (
    UseSkipItem | UseDoubleDamageItem | UseChamberCheckItem | UseQuickshotItem | UseStealItem | UseAddLifeItem
)
Move: TypeAlias = Load | Rebalance | ShootPlayer | UseItem | UseRebalancerItem | Pass
