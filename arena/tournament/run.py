"""A tournament that is run: what is decided before, who is told meanwhile, what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import trio

from arena.game import Game
from arena.players.entrant import Entrant
from arena.store import Store
from arena.tournament.plan import Plan, control_of
from arena.tournament.stopping import StopRule


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
