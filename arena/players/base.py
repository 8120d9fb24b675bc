"""What the referee sees of a player.

A player never blocks and never raises into the referee: `ask` hands a question over and returns; the answer,
or the news that there will be none, comes to the slot of that question.
"""

# A player with nothing to do at one of these moments leaves the method as it is.
# ruff: noqa: B027

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import attrs

from arena.errors import FaultKind
from arena.match.clock import Control
from arena.match.game import Game, Seat
from arena.match.record import Decision
from arena.players.desk import Question, Slot


@attrs.frozen
class MatchStart:
    """What a player is told when it sits down."""

    match_id: str
    """An opaque id."""
    game: Game[Any, Any]
    seat: Seat
    names: tuple[str, ...]
    """The name of each seat, as everyone at the table knows it."""
    control: Control
    bot_seed: int
    """The seed for the bot's own randomness; independent of the deals."""


class Player(ABC):
    """One instance of a bot, or a human, at one table at a time."""

    name: str
    has_answered: bool = False
    """Whether this instance has answered once, or let the longer time for its first answer pass."""
    first_answer_s: float = 0.0
    """How many seconds the first answer, or its absence, took; 0.0 once somebody has taken note of it."""
    margin_s: float = 0.0
    """Seconds granted on top of every limit, for the way there and back."""
    hears_events: bool = True
    """Whether `tell` does anything: a plain bot is told nothing."""
    is_forgiven: bool = False
    """Whether the player is asked again however often it fails: a person may be away for a while."""
    enforces_time: bool = True
    """False if a limit can only be measured: a call within this process cannot be cut short."""

    @property
    def is_gone(self) -> bool:
        """Whether this instance will never answer again."""
        return False

    def demand_s(self) -> float | None:
        """How many seconds of processor time its processes have used or waited for; None if nobody knows."""
        return None

    @abstractmethod
    def begin(self, start: MatchStart) -> None:
        """Sits down at a table."""

    @abstractmethod
    def ask(self, question: Question, slot: Slot) -> None:
        """Hands over a question; its answer goes to the slot, which is told when the question is sent."""

    def expire(self) -> tuple[FaultKind, str]:
        """Forgets the open question, whose time is up; returns the fault and its reason."""
        return "too_late", "no answer"

    def tell(self, kind: str, payload: Any) -> None:
        """Tells the player about an event; `payload` is what this seat may know about it."""

    def flush(self) -> None:
        """Sends what is still unsent of what it was told: called before the referee waits, and at the end."""

    def blame(self, decision: Decision) -> None:
        """Tells the player about a fault of its own."""

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        """Tells the player the result, whereupon it leaves the table."""

    def break_off(self) -> None:
        """Ends the match without a result, as the rules or the run failed; the player leaves the table."""

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        """The last messages both ways, oldest first, as JSON objects."""
        return ()


class GonePlayer(Player):
    """Stands in for an instance that could not be started: every question fails as `gone`."""

    def __init__(self, name: str, reason: str, log: str = "") -> None:
        """`log`: the path, within the results folder, of the log of its start."""
        self.name = name
        self.reason = reason
        self.log = log

    @property
    def is_gone(self) -> bool:
        return True

    def begin(self, start: MatchStart) -> None:
        pass

    def ask(self, question: Question, slot: Slot) -> None:
        slot.fail("gone", self.reason)

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        return ({"note": self.reason}, {"log": self.log}) if self.log else ({"note": self.reason},)
