"""Who meets whom in turn among bots that come and go: the two that have not met for longest.  Pure.

The order of a lap is fixed for its bots.  Here every two bots stand in a queue: they go to its end when they
meet, and the pairs of a newcomer join at the end.  So two bots that stay meet again after at most as many
turns as there were pairs when they last met, whoever comes and goes meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

from arena.schedule.laps import all_sets

BotPair: TypeAlias = tuple[str, str]


class MeetingTurns:
    """When every two bots were last planned to meet."""

    def __init__(self) -> None:
        self.number = 0
        """How many series were noted."""
        self._since: dict[str, int] = {}
        self._met: dict[BotPair, int] = {}

    def arrive(self, bot: str) -> None:
        """Notes that this bot is there; it keeps its meetings if it was there before."""
        self._since.setdefault(bot, self.number)

    def note(self, bots: Iterable[str]) -> None:
        """Notes that these bots are planned to meet."""
        self.number += 1
        for pair in combinations(sorted(bots), 2):
            self._met[pair] = self.number

    def last(self, first: str, second: str) -> int:
        """The number of the series in which the two met last, or of the last one before both were there."""
        pair = (first, second) if first < second else (second, first)
        return self._met.get(pair) or max(self._since[first], self._since[second])

    def in_turn(self, bots: Sequence[str]) -> list[BotPair]:
        """All pairs of these bots, those first that have not met for longest, equals as in a lap."""
        pairs = [(first, second) for first, second in all_sets(bots, 2)]
        return sorted(pairs, key=lambda pair: self.last(*pair))


def completed(
    pair: BotPair,
    bots: Iterable[str],
    seats: int,
    may_join: Callable[[Sequence[str], str], bool],
    cost: Callable[[Sequence[str], str], tuple[float, float]],
) -> tuple[str, ...] | None:
    """A match of these two and as many others as there are seats for; None if too few may join.

    The next one is always the bot that costs least beside those who sit there, the first of equals.
    """
    seated = list(pair)
    while len(seated) < seats:
        free = [bot for bot in bots if bot not in seated and may_join(seated, bot)]
        if not free:
            return None
        seated.append(min(free, key=lambda bot: cost(seated, bot)))
    return tuple(seated)
