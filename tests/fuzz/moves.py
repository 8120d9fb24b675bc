"""Target: whatever a bot sends as its move, in all games."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import attrs
import msgspec

from arena.errors import IllegalMove, MalformedAnswer
from arena.games import GAMES
from arena.match.game import CHANCE, Game, Option, Seat, explain, is_legal
from arena.players.codec import Codec

from .tape import Tape, value

REASON_MAX = 2000
BYTES_MAX = 65536
WORDS = (
    *("pass", "challenge", "bluff", "yourself", "ann", "bob", "nobody", "", "Seat(1)", "\x1b[2J", "é😀"),
    *("AS", "TC", "KH", "A", "C", "packet", "username", "play", "claim", "action", "betAmount", "type"),
    *("ShootPlayer", "UseSkipItem", "UseDoubleDamageItem", "UseChamberCheckItem", "UseRebalancerItem"),
    *("UseQuickshotItem", "UseStealItem", "UseAddLifeItem", "Pass", "item", "from", "useItem"),
)
NAMES = ("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ida", "jon")


@attrs.frozen
class Question:
    """Where a seat is asked in a match."""

    game: Game[Any, Any]
    state: Any
    seat: Seat
    options: tuple[Option, ...]
    codec: Codec


@cache
def questions() -> tuple[Question, ...]:
    """Some two hundred from all games, at small and large tables."""
    return tuple(
        question
        for name in GAMES
        for seats in (GAMES[name].seats[0], GAMES[name].seats[-1])
        for question in _asked(GAMES[name](), seats)
    )


def _asked(game: Game[Any, Any], seats: int) -> list[Question]:
    rng, state, found = Random(seats), game.start(seats), []
    while len(found) < 24 and (asked := game.to_act(state)):
        if asked == (CHANCE,):
            moves = {CHANCE: game.draw(state, rng)}
        else:
            options = {seat: game.options(state, seat) for seat in asked}
            seat = rng.choice(asked)
            found.append(Question(game, state, seat, options[seat], Codec(game, NAMES[:seats], seat)))
            moves = {seat: rng.choice(options[seat]).sample(rng) for seat in asked}
        state = game.apply(state, moves).state
    return found


def codec(data: bytes) -> None:
    """Any value is a move or none; a move is written as it is read; an illegal one has a short reason."""
    tape = Tape(data)
    question = questions()[tape.below(len(questions()))]
    answer = _answer(tape, question)
    try:
        move = question.codec.move(answer)
    except MalformedAnswer as error:
        _check_reason(str(error))
        return
    assert type(move) in question.game.moves
    assert type(move).form is not None
    written = msgspec.json.decode(msgspec.json.encode(question.codec.move_json(move)))
    assert move == question.codec.move(written), "written and read again it is another move"
    legal = is_legal(question.options, move)
    if not legal:
        _check_reason(explain(question.options, move))
    assert legal == _is_played(question, move), "apply thinks otherwise"


def _answer(tape: Tape, question: Question) -> Any:
    """A value as the wire lets it through: JSON text, one that is made up, or nearly a legal one."""
    kind = tape.below(4)
    if kind == 0:
        try:
            return msgspec.json.decode(tape.rest())
        except (ValueError, RecursionError):
            return None
    if kind == 1:
        return _as_sent(value(tape, WORDS))
    option = tape.pick(question.options)
    move = question.codec.move_json(option.sample(Random(tape.byte())))
    return _as_sent(_changed(tape, msgspec.to_builtins(move)))


def _as_sent(value: object) -> Any:
    """As it comes out of the wire's decoder; nothing where the wire would not let it through."""
    octets = msgspec.json.encode(value)
    return msgspec.json.decode(octets) if len(octets) <= BYTES_MAX else None


def _changed(tape: Tape, move: Any) -> Any:
    """The move with some of its parts replaced."""
    how = tape.below(8)
    if how == 7:
        return value(tape, WORDS, 3)
    if how == 6 and type(move) in (int, str):
        return move + tape.below(16) - 8 if isinstance(move, int) else tape.pick(WORDS)
    if isinstance(move, list):
        return [_changed(tape, each) for each in move] * (1 + tape.below(2))
    if isinstance(move, dict):
        changed = {key: _changed(tape, each) for key, each in move.items() if tape.below(16) != 15}
        return changed if tape.below(4) else {**changed, tape.pick(WORDS): value(tape, WORDS, 2)}
    return move


def _check_reason(reason: str) -> None:
    assert 0 < len(reason) <= REASON_MAX


def _is_played(question: Question, move: Any) -> bool:
    """Whether the rules let the move through, when all others asked play their default."""
    game, state = question.game, question.state
    moves = {seat: game.default(state, seat) for seat in game.to_act(state)} | {question.seat: move}
    try:
        game.apply(state, moves)
    except IllegalMove as error:
        _check_reason(str(error))
        return False
    return True
