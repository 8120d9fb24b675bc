"""From what the user said to a bot that is checked: its game, its entrant, its build, its box."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import trio

from arena.box.box import open_box
from arena.check.examination import CheckTerms, Examination
from arena.check.findings import CheckFindings
from arena.check.host import LocalHost, ProcessHost
from arena.errors import ConfigError
from arena.game import Game
from arena.players.access import place_of
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch
from arena.players.start import BotBroken
from arena.tournament.build import build
from arena.tournament.entrants import resolve
from arena.tournament.field import judged
from arena.tournament.fingerprints import needs_build
from arena.tournament.game_source import find_game
from arena.tournament.plan import Plan, control_of, parse_rules, with_options
from arena.tournament.plan.rules import make_game

TIME_S = 15.0
SEED = 0


@attrs.frozen(kw_only=True)
class Candidate:
    """A bot that can be checked; nothing was started so far."""

    entrant: Entrant
    game: Game[Any, Any]
    plan: Plan
    """What applies to it as in a run: time, box, seed."""
    findings: CheckFindings
    """Filled by the check."""


def candidate_of(bot: str, wishes: Mapping[str, Any], *, base: Path) -> Candidate:
    """The bot, its game and the terms, as the command line says them.  Raises ConfigError."""
    options = dict(wishes)
    rules = options.pop("rules", ())
    entrant = resolve(bot, base=base)
    plan = with_options(Plan(max_time=TIME_S, seed=SEED), options, base=base)
    if not options.get("game") and entrant.games:
        plan = attrs.evolve(plan, game=entrant.games[0])
    cls = find_game(plan.game).cls
    (entrant,) = judged([entrant], game=cls.name, reserved=cls.reserved_names)
    if entrant.kind == "broken":
        raise ConfigError(f"{entrant.name}: {entrant.problem}")
    game = make_game(cls, parse_rules(cls, rules))
    findings = CheckFindings(
        bot=entrant.name,
        game=cls.name,
        title=cls.title,
        seats=_playable(game),
        other_games=tuple(name for name in entrant.games if name != cls.name),
        reserved=cls.reserved_names,
        way="local" if entrant.kind == "local" else entrant.transport,
        memory_mb=entrant.memory_mb,
    )
    return Candidate(entrant=entrant, game=game, plan=plan, findings=findings)


def _playable(game: Game[Any, Any]) -> tuple[int, ...]:
    """The numbers of seats that the game and its house rules allow.  Raises ConfigError if there are none."""
    found, refused = [], None
    for seats in game.seats:
        try:
            game.start(seats)
            found.append(seats)
        except ConfigError as error:
            refused = error
    if not found and refused is not None:
        raise refused
    return tuple(found)


async def examine_bot(candidate: Candidate, note: Callable[[str], None]) -> None:
    """Builds it if it must be built, checks it in its box, and leaves nothing running."""
    if candidate.entrant.kind == "local":
        folder = candidate.entrant.folder
        if folder is not None and str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
        await _examine(candidate, LocalHost(candidate.entrant), LagWatch(), note)
        return
    watch = LagWatch()
    trio.lowlevel.add_instrument(watch)
    try:
        await _examine_process(candidate, watch, note)
    finally:
        trio.lowlevel.remove_instrument(watch)


async def _examine_process(candidate: Candidate, watch: LagWatch, note: Callable[[str], None]) -> None:
    entrant, bugs = candidate.entrant, list[str]()
    async with open_box(candidate.plan.sandbox, say=note) as box:
        if needs_build(entrant):
            note(f"building it: {' '.join(entrant.build)}")
            with tempfile.TemporaryDirectory(prefix="arena-check-") as home:
                try:
                    entrant = await build(entrant, box, place_of(entrant, (), ()), Path(home) / "build.log")
                except BotBroken as error:
                    candidate.findings.broken, candidate.findings.log = error.reason, error.log
                    return
        async with trio.open_nursery() as nursery:
            await _examine(candidate, ProcessHost(entrant, box, nursery, watch, bugs.append), watch, note)
            nursery.cancel_scope.cancel()
    if bugs:
        raise RuntimeError(f"a connection set off a bug of the arena's:\n{bugs[0]}")


async def _examine(
    candidate: Candidate, host: LocalHost | ProcessHost, watch: LagWatch, note: Callable[[str], None]
) -> None:
    plan = candidate.plan
    terms = CheckTerms(
        control=control_of(plan, connecting=False),
        time_s=TIME_S if plan.max_time is None else plan.max_time,
        faults_max=plan.faults_max,
        seed=plan.seed or SEED,
    )
    await Examination(candidate.game, host, candidate.findings, terms, lag=watch.since, note=note).examine()
