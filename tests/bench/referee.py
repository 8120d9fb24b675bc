"""The referee with bots in this process: decisions per second of one core's processor time."""

from __future__ import annotations

import time
from typing import Any

import trio

from arena.bench.measures import Effort, Measure, at_least
from arena.bench.rules import games_measured, sample_s
from arena.match.clock import Control
from arena.match.game import Game
from arena.players.base import Player
from arena.players.local import LocalPlayer
from arena.referee import Conduct, Seating, play_match
from arena.sdk import Bot, choose
from arena.tournament.plan import Plan

REFEREE_GOAL = 30_000
"""The goal for the default game; other games have longer questions."""
UNHURRIED = Control(move_s=None)


class LeanBot(Bot):
    """The least a bot can do: the first option, every field as low as it goes."""

    name = "lean"

    def move(self, state: dict[str, Any], options: list[dict[str, Any]]) -> Any:
        option = options[0]
        if not option["fields"]:
            return option["form"]
        if type(option["form"]) is list:
            return [_lowest(domain) for domain in option["fields"].values()]
        return _filled(option["form"], option["fields"])


class RandomBot(Bot):
    """What the built-in `random` does."""

    name = "random"

    def move(self, state: dict[str, Any], options: list[dict[str, Any]]) -> Any:
        return choose(options, self.rng)


def _lowest(domain: dict[str, Any]) -> Any:
    if "min" in domain:
        return domain["min"]
    return domain["one_of"][0] if "one_of" in domain else domain["subset_of"][: domain["least"]]


def _filled(form: Any, fields: dict[str, Any]) -> Any:
    """The form of a move with the lowest value for each field."""
    if type(form) is dict:
        return {key: _filled(part, fields) for key, part in form.items()}
    is_field = type(form) is str and form[:1] == "<" and form[1:-1] in fields
    return _lowest(fields[form[1:-1]]) if is_field else form


def measure_referee(effort: Effort) -> list[Measure]:
    """`play_match` with bots in this process: a lean one, and the random one."""
    found, tables = [], [(*table, bot) for table in games_measured() for bot in (LeanBot, RandomBot)]
    seconds = sample_s(effort, len(tables))
    for game, seats, bot in tables:
        trio.run(_play_here, game, seats, bot, 0.0, effort.repeats)  # makes the codec of this game
        samples = [
            trio.run(_play_here, game, seats, bot, seconds, repeat) for repeat in range(effort.repeats)
        ]
        is_judged = bot is LeanBot and game.name == Plan().game and seats == game.seats[0]
        goal = at_least(REFEREE_GOAL) if is_judged else None
        what = f"{game.name}, {seats} seats, {bot.name} bots"
        found.append(Measure("referee", what, "decisions/s", tuple(samples), goal))
    return found


async def _play_here(
    game: Game[Any, Any], seats: int, bot: type[Bot], seconds: float, first_seed: int
) -> float:
    """Decisions per second; the bots must play without a fault, or the number means nothing."""
    players: list[Player | None] = [LocalPlayer(f"{bot.name}-{seat}", bot()) for seat in range(seats)]
    names = tuple(f"{bot.name}-{seat}" for seat in range(seats))
    decisions, seed = 0, first_seed * 1_000_000
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds or not decisions:
        seed += 1
        record = await play_match(
            game,
            players,
            seed=seed,
            control=UNHURRIED,
            conduct=Conduct(),
            seating=Seating(f"{seed}", names, tuple(range(seats))),
        )
        assert not record.capsules, f"{bot.name} failed: {record.capsules[0].decision.reason}"
        decisions += len(record.decisions)
    return decisions / spent
