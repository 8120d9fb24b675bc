"""The moves of Liar's Dice, and how bots write them."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

import attrs

from arena.game import Form, Items, Literal

__all__ = ["Bid", "Challenge", "Forfeit", "Move", "Pass", "Roll"]


@attrs.frozen
class Roll:
    """Chance: dice for every seat, also for dead ones and lost dice, so that luck does not depend on play."""

    hands: tuple[tuple[int, ...], ...]
    """By seat; the first dice of each row count, as many as the seat has left."""


@attrs.frozen
class Bid:
    """At least `count` dice in play show `face`."""

    form: ClassVar[Form] = Items(("face", "count"))
    face: int
    count: int


@attrs.frozen
class Challenge:
    """The last bid is not true."""

    form: ClassVar[Form] = Literal("challenge")


@attrs.frozen
class Pass:
    """Nothing to say off turn."""

    form: ClassVar[Form] = Literal("pass")


@attrs.frozen
class Forfeit:
    """What a seat that failed to answer did: it loses the round.  No bot can send it."""


Move: TypeAlias = Roll | Bid | Challenge | Pass | Forfeit
