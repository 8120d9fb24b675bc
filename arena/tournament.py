"""A tournament that is run: what is decided before, who is told meanwhile, what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import attrs
import trio

from arena.course import ClosedSeries, Course
from arena.entrants import Entrant
from arena.errors import ConfigError
from arena.game import Game
from arena.plan import Plan, control_of
from arena.players.start import BotBroken
from arena.record import Entry
from arena.store import Store

BUGS_KEPT = 20
"""Of so many bugs the traceback is kept: one that strikes once may strike ten thousand times."""
BUG_CHARS_MAX = 20_000
"""Of each its end, where it says what happened."""


class BrokenBots(ConfigError):
    """Bots that cannot play; all of them."""

    def __init__(self, broken: Sequence[BotBroken]) -> None:
        super().__init__("; ".join(str(bot) for bot in broken))
        self.broken = tuple(broken)


class Reporter(Protocol):
    """Whoever shows a run to people; called from the run, must not block."""

    def note(self, line: str) -> None:
        """One line for people."""

    def waiting(self, address: str, missing: Sequence[str]) -> None:
        """Connecting bots are waited for."""

    def begins(self, course: Course, done: int) -> None:
        """Play begins; so many matches of it were there already."""

    def played(self, entry: Entry) -> None:
        """A match is over."""

    def closed(self, series: ClosedSeries) -> None:
        """One more series counts, in schedule order; those that were there already come first."""


class Silent:
    """A reporter that shows nothing."""

    def note(self, line: str) -> None: ...
    def waiting(self, address: str, missing: Sequence[str]) -> None: ...
    def begins(self, course: Course, done: int) -> None: ...
    def played(self, entry: Entry) -> None: ...
    def closed(self, series: ClosedSeries) -> None: ...


class StopRule(Protocol):
    """Says when enough has been played: the course ends there, and what was played past it is not kept."""

    def begins(self, course: Course) -> None:
        """A course begins, or begins again: what was told before is forgotten."""

    def goes_on(self) -> None:
        """What the folder holds has been told; from now on it is played."""

    def closed(self, series: ClosedSeries) -> bool:
        """Takes in the next series that counts, in schedule order; whether no more need be played."""

    def state(self) -> str:
        """How far it is from that, in a few words; empty if there is nothing to say."""


@attrs.frozen
class Setup:
    """All that is decided before anything runs."""

    plan: Plan
    """With its seed."""
    game: Game[Any, Any]
    entrants: tuple[Entrant, ...]
    tokens: Mapping[str, str]
    """Token -> name, of the entrants that connect with one."""
    concurrency: int
    folder: Path
    store: Store
    only: str | None = None
    """Play just the match whose id begins so."""
    stop_at_fault: bool = False
    stop_rule: StopRule | None = None
    may_cut: bool = True
    """Whether what the folder holds was played under `stop_rule`, so that what is past its end may go."""
    in_thread: Callable[[Callable[[], None]], Awaitable[None]] = trio.to_thread.run_sync
    """Does what may wait for a disk where it delays no bot.  In virtual time there is no other thread: what
    is given in its place calls it at once."""

    @property
    def seed(self) -> int:
        assert self.plan.seed is not None, "the seed is drawn before anything runs"
        return self.plan.seed

    @property
    def margins(self) -> dict[str, float]:
        started = control_of(self.plan, connecting=False).margin_s
        return {entrant.name: started for entrant in self.entrants}


@attrs.define
class Summary:
    """What a run did."""

    planned: int = 0
    played: int = 0
    faults: Counter[tuple[str, str, str]] = attrs.field(factory=Counter)
    """(bot, kind, reason) -> how often, in this run."""
    lagged: int = 0
    """Decisions that the arena itself may have spoilt."""
    lag_worst_s: float = 0.0
    aborted: list[str] = attrs.field(factory=list)
    """Ids of matches whose rules broke in this run."""
    first_fault: Entry | None = None
    """The match at whose fault the run was stopped."""
    is_settled: bool = False
    """Whether the rule that may stop a run has stopped it."""
    is_out_of_time: bool = False
    """Whether `max_time` has."""
    left_out: list[BotBroken] = attrs.field(factory=list)
    last: Entry | None = None
    bugs: list[str] = attrs.field(factory=list)
    """Tracebacks of the first bugs of ours that ended a connection, and not the run."""
    bugs_seen: int = 0

    def note_bug(self, traceback_text: str) -> str | None:
        """Counts a bug; gives what is kept of it, None if enough is known."""
        self.bugs_seen += 1
        if len(self.bugs) >= BUGS_KEPT:
            return None
        self.bugs.append(traceback_text[-BUG_CHARS_MAX:])
        return self.bugs[-1]
