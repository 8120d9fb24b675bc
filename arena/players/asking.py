"""One question to a player outside of a match: it is told what led there, asked, and its answer judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import trio

from arena.errors import FaultKind
from arena.match.game import explain, is_legal
from arena.players.base import MatchStart, Player
from arena.players.desk import Desk, Question, Reply, Slot

TOLD_AT_ONCE = 200
"""After so many events others get their turn: the way to a late question can be long."""


@attrs.frozen
class JudgedAnswer:
    """What a player answered."""

    move: Any
    """None if the answer was not a move."""
    fault: FaultKind | None
    """None: the move counts."""
    reason: str
    """Why it failed, if it did."""
    elapsed_s: float
    """The time from when the question was sent to the answer."""


async def answer_of(
    player: Player,
    start: MatchStart,
    told: Sequence[tuple[str, Any]],
    question: Question,
    *,
    is_judged: bool = True,
) -> JudgedAnswer:
    """Has a player sit down at a match, hear what was told until then, and answer a question; then ends it.

    `told`: events, each with its kind and payload.  A move is legal by the options of the question, unless
    these were not recorded (`is_judged`).
    """
    limit_s = question.limit.time_s
    player.begin(start)
    for number, (kind, payload) in enumerate(told if player.hears_events else (), 1):
        player.tell(kind, payload)
        if number % TOLD_AT_ONCE == 0:
            player.flush()
            await trio.lowlevel.checkpoint()
    slot = _AwaitedSlot(question)
    player.ask(question, slot)
    player.flush()
    with trio.move_on_after(limit_s):
        await slot.answered.wait()
    if slot.reply is None:
        fault, reason = player.expire()
        slot.fail(fault, reason or f"no answer within {limit_s:g} s")
    reply = slot.reply
    assert reply is not None, "it has failed if it has not answered"
    player.break_off()
    return _judged(reply, slot, is_judged)


def _judged(reply: Reply, slot: Slot, is_judged: bool) -> JudgedAnswer:
    fault, reason = reply.fault, reply.reason
    if fault is None and is_judged and not is_legal(slot.question.options, reply.move):
        fault, reason = "illegal", explain(slot.question.options, reply.move)
    began_at = slot.asked_at if slot.sent_at is None else slot.sent_at
    return JudgedAnswer(reply.move, fault, reason, max(0.0, reply.arrived_at - began_at))


class _AwaitedSlot(Slot):
    """A slot that can be waited for until it is settled."""

    __slots__ = ("answered",)

    def __init__(self, question: Question) -> None:
        super().__init__(Desk(), question, trio.current_time())
        self.answered = trio.Event()

    def settle(self, reply: Reply) -> None:
        if self.reply is None:
            self.reply = reply
            self.answered.set()
