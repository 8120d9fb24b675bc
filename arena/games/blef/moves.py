"""The moves of Blef, and how bots write them."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

import attrs

from arena.game import Bare, Form, Literal
from arena.games.blef.sets import SETS

CHECK = len(SETS)
"""The action id of a check, above those of all bets."""


@attrs.frozen
class Deal:
    """Chance: the whole deck, so that luck does not depend on play."""

    deck: tuple[int, ...]
    """Card numbers, 4 × value + colour; each seat has a stretch of its own, as long as the largest hand."""


@attrs.frozen
class Bet:
    """Claims that this set is in all hands together."""

    form: ClassVar[Form] = Bare("action_id")
    action_id: int


@attrs.frozen
class Check:
    """Claims that the last bet is not true."""

    form: ClassVar[Form] = Literal(CHECK)


@attrs.frozen
class Forfeit:
    """Recorded for a seat that failed to answer, which loses the round.  No bot can send it."""


Move: TypeAlias = Deal | Bet | Check | Forfeit
