"""The checked bot in its seat: notes every question with its answer, and meddles where it is told to."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import attrs
import trio

from arena.check.findings import Asked, CheckStage, Example
from arena.check.opponents import RandomPlayer
from arena.errors import FaultKind
from arena.players.base import MatchStart, Player
from arena.players.desk import Desk, Question, Reply, Slot
from arena.players.stream import StreamPlayer
from arena.players.wrapped import WrappedPlayer
from arena.record import Decision

PROVOKED = "this answer was not taken, to see what the bot does after a fault (arena check)"
BROKEN_OFF = "the connection was broken on purpose (arena check)"


@attrs.frozen(kw_only=True)
class TapTask:
    """What is done with the bot in one match."""

    stage: CheckStage
    questions_max: int
    """After so many questions another player takes its seat, unseen."""
    until: float = inf
    """The same from this moment on, on Trio's clock."""
    provoke: Mapping[int, FaultKind] = attrs.field(factory=dict)
    """Question, from 0 -> the fault that it is charged with, whatever it answers."""
    hang_up_at: int | None = None
    """The question at which its connection breaks."""


class Tap(WrappedPlayer):
    """Sits between the referee and the checked bot's player, for one match."""

    def __init__(self, player: Player, deputy: RandomPlayer, task: TapTask) -> None:
        """`deputy`: plays on when the bot has been asked enough."""
        super().__init__(player)
        self.task = task
        self.asked: list[Asked] = []
        self.examples: list[Example] = []
        self._deputy = deputy
        self._seats = 0

    def begin(self, start: MatchStart) -> None:
        self._seats = len(start.names)
        super().begin(start)

    def ask(self, question: Question, slot: Slot) -> None:
        if self._has_enough():
            self._deputy.ask(question, slot)
            return
        number = len(self.asked)
        fault = self.task.provoke.get(number)
        asked = Asked(
            stage=self.task.stage,
            seats=self._seats,
            kinds=tuple(dict.fromkeys(option.move.__name__ for option in question.options)),
            limit_s=question.limit.total_s,
            is_first=question.limit.is_first,
        )
        self.asked.append(asked)
        self.player.ask(question, _Relay(slot, asked, fault))
        if number == self.task.hang_up_at and isinstance(self.player, StreamPlayer):
            self.player.hang_up(BROKEN_OFF)
        self.hears_events = self.player.hears_events

    def _has_enough(self) -> bool:
        task = self.task
        is_over = len(self.asked) >= task.questions_max or trio.current_time() >= task.until
        has_hung_up = task.hang_up_at is not None and len(self.asked) > task.hang_up_at
        return is_over or (has_hung_up and not self._is_there())

    def _is_there(self) -> bool:
        return not isinstance(self.player, StreamPlayer) or self.player.is_connected

    def blame(self, decision: Decision) -> None:
        asked = self.asked[-1]
        if decision.reason != PROVOKED and decision.fault is not None:
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

    def hold(self, now: float) -> None:
        super().hold(now)
        self._outer.hold(now)

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
