"""The goal of a run, as people say it: how far the order must be known before it ends."""

from __future__ import annotations

import re

import attrs

from arena.errors import ConfigError
from arena.reading.units import unexpected

A_GOAL = 'a goal such as "top 3 at 95%" or "best at 99%" (from 50% to 99.99%)'

RULE = 3
"""The number of the rule that settles a goal (`mixture`).

A folder keeps it: one begun under another rule is not continued.
"""

_GOAL = re.compile(
    r"(?:top\s+([0-9]{1,6})|best)\s+at\s+([0-9]{2}(?:\.[0-9]{1,2})?)\s?%", re.ASCII | re.IGNORECASE
)


@attrs.frozen
class Goal:
    """How many leaders must be known, and how certainly."""

    top: int
    confidence: float
    """The confidence, from 0.5 to 0.9999."""

    def __str__(self) -> str:
        return f"top {self.top} at {100 * self.confidence:.6g}%"

    def check(self, bots: int) -> None:
        """Raises ConfigError if it names as many leaders as there are bots."""
        if self.top >= bots:
            why = f"found top {self.top} of {bots} bots, expected fewer than all"
            raise ConfigError(why, setting="until")


def parse_goal(text: str) -> Goal:
    """The goal that the words name.  Raises ConfigError if it is not one."""
    found = _GOAL.fullmatch(text.strip())
    top = int(found[1] or 1) if found else 0
    confidence = float(found[2]) / 100 if found else 0.0
    if not top or not 0.5 <= confidence < 1:
        raise ConfigError(str(unexpected(text, A_GOAL)), setting="until")
    return Goal(top, confidence)
