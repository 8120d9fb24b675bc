"""Words what is stored but does not follow from seeds and moves.  Pure."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias

import attrs

from arena.words import clipped, printable

SHOWN_CHARS = 200
"""How many characters of a value are shown in a sentence."""


@attrs.frozen
class Untruth:
    """One value in a folder that is not what it should be."""

    where: str
    """The place in words: `match 0f3a5b7c9d1e`, `leaderboard.csv, line 3`, `schedule, position 7`."""
    column: str
    stored: str
    """What is stored, in words."""
    expected: str
    """What should be stored, in words."""
    turn: int | None = None
    seat: int | None = None
    hint: str = ""
    """Why that may be, and what to do."""

    def __str__(self) -> str:
        """The untruth in one sentence, on one line."""
        turn = "" if self.turn is None else f", turn {self.turn}"
        seat = "" if self.seat is None else f", seat {self.seat}"
        return (
            f"{printable(self.where)}{turn}{seat}, {self.column}: "
            f"{_brief(self.stored)} is stored, and it should be {_brief(self.expected)}"
            f"{f' ({printable(self.hint)})' if self.hint else ''}"
        )


Untruths: TypeAlias = Generator[Untruth, None, None]


def differs(where: str, column: str, stored: object, expected: object, seat: int | None = None) -> Untruth:
    """An untruth about a single cell; `expected`: a value, or words if the stored value is not text."""
    is_text = isinstance(stored, str)
    return Untruth(where, column, _cell(stored), _cell(expected) if is_text else str(expected), seat=seat)


def is_not(where: str, column: str, stored: object, words: str, seat: int | None = None) -> Untruth:
    """An untruth about a single cell, with words for what should be stored."""
    return Untruth(where, column, _cell(stored), words, seat=seat)


def _cell(value: object) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def _brief(words: str) -> str:
    return printable(clipped(words, SHOWN_CHARS))
