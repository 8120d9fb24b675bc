"""Somebody at a table who answers whenever they do: the question waits for whoever holds the seat's key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import trio

from arena.choices import legal_move
from arena.errors import ConfigError, FaultKind
from arena.game import Seat, is_legal
from arena.players.base import MatchStart, Player
from arena.players.codec import Codec
from arena.players.desk import Question, Reply, Slot
from arena.server.refusal import Refusal
from arena.server.table import MISSED_MAX, Member

WINDOW_S = 5.0
"""Silence for so long means to pass, where that is legal."""
LEFT = "left the table"
AWAY = "is away"


class SeatPlayer(Player):
    """A person, or a program that uses HTTP or packets.

    What is not a legal move is refused and changes nothing.  Silence is a pass where one is legal, and else
    a fault; who missed two turns is away, and its defaults are played at once until it speaks again.
    """

    hears_events = False
    has_answered = True
    """Nobody here needs longer for the first answer."""
    is_forgiven = True

    def __init__(
        self,
        name: str,
        nursery: trio.Nursery,
        *,
        window_s: float = WINDOW_S,
        missed: int = 0,
        note_missed: Callable[[int], None] = lambda missed: None,
    ) -> None:
        """`missed`: how many turns in a row it had missed before; `note_missed` is told each other number."""
        self.name = name
        self.missed = missed
        self.has_left = False
        self._nursery = nursery
        self._window_s = window_s
        self._note_missed = note_missed
        self._spoke_at = trio.current_time()
        self._codec: Codec | None = None
        self._names: tuple[str, ...] = ()
        self._silent_move: type[Any] | None = None
        self._slot: Slot | None = None
        self._expected: Any = None
        """The answer to the first question, which came before the server was started again."""

    # Whoever holds the key

    @property
    def is_away(self) -> bool:
        """Whether it is not waited for."""
        return self.missed >= MISSED_MAX

    @property
    def open(self) -> Slot | None:
        """The question that waits for an answer."""
        return self._slot

    def read(self, value: Any) -> Any:
        """The legal move that a JSON value means now.  Raises Refusal if it is none, or nothing is asked."""
        slot, codec = self._slot, self._codec
        if slot is None or codec is None:
            raise Refusal("conflict", "it is not your turn: nothing is asked of you now")
        try:
            return legal_move(codec, slot.question.options, self._names, value)
        except ConfigError as error:
            raise Refusal("bad_request", str(error), field="move") from None

    def play(self, move: Any) -> None:
        """Answers the open question with a move, legal or not: the referee judges it."""
        slot = self._take()
        assert slot is not None, "it was read against an open question"
        self.speak()
        now = trio.current_time()
        slot.settle(Reply(move, now, now))

    def expect(self, move: Any) -> None:
        """The first question is one that was answered before the server was started again."""
        self._expected = move

    def speak(self) -> None:
        """Its holder is there: it is not away any more."""
        self._spoke_at = trio.current_time()
        if self.missed:
            self.missed = 0
            self._note_missed(0)

    @property
    def silent_s(self) -> float:
        """How many seconds ago its holder was last there."""
        return trio.current_time() - self._spoke_at

    def go_away(self) -> None:
        """Its holder is not there: what is asked is settled by default, until it is there again."""
        if not self.is_away and not self.has_left:
            self.missed = MISSED_MAX
            self._note_missed(self.missed)
            if (slot := self._take()) is not None:
                self._settle_unheard(slot)

    def leave(self) -> None:
        """Its holder has left: defaults are played to the end of the match."""
        self.has_left = True
        slot = self._take()
        if slot is not None:
            slot.fail("gone", LEFT)

    # The referee

    def begin(self, start: MatchStart) -> None:
        self._codec = Codec(start.game, start.names, start.seat)
        self._names = start.names
        self._silent_move = start.game.silent_move

    def ask(self, question: Question, slot: Slot) -> None:
        slot.note_sent(trio.current_time())
        expected, self._expected = self._expected, None
        if expected is not None and is_legal(question.options, expected):  # before it left, if it has
            now = trio.current_time()
            slot.settle(Reply(expected, now, now))
            return
        if self.has_left:
            slot.fail("gone", LEFT)
            return
        if self.is_away:
            self._settle_unheard(slot)
            return
        self._slot = slot
        if (silent := self._silent_answer(question)) is not None:
            self._nursery.start_soon(partial(self._fall_silent, slot, silent))

    def _silent_answer(self, question: Question) -> type[Any] | None:
        """The move that silence means, if it is legal."""
        silent = self._silent_move
        return silent if any(option.move is silent for option in question.options) else None

    def _settle_unheard(self, slot: Slot) -> None:
        """The answer of a seat whose holder is not there."""
        silent = self._silent_answer(slot.question)
        if silent is None:
            slot.fail("too_late", AWAY)
        else:
            now = trio.current_time()
            slot.settle(Reply(silent(), now, now))

    async def _fall_silent(self, slot: Slot, silent: type[Any]) -> None:
        """Passes once the window is over, if nothing was said."""
        await trio.sleep(self._window_s)
        if self._slot is slot:
            self._slot = None
            now = trio.current_time()
            slot.settle(Reply(silent(), now, now))

    def _take(self) -> Slot | None:
        slot, self._slot = self._slot, None  # before it is settled: the match may ask again within `settle`
        return slot

    def expire(self) -> tuple[FaultKind, str]:
        slot = self._take()
        if slot is not None and (silent := self._silent_answer(slot.question)) is not None:
            slot.settle(Reply(silent(), slot.deadline, slot.deadline))  # the limit is shorter than the window
            return "too_late", ""
        self.missed = min(self.missed + 1, MISSED_MAX)
        self._note_missed(self.missed)
        return "too_late", ""

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        self._slot = None

    def break_off(self) -> None:
        self._slot = None


def seated_people(
    members: Sequence[Member],
    answers: Mapping[int, Any],
    nursery: trio.Nursery,
    note_missed: Callable[[str, int], None],
) -> dict[str, SeatPlayer]:
    """The people among those who play, given by seat: the player that each of them is, by player_id.

    `answers`: moves that came before the server was started again, by seat.
    """
    seats = {}
    for number, member in enumerate(members):
        if member.is_person:
            note = partial(note_missed, member.player_id)
            seat = SeatPlayer(member.nickname, nursery, missed=member.missed, note_missed=note)
            if number in answers:
                seat.expect(answers[number])
            if member.has_left:
                seat.leave()
            seats[member.player_id] = seat
    return seats
