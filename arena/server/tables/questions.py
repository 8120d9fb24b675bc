"""House bots are asked what they would do where somebody was asked in a finished match.

The bot is led there by what that seat had been told, and knows nothing else; it yields to everything that is
played.  A bot that does not answer costs the seconds of its question, and is told in a sentence.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any

import msgspec
import trio

from arena.match.clock import Control, Limit
from arena.players.asking import JudgedAnswer, answer_of
from arena.players.base import GonePlayer, MatchStart, Player
from arena.players.codec import Codec
from arena.players.desk import Question
from arena.refusal import Refusal
from arena.schedule import derive_bot_seed
from arena.server.http.question_types import AnswerCounted, QuestionAnswered
from arena.server.http.quotas import Quota, Rate
from arena.server.kept.past_turn import PastTurn
from arena.server.limits import QUESTION_DRAWS, QUESTION_S, QUESTIONS_AT_ONCE, QUESTIONS_PER_S
from arena.telling.spoken import spoken_move
from arena.words import clipped, counted, printable, spaced

CORES_SHARE = 4
"""One core of so many is for these bots."""
REASON_MAX = 160
KEY = "bot_questions"


class BotQuestions:
    """Asks house bots, a few at a time in all and one for an address."""

    def __init__(
        self,
        open_bot: Callable[[str, str], AbstractAsyncContextManager[Player]],
        check_bot: Callable[[str, str], None],
    ) -> None:
        """Both are as `ServerServices` has them; the bots that are opened yield to everything else."""
        self._open_bot = open_bot
        self._check_bot = check_bot
        most = max(1, (os.cpu_count() or 1) // CORES_SHARE)
        self._asking = Quota(1, near=most, total=most)
        self._rate = Rate(KEY, QUESTIONS_AT_ONCE, QUESTIONS_PER_S, "questions to bots")

    @contextmanager
    def counted(self, address: str) -> Iterator[None]:
        """Counts a question of an address while it is asked.  Raises Refusal if there are too many."""
        if shortage := self._asking.shortage(address):
            who = "a bot is being asked for somebody else" if shortage == "total" else "your last one is open"
            raise Refusal("too_many", f"{who}: ask again in a moment", key=KEY, seconds=QUESTION_S)
        with self._rate.counted(address), self._asking.counted(address):
            yield

    async def ask(self, bot: str, turn: PastTurn) -> QuestionAnswered:
        """What the bot answers there, again and again.  Raises Refusal if no such bot plays the game."""
        self._check_bot(bot, turn.game.name)
        found: dict[bytes, AnswerCounted] = {}
        note = ""
        told = await trio.to_thread.run_sync(turn.told_json)
        with trio.move_on_after(QUESTION_S) as limit:
            async with self._open_bot(bot, turn.names[turn.seat]) as player:
                note = await _asked(bot, player, turn, told, found, limit.deadline)
        draws = sum(each.count for each in found.values())
        if limit.cancelled_caught:
            did = f"answered no more than {counted(draws, 'time')}" if draws else "did not answer"
            note = f"{bot} {did} within {QUESTION_S:g} s"
        return QuestionAnswered(
            bot=bot,
            step=turn.step,
            name=turn.names[turn.seat],
            played=None if turn.played is None else _said(turn, turn.played),
            draws=draws,
            answers=sorted(found.values(), key=lambda each: -each.count),
            note=note,
        )


async def _asked(
    bot: str,
    player: Player,
    turn: PastTurn,
    told: Sequence[tuple[str, msgspec.Raw]],
    found: dict[bytes, AnswerCounted],
    until: float,
) -> str:
    """Adds a bot's answers to those found; returns why there are fewer than draws, or nothing.

    It is cancelled at `until`.
    """
    codec = Codec(turn.game, turn.names, turn.seat)
    for draw in range(QUESTION_DRAWS):
        if isinstance(player, GonePlayer):
            return f"{bot} could not be started: {clipped(printable(player.reason), REASON_MAX)}"
        question = Question(turn.observation, turn.options, _limit(until, trio.current_time()), None)
        answer = await answer_of(player, _start(turn, draw), told, question)
        if answer.fault == "too_late":
            await trio.sleep_until(until)
        each = _counted(answer, turn, codec)
        found.setdefault(msgspec.json.encode((each.move, each.words)), each).count += 1
        if answer.fault == "gone":
            return f"{bot} is gone: {clipped(printable(answer.reason), REASON_MAX)}"
    return ""


def _limit(until: float, now: float) -> Limit:
    """What is left of the time; a step of the bot's may have taken more than there was."""
    return Limit(max(0.0, until - now), 0.0, is_first=True)


def _start(turn: PastTurn, draw: int) -> MatchStart:
    seed = derive_bot_seed(0, "question", turn.match_id, turn.step, int(turn.seat), draw)
    return MatchStart(
        match_id=turn.match_id,
        game=turn.game,
        seat=turn.seat,
        names=turn.names,
        control=Control(move_s=QUESTION_S, first_s=0.0),
        bot_seed=seed,
    )


def _counted(answer: JudgedAnswer, turn: PastTurn, codec: Codec) -> AnswerCounted:
    if answer.fault is None:
        return AnswerCounted(codec.move_json(answer.move), _said(turn, answer.move), 0, None)
    why = clipped(printable(answer.reason), REASON_MAX)
    return AnswerCounted(None, f"fails: {spaced(answer.fault)}{f', {why}' if why else ''}", 0, answer.fault)


def _said(turn: PastTurn, move: Any) -> str:
    return clipped(
        printable(spoken_move(move, turn.game, turn.names, turn.seat, turn.observation)), REASON_MAX
    )
