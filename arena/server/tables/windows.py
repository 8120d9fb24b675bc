"""When a person's silence is a move: the clock that is shown for a question is the one that counts.

Whoever may stay silent is waited for until its window closes.  It opens with the question or, where some of
those who are asked must answer, once these have.  If the game names who plays next, and that is a person who
is there, the window stays open until that one has answered: meanwhile the others are shown for how long they
are waited for at least, and then until when that one may think.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import trio

from arena.match.game import Game, Seat
from arena.players.desk import Slot
from arena.server.tables.seat import SeatPlayer


class Windows:
    """The windows of one match, one after the other."""

    def __init__(
        self, game: Game[Any, Any], people: Mapping[Seat, SeatPlayer], note_opened: Callable[[], None]
    ) -> None:
        """`note_opened` is called when a window opens later than its questions were asked."""
        self._game = game
        self._people = people
        self._note_opened = note_opened
        self._silent: Mapping[Seat, Slot] = {}
        """The questions of the turn to people who may stay silent."""
        self._awaited: list[Slot] = []
        """The questions that have to be answered before the window opens."""
        self._next: Slot | None = None
        """The question until whose answer the window stays open."""

    def begin(self, state: Any, asked: Mapping[Seat, Slot]) -> None:
        """The questions of a turn have just been asked."""
        game = self._game
        can = {seat: slot for seat, slot in asked.items() if game.may_be_silent(slot.question.options)}
        self._silent = {seat: slot for seat, slot in can.items() if seat in self._people}
        self._awaited = [slot for seat, slot in asked.items() if seat not in can] if self._silent else []
        self._next = None
        for seat, person in self._people.items():
            person.silence_s = self._window_s(self._silent[seat]) if seat in self._silent else None
        for seat, slot in asked.items():
            if seat in self._people and slot.asked_at > trio.current_time():  # people are reading
                self._people[seat].offer(slot.question.options)
        if self._awaited:
            self.note_answer()
        elif self._silent:
            self._open(state)

    def _open(self, state: Any) -> None:
        """All may be silent: the window is open from the start."""
        seat = self._game.plays_next(state)
        if seat is not None and seat in self._silent and self._people[seat].is_there:
            self._next = self._silent[seat]
            self._people[seat].silence_s = None
            if self._next.reply is None:  # else it had answered before the server was started again
                self._people[seat].offer(self._options_after(state, seat))
        for slot in self._silent.values():
            if slot is not self._next:
                slot.close_at(slot.asked_at + self._window_s(slot))

    def note_answer(self) -> None:
        """A question may have been answered."""
        now = trio.current_time()
        if self._awaited and all(slot.reply is not None for slot in self._awaited):
            self._awaited = []
            if any(slot.reply is None for slot in self._silent.values()):  # else the turn is over
                for slot in self._silent.values():
                    slot.close_at(now + self._window_s(slot))
                self._note_opened()
        elif self._next is not None and self._next.reply is not None:
            self._next = None
            for slot in self._silent.values():
                slot.close_at(max(slot.deadline, now))

    def _window_s(self, slot: Slot) -> float:
        return min(self._game.silence_s, slot.question.limit.time_s)

    def _options_after(self, state: Any, seat: Seat) -> tuple[Any, ...]:
        """What the seat may do next if all stay silent."""
        assert self._game.silent_move is not None, "somebody may stay silent"
        moves = {each: self._game.silent_move() for each in self._game.to_act(state)}
        return self._game.options(self._game.apply(state, moves).state, seat)
