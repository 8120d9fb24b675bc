"""A player that passes everything on to another one, for classes that listen in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.errors import FaultKind
from arena.match.game import Seat
from arena.match.record import Decision
from arena.players.base import MatchStart, Player
from arena.players.desk import Question, Slot


class WrappedPlayer(Player):
    """Does what the wrapped player does; subclasses override what they listen to."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.name = player.name
        self.margin_s = player.margin_s
        self.is_forgiven = player.is_forgiven
        self.enforces_time = player.enforces_time
        self.has_answered = player.has_answered
        self.hears_events = player.hears_events

    @property
    def is_gone(self) -> bool:
        return self.player.is_gone

    def begin(self, start: MatchStart) -> None:
        self.has_answered = self.player.has_answered
        self.player.begin(start)

    def ask(self, question: Question, slot: Slot) -> None:
        self.player.ask(question, slot)

    def expire(self) -> tuple[FaultKind, str]:
        return self.player.expire()

    def tell(self, kind: str, payload: Any) -> None:
        self.player.tell(kind, payload)

    def flush(self) -> None:
        self.player.flush()

    def blame(self, decision: Decision) -> None:
        self.player.blame(decision)

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        self.player.has_answered = self.has_answered
        self.player.end(ranks, returns)

    def break_off(self) -> None:
        self.player.break_off()

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        return self.player.evidence()
