"""Somebody at a table who answers whenever they do: the question waits for whoever holds the seat's key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import trio

from arena.errors import ConfigError, FaultKind
from arena.match.game import Game, Option, Seat, is_legal
from arena.players.base import MatchStart, Player
from arena.players.codec import Codec
from arena.players.desk import Question, Reply, Slot
from arena.refusal import Refusal
from arena.server.tables.table import MISSED_MAX, Member
from arena.telling.choices import legal_move

LEFT = "left the table"


class SeatPlayer(Player):
    """A person, or a program that uses HTTP or packets.

    What is not a legal move is refused and changes nothing.  Silence is a pass where one is legal, and else
    a fault; who missed two turns is away until it speaks again, and is given all its time nevertheless.
    """

    hears_events = False
    has_answered = True
    """Nobody here needs longer for the first answer."""
    is_forgiven = True
    enforces_time = False
    """A window may be open for longer than a limit; whoever is waited for may answer."""

    def __init__(
        self, name: str, *, missed: int = 0, note_missed: Callable[[int], None] = lambda missed: None
    ) -> None:
        """`missed`: how many turns in a row it had missed before; `note_missed` is told each other number."""
        self.name = name
        self.missed = missed
        self.has_left = False
        self._note_missed = note_missed
        self._spoke_at = trio.current_time()
        self._codec: Codec | None = None
        self._names: tuple[str, ...] = ()
        self._game: Game[Any, Any] | None = None
        self.open: Slot | None = None
        """The question that waits for an answer."""
        self.silence_s: float | None = None
        """For how long its window is open, after which silence is a move; None: it has no window."""
        self._offered: tuple[Option, ...] = ()
        """What the next question will allow, if it may be answered before it is asked."""
        self._expected: list[Any] = []
        """The answers to the next questions, which have come already."""

    # Whoever holds the key

    @property
    def is_away(self) -> bool:
        """Whether it has let several turns go by."""
        return self.missed >= MISSED_MAX

    @property
    def is_there(self) -> bool:
        """Whether somebody may answer."""
        return not self.is_away and not self.has_left

    @property
    def options(self) -> tuple[Option, ...]:
        """What may be answered now: to the open question, and to the next one if that is known."""
        return (() if self.open is None else self.open.question.options) + self._offered

    def offer(self, options: tuple[Option, ...]) -> None:
        """Notes that the next question will allow this, and may be answered at once."""
        self._offered = options if self.is_there else ()

    def await_question(
        self, game: Game[Any, Any], names: tuple[str, ...], seat: Seat, options: tuple[Option, ...]
    ) -> None:
        """Notes that its match soon goes on with a question that allows this; it may be answered at once."""
        self._know(game, names, seat)
        if not (self._expected or self.has_left):
            self._offered = options

    def read(self, value: Any) -> Any:
        """The legal move that a JSON value means now.  Raises Refusal if it is none, or nothing is asked."""
        if self._codec is None or not self.options:
            raise Refusal("conflict", "it is not your turn: nothing is asked of you now")
        try:
            return legal_move(self._codec, self.options, self._names, value)
        except ConfigError as error:
            raise Refusal("bad_request", str(error), field="move") from None

    def answers(self, move: Any) -> list[Any]:
        """What a move answers, turn by turn: one that was offered for the next turn stays silent in this."""
        slot, silent = self.open, None if self._game is None else self._game.silent_move
        is_early = slot is not None and is_legal(self._offered, move)
        if not is_early or slot is None or is_legal(slot.question.options, move):
            return [move]
        assert silent is not None, "nothing else is offered while something is asked"
        return [silent(), move]

    def play(self, move: Any) -> None:
        """Answers with a move, legal or not: the referee judges it when it is asked for."""
        answers, slot = self.answers(move), self._take()
        self.speak()
        if slot is None:
            self._expected = answers
            return
        self._expected = answers[1:]
        now = trio.current_time()
        slot.settle(Reply(answers[0], now, now))

    def expect(self, moves: Sequence[Any]) -> None:
        """Takes the answers to its next questions, which came before the server was started again."""
        self._expected = list(moves)

    def speak(self) -> None:
        """Notes that the holder of its key is there, and not away any more."""
        self._spoke_at = trio.current_time()
        if self.missed:
            self.missed = 0
            self._note_missed(0)

    @property
    def silent_s(self) -> float:
        """How many seconds ago its holder was last there."""
        return trio.current_time() - self._spoke_at

    def go_away(self) -> None:
        """Notes that nobody is there, which others are shown until somebody is again."""
        if not self.is_away and not self.has_left:
            self.missed = MISSED_MAX
            self._note_missed(self.missed)

    def leave(self) -> None:
        """Notes that the holder of its key has left: defaults are played to the end of the match."""
        self.has_left = True
        slot = self._take()
        if slot is not None:
            slot.fail("gone", LEFT)

    # The referee

    def begin(self, start: MatchStart) -> None:
        self._know(start.game, start.names, start.seat)

    def _know(self, game: Game[Any, Any], names: tuple[str, ...], seat: Seat) -> None:
        self._codec, self._names, self._game = Codec(game, names, seat), names, game

    def ask(self, question: Question, slot: Slot) -> None:
        now = trio.current_time()
        slot.note_sent(now)
        self._offered = ()
        expected, self._expected = self._expected[:1], self._expected[1:]
        if expected and is_legal(question.options, expected[0]):  # before it left, if it has
            slot.settle(Reply(expected[0], now, now))
            return
        self._expected = []
        if self.has_left:
            slot.fail("gone", LEFT)
            return
        self.open = slot

    def _stay_silent(self, slot: Slot) -> bool:
        """Answers with the move that silence is, if there is one; returns whether there is."""
        game = self._game
        if game is None or game.silent_move is None or not game.may_be_silent(slot.question.options):
            return False
        now = trio.current_time()
        slot.settle(Reply(game.silent_move(), now, now))
        return True

    def _take(self) -> Slot | None:
        slot, self.open = self.open, None  # before it is settled: the match may ask again within `settle`
        self._offered = ()
        return slot

    def expire(self) -> tuple[FaultKind, str]:
        slot = self._take()
        if slot is not None and self._stay_silent(slot):
            return "too_late", ""
        self.missed = min(self.missed + 1, MISSED_MAX)
        self._note_missed(self.missed)
        return "too_late", ""

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        self.open = None

    def break_off(self) -> None:
        self.open = None


def seated_people(
    members: Sequence[Member], answers: Mapping[int, Sequence[Any]], note_missed: Callable[[str, int], None]
) -> dict[str, SeatPlayer]:
    """The people among those who play, given by seat: the player that each of them is, by player_id.

    `answers`: each seat's moves that came before the server was started again.
    """
    seats = {}
    for number, member in enumerate(members):
        if member.is_person:
            note = partial(note_missed, member.player_id)
            seat = SeatPlayer(member.nickname, missed=member.missed, note_missed=note)
            if number in answers:
                seat.expect(answers[number])
            if member.has_left:
                seat.leave()
            seats[member.player_id] = seat
    return seats
