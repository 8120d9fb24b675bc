"""What it takes to play matches of a run, without schedule, results or store."""

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
    """What a process must know of a run to play its matches."""

    plan: Plan
    seed: int
    game: Game[Any, Any]
    entrants: tuple[Entrant, ...]
    """All entrants, even if only some play here, as what a bot may see depends on the others."""
    capacity: Capacity
    """How many tables this process may have."""
    folder: Path
    """The results folder, which no bot may see, and in which the logs lie."""
    versions: Mapping[str, str] = attrs.field(factory=dict)
    """The bots' versions, by name."""
    debugged: frozenset[str] = frozenset()
    """The bots whose whole conversations are kept."""
    share: Share = WHOLE
    """The share of what the run may use that this process has."""

    @property
    def shares_deals(self) -> bool:
        """Whether the rotations of a series are dealt the same."""
        return deals_of(self.plan) == "same"

    @property
    def processes_max(self) -> int:
        """How many bots may live at once even if memory is short: two for every seat, as one leaves it."""
        return 2 * self.capacity.first * self.plan.seats

    @property
    def hidden(self) -> tuple[Path, ...]:
        """The folders with results, which no bot may see."""
        return results_beside(self.folder)

    @property
    def logs(self) -> Path:
        """The folder of the bots' logs."""
        return self.folder / LOGS
