"""Sits with the checked bot: notes every question with its answer, and meddles where it is told to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import attrs
import trio

from arena.errors import FaultKind
from arena.match.record import Decision
from arena.players.base import MatchStart, Player
from arena.players.desk import Desk, Question, Reply, Slot
from arena.players.stream import StreamPlayer
from arena.players.wrapped import WrappedPlayer
from arena.trials.check.findings import Asked, CheckStage, Example
from arena.trials.check.opponents import RandomPlayer

PROVOKED = "this answer was not taken, to see what the bot does after a fault (arena check)"
BROKEN_OFF = "the connection was broken on purpose (arena check)"


@attrs.frozen(kw_only=True)
class TapTask:
    """What one match is to do with the bot."""

    stage: CheckStage
    questions_max: int
    """How many questions it is asked; after these, another player answers in its seat, unseen."""
    until: float = inf
    """When another player takes over all the same, on Trio's clock."""
    provoke: Mapping[int, FaultKind] = attrs.field(factory=dict)
    """Number of a question, from 0 -> the fault that the bot is charged with, whatever it answers."""
    hang_up_at: int | None = None
    """The question at which its connection breaks."""
    begins_at: int = 0
    """The first question that the bot is asked; before it, another player answers."""
    script: Sequence[Any] | None = None
    """The answers of a recorded match, question by question: the bot is asked as long as it answers alike."""
    match_id: str = ""
    """The id of the recorded match."""


class Tap(WrappedPlayer):
    """Sits between the referee and the checked bot's player, for one match."""

    _is_asked = False
    """Whether the bot itself was asked last."""

    def __init__(self, player: Player, deputy: RandomPlayer, task: TapTask) -> None:
        """`deputy`: answers before the bot is asked, and after it has been asked enough."""
        super().__init__(player)
        self.task = task
        self.is_forgiven = task.script is not None  # recorded faults must not cost the bot its seat
        self.asked: list[Asked] = []
        self.examples: list[Example] = []
        self._deputy = deputy
        self._seats = self._number = 0

    @property
    def has_answered(self) -> bool:
        """Whether the bot itself has answered at least once; the deputy's answers do not count."""
        return self.player.has_answered

    @has_answered.setter
    def has_answered(self, value: bool) -> None:
        if self._is_asked:
            self.player.has_answered = value

    def begin(self, start: MatchStart) -> None:
        self._seats = len(start.names)
        super().begin(start)

    def ask(self, question: Question, slot: Slot) -> None:
        self._is_asked = self._number >= self.task.begins_at and not self._has_enough()
        self._number += 1
        if not self._is_asked:
            self._deputy.ask(question, slot)
            return
        number = len(self.asked)
        fault = self.task.provoke.get(number)
        asked = Asked(
            stage=self.task.stage,
            seats=self._seats,
            place=f"question {self._number} of match {self.task.match_id}" if self.task.match_id else "",
            kinds=tuple(dict.fromkeys(option.move.__name__ for option in question.options)),
            limit_s=question.limit.total_s,
            is_first=question.limit.is_first,
        )
        self.asked.append(asked)
        if number == self.task.hang_up_at and isinstance(self.player, StreamPlayer):
            self.player.hang_up(BROKEN_OFF)  # before it is asked, or the reset would destroy its answer
        self.player.ask(question, _Relay(slot, asked, fault))
        self.hears_events = self.player.hears_events

    def _has_enough(self) -> bool:
        task = self.task
        is_over = len(self.asked) >= task.questions_max or trio.current_time() >= task.until
        has_hung_up = task.hang_up_at is not None and len(self.asked) > task.hang_up_at
        return is_over or (has_hung_up and not self._is_there()) or self._has_left()

    @property
    def is_done(self) -> bool:
        """Whether the bot will not be asked any more in this match."""
        if not self.asked or not self._is_asked:
            return bool(self.asked)
        last = self.asked[-1]
        is_open = last.elapsed_s is None and last.fault is None
        return not is_open and self._has_enough()

    def _has_left(self) -> bool:
        """Whether the bot has answered differently from the recorded match, or that match is over."""
        script, answered = self.task.script, self._number - 1
        if script is None or not self.asked:
            return False
        if not self._is_asked:
            return True
        last = self.asked[-1]
        return last.fault is not None or self._number >= len(script) or last.move != script[answered]

    def _is_there(self) -> bool:
        return not isinstance(self.player, StreamPlayer) or self.player.is_connected

    def blame(self, decision: Decision) -> None:
        if not self._is_asked:  # it was the deputy's fault
            return
        asked = self.asked[-1]
        if not asked.is_provoked and decision.fault is not None:
            asked.fault, asked.reason, asked.is_lagged = decision.fault, decision.reason, decision.lagged
            if all(example.fault != decision.fault for example in self.examples):
                lines = self.player.evidence()
                self.examples.append(Example(fault=decision.fault, reason=decision.reason, lines=lines))
        super().blame(decision)


class _Relay(Slot):
    """Stands in for a slot of the referee's: notes the answer, and hands on this or another one."""

    __slots__ = ("_asked", "_fault", "_outer")

    def __init__(self, outer: Slot, asked: Asked, fault: FaultKind | None) -> None:
        super().__init__(Desk(), outer.question, outer.asked_at)
        self._outer = outer
        self._asked = asked
        self._fault = fault

    def note_sent(self, now: float, stuck_at: float | None = None) -> None:
        super().note_sent(now, stuck_at)
        self._outer.note_sent(now, stuck_at)

    def postpone(self, seconds: float) -> None:
        super().postpone(seconds)
        self._outer.postpone(seconds)

    def settle(self, reply: Reply) -> None:
        if self.reply is not None or self._outer.reply is not None:
            return
        self.reply = reply
        if self.sent_at is not None:
            self._outer.note_sent(self.sent_at)
        asked = self._asked
        if reply.fault != "gone":
            began_at = self.asked_at if self.sent_at is None else self.sent_at
            asked.elapsed_s, asked.move = max(0.0, reply.arrived_at - began_at), reply.move
        if self._fault is not None and reply.fault is None:
            asked.is_provoked = True
            reply = Reply(None, reply.arrived_at, reply.heard_since, self._fault, PROVOKED)
        self._outer.settle(reply)
