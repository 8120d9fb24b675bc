"""Checks what the code that shows matches (`arena replay`, the report) expects of a game.

That code knows no game.  It puts a move and the event that tells it on one line, cuts a long match into
rounds, sets what one seat sees apart from what all may see, and takes a text where a seat could stand for a
name.  A game that differs from this can be played, but is shown badly.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Union, get_args, get_origin

import attrs

from arena.match.game import CHANCE, Event, Game, Literal, Seat
from arena.match.record import Turn
from arena.testing.forms import form_of
from arena.testing.values import hints_of

KIND = re.compile(r"[a-z]+(_[a-z]+)*")


def check_reserved_names(game: Game[Any, Any]) -> None:
    """Checks that the receiver's own name and moves that are words are reserved: no bot may use them."""
    forms = (form_of(move) for move in game.moves)
    words = {form.value for form in forms if isinstance(form, Literal) and isinstance(form.value, str)}
    if game.own_name is not None:
        words.add(game.own_name)
    missing = sorted(words - game.reserved_names)
    assert not missing, f"reserved_names does not contain {missing}: a bot could have such a name"


@attrs.define
class Shown:
    """What the matches of a game have shown so far; its checks fail if that is not as expected."""

    _game: Game[Any, Any]
    _payloads: dict[tuple[str, str], type[Any]] = attrs.field(factory=dict)
    """The class of payloads, by `public` or `private` and kind of event."""

    def check_observations(self, seen: Mapping[Seat | None, Any]) -> None:
        """Checks that all seats and the spectators observe the same fields, so that they can be compared."""
        spectator = type(seen[None])
        for seat, observation in seen.items():
            assert type(observation) is spectator, (
                f"observe gives seat {seat} {type(observation).__name__}, but spectators {spectator.__name__}"
            )
            self._check_words(observation)

    def check_turn(self, moves: Turn, events: Sequence[Event]) -> None:
        """Checks that what is told about a turn can be shown with its moves."""
        for event in events:
            self._check_event(event)
            self._check_named(event, moves)
        if len(moves) == 1 and CHANCE not in moves:
            ((seat, move),) = moves.items()
            told = [_first(event.public) for event in events if event.public is not None]
            assert not attrs.fields(type(move)) or seat in told, (
                f"no public event tells {move}: its first field would be the seat that moved, {seat!r}"
            )

    def check_rounds(self, turns: Sequence[Turn]) -> None:
        """Checks that a match with moves of chance begins with one, as a round does."""
        if any(CHANCE in moves for moves in turns):
            assert CHANCE in turns[0], (
                f"a round begins with a move of chance, but this match begins with {turns[0]}"
            )

    def _check_event(self, event: Event) -> None:
        """Checks that the event's kind is made of words, and that all its payloads have one class."""
        kind = event.kind
        assert KIND.fullmatch(kind), f"an event is of kind {kind!r}, not lower-case words joined by _"
        secrets = (("private", payload) for payload in event.private.values())
        for who, payload in (("public", event.public), *secrets):
            if payload is not None:
                first = self._payloads.setdefault((who, kind), type(payload))
                assert first is type(payload), (
                    f"the {who} payload of the event {kind} is a {type(payload).__name__}, "
                    f"and was a {first.__name__}"
                )
                self._check_words(payload)

    def _check_named(self, event: Event, moves: Turn) -> None:
        """Checks that an event named after a move has the seat that made the move as its first field."""
        movers = [seat for seat, move in moves.items() if _snake(type(move).__name__) == event.kind]
        if movers and CHANCE not in movers and event.public is not None:
            first = _first(event.public)
            is_mover = type(first) is Seat and first in movers
            assert is_mover, (
                f"the first field of the event {event.kind} is {first!r}; it must be a seat that moved so, "
                f"one of {movers}"
            )

    def _check_words(self, value: Any) -> None:
        """Checks that no bot can be named like a text that stands where a seat could."""
        kind: Any = type(value)  # mypy takes type[Any] for unhashable
        for name in _named_or_seated(kind):
            word = getattr(value, name)
            assert not isinstance(word, str) or word in self._game.reserved_names, (
                f"{name} of {kind.__name__} is {word!r} where a seat could stand; "
                f"reserved_names must contain it, or a bot could have that name"
            )


@cache
def _named_or_seated(kind: Any) -> tuple[str, ...]:
    """The names of fields that hold either a seat or a text."""
    return tuple(name for name, hint in hints_of(kind).items() if {Seat, str} <= set(_members(hint)))


def _members(hint: Any) -> Iterator[Any]:
    """The types of a union, or the type itself."""
    if get_origin(hint) in (Union, types.UnionType):
        yield from get_args(hint)
    else:
        yield hint


def _first(payload: Any) -> Any:
    """The value of the first field, or None if there is none."""
    return next((getattr(payload, field.name) for field in attrs.fields(type(payload))), None)


def _snake(name: str) -> str:
    """A name in snake case: `use_skip_item` from `UseSkipItem`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
