"""Begins with a worker, at both ends: what it is told, and whether it fits the run."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

import attrs
import msgspec

import arena
from arena.box.box import Means
from arena.errors import ConfigError
from arena.games import GAMES
from arena.players.codec import rules_of
from arena.players.entrant import Entrant
from arena.schedule import SEEDING
from arena.schedule.admission import Capacity
from arena.tournament.bots.fingerprints import fingerprint
from arena.tournament.bots.game_source import Origin, Source, as_kept, load_game, origin_from
from arena.tournament.plan import as_mapping, make_game, plan_from
from arena.tournament.play.calibration import quickest_loop_ms
from arena.tournament.play.share import Share, capacity_in, entrants_of
from arena.tournament.tournament import Tournament
from arena.tournament.workers.messages import PIPE_VERSION, BeginWork, GameSaid, WorkerHello, WorkerReady
from arena.tournament.workers.translation import seed_bytes
from arena.words import listed


def hello() -> WorkerHello:
    """The worker's first message: which arena it is."""
    return WorkerHello(PIPE_VERSION, arena.__version__, platform.python_version(), SEEDING)


def part_of(begin: BeginWork) -> Tournament:
    """The tournament in a worker's briefing, with this worker's share.

    Raises ConfigError if the worker does not have the game, or its files differ.
    """
    plan = plan_from(msgspec.json.decode(begin.plan), where="the plan", base=Path(begin.folder))
    source = _source_of(begin.game)
    first, most, cores = begin.tables
    return Tournament(
        plan=attrs.evolve(plan, seed=int.from_bytes(begin.seed, "big")),
        game=make_game(source.cls, plan.rules),
        entrants=begin.entrants,
        capacity=Capacity(first=first, most=most, cores=cores),
        folder=Path(begin.folder),
        versions=begin.versions,
        debugged=begin.debugged,
        share=Share(begin.place, begin.of),
        origin=source.origin,
    )


def _source_of(said: GameSaid) -> Source:
    if said.origin is None:
        if said.name not in GAMES or GAMES[said.name].version != said.version:
            raise ConfigError(f"there is no game {said.name} of version {said.version}")
        return Source(GAMES[said.name])
    return load_game(origin_from(said.origin))


def what_is_there(begin: BeginWork, origin: Origin | None, wanted: int) -> WorkerReady:
    """The message about the files that this worker has.  Raises ConfigError if a bot's cannot be read."""
    ours = [entrant for entrant in begin.entrants if entrant.is_ours and entrant.name in begin.playing]
    bots = {entrant.name: fingerprint(entrant) for entrant in ours}
    loop_ms = quickest_loop_ms() if begin.calibrates else 0.0
    return WorkerReady("" if origin is None else origin.fingerprint, bots, wanted, loop_ms)


def unfitness(said: WorkerHello) -> str | None:
    """Why a worker with this first message cannot play for this run, as a clause; None if it can."""
    ours = hello()
    if said.pipe != ours.pipe:
        return f"speaks version {said.pipe} of the workers' messages, expected {ours.pipe}"
    if said.arena != ours.arena:
        return f"runs version {said.arena} of the arena, expected {ours.arena}"
    if said.python.split(".")[:2] != ours.python.split(".")[:2]:
        return f"runs Python {said.python}, expected {ours.python}"
    if said.seeding != ours.seeding:
        return f"draws seeds in way {said.seeding}, expected {ours.seeding}"
    return None


def begin_for(
    tournament: Tournament,
    share: Share,
    playing: Collection[str],
    box: Means | None,
    *,
    is_afar: bool = False,
    calibrates: bool = False,
) -> BeginWork:
    """The briefing of one worker.

    `playing`: the bots that may be seated there; `box`: the means by which bots are confined, if known.
    `is_afar`: whether it is on another machine, with other paths and another number of cores.
    """
    # The entrants already hold what bots are granted.
    plan = as_mapping(attrs.evolve(tournament.plan, seed=None, bots=(), allow={})) | {
        "rules": rules_of(tournament.game)
    }
    capacity, origin = capacity_in(tournament.capacity, share), tournament.origin
    return BeginWork(
        plan=msgspec.json.encode(plan).decode(),
        seed=seed_bytes(tournament.seed),
        game=GameSaid(
            tournament.game.name, tournament.game.version, None if origin is None else as_kept(origin)
        ),
        entrants=entrants_of(tournament.entrants, share),
        playing=frozenset(playing),
        versions=tournament.versions,
        folder=str(tournament.folder.resolve()),
        paths=() if is_afar else tuple(os.path.abspath(path) for path in sys.path if path),
        box=box,
        debugged=tournament.debugged,
        tables=(capacity.first, capacity.most, capacity.cores),
        place=share.place,
        of=share.of,
        builds=is_afar,
        calibrates=calibrates,
    )


def mismatch(
    said: WorkerReady, origin: Origin | None, expected: Mapping[str, str], entrants: Collection[Entrant]
) -> str | None:
    """Which files of a worker differ from this run's, as a clause; None if none do.

    `expected`: name -> fingerprint, of the bots that may be seated there.
    """
    game = "" if origin is None else origin.fingerprint
    if said.game != game:
        return "has other files of the game"
    by_name = {entrant.name: entrant for entrant in entrants}
    differing = [
        bot
        for bot, fingerprint_there in said.bots.items()
        # A bot may write into its own folder while it plays.
        if fingerprint_there != expected.get(bot) and fingerprint_there != fingerprint(by_name[bot])
    ]
    if differing or set(said.bots) != set(expected):
        return f"has other files of {listed(differing or sorted(set(expected) ^ set(said.bots)))}"
    return None
