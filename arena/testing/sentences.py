"""Checks a game's sentences: there must be one for everything, and none may tell too much.

A sentence is made from one move or one payload of an event.  Whoever may know these may read it, so it can
only tell too much if the game remembers something else: then it differs when it is asked for again, in
another order, or it names somebody whom the payload does not name.  The same is true of the words under
which timelines mark what is public.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from arena.match.game import CHANCE, Event, Game, Names, Seat, Step
from arena.match.record import Turn

MARK_LETTERS_MAX = 20
"""The longest mark that fits beside a timeline, in characters."""


def _name(seat: Seat) -> str:
    return f"Bot-{int(seat)}"


@attrs.define
class Sentences:
    """The sentences of a game so far, and what is wrong with them."""

    _game: Game[Any, Any]
    _has_any: bool | None = None
    """Whether the game has sentences of its own; not known before the first move."""
    _has_seen: bool | None = None
    """Whether the game tells what is seen; not known before the first observation."""
    _of_chance: dict[type[Any], str] = attrs.field(factory=dict)
    _told: list[tuple[tuple[Any, ...], str | None]] = attrs.field(factory=list)
    """The sentences of this match, each with what was asked for."""

    complaint: str | None = None
    """A sentence about the first thing that is wrong, or None."""

    def look_at_turn(self, moves: Turn, events: Sequence[Event]) -> None:
        """Looks at the sentences for the moves and events of a turn."""
        for seat, move in moves.items():
            self._look_at_move(seat, move)
        for event in events:
            for who, payload in ((None, event.public), *event.private.items()):
                if payload is not None:
                    self._sentence("event", event.kind, payload, who)
                    self._look_at_mark(event.kind, payload, who)
        self._look_at_why([Event(event.kind, event.public) for event in events if event.public is not None])

    def look_at_seen(self, seen: Mapping[Seat | None, Any]) -> None:
        """Looks at the lines for what people in these seats see, each from the seat's own observation."""
        for seat, observation in seen.items():
            named: list[Seat] = []

            def name(other: Seat, named: list[Seat] = named) -> str:
                named.append(other)
                return _name(other)

            lines = self._game.tell_seen(observation, seat, name)
            told = f"tell_seen says {lines!r} of {observation}"
            self._has_seen = lines is not None if self._has_seen is None else self._has_seen
            if self._has_seen != (lines is not None):
                self._complain(f"{told}: a game tells what is seen of all its observations, or of none")
            if lines is not None and not (
                isinstance(lines, tuple) and all(_is_clause(line, may_be_empty=False) for line in lines)
            ):
                self._complain(f"{told}, which are not clauses without a full stop")
            if extra := set(named) - {seat, *_seats(observation)}:
                self._complain(f"{told}, which does not name {sorted(extra)}")
            if lines != self._game.tell_seen(observation, seat, name):
                self._complain(f"{told}, and something else when it is asked again")

    def look_at_match(self, steps: Sequence[Step[Any]]) -> None:
        """Looks at what only a whole match shows: its rounds, and whether the game remembered anything."""
        for asked, before in reversed(self._told):
            again = self._ask(asked, _name)
            if before != again:
                self._complain(
                    f"tell_{asked[0]} says {again!r} of {asked[1:]}, and before {before!r}: "
                    "a sentence is made from its move or payload alone"
                )
        self._told.clear()
        begins = self._game.round_begins
        told = [event.kind for step in steps[:1] for event in step.events if event.public is not None]
        if begins is not None and begins not in told:
            self._complain(f"round_begins is {begins!r}, but a match begins with the public events {told}")
        self._look_at_turns([event for step in steps for event in step.events])

    def _look_at_turns(self, events: Sequence[Event]) -> None:
        """Checks that the events that begin a turn say whose turn it is."""
        begins = self._game.turn_begins
        payloads = [event.public for event in events if event.kind == begins]
        if begins is not None and not (payloads and all(map(_names_a_seat_first, payloads))):
            self._complain(
                f"turn_begins is {begins!r}, but no such public event, or one without a seat as its first "
                "field, was told in a match"
            )

    def _look_at_move(self, seat: Seat, move: Any) -> None:
        sentence: Any = self._sentence("move", seat, move)
        if sentence is None:
            return
        if seat != CHANCE and not sentence.startswith(f"{_name(seat)} "):
            self._complain(
                f"tell_move says {sentence!r} of {move}, which does not begin with the seat that moved"
            )
        if seat == CHANCE and (first := self._of_chance.setdefault(type(move), sentence)) != sentence:
            self._complain(
                f"tell_move says {sentence!r} of {type(move).__name__}, a move of chance, and once said "
                f"{first!r}: it tells what was drawn, which nobody may know"
            )

    def _look_at_mark(self, kind: str, payload: Any, who: Seat | None) -> None:
        """Checks that the word that marks a payload on a timeline is short, and the payload public."""
        asked = ("mark", kind, payload)
        mark: Any = self._ask(asked, _name)
        self._told.append((asked, mark))
        said = f"tell_mark says {mark!r} of {kind}, {payload}"
        is_text = isinstance(mark, str) and mark.isprintable() and mark == mark.strip()
        if not is_text or len(mark) > MARK_LETTERS_MAX:
            self._complain(f"{said}, which is not a text of at most {MARK_LETTERS_MAX} characters")
        elif mark and who is not None:
            self._complain(f"{said}, which seat {int(who)} alone is told: timelines are for everybody")

    def _look_at_why(self, events: Sequence[Event]) -> None:
        """Checks that the reason of a loss, where there is one, is a clause, and names only who is named."""
        named: list[Seat] = []

        def name(seat: Seat) -> str:
            named.append(seat)
            return _name(seat)

        said: Any = self._game.tell_why(events, name)
        self._told.append((("why", events), said))
        if said is None:
            return
        if not _is_clause(said, may_be_empty=False):
            self._complain(f"tell_why says {said!r} of {events}, which is not a clause without a full stop")
        if extra := set(named) - set(_seats([event.public for event in events])):
            self._complain(f"tell_why says {said!r} of {events}, which does not name {sorted(extra)}")

    def _sentence(self, *asked: Any) -> Any:
        """The sentence: there must be one if there is any, in one clause that names only who may be named."""
        named: list[Seat] = []

        def name(seat: Seat) -> str:
            named.append(seat)
            return _name(seat)

        sentence = self._ask(asked, name)
        self._told.append((asked, sentence))
        of, *known = asked
        self._has_any = sentence is not None if self._has_any is None else self._has_any
        said = "nothing" if sentence is None else repr(sentence)
        if self._has_any != (sentence is not None):
            self._complain(
                f"tell_{of} says {said} of {known}: a game has sentences for all its moves and events, "
                "or for none"
            )
        if sentence is not None and not _is_clause(sentence, may_be_empty=known[0] == CHANCE):
            self._complain(f"tell_{of} says {said} of {known}, which is not a clause without a full stop")
        if extra := set(named) - set(_seats(known)):
            self._complain(f"tell_{of} says {said} of {known}, which does not name {sorted(extra)}")
        return sentence

    def _ask(self, asked: tuple[Any, ...], name: Names) -> Any:
        of, *known = asked
        if of == "mark":
            return self._game.tell_mark(*known)
        tell: Any = {
            "move": self._game.tell_move,
            "event": self._game.tell_event,
            "why": self._game.tell_why,
        }[of]
        return tell(*known, name)

    def _complain(self, complaint: str) -> None:
        if self.complaint is None:
            self.complaint = complaint


def _is_clause(sentence: Any, *, may_be_empty: bool) -> bool:
    return (
        isinstance(sentence, str)
        and (bool(sentence) or may_be_empty)
        and sentence.isprintable()
        and sentence == sentence.strip()
        and not sentence.endswith(".")
    )


def _seats(value: Any) -> Iterator[Seat]:
    """All seats in a value."""
    if isinstance(value, Seat):
        yield value
    elif isinstance(value, Mapping):
        for pair in value.items():
            yield from _seats(pair)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _seats(item)
    elif attrs.has(type(value)):
        for field in attrs.fields(type(value)):
            yield from _seats(getattr(value, field.name))


def _names_a_seat_first(payload: Any) -> bool:
    """Whether the first field of a payload is a seat."""
    first = next(iter(attrs.fields(type(payload))), None) if attrs.has(type(payload)) else None
    return first is not None and type(getattr(payload, first.name)) is Seat
