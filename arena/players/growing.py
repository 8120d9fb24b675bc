"""Encodes observations as JSON, but only the part that was not there at the last question.

Everything said since the deal is told again at every question: in Blef up to 136 bids, each with a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter, is_
from typing import Any, get_args, get_origin, get_type_hints

import attrs
import msgspec

LONG = 8
"""From how many items on a field is encoded as it grows; with fewer, that would cost more than it gains."""


class GrowingEncoder:
    """Encodes the observations of one receiver, with the same result as `encode`.

    An item that is the same object as last time is taken to be unchanged: observations are frozen.
    """

    def __init__(self, encode: Callable[[Any], bytes]) -> None:
        self._encode = encode
        self._known: dict[str, tuple[tuple[Any, ...], bytes]] = {}
        """For each field, the items that it had last time, and their JSON."""

    def __call__(self, observation: Any) -> bytes:
        """An observation as a JSON object."""
        if _growing_in[type(observation)].is_long(observation):
            return self._in_parts(observation)
        return self._encode(observation)

    def _in_parts(self, observation: Any) -> bytes:
        fields = {
            name: value for name, value in vars(observation).items() if name[0] != "_"
        }  # as msgspec does
        for name in _growing_in[type(observation)].names:
            if len(items := fields[name]) >= LONG:
                fields[name] = msgspec.Raw(self._list(name, items))
        return self._encode(fields)

    def _list(self, name: str, items: tuple[Any, ...]) -> bytes:
        """The items of a field as JSON; if it begins with those of last time, their JSON is reused."""
        known, octets = self._known.get(name, ((), b"[]"))
        if len(known) > len(items) or not all(map(is_, known, items)):
            known, octets = (), b"[]"
        if len(known) < len(items):
            more = self._encode(items[len(known) :])
            octets = octets[:-1] + b"," + more[1:] if known else more
            self._known[name] = items, octets
        return octets


@attrs.frozen
class _Growing:
    """The fields of a class of observations that may grow long."""

    names: tuple[str, ...]
    is_long: Callable[[Any], bool] = attrs.field()
    """Whether one of these fields has many items in an observation."""

    @is_long.default
    def _looking_at_names(self) -> Callable[[Any], bool]:
        # Called at every question: for one field, which most games have, without a loop.
        if not self.names:
            return lambda observation: False
        read = attrgetter(*self.names)
        if len(self.names) == 1:
            return lambda observation: len(read(observation)) >= LONG
        return lambda observation: max(map(len, read(observation))) >= LONG


class _GrowingIn(dict[type[Any], _Growing]):
    """For each class of observations, its fields that hold tuples of any length, not of numbers or texts.

    A class with slots has no such fields: `vars` would not return them.
    """

    def __missing__(self, observation: type[Any]) -> _Growing:
        found = self[observation] = _Growing(tuple(_growing_fields(observation)))
        return found


def _growing_fields(observation: type[Any]) -> Iterator[str]:
    if attrs.has(observation) and not hasattr(observation, "__slots__"):
        hints = get_type_hints(observation)
        for field in attrs.fields(observation):
            items = get_args(hints[field.name]) if get_origin(hints[field.name]) is tuple else ()
            if field.name[0] != "_" and items[1:] == (...,) and items[0] not in _PLAIN:
                yield field.name


_PLAIN = (bool, int, float, str)
"""The types that are encoded so fast that remembering their JSON is not worth it."""
_growing_in = _GrowingIn()
