"""Observations as JSON, of which only that part is encoded anew which was not there at the last question.

What was said since the deal is told again at every question: in Blef up to 136 bids, each with a name.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, get_args, get_origin, get_type_hints

import attrs
import msgspec

LONG = 8
"""A field with so many items or more is encoded as it grows; below, that would cost more than it gains."""


class GrowingEncoder:
    """Encodes the observations of one receiver; by `encode` alone the JSON would be the same.

    An item that is the same object as last time is taken to be as it was then: observations are frozen.
    """

    def __init__(self, encode: Callable[[Any], bytes]) -> None:
        self._encode = encode
        self._known: dict[str, tuple[tuple[Any, ...], bytes]] = {}
        """Field -> the items that it had last time, and their JSON."""

    def __call__(self, observation: Any) -> bytes:
        """An observation as a JSON object."""
        for name in _tuples_of[type(observation)]:
            if len(getattr(observation, name)) >= LONG:
                return self._in_parts(observation)
        return self._encode(observation)

    def _in_parts(self, observation: Any) -> bytes:
        fields = {
            name: value for name, value in vars(observation).items() if name[0] != "_"
        }  # as msgspec does
        for name in _tuples_of[type(observation)]:
            if len(items := fields[name]) >= LONG:
                fields[name] = msgspec.Raw(self._list(name, items))
        return self._encode(fields)

    def _list(self, name: str, items: tuple[Any, ...]) -> bytes:
        """The items of a field: those of last time as they were encoded then, if they are its beginning."""
        known, octets = self._known.get(name, ((), b"[]"))
        if len(known) > len(items) or not all(map(is_, known, items)):
            known, octets = (), b"[]"
        if len(known) < len(items):
            more = self._encode(items[len(known) :])
            octets = octets[:-1] + b"," + more[1:] if known else more
            self._known[name] = items, octets
        return octets


class _TuplesOf(dict[type[Any], tuple[str, ...]]):
    """Class of observations -> its fields that hold tuples of any length.

    None if its fields are slots: `vars` would not give them.
    """

    def __missing__(self, observation: type[Any]) -> tuple[str, ...]:
        names = self[observation] = tuple(_tuples_in(observation))
        return names


def _tuples_in(observation: type[Any]) -> list[str]:
    if not attrs.has(observation) or hasattr(observation, "__slots__"):
        return []
    hints = get_type_hints(observation)
    names = [field.name for field in attrs.fields(observation) if field.name[0] != "_"]
    return [
        name for name in names if get_origin(hints[name]) is tuple and get_args(hints[name])[1:] == (...,)
    ]


_tuples_of = _TuplesOf()

__all__ = ["GrowingEncoder"]
