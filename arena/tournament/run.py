"""A tournament's folder, open for play."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import trio

from arena.game import Game
from arena.players.entrant import Entrant
from arena.store import Damage, Store
from arena.tournament.plan import Plan, control_of
from arena.tournament.stopping import StopRule


@attrs.frozen
class Run:
    """A folder that is locked and open, and all that is decided before anything runs in it.

    What the folder held before is there until play begins.
    """

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

    damage: Damage | None = None
    """What of the folder was damaged, and is played again."""
    when_begun: list[Callable[[], object]] = attrs.field(factory=list, repr=False)
    """What is still to be done when play begins."""

    @property
    def has_begun(self) -> bool:
        """Whether the folder is this run's by now."""
        return not self.when_begun

    def begin(self) -> None:
        """Play begins, as all bots are there: from now on the folder is this run's."""
        acts = list(self.when_begun)
        self.when_begun.clear()
        for act in acts:
            act()

    @property
    def seed(self) -> int:
        assert self.plan.seed is not None, "the seed is drawn before anything runs"
        return self.plan.seed

    @property
    def margins(self) -> dict[str, float]:
        started = control_of(self.plan, connecting=False).margin_s
        return {entrant.name: started for entrant in self.entrants}
