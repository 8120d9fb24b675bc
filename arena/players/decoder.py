"""What a bot was sent, read back as the game's own values: observations and payloads of events.

The other way round from `codec`: for programs that have the game at hand, such as a bot that searches.  A
name becomes a `Seat` wherever the annotations say that a seat may be.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import attrs

from arena.match.game import Game, Seat, Told


class Decoder:
    """Reads what one seat at one table is sent."""

    def __init__(self, game: Game[Any, Any], names: Sequence[str], seat: Seat) -> None:
        self._game = type(game)
        self._seats = {name: Seat(index) for index, name in enumerate(names)}
        if game.own_name is not None:
            self._seats[game.own_name] = seat

    def observation(self, value: Mapping[str, Any]) -> Any:
        """The observation that was sent as this JSON object."""
        return self._read(value, get_type_hints(self._game.observe)["return"])

    def told(self, kind: str, payload: Mapping[str, Any]) -> Told:
        """The event of this kind, with the payload that was sent as this JSON object.

        Nothing declares the class of a payload, so it is the one of the game's classes that has these fields.
        Where several classes have the same fields, it may be another one than the game used.
        Raises LookupError if no class has them.
        """
        for each in _payloads(self._game):
            if payload.keys() == attrs.fields_dict(each).keys():
                return Told(kind, self._read(payload, each))
        raise LookupError(f"no class of {self._game.name} has the fields {', '.join(payload)}")

    def _read(self, value: Any, hint: Any) -> Any:
        """The value of this annotation that JSON shows as `value`."""
        origin, args = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            return self._read_one_of(value, args)
        if origin is tuple:
            each = args[:1] * len(value) if args[1:] == (...,) else args
            return tuple([self._read(item, of) for item, of in zip(value, each, strict=True)])
        if hint is Seat:
            return self._seats[value]
        if attrs.has(hint):
            hints = _hints(hint)
            return hint(**{name: self._read(item, hints[name]) for name, item in value.items()})
        return value

    def _read_one_of(self, value: Any, hints: tuple[Any, ...]) -> Any:
        """The value of one of several annotations: a seat where it is the name of one."""
        if value is None or (Seat in hints and isinstance(value, str) and value in self._seats):
            return None if value is None else self._seats[value]
        return self._read(value, next(hint for hint in hints if hint not in (Seat, type(None))))


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _payloads(game: type[Game[Any, Any]]) -> tuple[type[Any], ...]:
    """The classes that payloads may have: those of the game's modules that are no moves that bots send."""
    found = {
        value: None
        for name in _modules(game)
        for value in vars(sys.modules[name]).values()
        if isinstance(value, type) and attrs.has(value) and not hasattr(value, "form")
    }
    return tuple(found)


def _modules(game: type[Game[Any, Any]]) -> Iterator[str]:
    """The modules in which the game, and what it derives from, is written: those named `events` first."""
    for base in game.__mro__:
        if issubclass(base, Game) and base is not Game:
            package = base.__module__.rpartition(".")[0]
            near = [name for name in sys.modules if package and name.rpartition(".")[0] == package]
            yield from sorted({base.__module__, *near}, key=lambda name: (not name.endswith(".events"), name))
