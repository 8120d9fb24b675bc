"""A JSON value cut to few characters, in time for few: how a reason quotes a wrong value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

LENGTH_MAX = 80
"""How many characters of a wrong value a reason repeats."""
_BITS_MAX = 1000
"""The largest integer written out, in bits: one of 4,300 digits takes 0.2 ms, and 64 KiB hold 15 of them."""

_encode = msgspec.json.Encoder().encode


def short_json(value: Any, length_max: int = LENGTH_MAX) -> str:
    """The value as JSON, cut to `length_max` characters; no more of it is looked at than is shown."""
    text = ""
    try:
        for piece in _pieces(value, length_max):
            text += piece
            if len(text) > length_max:
                return text[: length_max - 1] + "…"
    except (TypeError, ValueError, OverflowError, RecursionError):
        return f"something of type {type(value).__name__}"  # no JSON decodes to it, so never from the wire
    return text


def _pieces(value: Any, length_max: int) -> Iterator[str]:
    """The value as JSON, piece by piece; strings longer than `length_max` may be cut."""
    if isinstance(value, list | tuple):
        yield "["
        for index, member in enumerate(value):
            yield "," if index else ""
            yield from _pieces(member, length_max)
        yield "]"
    elif isinstance(value, dict):
        yield "{"
        for index, (key, member) in enumerate(value.items()):
            yield "," if index else ""
            yield from _pieces(key, length_max)
            yield ":"
            yield from _pieces(member, length_max)
        yield "}"
    elif isinstance(value, int) and value.bit_length() > _BITS_MAX:
        yield "a huge number"
    else:
        yield _encode(value[:length_max] if isinstance(value, str) else value).decode()
