"""A tournament, complete, and a run: that tournament with its folder open for play."""

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
from arena.tournament.bots.field import mistakes_of
from arena.tournament.bots.game_source import Origin
from arena.tournament.folder.membership import NO_WISHES, RosterWishes
from arena.tournament.plan import Plan, size_of, size_words
from arena.tournament.play.setting import RunTerms
from arena.tournament.play.stopping import StopRule


@attrs.frozen(kw_only=True)
class Tournament:
    """A plan that can be played, with its game, its bots and its folder, which is untouched so far.

    It also holds what this call asks for: who takes part, what is played, and when play ends.
    """

    plan: Plan
    game: Game[Any, Any]
    entrants: tuple[Entrant, ...]
    """First the entrants that the arena starts, and the broken ones, then those with a token."""
    folder: Path
    capacity: Capacity
    """How many tables there may be."""
    workers: int = 1
    """In how many processes the matches are played."""
    origin: Origin | None = None
    """Where the game comes from, if it is not built in."""
    is_named_by_time: bool = False
    """Whether nobody named the folder: it must be new, even if another run begins in the same second."""
    wishes: RosterWishes = NO_WISHES
    """What is to change about who takes part, if the folder goes on."""
    stop_rule: StopRule | None = None
    """What may end it before its schedule does."""
    only: str | None = None
    """Play only the match whose id begins with this."""
    stop_at_fault: bool = False
    debugged: frozenset[str] = frozenset()
    """The bots whose whole conversations are kept."""
    fresh: bool = False
    """Whether what the folder holds is forgotten once play begins."""
    commit: bool = False
    """Whether plan, seed and bots are sealed if the folder begins; one that goes on must have its seal."""

    @property
    def broken(self) -> list[Entrant]:
        """The entrants that are known to be broken before any is started."""
        return mistakes_of(self.entrants)

    @property
    def bots(self) -> int:
        """How many bots are to play, if all that are started can."""
        left_out = len(self.broken) if self.plan.leave_out_broken else 0
        return self.plan.entrants - left_out

    @property
    def size(self) -> str:
        """The tournament in words."""
        return size_words(self.plan, self.bots)

    @property
    def matches(self) -> int:
        """The number of matches; the largest possible one if results decide it."""
        return size_of(self.plan, self.bots).matches


@attrs.frozen(kw_only=True)
class Run(Tournament):
    """A tournament whose folder is locked and open, with everything that is decided before a match is played.

    Its plan has a seed, and its entrants have the names of their versions.  What the folder held before stays
    until play begins.
    """

    store: Store
    tokens: Mapping[str, str]
    """Token -> name, of the entrants that connect with one."""
    roster: Roster = attrs.field(factory=Roster)
    """Who took part so far, and what this run changes about it; new bots are added when play begins."""
    renewed: frozenset[str] = frozenset()
    """The roster's slots whose bots are new versions in this run."""
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
