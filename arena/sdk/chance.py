"""A bot's own randomness: the same draws whenever the same seat reaches the same point of the same deals.

All bots that sit in the same seat of a series' deals share its `bot_seed`.  With one stream of draws for a
whole match, theirs would differ as soon as one of them draws once more than another; so each decision has a
stream of its own, keyed by where in the match it is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, TypeAlias

NUMBER = "_number"
"""How the names of fields end that count rounds or hands."""
MOVE_NUMBER = "move_number"
"""The one such field that counts moves within a round: left out, as who else was asked must not matter."""


_Numbers: TypeAlias = "tuple[int, ...]"


class MatchRandom(Random):
    """The randomness of one match, reseeded by the first draw of each decision.

    The seed is made of `bot_seed`, of the numbers in the question that count rounds or hands, and of how many
    questions had the same numbers: where the game has rounds, the question's number since the last deal.  No
    two decisions have the same key, so draws are independent within a match.  Draws outside of decisions
    continue where the last one ended.
    """

    def __init__(self, bot_seed: int = 0) -> None:
        super().__init__(bot_seed)
        self._bot_seed = bot_seed
        self._fields: tuple[str, ...] = ()
        """The names of the fields of the last question's state; usually all questions have the same."""
        self._counting: tuple[str, ...] = ()
        """Which of these fields count rounds or hands."""
        self._asked: dict[_Numbers, int] = {}
        self._numbers: _Numbers = ()
        self._is_deciding = False
        self._first = {"random": self._first_random, "getrandbits": self._first_getrandbits}
        """Functions that hide those of the class until the first draw, so that later ones are as cheap."""

    def begin_decision(self, state: Mapping[str, Any]) -> None:
        """Makes all draws from now on part of the answer to this question."""
        if (fields := tuple(state)) != self._fields:
            self._fields, self._counting = fields, _counting(fields)
        self._numbers = numbers = tuple(
            [value for name in self._counting if isinstance(value := state[name], int)]
        )
        self._asked[numbers] = self._asked.get(numbers, 0) + 1
        self._is_deciding = True
        self.gauss_next = None  # drawn as the second of a pair for another decision
        if "random" not in self.__dict__:
            self.__dict__.update(self._first)

    def end_decision(self) -> None:
        """Ends the decision; if nothing was drawn for it, the generator is not seeded for it either."""
        self._is_deciding = False  # the next draw of any kind clears up the rest

    def seed(self, *key: Any, **options: Any) -> None:
        """Seeds the generator like any `Random`, until the next decision."""
        self._draw_on()
        super().seed(*key, **options)

    def getstate(self) -> tuple[Any, ...]:
        """The state of the generator from which this decision draws, like that of any `Random`."""
        self._seed_if_due()
        return super().getstate()

    def setstate(self, state: tuple[Any, ...]) -> None:
        """Sets the generator's state like that of any `Random`, until the next decision."""
        self._draw_on()
        super().setstate(state)

    def _first_random(self) -> float:
        self._seed_if_due()
        return self.random()

    def _first_getrandbits(self, k: int, /) -> int:
        self._seed_if_due()
        return self.getrandbits(k)

    def _seed_if_due(self) -> None:
        if "random" in self.__dict__:
            self._draw_on()
            if self._is_deciding:
                numbers = self._numbers
                self.seed("/".join(map(str, (self._bot_seed, *numbers, self._asked[numbers]))))

    def _draw_on(self) -> None:
        """Lets all draws from here on use the methods of the class."""
        self.__dict__.pop("random", None)
        self.__dict__.pop("getrandbits", None)


def _counting(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of fields that count rounds or hands."""
    return tuple(name for name in names if name.endswith(NUMBER) and name != MOVE_NUMBER)
