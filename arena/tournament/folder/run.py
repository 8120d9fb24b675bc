"""A tournament's folder, open for play."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import trio

from arena.match.game import Game
from arena.players.entrant import Entrant
from arena.schedule.admission import Capacity
from arena.schedule.roster import Roster
from arena.store import Damage, Store
from arena.tournament.plan import Plan
from arena.tournament.play.setting import RunTerms
from arena.tournament.play.stopping import StopRule


@attrs.frozen
class Run:
    """A folder, locked and open, with everything that is decided before a match is played in it.

    What the folder held before stays until play begins.
    """

    plan: Plan
    """What is asked for, with its seed."""
    game: Game[Any, Any]
    entrants: tuple[Entrant, ...]
    tokens: Mapping[str, str]
    """Token -> name, of the entrants that connect with one."""
    capacity: Capacity
    """How many tables there may be."""
    folder: Path
    store: Store
    workers: int = 1
    """How many processes play the matches; 1: this one alone."""
    roster: Roster = attrs.field(factory=Roster)
    """Who took part so far, and what this run changes about it; new bots are added when play begins."""
    renewed: frozenset[str] = frozenset()
    """The roster's slots whose bots are new versions in this run."""
    only: str | None = None
    """Play only the match whose id begins with this."""
    stop_at_fault: bool = False
    debugged: frozenset[str] = frozenset()
    """The bots whose whole conversations are kept."""
    stop_rule: StopRule | None = None
    may_cut: bool = True
    """Whether the folder was played under `stop_rule`: matches past its end may then be removed."""
    in_thread: Callable[[Callable[[], None]], Awaitable[None]] = trio.to_thread.run_sync
    """Runs code that may wait for a disk where that delays no bot.  Tests in virtual time, which has no other
    threads, set a function that calls it at once."""
    damage: Damage | None = None
    """What was damaged in the folder and is played again."""
    when_begun: list[Callable[[], object]] = attrs.field(factory=list, repr=False)
    """What is to be done when play begins."""

    @property
    def has_begun(self) -> bool:
        """Whether play has begun: until then the folder is left as it was."""
        return not self.when_begun

    def begin(self) -> None:
        """Begins play, as all bots are here: from now on the folder belongs to this run."""
        acts = list(self.when_begun)
        self.when_begun.clear()
        for act in acts:
            act()

    @property
    def seed(self) -> int:
        assert self.plan.seed is not None, "the seed is drawn before anything runs"
        return self.plan.seed

    @property
    def setting(self) -> RunTerms:
        """What it takes to play matches of this run; the bots' versions are known once all are here."""
        return RunTerms(
            plan=self.plan,
            seed=self.seed,
            game=self.game,
            entrants=self.entrants,
            capacity=self.capacity,
            folder=self.folder,
            debugged=self.debugged,
        )
