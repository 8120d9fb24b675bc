"""What people need in order to follow a match: bots that do not answer at once, and time to read a showdown.

Nobody's clock runs in a pause, and an answer's time is that of its arrival, not of its delivery.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import trio

from arena.errors import FaultKind
from arena.match.game import Step
from arena.players.base import Player
from arena.players.desk import Question, Reply, Slot
from arena.players.wrapped import WrappedPlayer
from arena.server.tables.windows import Windows

BOT_S = 0.7
"""A bot's answer is delivered no earlier than this after its question, or than half of its limit."""
SHOWDOWN_S = 3.0
"""How much later the first question after a showdown is asked."""


class Pauses:
    """The pauses of one match."""

    def __init__(
        self, showdowns: frozenset[str], *, bot_s: float = BOT_S, showdown_s: float = SHOWDOWN_S
    ) -> None:
        """`showdowns`: the kinds of events that people need time to read."""
        self.bot_s = bot_s
        self._showdowns = showdowns
        self._showdown_s = showdown_s
        self.resumes_at = -inf
        """When the latest pause ends, or ended."""
        self._told = -inf
        """The end of the pause that was told last."""
        self.note_resumed: Callable[[], None] = lambda: None
        """Called once after each pause, when its questions have been asked."""

    def note(self, step: Step[object]) -> None:
        """What followed from a turn."""
        if any(event.kind in self._showdowns for event in step.events):
            self.resumes_at = trio.current_time() + self._showdown_s

    @property
    def pause_s(self) -> float:
        """How long it is until the next question may be asked."""
        return max(0.0, self.resumes_at - trio.current_time())

    async def resume(self, resumes_at: float) -> None:
        """Notes that a pause has ended: the questions that waited are asked in this very batch of tasks.

        Another pause may have begun meanwhile, as whoever had moved already was answered at once.
        """
        if self._told < resumes_at:
            self._told = resumes_at
            await trio.lowlevel.checkpoint()
            self.note_resumed()


class PacedPlayer(WrappedPlayer):
    """A player at a table with people; it remembers its latest question, for the clocks that are shown."""

    def __init__(
        self,
        player: Player,
        pauses: Pauses | None,
        nursery: trio.Nursery,
        *,
        is_bot: bool,
        windows: Windows | None = None,
    ) -> None:
        """`pauses` None: nobody has to be waited for.  `windows`: told of each answer."""
        super().__init__(player)
        self.is_forgiven = player.is_forgiven
        self.asked: Slot | None = None
        """The latest question, answered or not: nobody learns from it who has answered."""
        self._pauses = pauses
        self._nursery = nursery
        self._held_s = pauses.bot_s if pauses is not None and is_bot else 0.0
        self._note_answer = (lambda: None) if windows is None else windows.note_answer
        self._held: _HeldSlot | None = None

    def ask(self, question: Question, slot: Slot) -> None:
        self.asked = slot
        if self._pauses is None:
            self.player.ask(question, slot)
            return
        pause_s = self._pauses.pause_s
        slot.postpone(pause_s)
        # An answer that is held until its limit would be taken for one that never came.
        held_s = min(self._held_s, question.limit.time_s / 2)
        asked = self._held = _HeldSlot(slot, held_s, self._nursery, self._note_answer)
        if pause_s:
            self._nursery.start_soon(self._ask_later, self._pauses, self._pauses.resumes_at, question, asked)
        else:
            self.player.ask(question, asked)

    async def _ask_later(self, pauses: Pauses, resumes_at: float, question: Question, slot: Slot) -> None:
        await trio.sleep_until(resumes_at)
        self.player.ask(question, slot)
        self.player.flush()
        await pauses.resume(resumes_at)

    def expire(self) -> tuple[FaultKind, str]:
        if self._held is not None:
            self._held.release()
        return super().expire()


class _HeldSlot(Slot):
    """Hands an answer on; that of a bot not before people could follow."""

    __slots__ = ("_note", "_nursery", "_outer", "_wait_s")

    def __init__(self, outer: Slot, wait_s: float, nursery: trio.Nursery, note: Callable[[], None]) -> None:
        super().__init__(outer._desk, outer.question, outer.asked_at)
        self._outer = outer
        self._note = note
        self._wait_s = wait_s
        self._nursery = nursery

    def note_sent(self, now: float, stuck_at: float | None = None) -> None:
        super().note_sent(now, stuck_at)
        self._outer.note_sent(now, stuck_at)

    def settle(self, reply: Reply) -> None:
        if self.reply is None:
            self.reply = reply
            wait_s = self.asked_at + self._wait_s - trio.current_time() if self._wait_s else 0.0
            if wait_s > 0.0:
                self._nursery.start_soon(self._release_after, wait_s)
            else:
                self.release()

    async def _release_after(self, wait_s: float) -> None:
        await trio.sleep(wait_s)
        self.release()

    def release(self) -> None:
        """Hands on what has come, at once."""
        if self.reply is not None:
            self._outer.settle(self.reply)
            self._note()
