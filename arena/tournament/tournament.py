"""A tournament: a plan, complete, with everything that it takes to play its matches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from arena.match.game import Game
from arena.players.entrant import Entrant
from arena.schedule.admission import Capacity
from arena.store import results_beside
from arena.tournament.bots.game_source import Origin
from arena.tournament.folder.membership import NO_WISHES, RosterWishes
from arena.tournament.plan import Plan, deals_of, size_of
from arena.tournament.play.logs import FOLDER as LOGS
from arena.tournament.play.share import WHOLE, Share
from arena.tournament.play.stopping import StopRule


@attrs.frozen(kw_only=True)
class Tournament:
    """A plan that can be played, with its game, its bots and its folder.

    It also holds what this call asks for: who takes part, what is played, and when play ends.
    """

    plan: Plan
    game: Game[Any, Any]
    entrants: tuple[Entrant, ...]
    """First the entrants that the arena starts, and the broken ones, then those with a token."""
    folder: Path
    """The results folder, which no bot may see, and in which the logs lie."""
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
    share: Share = WHOLE
    """The share of what the run may use that this process has."""
    versions: Mapping[str, str] = attrs.field(factory=dict)
    """The bots' versions, by name, once all bots are here."""
    commit: bool = False
    """Whether plan, seed and bots are sealed if the folder begins; one that goes on must have its seal."""

    @property
    def broken(self) -> list[Entrant]:
        """The entrants that are known to be broken before any is started."""
        return [entrant for entrant in self.entrants if entrant.kind == "broken"]

    @property
    def bots(self) -> int:
        """How many bots are to play, if all that are started can."""
        left_out = len(self.broken) if self.plan.leave_out_broken else 0
        return self.plan.entrants - left_out

    @property
    def matches(self) -> int:
        """The number of matches; the largest possible one if results decide it."""
        return size_of(self.plan, self.bots).matches

    @property
    def seed(self) -> int:
        """The seed of all deals."""
        assert self.plan.seed is not None, "the seed is drawn before anything runs"
        return self.plan.seed

    @property
    def shares_deals(self) -> bool:
        """Whether the rotations of a series are dealt the same."""
        return deals_of(self.plan) == "same"

    @property
    def processes_max(self) -> int:
        """How many bots may live at once even if memory is short: two a seat, as one follows another."""
        return 2 * self.capacity.first * self.plan.seats

    @property
    def hidden(self) -> tuple[Path, ...]:
        """The folders with results, which no bot may see."""
        return results_beside(self.folder)

    @property
    def logs(self) -> Path:
        """The folder of the bots' logs."""
        return self.folder / LOGS
