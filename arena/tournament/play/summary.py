"""Counts what a run does, for its closing message."""

from __future__ import annotations

from collections import Counter

import attrs

from arena.match.record import Entry
from arena.players.start import BotBroken

BUGS_KEPT = 20
"""How many tracebacks are kept, as a bug may strike ten thousand times."""

BUG_CHARS_MAX = 20_000
"""How many characters of each traceback are kept, from its end, which says what happened."""


@attrs.define
class Summary:
    """The counts of what a run did."""

    planned: int = 0
    played: int = 0
    workers: int | None = None
    """The largest number of workers at once; None: play has not begun."""
    faults: Counter[tuple[str, str, str]] = attrs.field(factory=Counter)
    """(bot, kind of fault, reason) -> how often it occurred in this run."""
    lagged: int = 0
    """How many decisions the arena's own lag may have spoilt."""
    lag_worst_s: float = 0.0
    aborted: list[str] = attrs.field(factory=list)
    """The ids of matches whose rules broke in this run."""
    first_fault: Entry | None = None
    """The match with the first fault, at which the run was stopped."""
    is_settled: bool = False
    """Whether the rule that may stop a run has stopped it."""
    is_out_of_time: bool = False
    """Whether `max_time` has stopped it."""
    left_out: list[BotBroken] = attrs.field(factory=list)
    last: Entry | None = None
    """The match that was kept last."""
    bugs: list[str] = attrs.field(factory=list)
    """The tracebacks of the first bugs of ours that ended a connection but not the run."""
    bugs_seen: int = 0

    def note_lag(self, worst_s: float) -> None:
        """Notes how late one of the processes that played was at worst."""
        self.lag_worst_s = max(self.lag_worst_s, worst_s)

    def note_bug(self, traceback_text: str) -> str | None:
        """Counts a bug; returns what is kept of its traceback, or None if enough are kept already."""
        self.bugs_seen += 1
        if len(self.bugs) >= BUGS_KEPT:
            return None
        self.bugs.append(traceback_text[-BUG_CHARS_MAX:])
        return self.bugs[-1]
