"""Estimates how long a run still takes, from the matches that it has played.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import attrs

HALF_LIFE_S = 15.0
"""After this time a match counts half, because the number of matches played at once changes."""


@attrs.frozen
class Waits:
    """How long matches have waited for one bot's answers."""

    matches: int = 0
    total_s: float = 0.0

    @property
    def mean_s(self) -> float:
        return self.total_s / self.matches


def left_s(left: Mapping[str, int], waits: Mapping[str, Waits], tables: float) -> float:
    """How long the matches that are left take, if `tables` of them are played at once.

    `left`: bot -> in how many of them it plays; `waits`: those of each bot that has played, at least of one.
    A match takes as long as it waits for its bots, for each as long as the matches before did.  The last
    match of a slow bot has no others beside it, however many tables there are.
    """
    every = Waits(sum(one.matches for one in waits.values()), sum(one.total_s for one in waits.values()))
    mean_s = {bot: waits.get(bot, every).mean_s for bot, count in left.items() if count > 0}
    return max(sum(left[bot] * mean_s[bot] for bot in mean_s) / tables, *mean_s.values(), 0.0)


class Pace:
    """The matches of a run as they end, and the time that is left."""

    def __init__(self, now: float) -> None:
        self.left: Counter[str] = Counter()
        """Bot -> how many of the matches that are left it plays in."""
        self._waits: dict[str, Waits] = {}
        self._changed_at = now
        self._match_s = self._elapsed_s = 0.0
        """The time that all matches took together, and that has passed; what is long ago counts less."""

    def plan(self, matches: Iterable[Sequence[str]], unknown: float = 0.0) -> None:
        """Notes which bots play in the matches that are left.

        `unknown`: how many more matches, not paired yet, each of them plays on average.
        """
        self.left = Counter(bot for bots in matches for bot in bots)
        for bot in self.left if unknown else ():
            self.left[bot] += round(unknown)

    def played(self, bots: Sequence[str], waited_s: Sequence[float], now: float) -> None:
        """Notes a match that ended: who played, and how long it waited for each of them."""
        self.left.subtract(bots)
        for bot, one_s in zip(bots, waited_s, strict=True):
            before = self._waits.get(bot, Waits())
            self._waits[bot] = Waits(before.matches + 1, before.total_s + one_s)
        kept = 0.5 ** ((now - self._changed_at) / HALF_LIFE_S)
        self._match_s = kept * self._match_s + sum(waited_s)
        self._elapsed_s = kept * self._elapsed_s + now - self._changed_at
        self._changed_at = now

    def left_s(self, now: float) -> float | None:
        """The time that is left; None if no match has taken any time that could be measured."""
        elapsed_s = self._elapsed_s + now - self._changed_at
        if not self._match_s or not elapsed_s:
            return None
        return left_s(self.left, self._waits, self._match_s / elapsed_s)
