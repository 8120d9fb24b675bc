"""Turns what the user asked for into a bot to check: its game, its entrant, its build, its box."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from arena.errors import ConfigError
from arena.match.game import Game, playable_seats
from arena.players.entrant import Entrant
from arena.players.start import BotBroken
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.field import judged
from arena.tournament.bots.game_source import find_game
from arena.tournament.bots.grants import granted
from arena.tournament.plan import Plan, control_of, parse_rules, sandbox_of, with_options
from arena.tournament.plan.rules import make_game
from arena.trials.check.asking import BotAnswer, ask_bot
from arena.trials.check.examination import RECORDED_SHARE, STORED_SHARE, CheckTerms, Examination
from arena.trials.check.findings import CheckFindings
from arena.trials.check.host import hidden_beside, instances_of
from arena.trials.check.matches import RecordedMatch, StoredSource, shipped_matches, stored_matches
from arena.trials.check.recorded import read_question

TIME_S, ANSWER_S = 15.0, 10.0
SEED = 0


@attrs.frozen(kw_only=True)
class Candidate:
    """A bot that can be checked; nothing has been started yet."""

    entrant: Entrant
    game: Game[Any, Any]
    plan: Plan
    """The plan that applies to it as in a run: time, box, seed."""
    findings: CheckFindings
    """What the check will fill in."""
    recorded: Sequence[RecordedMatch] = ()


def candidate_of(
    bot: str, wishes: Mapping[str, Any], *, base: Path, source: StoredSource | None = None
) -> Candidate:
    """The bot, its game and the terms that the command line asks for.  Raises ConfigError.

    `source`: a stored run, from which the game and the questions are taken.
    """
    options = dict(wishes)
    rules = options.pop("rules", ())
    entrant = resolve(bot, base=base)
    stored = None if source is None else stored_matches(source, entrant.name, options.pop("game", None))
    if stored is not None:
        options["game"] = stored[0].name
        if rules:
            raise ConfigError("the recorded match has its own house rules, leave it out", setting="rule")
    plan = with_options(Plan(max_time=TIME_S, seed=SEED), options, base=base)
    if not options.get("game") and entrant.games:
        plan = attrs.evolve(plan, game=entrant.games[0])
    cls = find_game(plan.game).cls if stored is None else type(stored[0])
    (entrant,) = judged([entrant], game=cls.name, reserved=cls.reserved_names)
    entrant = _with_grants(entrant, plan)
    if entrant.kind == "broken":
        raise ConfigError(f"{entrant.name}: {entrant.problem}", hints=entrant.hints)
    game = make_game(cls, parse_rules(cls, rules)) if stored is None else stored[0]
    findings = CheckFindings(
        bot=entrant.name,
        game=cls.name,
        title=cls.title,
        seats=playable_seats(game),
        other_games=tuple(name for name in entrant.games if name != cls.name),
        reserved=cls.reserved_names,
        way="local" if entrant.kind == "local" else entrant.transport,
        memory_mb=entrant.memory_mb,
        recorded_in="" if source is None else str(source.folder),
    )
    recorded = shipped_matches(game) if stored is None else stored[1]
    return Candidate(
        entrant=entrant,
        game=game,
        plan=plan,
        findings=findings,
        recorded=recorded,
    )


def _with_grants(entrant: Entrant, plan: Plan) -> Entrant:
    """The entrant with what it would be granted in a run: what it asks for, up to the limits."""
    (entrant,) = granted([entrant], plan.allow, hidden=hidden_beside(entrant))
    return entrant


async def examine_bot(candidate: Candidate, note: Callable[[str], None]) -> None:
    """Builds a bot if it must be built, checks it in its box, and leaves nothing running."""
    plan, found = candidate.plan, candidate.findings
    terms = CheckTerms(
        control=control_of(plan, connecting=False),
        time_s=TIME_S if plan.max_time is None else plan.max_time,
        faults_max=plan.faults_max,
        seed=plan.seed or SEED,
        recorded_share=STORED_SHARE if found.recorded_in else RECORDED_SHARE,
    )
    try:
        async with instances_of(candidate.entrant, sandbox_of(plan.sandbox, ()), note) as (host, watch):
            examination = Examination(
                candidate.game,
                host,
                found,
                terms,
                recorded=candidate.recorded,
                lag=watch.since,
                note=note,
            )
            await examination.examine()
    except BotBroken as error:  # its build failed
        found.note_broken(error)


async def asked_of(
    bot: str, path: Path, number: int | None, wishes: Mapping[str, Any], *, base: Path
) -> BotAnswer:
    """Asks this bot a recorded question; returns its answer.  Raises ConfigError."""
    question = read_question(path, number)
    plan = with_options(Plan(move_time=ANSWER_S), wishes, base=base)
    entrant = _with_grants(resolve(bot, base=base), plan)
    if entrant.kind == "broken":
        raise ConfigError(f"{entrant.name}: {entrant.problem}", hints=entrant.hints)
    match = question.match or {}
    recorded = match.get("game")
    own = entrant.games[0] if entrant.games else plan.game
    cls = find_game(plan.game if wishes.get("game") else recorded if isinstance(recorded, str) else own).cls
    rules = match.get("rules")
    game = make_game(cls, rules if isinstance(rules, dict) else {}, where=str(path))
    limit_s = ANSWER_S if plan.move_time is None else plan.move_time
    return await ask_bot(entrant, game, question, limit_s=limit_s, sandbox=sandbox_of(plan.sandbox, ()))
