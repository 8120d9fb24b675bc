"""From a plan to what can be played: its game, its bots, its folder; and back from what a folder keeps."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

import arena
from arena.entrants import Entrant, check_apart, check_games, remote, resolve, unique_names
from arena.errors import ConfigError
from arena.game import Game
from arena.games import GAMES
from arena.plan import (
    BotSpec,
    Plan,
    as_mapping,
    check,
    check_seats,
    concurrency_of,
    make_game,
    plan_from,
    size_of,
    size_words,
)
from arena.store import Store, write_text
from arena.strict import did_you_mean

if TYPE_CHECKING:
    from arena.runner import Setup

RESULTS = Path("results")
QUICKSTART = Plan(
    name="quickstart",
    bots=tuple(BotSpec(bot, Path(".")) for bot in ("odds", "bluffer", "truthful", "random")),
)
"""What `arena run` plays when it is told nothing."""


@attrs.frozen
class Prepared:
    """What a plan comes to before a folder is touched."""

    plan: Plan
    game: Game[Any, Any]
    entrants: tuple[Entrant, ...]
    """Those that the arena starts, then those with a token."""
    folder: Path
    concurrency: int

    @property
    def size(self) -> str:
        """The tournament in words."""
        return size_words(self.plan, self.plan.entrants)

    @property
    def matches(self) -> int:
        """At most, where results decide it."""
        return size_of(self.plan, self.plan.entrants).matches


def game_class(name: str) -> type[Game[Any, Any]]:
    """The class of a game.  Raises ConfigError if there is none of that name."""
    if name not in GAMES:
        raise ConfigError(f"there is no game {name!r}{did_you_mean(name, GAMES)}; known: {', '.join(GAMES)}")
    return GAMES[name]


def prepare(plan: Plan, *, resume: Path | None = None, where: str = "") -> Prepared:
    """Checks the whole plan, its bots included; nothing is written or started.  Raises ConfigError."""
    cls = game_class(plan.game)
    check_seats(cls, plan.seats)
    check(plan, where=where)
    game = make_game(cls, plan.rules)
    game.start(plan.seats)  # some rules and numbers of seats do not go together: the game refuses them
    entrants = unique_names(
        [resolve(bot.spec, base=bot.base, name=bot.name) for bot in plan.bots]
        + [remote(name) for name in plan.remote]
    )
    if resume is None:  # what an older arena has begun may be ended
        check_apart(entrants)
    check_games(entrants, plan.game)
    _check_anchor(plan, entrants)
    folder = resume or plan.out or RESULTS / (plan.name or f"{plan.game}-{time.strftime('%Y%m%d-%H%M%S')}")
    return Prepared(plan, game, entrants, _shortest(folder), concurrency_of(plan, os.cpu_count() or 1))


def _check_anchor(plan: Plan, entrants: Sequence[Entrant]) -> None:
    """Raises ConfigError if the anchor cannot be anybody."""
    names = [entrant.name for entrant in entrants]
    if plan.anchor is not None and plan.anchor not in names and not plan.expect:
        raise ConfigError(f"anchor = {plan.anchor}: there is no such bot, expected one of {', '.join(names)}")


def _shortest(folder: Path) -> Path:
    """The folder as short as it can be said here, and itself, not a link such as `results/latest`."""
    real = folder.resolve() if folder.is_symlink() else Path(os.path.normpath(folder.absolute()))
    here = Path.cwd()
    return real.relative_to(here) if real.is_relative_to(here) else real


# What a folder was told.


def stored_plan(folder: Path) -> Plan:
    """The plan of a results folder, as it was run last."""
    try:
        store = Store.open(folder)
    except ConfigError:  # it is its layout that is damaged, perhaps
        store = Store.checked(folder)
    with store:
        meta = store.meta()
    plan = plan_from(meta["plan"], where=str(folder), base=folder.resolve())
    bots = (attrs.evolve(bot, base=Path(os.path.normpath(bot.base))) for bot in plan.bots)
    return attrs.evolve(plan, bots=tuple(bots))


def stored_game(store: Store) -> Game[Any, Any]:
    """The game of a results folder, with its house rules."""
    identity = store.meta()["identity"]
    cls = game_class(identity["game"])
    if identity["version"] != cls.version:
        raise ConfigError(
            f"{store.folder} was played with version {identity['version']} of {cls.name}, and this arena has "
            f"version {cls.version}: replay it with the arena that run.json names"
        )
    return make_game(cls, identity["rules"])


def stored_form(plan: Plan, folder: Path) -> dict[str, Any]:
    """The plan in JSON's types, for this folder: paths start there, so that both can move together."""
    real = folder.resolve()
    bots = [
        {"spec": bot.spec, "base": os.path.relpath(bot.base, real), "name": bot.name} for bot in plan.bots
    ]
    return as_mapping(plan) | {"bots": bots, "out": None}


def write_run_file(setup: Setup, *, began_at: float, played: int, status: str) -> None:
    """`run.json`: the arena's version, the effective plan, the machine, the times."""
    import msgspec

    run = {
        "arena": arena.__version__,
        "status": status,
        "plan": stored_form(setup.plan, setup.folder) | {"seed": str(setup.seed)},
        "game_version": setup.game.version,
        "concurrency": setup.concurrency,
        "machine": {
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "name": platform.node(),
        },
        "began_at": began_at,
        "ended_at": time.time(),
        "played": played,
    }
    write_text(setup.folder / "run.json", msgspec.json.format(msgspec.json.encode(run)).decode() + "\n")
