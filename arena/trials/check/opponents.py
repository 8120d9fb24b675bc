"""Random players of several tempers in this process, so that a bot is asked all that a game can ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

import trio

from arena.match.game import CHANCE, Game, Option
from arena.match.record import Turn
from arena.players.base import MatchStart, Player
from arena.players.desk import Question, Reply, Slot

FAILS_SHARE = 0.03
"""How often an opponent fails to answer, so that the bot sees default moves too."""
FAILS_MAX = 2
"""How often it fails in a match at most: after more faults it would be asked no more, and show less."""

Temper: TypeAlias = Callable[[Sequence[Option], Random, Counter[str]], Option]
"""A function that picks an option; the counter says how often each kind was picked in this match."""


def hasty(options: Sequence[Option], rng: Random, picked: Counter[str]) -> Option:
    """Picks any option."""
    return rng.choice(options)


def curious(options: Sequence[Option], rng: Random, picked: Counter[str]) -> Option:
    """Picks, mostly, the kind that was picked least: rare moves lead to rare questions."""
    if rng.random() < 0.3:
        return rng.choice(options)
    least = min(picked[option.move.__name__] for option in options)
    return rng.choice([option for option in options if picked[option.move.__name__] == least])


def patient(options: Sequence[Option], rng: Random, picked: Counter[str]) -> Option:
    """Picks, mostly, the first option: games list moves that go on before those that end a round."""
    return options[0] if rng.random() < 0.9 else rng.choice(options)


TEMPERS: tuple[Temper, ...] = (hasty, curious, patient)


class RandomPlayer(Player):
    """Answers at once with a legal move; now and then it fails, as bots do."""

    hears_events = False

    def __init__(self, name: str, temper: Temper, rng: Random, *, fails_max: int = FAILS_MAX) -> None:
        self.name = name
        self._fails_max = fails_max
        self._temper = temper
        self._rng = rng
        self._picked = Counter[str]()
        self._fails_left = fails_max

    def begin(self, start: MatchStart) -> None:
        self._picked.clear()
        self._fails_left = self._fails_max

    def ask(self, question: Question, slot: Slot) -> None:
        now = trio.current_time()
        slot.note_sent(now)
        if self._fails_left and self._rng.random() < FAILS_SHARE:
            self._fails_left -= 1
            slot.settle(Reply(None, now, now, "malformed", "an opponent that fails on purpose"))
            return
        slot.settle(Reply(self.choose(question.options), now, now))

    def choose(self, options: Sequence[Option]) -> Any:
        """Chooses a legal move."""
        option = self._temper(options, self._rng, self._picked)
        self._picked[option.move.__name__] += 1
        return option.sample(self._rng)


def kinds_of(game: Game[Any, Any]) -> tuple[str, ...]:
    """The kinds of moves that bots may send."""
    return tuple(move.__name__ for move in game.moves if getattr(move, "form", None) is not None)


def kinds_on_offer(game: Game[Any, Any], seats: int, rng: Random, turns_max: int) -> set[str]:
    """The kinds of options that come up in one match of random players among themselves."""
    found: set[str] = set()
    state, picked = game.start(seats), Counter[str]()
    for _ in range(turns_max):
        if not (asked := game.to_act(state)):
            break
        moves: Turn
        if asked == (CHANCE,):
            moves = {CHANCE: game.draw(state, rng)}
        else:
            options = {seat: game.options(state, seat) for seat in asked}
            found |= {option.move.__name__ for each in options.values() for option in each}
            moves = {seat: curious(each, rng, picked).sample(rng) for seat, each in options.items()}
        state = game.apply(state, moves).state
    return found
