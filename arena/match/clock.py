"""Time control as arithmetic: the limit of a question, and what an answer costs.

All times are in seconds; no clock is read here.
"""

from __future__ import annotations

from math import inf

import attrs


@attrs.frozen
class Control:
    """How much time bots have.

    `move_s` is the limit of every answer; `bank_s` is what a seat has for a whole match, and grows by
    `increment_s` after each of its answers; with both, the smaller counts.  `margin_s` is added for the
    round trip and costs nothing.  `first_s` is the limit for an instance's first answer ever, which costs
    nothing either: programs are slow to warm up.
    """

    move_s: float | None = 1.0
    bank_s: float | None = None
    increment_s: float = 0.0
    margin_s: float = 0.0
    first_s: float = 10.0


@attrs.frozen
class Limit:
    """The time limit of one question: how long the bot has, and the margin added to it."""

    time_s: float
    margin_s: float
    is_first: bool = False
    total_s: float = attrs.field(init=False)
    """The bot's time and the margin together."""

    @total_s.default
    def _both(self) -> float:
        return self.time_s + self.margin_s


class SeatClock:
    """The clock of one seat in one match."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self.bank_s = control.bank_s

    def limit(self, *, first: bool = False) -> Limit:
        """The limit of the next question; `first`: the instance has never answered before."""
        control = self.control
        time_s = min(
            inf if control.move_s is None else control.move_s,
            inf if self.bank_s is None else self.bank_s,
        )
        if first:
            return Limit(max(time_s, control.first_s), control.margin_s, True)
        return Limit(time_s, control.margin_s)

    def spend(self, elapsed_s: float, limit: Limit) -> None:
        """Takes the time of one answer from the bank and adds the increment."""
        if self.bank_s is None:
            return
        cost_s = 0.0 if limit.is_first else max(0.0, elapsed_s - limit.margin_s)
        self.bank_s = max(0.0, self.bank_s - cost_s) + self.control.increment_s
