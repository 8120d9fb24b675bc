"""The moves of Liar's Dice, and how bots write them."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

import attrs

from arena.game import Form, Items, Literal


@attrs.frozen
class Roll:
    """Chance: dice for every seat, dead seats and lost dice included: luck does not depend on play."""

    hands: tuple[tuple[int, ...], ...]
    """A row of dice for each seat; the first ones count, as many as the seat has left."""


@attrs.frozen
class Bid:
    """Claims that at least `count` dice in play show `face`."""

    form: ClassVar[Form] = Items(("face", "count"))
    face: int
    count: int


@attrs.frozen
class Challenge:
    """Claims that the last bid is not true."""

    form: ClassVar[Form] = Literal("challenge")


@attrs.frozen
class Pass:
    """Stays silent off turn."""

    form: ClassVar[Form] = Literal("pass")


@attrs.frozen
class Forfeit:
    """Recorded for a seat that failed to answer, which loses the round.  No bot can send it."""


Move: TypeAlias = Roll | Bid | Challenge | Pass | Forfeit
