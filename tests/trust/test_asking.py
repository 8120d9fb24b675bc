"""What asking the bots takes for luck is 0 on average over all hands that might have been dealt: exactly."""

from __future__ import annotations

from itertools import product
from typing import Any, ClassVar

import attrs
import pytest

from arena.games.liars_dice.moves import Roll
from arena.games.liars_dice.rules import LiarsDice

from .asking import Bluffer, Odds, Truthful
from .asking_claims import asked, dice

MINE, THEIRS = ((1,), (4,), (6,)), ((2,), (4,), (5,))
"""The hands of each seat that are asked about, one of which is dealt."""


class Rolls:
    """The rolls to come."""

    left: ClassVar[list[Any]] = []


@attrs.frozen
class Rolled(LiarsDice):
    """Rolls what it is told to: a match with one die each is one round."""

    def draw(self, state: Any, rng: Any) -> Roll:
        return Roll(Rolls.left.pop(0))


@pytest.mark.parametrize(
    "pair",
    [(Odds, Truthful), (Bluffer, Odds), (Truthful, Bluffer)],
    ids=["odds : truthful", "bluffer : odds", "truthful : bluffer"],
)
def test_luck_is_none_on_average(pair: Any) -> None:
    kind = attrs.evolve(dice(len(MINE) - 1), game=Rolled(dice=1))
    lucks = []
    for mine, theirs in product(range(3), repeat=2):
        Rolls.left = [(MINE[mine - place], THEIRS[theirs - place]) for place in range(3)]
        lucks.append(asked(kind, pair, "3").luck)
    assert max(map(abs, lucks)) > 0.2
    assert sum(lucks) == pytest.approx(0, abs=1e-12)
