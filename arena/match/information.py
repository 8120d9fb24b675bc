"""What each seat knows in the course of a match: it follows from the moves alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from arena.match.game import Acted, Event, Game, Information, Seat, Step, Told
from arena.match.record import Turn

__all__ = ["first_information", "information_after", "next_information", "told_to"]


def information_after(game: Game[Any, Any], seats: int, turns: Iterable[Turn], seat: Seat) -> Information:
    """What a seat knows when these turns were played from the start of a match."""
    state = game.start(seats)
    information = first_information(game, state, seats, seat)
    for moves in turns:
        step = game.apply(state, moves)
        state, information = step.state, next_information(game, information, moves, step)
    return information


def first_information(game: Game[Any, Any], start: Any, seats: int, seat: Seat) -> Information:
    """What a seat knows before anything has happened."""
    return Information(seat, seats, game.observe(start, seat))


def next_information(game: Game[Any, Any], before: Information, moves: Turn, step: Step[Any]) -> Information:
    """What the seat knows once these moves have led to this step; `before`: what it knew until then."""
    seat = before.seat
    answered = (Acted(before.observation, moves[seat]),) if seat in moves else ()
    return attrs.evolve(
        before,
        observation=game.observe(step.state, seat),
        past=(*before.past, *answered, *told_to(step.events, seat)),
    )


def told_to(events: Sequence[Event], seat: Seat | None) -> tuple[Told, ...]:
    """What a seat (None: a spectator) is told of events, without those that tell it nothing."""
    told = [Told(event.kind, event.seen_by(seat)) for event in events]
    return tuple([each for each in told if each.payload is not None])
