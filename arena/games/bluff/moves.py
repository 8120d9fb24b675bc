"""The moves of Bluff, and how bots write them."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

import attrs

from arena.game import Form, Literal, Tagged


@attrs.frozen
class Deal:
    """Chance: all cards in the order in which they are dealt, the first to seat 0."""

    cards: tuple[str, ...]


@attrs.frozen
class Play:
    """Plays cards face down, claimed to be of this rank or suit; None: of the rank that is due."""

    form: ClassVar[Form] = Tagged({}, {"cards": "play"})
    cards: tuple[str, ...]
    claim: str | None = None


@attrs.frozen
class Pass:
    """Lets another seat's play stand."""

    form: ClassVar[Form] = Literal("pass")


@attrs.frozen
class Accuse:
    """Claims that not all of the cards just played are as claimed."""

    form: ClassVar[Form] = Literal("bluff")


Move: TypeAlias = Deal | Play | Pass | Accuse
