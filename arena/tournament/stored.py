"""What a results folder says of its plan and its game."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Any

import attrs

import arena
from arena.errors import ConfigError
from arena.game import Game
from arena.store import Store, write_text
from arena.tournament.plan import (
    Plan,
    as_mapping,
    make_game,
    plan_from,
)
from arena.tournament.prepare import game_class
from arena.tournament.run import Run


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


def write_run_file(run: Run, *, began_at: float, played: int, status: str) -> None:
    """`run.json`: the arena's version, the effective plan, the machine, the times."""
    import msgspec

    told = {
        "arena": arena.__version__,
        "status": status,
        "plan": stored_form(run.plan, run.folder) | {"seed": str(run.seed)},
        "game_version": run.game.version,
        "concurrency": run.concurrency,
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
    write_text(run.folder / "run.json", msgspec.json.format(msgspec.json.encode(told)).decode() + "\n")
