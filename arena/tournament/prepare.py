"""From a plan to what can be played: its game, its bots, its folder."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from arena.errors import ConfigError
from arena.game import Game
from arena.players.entrant import Entrant
from arena.store import RESULTS
from arena.tournament.entrants import check_apart, check_games, check_words, remote, resolve, unique_names
from arena.tournament.game_source import Origin
from arena.tournament.plan import (
    BotSpec,
    Plan,
    check,
    check_plan_seats,
    concurrency_of,
    make_game,
    size_of,
    size_words,
)
from arena.tournament.stored import source_of

QUICKSTART = Plan(
    name="quickstart",
    bots=tuple(BotSpec(bot, Path(".")) for bot in ("odds", "bluffer", "truthful", "random")),
)
"""What `arena run` plays if nothing is named."""


@attrs.frozen
class Tournament:
    """A plan that can be played, with its game, its bots and its folder; the folder is untouched so far."""

    plan: Plan
    game: Game[Any, Any]
    entrants: tuple[Entrant, ...]
    """First the entrants that the arena starts, then those with a token."""
    folder: Path
    concurrency: int
    origin: Origin | None = None
    """Where the game comes from, if it is not built in."""

    @property
    def size(self) -> str:
        """The tournament in words."""
        return size_words(self.plan, self.plan.entrants)

    @property
    def matches(self) -> int:
        """The number of matches; the largest possible one if results decide it."""
        return size_of(self.plan, self.plan.entrants).matches


def prepare(plan: Plan, *, resume: Path | None = None, where: str = "") -> Tournament:
    """Checks the whole plan, its bots included; nothing is written or started.  Raises ConfigError."""
    source = source_of(plan, resume)
    cls = source.cls
    plan = attrs.evolve(plan, game=cls.name)
    check_plan_seats(cls, plan.seats)
    check(plan, where=where)
    game = make_game(cls, plan.rules)
    game.start(plan.seats)  # the game refuses rules that do not fit the number of seats
    entrants = unique_names(
        [resolve(bot.spec, base=bot.base, name=bot.name) for bot in plan.bots]
        + [remote(name) for name in plan.remote]
    )
    if resume is None:  # a run that an older arena began may still be completed
        check_apart(entrants)
    check_words(entrants, cls.reserved_names)
    check_games(entrants, plan.game)
    _check_anchor(plan, entrants)
    folder = resume or plan.out or RESULTS / (plan.name or f"{plan.game}-{time.strftime('%Y%m%d-%H%M%S')}")
    concurrency = concurrency_of(plan, os.cpu_count() or 1)
    return Tournament(plan, game, entrants, _shortest(folder), concurrency, source.origin)


def _check_anchor(plan: Plan, entrants: Sequence[Entrant]) -> None:
    """Raises ConfigError if the anchor is not one of the bots and cannot be one that connects."""
    names = [entrant.name for entrant in entrants]
    if plan.anchor is not None and plan.anchor not in names and not plan.expect:
        raise ConfigError(f"anchor = {plan.anchor}: there is no such bot, expected one of {', '.join(names)}")


def _shortest(folder: Path) -> Path:
    """The shortest path to the folder from here; to the folder, not to a link such as `results/latest`."""
    real = folder.resolve() if folder.is_symlink() else Path(os.path.normpath(folder.absolute()))
    here = Path.cwd()
    return real.relative_to(here) if real.is_relative_to(here) else real
