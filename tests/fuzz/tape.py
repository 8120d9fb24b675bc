"""Choices read off bytes, so that whoever changes the bytes changes the choices."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def memory() -> str | None:
    """Where files cost no disk, if there is such a place."""
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


class Tape:
    """Gives numbers and pieces of some bytes; zeros and nothing once they are used up."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def is_over(self) -> bool:
        return self._at >= len(self._data)

    def byte(self) -> int:
        """0 to 255."""
        if self.is_over:
            return 0
        self._at += 1
        return self._data[self._at - 1]

    def below(self, bound: int) -> int:
        """0 to `bound` − 1."""
        number, reach = self.byte(), 256
        while reach < bound:
            number, reach = number << 8 | self.byte(), reach << 8
        return number % bound

    def pick(self, of: Sequence[T]) -> T:
        return of[self.below(len(of))]

    def chunk(self, size: int | None = None) -> bytes:
        """The next `size` bytes, or as many as the next one says."""
        size = self.byte() if size is None else size
        begin, self._at = self._at, min(len(self._data), self._at + size)
        return self._data[begin : self._at]

    def rest(self) -> bytes:
        return self.chunk(len(self._data))


def value(tape: Tape, words: Sequence[str], depth: int = 5) -> object:
    """Any JSON value, more often of `words` than of anything else."""
    match tape.below(12 if depth else 9):
        case 0:
            return tape.pick((None, True, False))
        case 1:
            return tape.byte() - 5
        case 2:
            return tape.pick((2**31, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400, 10**4299))
        case 3:
            return tape.pick((0.0, -0.0, 1.0, 3.0, 0.5, 1e16, 1e308, 5e-324, -7.0))
        case 4 | 5 | 6:
            return tape.pick(words)
        case 7:
            return tape.chunk(tape.below(20)).decode("utf-8", "replace")
        case 8:
            return tape.pick(words) * tape.below(2000)
        case 9 | 10:
            size = tape.byte()
            items = [value(tape, words, depth - 1) for _ in range(size % 5)]
            is_many = size > 250 and not any(
                isinstance(item, list | dict) or _is_long(item) for item in items
            )
            return items * (1000 if is_many else 1)
        case _:
            return {tape.pick(words): value(tape, words, depth - 1) for _ in range(tape.below(5))}


def _is_long(value: object) -> bool:
    """Whether a thousand of it would be more than the wire lets through anyway."""
    return len(str(value)) > 60
