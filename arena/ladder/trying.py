"""Tries a version before it plays: is it a bot, does it build, does it play without faults?"""

from __future__ import annotations

from pathlib import Path

import attrs

from arena.errors import ConfigError
from arena.ladder.messages import FieldVersion
from arena.match.game import playable_seats
from arena.players.entrant import Entrant
from arena.schedule.roster import slot_name
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.field import found_bot, judged
from arena.tournament.bots.grants import granted
from arena.tournament.plan import BotSpec
from arena.tournament.tournament import Tournament
from arena.trials.check.advice import check_points
from arena.trials.check.candidate import Candidate, examine_bot
from arena.trials.check.findings import CheckFindings
from arena.trials.check.matches import shipped_matches
from arena.trials.check.point import CheckPoint
from arena.words import without_folders

LOG_LINES = 10
"""How much of the log its owner is shown of a version that cannot be started."""


class VersionRefused(Exception):
    """Why a version cannot play, as sentences for its owner."""


def entrant_of(version: FieldVersion, tournament: Tournament) -> Entrant:
    """The bot that a version is, found by its files and not started yet.  Raises VersionRefused."""
    if version.is_house:
        return attrs.evolve(resolve(version.bot, base=Path.cwd()), name=version.id)
    found = found_bot(BotSpec(version.bot, Path("/"), name=slot_name(version.id), is_submission=True))
    game = tournament.game
    field = judged([found], game=game.name, reserved=game.reserved_names)
    try:
        (entrant,) = granted(field, tournament.plan.allow, hidden=tournament.hidden)
    except ConfigError as error:  # what the host grants is hidden from all bots
        raise VersionRefused(_sentence(str(error))) from None
    if entrant.kind == "broken":
        raise VersionRefused(_sentence(entrant.problem))
    return attrs.evolve(entrant, name=version.id)


async def check_entrant(entrant: Entrant, tournament: Tournament, time_s: float) -> None:
    """Builds the bot if it must be built, and has it play for so long.  Raises VersionRefused."""
    game = tournament.game
    findings = CheckFindings(
        bot=entrant.name,
        game=game.name,
        title=game.title,
        seats=playable_seats(game),
        way="local" if entrant.kind == "local" else entrant.transport,
        memory_mb=entrant.memory_mb,
    )
    plan = attrs.evolve(tournament.plan, max_time=time_s, seed=None)
    candidate = Candidate(
        entrant=entrant, game=game, plan=plan, findings=findings, recorded=shipped_matches(game)
    )
    try:
        await examine_bot(candidate, lambda line: None)
    except ConfigError as error:  # its files were there a moment ago
        raise VersionRefused(_sentence(str(error))) from None
    if findings.broken is not None:
        said = without_folders("\n".join(findings.log.strip().splitlines()[-LOG_LINES:]))
        raise VersionRefused(_sentence(findings.broken) + (f"\nThe end of its log:\n{said}" if said else ""))
    wrong = [point for point in check_points(findings) if point.standing == "mend"]
    if wrong:
        raise VersionRefused(" ".join(map(_told, wrong)))


def _told(point: CheckPoint) -> str:
    """A point as its owner reads it: what is wrong, and what to do about it."""
    advice = f" ({point.advice})" if point.advice else ""
    return _sentence(f"{point.name}: {point.said}{advice}")


def _sentence(text: str) -> str:
    """A text as a sentence, without folders of this machine."""
    said = without_folders(text)
    return said if said.endswith((".", "!", "?")) else f"{said}."
