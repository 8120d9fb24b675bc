"""Reads plan and game of a results folder, and writes `run.json`."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Any

import attrs

import arena
from arena.errors import START_OVER, ConfigError, Hint
from arena.match.game import Game
from arena.reading.units import shown
from arena.store import Store, StoredMatch, write_text
from arena.tournament.bots.game_source import Source, find_game, names_files, recalled
from arena.tournament.folder.membership import ROSTER
from arena.tournament.folder.run import Run
from arena.tournament.folder.seal import told_of_seal
from arena.tournament.plan import (
    Plan,
    allow_as_mapping,
    as_mapping,
    bot_as_mapping,
    is_guessable,
    make_game,
    plan_from,
)
from arena.tournament.play.summary import Summary

ORIGIN = "game_origin"
"""The store's key for the origin of a game that is not built in."""
DECISIONS = "decisions"
"""The store's key for every `decisions` that a plan of the folder had."""
ASK = (Hint("game", "names the file that it was played with", "FILE"),)
"""The way out where the game of a folder is not found."""


def stored_plan(folder: Path) -> Plan:
    """The plan of a results folder, as it was last run.  Raises ConfigError if it cannot be read.

    The folder may be somebody else's, so its game is only a name: `source_of` decides what to import.
    """
    with _opened(folder) as store:
        store.check_is_tournament()
        meta = store.meta()
    plan = plan_from(meta["plan"], where=str(folder), base=folder.resolve())
    bots = tuple(attrs.evolve(bot, base=Path(os.path.normpath(bot.base))) for bot in plan.bots)
    name = meta["identity"]["game"]
    if names_files(name):
        raise ConfigError(f"{folder}: {shown(name)} is not a game's name")
    return attrs.evolve(plan, bots=bots, game=name)


def _opened(folder: Path) -> Store:
    try:
        return Store.open(folder)
    except ConfigError:  # damaged, perhaps in a way that can be read past
        return Store.checked(folder)


def source_of(plan: Plan, resume: Path | None) -> Source:
    """The game of a plan, which may be that of the folder to resume.  Raises ConfigError if there is none."""
    if resume is not None and not names_files(plan.game):
        with _opened(resume) as store:
            if store.meta()["identity"]["game"] == plan.game:
                return recalled(plan.game, store.meta().get(ORIGIN), resume, ask=(*ASK, START_OVER))
    return find_game(plan.game)


def stored_game(store: Store, word: str | None = None, match: StoredMatch | None = None) -> Game[Any, Any]:
    """The game of a results folder, with its house rules; `word`: where to find it, if not where it was.

    `match`: the match whose game it is, where each may have a game of its own.
    Raises ConfigError if there is none, or it is not the one that was played here.
    """
    meta = store.meta()
    if match is not None and (own := match.own_game) is not None:
        name, version, rules = match.game, own.version, own.rules
    else:
        store.check_is_tournament()
        name, version, rules = (meta["identity"][key] for key in ("game", "version", "rules"))
    source = find_game(word) if word else recalled(name, meta.get(ORIGIN), store.folder, ask=ASK)
    cls = source.cls
    if cls.name != name:
        raise ConfigError(f"{store.folder} was played with {name}, and {word} is {cls.name}")
    if version != cls.version:
        raise ConfigError(
            f"{store.folder} was played with version {version} of {name}, and "
            f"{'this arena has' if word is None else f'{word} is'} version {cls.version}: use "
            f"{'the file it was played with' if ORIGIN in meta else 'the arena that played it'}"
        )
    return make_game(cls, rules)


def stored_form(plan: Plan, folder: Path) -> dict[str, Any]:
    """The plan in JSON's types; paths are relative to the folder, so that both can be moved together."""
    real = folder.resolve()
    bots = [bot_as_mapping(bot, os.path.relpath(bot.base, real)) for bot in plan.bots]
    return as_mapping(plan) | {"bots": bots, "out": None, "allow": allow_as_mapping(plan.allow, real)}


def write_run_file(run: Run, summary: Summary, *, began_at: float, status: str) -> None:
    """Writes `run.json`: the arena's version, the effective plan, the machine, the times.

    `arena verify` compares everything except what only this call knows, as `arena.verify.run_file` lists.
    People may hand the file on at once, so it has the seed only when nothing is left to play.
    """
    import msgspec

    seal = told_of_seal(run.store)
    is_over = status == "finished" or (seal is not None and seal["opening"] is not None)
    told = {
        "arena": arena.__version__,
        "status": status,
        "plan": stored_form(run.plan, run.folder) | {"seed": str(run.seed) if is_over else None},
        "guessable": is_guessable(run.seed),
        "seal": seal,
        "game_version": run.game.version,
        "roster": run.store.meta().get(ROSTER, []),
        "concurrency": run.capacity.first,
        "workers": summary.workers or run.workers,
        "machine": {
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "name": platform.node(),
        },
        "began_at": began_at,
        "ended_at": time.time(),
        "played": summary.played,
    }
    write_text(run.folder / "run.json", msgspec.json.format(msgspec.json.encode(told)).decode() + "\n")
