"""What the referee sees of a player, and the desk where the answers of one match come in.

A player never blocks and never raises towards the referee: `ask` hands a
question over and returns; the answer, or the news that there will be none,
comes to the slot of that question.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import trio

from arena.clock import Control, Limit
from arena.game import Game, Option, Seat
from arena.record import Decision, FaultKind


@attrs.frozen
class MatchStart:
    """What a player is told when it sits down."""

    match_id: str
    """Opaque."""
    game: Game[Any, Any]
    seat: Seat
    names: tuple[str, ...]
    """By seat, as everyone at the table knows them."""
    control: Control
    bot_seed: int
    """For the bot's own randomness; independent of the deals."""


@attrs.frozen
class Question:
    """One question to one seat."""

    observation: Any
    options: tuple[Option, ...]
    limit: Limit
    bank_s: float | None


@attrs.frozen
class Reply:
    """What came of a question: a move, or the fault of whoever was asked."""

    move: Any
    arrived_at: float
    heard_since: float
    """The last moment at which the arena had listened and heard nothing: the answer came between the two."""
    fault: FaultKind | None = None
    reason: str = ""


class Slot:
    """The place of one answer; the first reply counts."""

    __slots__ = ("_desk", "asked_at", "limit", "reply", "sent_at")

    def __init__(self, desk: Desk, asked_at: float, limit: Limit) -> None:
        self._desk = desk
        self.asked_at = asked_at
        self.limit = limit
        self.sent_at: float | None = None
        """When the whole question was handed over; None while it was not."""
        self.reply: Reply | None = None

    @property
    def deadline(self) -> float:
        return (self.asked_at if self.sent_at is None else self.sent_at) + self.limit.total_s

    def settle(self, reply: Reply) -> None:
        """Takes the reply, if it is the first."""
        if self.reply is None:
            self.reply = reply
            self._desk.note_settled()

    def fail(self, fault: FaultKind, reason: str) -> None:
        """Settles without a move, now."""
        now = trio.current_time()
        self.settle(Reply(None, now, now, fault, reason))


class Desk:
    """Where the answers of one match come in.  The referee waits here, once for all seats asked."""

    def __init__(self) -> None:
        self._missing = 0
        self._arrived: trio.Event | None = None

    def slot(self, asked_at: float, limit: Limit) -> Slot:
        self._missing += 1
        return Slot(self, asked_at, limit)

    def note_settled(self) -> None:
        self._missing -= 1
        if self._missing == 0 and self._arrived is not None:
            self._arrived.set()

    async def wait(self, slots: Sequence[Slot]) -> None:
        """Returns when all slots are settled, or none that is not can be in time any more."""
        while self._missing:
            deadline = max(slot.deadline for slot in slots if slot.reply is None)
            self._arrived = trio.Event()
            with trio.move_on_at(deadline):
                await self._arrived.wait()
            self._arrived = None
            if self._missing and trio.current_time() >= max(slot.deadline for slot in slots if slot.reply is None):
                await _hear_out()
                break
        self._missing = 0


async def _hear_out() -> None:
    """Lets every reader take what reached this machine before now.

    A reader may stand in the same batch of tasks as we do (first checkpoint), and
    bytes may have come in after the last poll (second checkpoint, with a poll of
    its own): nobody is late because the arena was.
    """
    for _ in range(3):
        await trio.lowlevel.checkpoint()


class Player(ABC):
    """One instance of a bot, or a human, at one table at a time."""

    name: str
    has_answered: bool = False
    """Whether this instance has ever answered; its first answer has more time."""
    margin_s: float = 0.0
    """What is granted on top of every limit for the way there and back."""
    enforces_time: bool = True
    """False where a limit can only be measured: in this process, a call ends when it ends."""

    @property
    def is_gone(self) -> bool:
        """Whether this instance will never answer again."""
        return False

    @abstractmethod
    def begin(self, start: MatchStart) -> None:
        """Sits down at a table."""

    @abstractmethod
    def ask(self, question: Question, slot: Slot) -> None:
        """Hands over a question; its answer goes to the slot, `slot.sent_at` says when the whole question was handed over."""

    def expire(self) -> tuple[FaultKind, str]:
        """The open question's time is over: gives the fault and its reason, and forgets the question."""
        return "too_late", "no answer"

    def tell(self, kind: str, payload: Any) -> None:
        """Tells of an event; payload is what this seat may know of it."""

    def blame(self, decision: Decision) -> None:
        """Tells of a fault of its own."""

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        """Tells the result; the player stands up."""

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        """The last messages both ways, oldest first, as JSON objects."""
        return ()


class GonePlayer(Player):
    """Sits in for an instance that could not be started: every question is `gone`."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason

    @property
    def is_gone(self) -> bool:
        return True

    def begin(self, start: MatchStart) -> None:
        pass

    def ask(self, question: Question, slot: Slot) -> None:
        slot.fail("gone", self.reason)

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        return ({"note": self.reason},)
