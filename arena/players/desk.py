"""The desk where the answers of one match come in, and where the match resumes once all are in.

A match resumes in the very step that hears its last answer, in whatever task that is: on Linux the one that
listens to all connections (`switchboard`).  So the referee's turn loop is a generator, and `Desk._carry_on`
calls `next` on it.  Written with `await`, the answer would set an event, Trio would put the match's task in
its next batch, and poll once more before the task could ask the next question.

What it gains: matches that await their answers take 1.25 times the processor time for a question, over TCP
with either protocol (`loop` of `tests.bench`, 7 repeats; medians of 1.26 and 1.24 on two cores
shared with other work).  `AwaitingDesk` in tests/bench/loop.py is the plain version, in 25 lines.

What it asks of others, and what breaks otherwise:

- The generator never awaits and opens no cancel scope or nursery: it is resumed in one task and then in
  another, and Trio's scopes belong to the task that entered them.  It yields what it waits for.
- What the rules raise is kept and raised in the match's own task.  It comes up in the reader of some bot,
  which would take it for a bug set off by that bot's bytes, and close that connection.
- `Slot.settle` may ask the next question before it returns.  Its caller must put its own state in order
  first: `StreamPlayer` forgets the question before it settles it, or it would forget the new one.
- A player that answers within `ask` settles while the generator runs.  `_sleeper` is None then, so nobody
  resumes it a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import trio

from arena.errors import FaultKind
from arena.match.clock import Limit
from arena.match.game import Option


class Question(msgspec.Struct, frozen=True, gc=False):
    """One question to one seat.

    A struct, like Reply: both are made in a third of a named tuple's time.  The garbage collector skips them,
    as nothing that they hold leads back to them.
    """

    observation: Any
    options: tuple[Option, ...]
    limit: Limit
    bank_s: float | None


class Reply(msgspec.Struct, frozen=True, gc=False):
    """The outcome of a question: a move, or the fault of the player that was asked."""

    move: Any
    arrived_at: float
    heard_since: float
    """The last moment at which the arena had listened and heard nothing: the answer came after it."""
    fault: FaultKind | None = None
    reason: str = ""


class Slot:
    """The place of one answer; the first reply counts."""

    __slots__ = ("_desk", "asked_at", "deadline", "question", "reply", "sent_at")

    def __init__(self, desk: Desk, question: Question, asked_at: float) -> None:
        self._desk = desk
        self.question = question
        self.asked_at = asked_at
        self.deadline = asked_at + question.limit.total_s
        """When the time is up; it shifts with the moment at which the question is handed over."""
        self.sent_at: float | None = None
        """When the whole question was handed over; None if it was not, or only after its limit."""
        self.reply: Reply | None = None

    def note_sent(self, now: float, stuck_at: float | None = None) -> None:
        """Notes that the whole question has been handed over, and its time begins.

        `stuck_at`: the last moment at which the other side would not take it; past the deadline that is
        too late, and the question was never handed over.  None: it took it at once, whenever we noticed.
        """
        if self.sent_at is None and self.reply is None and (stuck_at is None or stuck_at <= self.deadline):
            self.sent_at = now
            self.deadline += now - self.asked_at

    def postpone(self, seconds: float) -> None:
        """Notes that the question will be handed over this much later; nobody is charged for that time.

        Called by the player that was asked, before it hands the question over.
        """
        assert seconds >= 0.0, "a question cannot be handed over in the past"
        if self.sent_at is None and self.reply is None:
            self.asked_at += seconds
            self.deadline += seconds

    def close_at(self, at: float) -> None:
        """Waits for the answer until then, whatever its limit; called by the player that was asked."""
        self.deadline = at
        self._desk.note_deadline(at)

    def settle(self, reply: Reply) -> None:
        """Takes the reply if it is the first.  The match may resume, and ask again, before this returns."""
        if self.reply is None:
            self.reply = reply
            self._desk.note_settled()

    def fail(self, fault: FaultKind, reason: str) -> None:
        """Settles the question now, with a fault in place of a move."""
        now = trio.current_time()
        self.settle(Reply(None, now, now, fault, reason))


class Desk:
    """Collects the answers of one match, and resumes the match once all are in."""

    def __init__(self) -> None:
        self.missing = 0
        """How many questions are open."""
        self.now: Callable[[], float] = trio.lowlevel.current_clock().current_time
        """Does what `trio.current_time` does, at a third of its cost."""
        self._turns: Iterator[Sequence[Slot]] = iter(())
        self._slots: Sequence[Slot] | None = None
        """The slots that the match waits for; None if it is over."""
        self._error: BaseException | None = None
        self._sleeper: trio.lowlevel.Task | None = None
        """The match's own task, while answers carry the match on."""
        self._alarm: trio.CancelScope | None = None
        self._has_windows = False
        """Whether a question was closed at a time of its own: then the alarm must never go off early, as a
        bot that answers at that very moment could tell."""

    def slot(self, question: Question, asked_at: float) -> Slot:
        """Adds a question and returns the slot for its answer."""
        self.missing += 1
        return Slot(self, question, asked_at)

    def note_settled(self) -> None:
        """Counts one more question as settled; with the last one the match resumes."""
        self.missing -= 1
        if self.missing == 0 and self._sleeper is not None:
            self._carry_on(self._sleeper)

    def note_deadline(self, at: float) -> None:
        """Notes that a question is now waited for until `at`."""
        self._has_windows = True
        if self._sleeper is not None and self._alarm is not None and at < self._alarm.deadline:
            self._alarm.deadline = at

    def _carry_on(self, sleeper: trio.lowlevel.Task) -> None:
        """Resumes the match here and now, in the task that brought the last answer; see the top of this file.

        The match's own task is woken only if there is more to do than wait for answers: the end of
        the match, an error, or a turn in which nobody has to be waited for.
        """
        self._sleeper = None
        try:
            self._slots = next(self._turns, None)
        except BaseException as error:  # it is the match's, whoever brought the answer: raised in its task
            self._error = error
        if self.missing and self._error is None:
            self._sleeper = sleeper
            self._draw_alarm_nearer()
        else:
            trio.lowlevel.reschedule(sleeper)

    def _draw_alarm_nearer(self) -> None:
        """Moves the alarm nearer if the new questions have less time than those before.

        From another task only the deadline may be moved: scopes must be entered and left by the match's own
        task, which goes on sleeping.
        """
        alarm = self._alarm
        assert alarm is not None, "who sleeps has set it"
        if self._has_windows:
            alarm.deadline = min([slot.deadline for slot in self._slots or () if slot.reply is None])
            return
        for slot in self._slots or ():
            if slot.deadline < alarm.deadline:
                alarm.deadline = slot.deadline

    async def carry(self, turns: Iterator[Sequence[Slot]]) -> None:
        """Runs a match, which yields the slots that it waits for, or none to let everyone else run.

        The match is resumed when all slots are settled, or when no open one can be in time any more.
        """
        self._turns = turns
        self._slots = next(turns, None)
        while self._slots is not None:
            if not self.missing:
                await self._rest()
            elif await self._sleep():
                continue  # it was resumed meanwhile
            self._slots = next(turns, None)

    async def _rest(self) -> None:
        self.close()  # an alarm that goes off now would belong to nobody
        await trio.lowlevel.checkpoint()

    async def _sleep(self) -> bool:
        """Sleeps while answers carry the match on; returns False if they do not and time is up."""
        heard_at = self.now()
        while self.missing:
            assert self._slots is not None, "who asks waits"
            deadlines = [slot.deadline for slot in self._slots if slot.reply is None]
            now = self.now()
            is_over = now >= max(deadlines)  # a question that waited in an outbox began later
            if is_over or any(heard_at <= deadline <= now for deadline in deadlines):
                # An answer after this is late: the arena has listened and heard nothing.
                heard_at = now
                self.close()
                await _hear_out()
            if is_over:
                return False
            nearest = min((deadline for deadline in deadlines if deadline > now), default=now)
            if self.missing and await self._settled_by(nearest, now):
                return True
        return False

    async def _settled_by(self, deadline: float, now: float) -> bool:
        """Does what an Event in a cancel scope would, at a third of the cost; False: the alarm went off.

        One scope serves many waits.  Its deadline is only ever moved nearer: while bots answer, the next one
        is later, and if the old one goes off too early, a new scope is made.
        """
        alarm = self._alarm
        if alarm is None or alarm.deadline <= now:
            self.close()
            alarm = self._alarm = trio.CancelScope(deadline=deadline)
            alarm.__enter__()
        elif deadline < alarm.deadline or self._has_windows:
            alarm.deadline = deadline
        self._sleeper = trio.lowlevel.current_task()
        try:
            await trio.lowlevel.wait_task_rescheduled(self._abort)
        except trio.Cancelled as cancelled:
            self._alarm = None
            if not alarm.__exit__(type(cancelled), cancelled, cancelled.__traceback__):
                raise
            return False
        if self._error is not None:
            raise self._error
        return True

    def _abort(self, _: trio.lowlevel.RaiseCancelT) -> trio.lowlevel.Abort:
        self._sleeper = None
        return trio.lowlevel.Abort.SUCCEEDED

    def close(self) -> None:
        """Puts the alarm away; called by the task that waited, within the cancel scopes in which it did."""
        alarm, self._alarm = self._alarm, None
        if alarm is not None:
            alarm.__exit__(None, None, None)


async def _hear_out() -> None:
    """Lets every reader take what reached this machine before now.

    A reader may be in the same batch of tasks as we are (first checkpoint), and
    bytes may have come in after the last poll (second checkpoint, with a poll of
    its own): nobody is late because the arena was.
    """
    for _ in range(3):
        await trio.lowlevel.checkpoint()
