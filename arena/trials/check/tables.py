"""The tables at which a bot is checked: their seats, opponents and luck.  Pure."""

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
    """The opponents' names."""

    def names_with(self, bot: str) -> tuple[str, ...]:
        """The names at the table, one for each seat, all different."""
        others = iter([name for name in self.names if name != bot])
        return tuple(bot if seat == self.seat else next(others) for seat in range(self.seats))


def ends(numbers: Sequence[int]) -> tuple[int, ...]:
    """The smallest and the largest of some numbers; one if they are the same."""
    return tuple(dict.fromkeys((numbers[0], numbers[-1])))


def outside_in(numbers: Sequence[int]) -> list[int]:
    """Numbers in the order 2, 10, 3, 9, …: if time runs out, both ends have been tried."""
    left, order = list(numbers), list[int]()
    while left:
        order.append(left.pop(0 if len(order) % 2 == 0 else -1))
    return order
