"""From what the user said to a bot that is checked: its game, its entrant, its build, its box."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from arena.check.asking import BotAnswer, ask_bot
from arena.check.examination import CheckTerms, Examination
from arena.check.findings import CheckFindings
from arena.check.host import instances_of
from arena.check.recorded import read_question
from arena.errors import ConfigError
from arena.game import Game
from arena.players.entrant import Entrant
from arena.players.start import BotBroken
from arena.tournament.entrants import resolve
from arena.tournament.field import judged
from arena.tournament.game_source import find_game
from arena.tournament.plan import Plan, control_of, parse_rules, with_options
from arena.tournament.plan.rules import make_game

TIME_S, ANSWER_S = 15.0, 10.0
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
    plan, found = candidate.plan, candidate.findings
    terms = CheckTerms(
        control=control_of(plan, connecting=False),
        time_s=TIME_S if plan.max_time is None else plan.max_time,
        faults_max=plan.faults_max,
        seed=plan.seed or SEED,
    )
    try:
        async with instances_of(candidate.entrant, plan.sandbox, note) as (host, watch):
            await Examination(candidate.game, host, found, terms, lag=watch.since, note=note).examine()
    except BotBroken as error:  # its build
        found.broken, found.log = error.reason, error.log


async def asked_of(
    bot: str, path: Path, number: int | None, wishes: Mapping[str, Any], *, base: Path
) -> BotAnswer:
    """What this bot answers to a recorded question.  Raises ConfigError."""
    question = read_question(path, number)
    entrant = resolve(bot, base=base)
    plan = with_options(Plan(move_time=ANSWER_S), wishes, base=base)
    match = question.match or {}
    recorded = match.get("game")
    own = entrant.games[0] if entrant.games else plan.game
    cls = find_game(plan.game if wishes.get("game") else recorded if isinstance(recorded, str) else own).cls
    rules = match.get("rules")
    game = make_game(cls, rules if isinstance(rules, dict) else {}, where=str(path))
    limit_s = ANSWER_S if plan.move_time is None else plan.move_time
    return await ask_bot(entrant, game, question, limit_s=limit_s, sandbox=plan.sandbox)
