"""Plays a recorded match again with the referee, move by move, until the checked bot takes its seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import trio

from arena.match.clock import Control
from arena.match.game import Seat, is_legal
from arena.players.base import Player
from arena.players.desk import Question, Reply, Slot
from arena.referee import Conduct, Seating, play_match
from arena.trials.check.matches import RecordedMatch
from arena.trials.check.opponents import RandomPlayer, hasty
from arena.trials.check.tap import Tap, TapTask


class RetracingPlayer(RandomPlayer):
    """Answers as in the recorded match as long as that is legal, then at random.

    Once the bot has left the match, it fails every time: the moves that the rules play end a match soon.
    """

    is_forgiven = True

    def __init__(self, name: str, moves: Sequence[Any], rng: Random, has_left: Callable[[], bool]) -> None:
        super().__init__(name, hasty, rng, fails_max=0)
        self._has_left = has_left
        self._moves = moves
        self._number = 0

    def ask(self, question: Question, slot: Slot) -> None:
        number, self._number = self._number, self._number + 1
        move = self._moves[number] if number < len(self._moves) else None
        if self._has_left():
            self._fail(slot, "the recorded match is over")
        elif move is None:
            super().ask(question, slot)
        elif is_legal(question.options, move):
            now = trio.current_time()
            slot.note_sent(now)
            slot.settle(Reply(move, now, now))
        elif any(isinstance(move, option.move) for option in question.options):
            super().ask(question, slot)  # the match has taken another course
        else:  # what the rules play for a seat that fails
            self._fail(slot, "it failed in the recorded match, too")

    def _fail(self, slot: Slot, reason: str) -> None:
        now = trio.current_time()
        slot.note_sent(now)
        slot.settle(Reply(None, now, now, "malformed", reason))


async def retraced(
    match: RecordedMatch,
    seat: Seat,
    bot: str,
    player: Player,
    task: TapTask,
    control: Control,
    lag: Callable[[float], float],
) -> Tap:
    """Plays the match with this player in one of its seats; `task` says from which question on."""
    names = tuple(bot if place == seat else name for place, name in enumerate(match.names))
    rng = Random(match.seed)
    taps = list[Tap]()

    def has_left() -> bool:
        return taps[0].is_done

    everyone = [
        RetracingPlayer(name, match.moves_of(Seat(place)), Random(rng.random()), has_left)
        for place, name in enumerate(names)
    ]
    tap = Tap(player, everyone[seat], task)
    taps.append(tap)
    await play_match(
        match.game,
        [*everyone[:seat], tap, *everyone[seat + 1 :]],
        seed=match.seed,
        control=control,
        conduct=Conduct(),
        seating=Seating(match.match_id, names, match.bot_seeds),
        lag=lag,
    )
    return tap
