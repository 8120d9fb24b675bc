"""Rules alone, and the referee with bots in this process: decisions per second of one core's time.

Time is processor time (`process_time`): other programs on the machine do not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

import attrs
import trio

from arena.bench.measures import Effort, Measure, at_least
from arena.games import GAMES
from arena.match.clock import Control
from arena.match.game import CHANCE, Game, Option, Seat, is_legal
from arena.match.record import Turn
from arena.match.rulings import draw_of
from arena.players.base import Player
from arena.players.local import LocalPlayer
from arena.referee import Conduct, Seating, play_match
from arena.sdk import Bot, choose
from arena.testing.games import random_match
from arena.tournament.plan import Plan

RULES_GOAL = 50_000
REFEREE_GOAL = 30_000
"""The goal for the default game; other games have longer questions."""
SAMPLES_AT_LENGTH = 2
"""Up to this many numbers each get the full time of a sample; with more games each gets less."""
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


def games_measured() -> Iterator[tuple[Game[Any, Any], int]]:
    """Every game with its default rules, at its smallest table and at one of about six seats."""
    for name in GAMES:
        game = GAMES[name]()
        for seats in sorted({game.seats[0], min(6, game.seats[-1])}):
            yield game, seats


def is_played_in_hands(game: Game[Any, Any]) -> bool:
    """Whether its house rules set a number of hands.

    Then the work is in the hand (the deal, the streets, the showdown, the pots), not in the decision,
    and the goal is about hands per second, which bench/hands.py measures.
    """
    return "hands" in attrs.fields_dict(type(game))


@attrs.frozen
class Alone:
    """Play without bots: how much was played, and how long it took."""

    decisions: int
    draws: int
    """Moves of chance."""
    cpu_s: float

    @property
    def decisions_per_s(self) -> float:
        return self.decisions / self.cpu_s

    @property
    def draws_per_s(self) -> float:
        return self.draws / self.cpu_s


def measure_rules(effort: Effort) -> list[Measure]:
    """Random legal play, without bots, clocks or JSON."""
    found, tables = [], list(games_measured())
    seconds = _sample_s(effort, len(tables))
    for game, seats in tables:
        play_alone(game, seats, 0.0, effort.repeats)  # fills what is kept from match to match
        samples = [
            play_alone(game, seats, seconds, repeat).decisions_per_s for repeat in range(effort.repeats)
        ]
        goal = None if is_played_in_hands(game) else at_least(RULES_GOAL)
        found.append(Measure("rules", f"{game.name}, {seats} seats", "decisions/s", tuple(samples), goal))
    return found


def play_alone(game: Game[Any, Any], seats: int, seconds: float, seed: int) -> Alone:
    """Complete matches of random legal moves, at least one, for about this long."""
    rng, decisions, draws = Random(seed), 0, 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds or not decisions:
        for moves, _ in random_match(game, seats, rng):
            if CHANCE in moves:
                draws += 1
            else:
                decisions += len(moves)
    return Alone(decisions, draws, spent)


def replayed_alone(
    game: Game[Any, Any],
    seats: int,
    seed: int,
    turns: Iterable[Turn],
    answered: Callable[[Any, Seat], tuple[tuple[Option, ...], Any]] | None = None,
) -> Any:
    """The last state of a match by the rules alone: what chance draws, what is legal, what follows.

    `answered`: asks a seat in this state, and gives its options and its move.
    """
    state = game.start(seats)
    for turn in turns:
        asked = game.to_act(state)
        if asked[0] == CHANCE:
            assert turn == {CHANCE: draw_of(game, state, seed)}
        elif answered is None:
            assert all(is_legal(game.options(state, seat), turn[seat]) for seat in asked)
        else:
            assert all(is_legal(*answered(state, seat)) for seat in asked)
        state = game.apply(state, turn).state
    return state


def measure_referee(effort: Effort) -> list[Measure]:
    """`play_match` with bots in this process: a lean one, and the random one."""
    found, tables = [], [(*table, bot) for table in games_measured() for bot in (LeanBot, RandomBot)]
    seconds = _sample_s(effort, len(tables))
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


def _sample_s(effort: Effort, numbers: int) -> float:
    return effort.seconds * min(1.0, SAMPLES_AT_LENGTH / numbers)


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
