"""From a plan to a run that may begin: the game, the bots, the results folder, and whether all is as it was."""

from __future__ import annotations

import os
import platform
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import msgspec

import arena
from arena.entrants import Entrant, check_games, check_unchanged, remote, resolve, unique_names
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
    differences,
    identity,
    make_game,
    plan_from,
    size_of,
)
from arena.runner import Setup, too_many
from arena.schedule import round_robin_size
from arena.store import Store, erase, holds_tournament, store_lock, write_text
from arena.strict import did_you_mean

RESULTS = Path("results")
LATEST = RESULTS / "latest"
QUICKSTART = Plan(
    name="quickstart",
    bots=tuple(BotSpec(bot, Path(".")) for bot in ("odds", "bluffer", "truthful", "random")),
)
"""What `arena run` plays when it is told nothing."""
PLANNED_SAME = frozenset(("series", "bots", "remote", "expect"))


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
        return size_of(self.plan, self.plan.entrants)


def game_class(name: str) -> type[Game[Any, Any]]:
    """The class of a game.  Raises ConfigError if there is none of that name."""
    if name not in GAMES:
        raise ConfigError(f"there is no game {name!r}{did_you_mean(name, GAMES)}; there are {', '.join(GAMES)}")
    return GAMES[name]


def prepare(plan: Plan, *, resume: Path | None = None, where: str = "") -> Prepared:
    """Checks the whole plan, its bots included; nothing is written or started.  Raises ConfigError."""
    cls = game_class(plan.game)
    check_seats(cls, plan.seats)
    check(plan, where=where)
    game = make_game(cls, plan.rules)
    entrants = unique_names(
        [resolve(bot.spec, base=bot.base, name=bot.name) for bot in plan.bots] + [remote(name) for name in plan.remote]
    )
    check_games(entrants, plan.game)
    matches = round_robin_size(plan.entrants, plan.seats, plan.series)
    if matches > plan.matches_max:
        raise too_many(matches, plan)
    folder = resume or plan.out or RESULTS / (plan.name or f"{plan.game}-{time.strftime('%Y%m%d-%H%M%S')}")
    return Prepared(plan, game, entrants, folder, concurrency_of(plan, os.cpu_count() or 1))


def stored_plan(folder: Path) -> Plan:
    """The plan of a results folder, as it was run last."""
    with Store.open(folder) as store:
        meta = store.meta()
    return plan_from(meta["plan"], where=str(folder), base=Path())


def stored_game(store: Store) -> Game[Any, Any]:
    """The game of a results folder, with its house rules."""
    identity = store.meta()["identity"]
    cls = game_class(identity["game"])
    if identity["version"] != cls.version:
        raise ConfigError(
            f"{store.folder} was played with version {identity['version']} of {cls.name}, and this arena has version {cls.version}: "
            "replay it with the arena that run.json names"
        )
    return make_game(cls, identity["rules"])


@contextmanager
def opened(prepared: Prepared, *, fresh: bool, only: str | None = None, stop_at_fault: bool = False) -> Iterator[Setup]:
    """The results folder, locked and open for writing, and all that a run needs.

    Raises ConfigError if the folder belongs to another plan, or its bots have changed; nothing is overwritten then.
    """
    folder = prepared.folder
    with store_lock(folder):
        if fresh:
            erase(folder)
        is_new = not holds_tournament(folder)
        with _created(prepared) if is_new else _continued(prepared) as store:
            meta = store.meta()
            _point_latest(folder)
            yield Setup(
                plan=attrs.evolve(prepared.plan, seed=int(meta["identity"]["seed"])),
                game=prepared.game,
                entrants=prepared.entrants,
                tokens={token: name for name, token in meta["tokens"].items()},
                concurrency=prepared.concurrency,
                folder=folder,
                store=store,
                only=only,
                stop_at_fault=stop_at_fault,
            )


def _created(prepared: Prepared) -> Store:
    plan = prepared.plan
    if plan.seed is None:
        plan = attrs.evolve(plan, seed=secrets.randbits(128))
    return Store.create(prepared.folder, meta=_meta(plan, prepared.game, _tokens(plan, {})))


def _continued(prepared: Prepared) -> Store:
    folder, plan = prepared.folder, prepared.plan
    store = Store.open(folder, write=True)
    try:
        meta = store.meta()
        changed = differences(meta["identity"], identity(plan, prepared.game))
        if changed:
            raise ConfigError(f"{folder} is of another plan: {'; '.join(changed)}; --fresh plays anew, --out DIR elsewhere")
        before = meta["plan"]
        if plan.series < before["series"]:
            raise ConfigError(
                f"{folder} was planned with {before['series']} series and cannot shrink to {plan.series}; --fresh plays anew, --out DIR elsewhere"
            )
        known = {bot.bot: bot for bot in store.bots()}
        lacking = [
            name for name, bot in known.items() if bot.path != "connects" and name not in {entrant.name for entrant in prepared.entrants}
        ]
        if lacking:
            raise ConfigError(f"{folder} has matches of {', '.join(lacking)}: name them too, or take another --out, or --fresh")
        check_unchanged(prepared.entrants, {name: bot.fingerprint for name, bot in known.items() if bot.status != "left out"})
        plan = attrs.evolve(plan, seed=int(meta["identity"]["seed"]))
        for key, value in _meta(plan, prepared.game, _tokens(plan, meta["tokens"])).items():
            store.set_meta(key, value)
    except BaseException:
        store.close()
        raise
    return store


def _tokens(plan: Plan, known: Mapping[str, str]) -> dict[str, str]:
    return {name: known.get(name) or secrets.token_hex(16) for name in plan.remote}


def _meta(plan: Plan, game: Game[Any, Any], tokens: Mapping[str, str]) -> dict[str, Any]:
    return {
        "identity": identity(plan, game),
        "plan": as_mapping(plan),
        "game_version": game.version,
        "tokens": dict(tokens),
    }


def _point_latest(folder: Path) -> None:
    """Makes `results/latest` point to the folder; where links cannot be made, there is none."""
    if not LATEST.parent.is_dir() or (LATEST.exists() and not LATEST.is_symlink()):
        return
    try:
        LATEST.unlink(missing_ok=True)
        LATEST.symlink_to(os.path.relpath(folder, LATEST.parent), target_is_directory=True)
    except OSError:
        pass


def write_run_file(setup: Setup, *, began_at: float, played: int, status: str) -> None:
    """`run.json`: the arena's version, the effective plan, the machine, the times."""
    run = {
        "arena": arena.__version__,
        "status": status,
        "plan": as_mapping(setup.plan) | {"seed": str(setup.seed)},
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


def check_system() -> None:
    """Raises ConfigError on systems without process groups and POSIX signals."""
    if sys.platform == "win32":
        raise ConfigError("the arena needs Linux or macOS; on Windows, run it in WSL (Windows Subsystem for Linux)")
