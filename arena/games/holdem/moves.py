"""The moves of Hold'em, and how bots write them."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, TypeAlias

import attrs

from arena.game import Between, Form, Option, Tagged


@attrs.frozen
class Deal:
    """Chance: the order of the whole deck, so that the cards do not depend on how the hand is played."""

    deck: tuple[str, ...]
    """The cards in order: seat s gets cards 2s and 2s + 1, and the board begins at 20."""


@attrs.frozen
class Fold:
    """Gives the hand up."""

    form: ClassVar[Form] = Tagged({"action": 0})


@attrs.frozen
class Bet:
    """Puts `amount` more chips in: 0 is a check, the amount owed a call, more a bet or a raise."""

    form: ClassVar[Form] = Tagged({"action": 1}, {"amount": "betAmount"})
    amount: int


Move: TypeAlias = Deal | Fold | Bet


@lru_cache(maxsize=16384)
def betting_options(call: int, raising: tuple[int, int] | None) -> tuple[Option, ...]:
    """A fold, a call of exactly `call` chips, and a raise by any amount that is allowed."""
    options = (Option(Fold), Option(Bet, {"amount": Between(call, call)}))
    return options if raising is None else (*options, Option(Bet, {"amount": Between(*raising)}))


@lru_cache(maxsize=1024)
def pushing_options(stack: int) -> tuple[Option, ...]:
    """A fold, or all chips."""
    return Option(Fold), Option(Bet, {"amount": Between(stack, stack)})
