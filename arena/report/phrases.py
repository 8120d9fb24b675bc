"""Numbers, moves and observations in words, with as little punctuation as possible."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from arena.words import clipped, number, spaced

Chips = tuple[str, ...]
"""Values that belong side by side: cards, dice, names."""
Phrase = str | Chips

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
NAMES_MAX = 6
"""If there are more names: the first ones, and how many more."""
TEXT_MAX = 200
"""Characters of one value; a whole deck says no more than its first cards."""


def day(unix_s: float) -> str:
    """`21 November 2026`, in UTC, and in English whatever the locale."""
    moment = datetime.fromtimestamp(unix_s, UTC)
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


def bound(row: Any) -> str:
    """`above 1421`, of a bot on the leaderboard that won all there was, or `below 1395`; else empty."""
    if not row.rating_bound:
        return ""
    return f"{row.rating_bound} {number(row.rating_low if row.rating_bound == 'above' else row.rating_high)}"


# Names and trees.


def inline(value: Any) -> str:
    """A JSON value on one line."""
    if isinstance(value, Mapping):
        fields = [f"{spaced(key)} {inline(item)}" for key, item in value.items() if item is not None]
        return ", ".join(fields)
    if isinstance(value, list | tuple):
        between = ", " if all(isinstance(item, list | tuple | Mapping) for item in value) else " "
        return between.join(map(inline, value)) or "none"
    return scalar(value)


def scalar(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value, 0 if float(value).is_integer() else 3)
    return str(value)


def fields_said(fields: Mapping[str, Any]) -> str:
    """`player ann, amount 20`: the fields that say something."""
    said = {name: value for name, value in fields.items() if value is not None and value is not False}
    if len(said) == len(fields) == 1:
        return clipped(inline(*said.values()), TEXT_MAX)
    words = [
        spaced(name) if value is True else f"{spaced(name)} {_in(value)}" for name, value in said.items()
    ]
    return clipped(", ".join(words), TEXT_MAX)


def _in(value: Any) -> str:
    nested = isinstance(value, list | tuple) and any(
        isinstance(item, list | tuple | Mapping) for item in value
    )
    return f"({inline(value)})" if nested else inline(value)
