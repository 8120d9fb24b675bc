"""The tables at which a bot is checked: how many seats, who sits there, with which luck.  Pure."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from arena.trials.check.opponents import Temper


@attrs.frozen
class CheckTable:
    """A match that can be played again: everything but what the bot answers."""

    seats: int
    seat: int
    seed: int
    temper: Temper
    names: tuple[str, ...] = tuple(f"other-{number}" for number in range(1, 12))
    """What the opponents are called."""

    def names_with(self, bot: str) -> tuple[str, ...]:
        """The names by seat, all different."""
        others = iter([name for name in self.names if name != bot])
        return tuple(bot if seat == self.seat else next(others) for seat in range(self.seats))


def ends(numbers: Sequence[int]) -> tuple[int, ...]:
    """The smallest and the largest, if they differ."""
    return tuple(dict.fromkeys((numbers[0], numbers[-1])))


def outside_in(numbers: Sequence[int]) -> list[int]:
    """2, 10, 3, 9, …: if time runs out, both ends have been seen."""
    left, order = list(numbers), list[int]()
    while left:
        order.append(left.pop(0 if len(order) % 2 == 0 else -1))
    return order
