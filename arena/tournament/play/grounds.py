"""Where matches of a run are played: in this process (`in_process.py`), or in workers (`workers/crew.py`).

The dispatcher decides which match comes next and what follows from it; the grounds have bots
and tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

import attrs
import trio

from arena.match.record import Entry
from arena.schedule import Pairing


@attrs.define(eq=False)
class TakenMatch:
    """A match that was taken on."""

    pairing: Pairing
    without: frozenset[str]
    """Its bots that are withdrawn: default moves are played for them."""

    @property
    def bots(self) -> Sequence[str]:
        """The bots that play in it."""
        return bots_playing(self.pairing, self.without)


def bots_playing(pairing: Pairing, without: frozenset[str]) -> Sequence[str]:
    """The bots that play in a match in which these are withdrawn."""
    return [bot for bot in pairing.bots if bot not in without] if without else pairing.bots


Over: TypeAlias = Callable[[TakenMatch, Entry | None], object]
"""Is told that a match is over: what was played, or None if it was dropped before it began."""


class Grounds(Protocol):
    """Seats and plays matches."""

    @property
    def looks_every_s(self) -> float:
        """How often `look` is to be called while a match waits for a table."""

    @property
    def is_full(self) -> bool:
        """Whether it takes on no match at all now."""

    def follow(self, upcoming: Callable[[], Iterable[Pairing]], has_room: Callable[[], object]) -> None:
        """Before play: where to see what comes next, in order, and whom to tell that there is room again."""

    def is_free(self, bot: str) -> bool:
        """Whether the bot can be seated in one more match."""

    def can_seat(self, pairing: Pairing, without: frozenset[str]) -> bool:
        """Whether all bots of the match can be seated now."""

    def has_room(self, pairing: Pairing, without: frozenset[str]) -> bool:
        """Whether the match, whose bots can be seated, may begin beside those in progress."""

    def begin(self, pairing: Pairing, without: frozenset[str]) -> TakenMatch:
        """Takes on a match that can be seated and has room; its bots count as busy until `end`."""

    def start(self, taken: TakenMatch, matches: trio.Nursery, over: Over) -> None:
        """Has the match played; `over` is told its end, unless it is broken off.

        `matches`: for what is to be broken off when no more is played.
        """

    def end(self, taken: TakenMatch) -> None:
        """The match is over, and what follows from it is known; or it was broken off."""

    def drop(self, taken_on: Sequence[TakenMatch]) -> None:
        """Leaves out these matches as far as they have not begun."""

    def withdraw(self, bot: str) -> None:
        """Ends the instances of a bot that plays no more, those at a table when they leave it."""

    def look(self) -> None:
        """Measures the matches in progress."""


__all__ = ["Grounds", "Over", "TakenMatch", "bots_playing"]
