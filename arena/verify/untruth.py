"""What is stored, and is not what follows from seeds and moves.  Pure."""

from __future__ import annotations

import attrs

from arena.words import clipped, printable

SHOWN_CHARS = 200
"""Of a value in a sentence."""


@attrs.frozen
class Untruth:
    """One value in a folder that is not what it should be."""

    where: str
    """`match 0f3a5b7c9d1e`, `leaderboard.csv, line 3`, `schedule, position 7`."""
    column: str
    stored: str
    """What is there, in words."""
    expected: str
    """What should be there, in words."""
    turn: int | None = None
    seat: int | None = None
    hint: str = ""
    """Why that may be, and what to do."""

    def __str__(self) -> str:
        """All of it in one sentence, on one line."""
        turn = "" if self.turn is None else f", turn {self.turn}"
        seat = "" if self.seat is None else f", seat {self.seat}"
        return (
            f"{printable(self.where)}{turn}{seat}, {self.column}: "
            f"{_brief(self.stored)} is stored, and it should be {_brief(self.expected)}"
            f"{f' ({printable(self.hint)})' if self.hint else ''}"
        )


def differs(where: str, column: str, stored: object, expected: object, seat: int | None = None) -> Untruth:
    """An untruth about a single cell; a text that is expected where none is stored says in words what is."""
    is_text = isinstance(stored, str)
    return Untruth(where, column, _cell(stored), _cell(expected) if is_text else str(expected), seat=seat)


def is_not(where: str, column: str, stored: object, words: str, seat: int | None = None) -> Untruth:
    """An untruth about a single cell, and in words what should be there."""
    return Untruth(where, column, _cell(stored), words, seat=seat)


def _cell(value: object) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def _brief(words: str) -> str:
    return printable(clipped(words, SHOWN_CHARS))
