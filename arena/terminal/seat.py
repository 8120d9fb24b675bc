"""A person in a seat of a match in this process: a question waits until an answer is typed."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import trio

from arena.errors import FaultKind
from arena.players.base import MatchStart, Player
from arena.players.codec import Codec
from arena.players.desk import Question, Reply, Slot
from arena.telling.choices import legal_move


class TypedPlayer(Player):
    """A person who types; where only silence is legal, it is the answer, and the person is not asked."""

    hears_events = False
    has_answered = True
    """True from the start: a person needs no longer for the first answer."""
    is_forgiven = True

    def __init__(
        self, name: str, note_asked: Callable[[], None], note_late: Callable[[], None], *, has_clock: bool
    ) -> None:
        """`note_asked` is called when something is asked, `note_late` when its time is up."""
        self.name = name
        self.margin_s = 0.0 if has_clock else inf
        self._note_asked = note_asked
        self._note_late = note_late
        self._codec: Codec | None = None
        self._names: tuple[str, ...] = ()
        self._silent_move: type[Any] | None = None
        self._slot: Slot | None = None

    @property
    def question(self) -> Question | None:
        """The open question; None if there is none."""
        return None if self._slot is None else self._slot.question

    @property
    def remaining_s(self) -> float | None:
        """The time that is left for the answer (s); None if nothing is asked, or there is no clock."""
        if self._slot is None or self._slot.deadline == inf:
            return None
        return max(0.0, self._slot.deadline - trio.current_time())

    @property
    def silent_move(self) -> Any:
        """The move that silence means now; None if it means none."""
        question, silent = self.question, self._silent_move
        if question is None or silent is None:
            return None
        return silent() if any(option.move is silent for option in question.options) else None

    def read(self, value: Any) -> Any:
        """The legal move that a JSON value means.  Raises ConfigError if it means none."""
        codec, question = self._codec, self.question
        assert codec is not None, "a player sits down before it is asked"
        assert question is not None, "an answer needs a question"
        return legal_move(codec, question.options, self._names, value)

    def play(self, move: Any) -> None:
        """Answers the open question.  The next one may be asked before this returns."""
        slot, self._slot = self._slot, None
        assert slot is not None, "something is asked"
        now = trio.current_time()
        slot.settle(Reply(move, now, now))

    # The referee

    def begin(self, start: MatchStart) -> None:
        self._codec = Codec(start.game, start.names, start.seat)
        self._names = start.names
        self._silent_move = start.game.silent_move

    def ask(self, question: Question, slot: Slot) -> None:
        slot.note_sent(trio.current_time())
        self._slot = slot
        if len(question.options) == 1 and (silent := self.silent_move) is not None:
            self.play(silent)
        else:
            self._note_asked()

    def expire(self) -> tuple[FaultKind, str]:
        silent = self.silent_move
        slot, self._slot = self._slot, None
        self._note_late()
        if slot is not None and silent is not None:
            slot.settle(Reply(silent, slot.deadline, slot.deadline))
        return "too_late", ""

    def break_off(self) -> None:
        self._slot = None
