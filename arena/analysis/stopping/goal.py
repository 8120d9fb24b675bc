"""What the rules of `--until` have in common: a goal, and a look after every closed cycle."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import inf

import attrs

from arena.errors import ConfigError
from arena.reading.units import unexpected

CYCLES_MIN = 5
"""There is no look before: fewer do not show the spread within a set of bots."""

A_GOAL = 'a goal such as "top 3 at 95%" or "best at 99%" (from 50% to 99.99%)'

_GOAL = re.compile(
    r"(?:top\s+([0-9]{1,6})|best)\s+at\s+([0-9]{2}(?:\.[0-9]{1,2})?)\s?%", re.ASCII | re.IGNORECASE
)


@attrs.frozen
class Goal:
    """How many leaders must be known, and how certainly."""

    top: int
    confidence: float
    """From 0.5 to 0.9999."""

    def __str__(self) -> str:
        return f"top {self.top} at {100 * self.confidence:.6g}%"


def parse_goal(text: str) -> Goal:
    """The goal given to `--until`.  Raises ConfigError if it is not one."""
    found = _GOAL.fullmatch(text.strip())
    top = int(found[1] or 1) if found else 0
    confidence = float(found[2]) / 100 if found else 0.0
    if not top or not 0.5 <= confidence < 1:
        raise ConfigError(f"--until: {unexpected(text, A_GOAL)}")
    return Goal(top, confidence)


class Until(ABC):
    """Whether the goal has been reached, given every closed series in schedule order.

    It looks after each closed cycle.  Once settled it stays settled, whatever comes later.
    """

    has_horizon: bool
    """Whether its promise holds up to the planned end only, so that a longer schedule would break it."""

    def __init__(
        self,
        goal: Goal,
        bots: Sequence[str],
        cycles: int,
        *,
        extremes: tuple[float, float] | None = None,
    ) -> None:
        """Raises ConfigError if the goal names as many leaders as there are bots.

        `extremes` are the lowest and highest score of a match, 0 and 1 for points; None if they are not
        known (returns): then those seen so far are used, and a bot with rare large losses may be declared
        a leader before it has one (nine wins to one loss nine times as high: wrong in 45 % at 80 %, not 20).
        """
        if goal.top >= len(bots):
            raise ConfigError(f"--until: found top {goal.top} of {len(bots)} bots, expected fewer than all")
        self.goal = goal
        self.cycles = 0
        """How many are closed."""
        self.cycles_planned = cycles
        """The planned end; the same for every look and for a resumed run."""
        self.leaders: tuple[str, ...] = ()
        """The leading bots, best first: as of the last look, or as declared."""
        self.sureness = 0.0
        """The highest confidence at which the goal would have been settled by the last look, 0 to 1."""
        self.margin = 0.0
        """How many standard errors separated the leader and the other bot that are hardest to tell apart."""
        self.settled = False
        self.cycle: tuple[str, ...] = ()
        """Bots each of which surely beats the next one, and the last the first; empty if none are known."""
        self._bots = tuple(bots)
        self._place = {bot: place for place, bot in enumerate(bots)}
        self._lowest, self._highest = extremes or (inf, -inf)
        self._prepare()

    @abstractmethod
    def _prepare(self) -> None:
        """Makes room for what series bring."""

    @abstractmethod
    def add(self, series: Mapping[str, tuple[float, int]]) -> None:
        """Counts a closed series: for each bot the sum of its scores and its matches."""

    def look(self) -> bool:
        """Whether the set of leaders is settled now; call it once after each closed cycle."""
        if self.settled or (self.has_horizon and self.cycles >= self.cycles_planned):
            return self.settled  # past the plan all error is spent
        self.cycles += 1
        if self.cycles >= CYCLES_MIN and self._everybody_played():
            self._weigh()
        self.settled = self.sureness >= self.goal.confidence
        return self.settled

    @abstractmethod
    def cycles_left(self) -> float | None:
        """About how many more cycles it takes at this rate; None: more than planned, or unknown."""

    def shares(self) -> Mapping[frozenset[str], float] | None:
        """The weight of each set of bots in the next batch, as of the last look; None: all are equal."""
        return None

    @abstractmethod
    def _everybody_played(self) -> bool:
        """Whether every bot has a match that counts: otherwise it may be the best."""

    @abstractmethod
    def _weigh(self) -> None:
        """Finds who leads, by how much, and how certain that is."""


__all__ = ["A_GOAL", "CYCLES_MIN", "Goal", "Until", "parse_goal"]
