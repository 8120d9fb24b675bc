"""What it takes to play matches of a run: no schedule, no results, no store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from arena.match.game import Game
from arena.players.entrant import Entrant
from arena.schedule.admission import Capacity
from arena.store import results_beside
from arena.tournament.plan import Plan, deals_of
from arena.tournament.play.logs import FOLDER as LOGS
from arena.tournament.play.share import WHOLE, Share


@attrs.frozen(kw_only=True)
class RunTerms:
    """A run, as far as whoever plays its matches must know it."""

    plan: Plan
    seed: int
    game: Game[Any, Any]
    entrants: tuple[Entrant, ...]
    """All of them: what a bot may see depends on the others."""
    capacity: Capacity
    """How many tables there may be here."""
    folder: Path
    """Of the results: no bot may see it, and the logs lie there."""
    versions: Mapping[str, str] = attrs.field(factory=dict)
    """The bots' versions, by name."""
    debugged: frozenset[str] = frozenset()
    """The bots whose whole conversations are kept."""
    share: Share = WHOLE
    """Which part of the run's means there is here."""

    @property
    def shares_deals(self) -> bool:
        """Whether the rotations of a series are dealt the same."""
        return deals_of(self.plan) == "same"

    @property
    def processes_max(self) -> int:
        """How many bots may live at once whether or not memory is free: for every seat one that leaves it."""
        return 2 * self.capacity.first * self.plan.seats

    @property
    def hidden(self) -> tuple[Path, ...]:
        """The folders with results, which no bot may see."""
        return results_beside(self.folder)

    @property
    def logs(self) -> Path:
        """The folder of the bots' logs."""
        return self.folder / LOGS


__all__ = ["RunTerms"]
