"""The grounds on which matches are played: in this process (`in_process.py`) or workers (`workers/crew.py`).

The dispatcher decides which match comes next and what follows from it; the grounds have bots and tables.
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
    """A match that grounds have taken on."""

    pairing: Pairing
    without: frozenset[str]
    """The bots of the match that are withdrawn, for which default moves are played."""

    @property
    def bots(self) -> Sequence[str]:
        """The bots that play in the match."""
        return bots_playing(self.pairing, self.without)


def bots_playing(pairing: Pairing, without: frozenset[str]) -> Sequence[str]:
    """The bots that play in a match: all except those in `without`, which are withdrawn."""
    return [bot for bot in pairing.bots if bot not in without] if without else pairing.bots


Over: TypeAlias = Callable[[TakenMatch, Entry | None], object]
"""Called when a match is over, with what was played, or None if it was dropped before it began."""


class Grounds(Protocol):
    """A place where matches are seated and played."""

    @property
    def looks_every_s(self) -> float:
        """How often `look` is to be called while a match waits for a table."""

    @property
    def is_full(self) -> bool:
        """Whether the grounds can take on no match at all now."""

    def follow(self, upcoming: Callable[[], Iterable[Pairing]], has_room: Callable[[], object]) -> None:
        """Takes, before play, where to look up what comes next and whom to tell that there is room again."""

    def is_free(self, bot: str) -> bool:
        """Whether the bot can be seated in one more match."""

    def can_seat(self, pairing: Pairing, without: frozenset[str]) -> bool:
        """Whether all bots of the match can be seated now."""

    def has_room(self, pairing: Pairing, without: frozenset[str]) -> bool:
        """Whether the match, whose bots can be seated, may begin beside those in progress."""

    def begin(self, pairing: Pairing, without: frozenset[str]) -> TakenMatch:
        """Takes on a match that can be seated and has room; its bots count as busy until `end`."""

    def start(self, taken: TakenMatch, matches: trio.Nursery, over: Over) -> None:
        """Has the match played; calls `over` when it ends, unless it is broken off.

        `matches`: the nursery for tasks that are to be broken off when no more is played.
        """

    def end(self, taken: TakenMatch) -> None:
        """Frees the bots of a match that is over, and booked, or was broken off."""

    def drop(self, taken_on: Sequence[TakenMatch]) -> None:
        """Leaves out those of these matches that have not begun."""

    def withdraw(self, bot: str) -> None:
        """Ends the instances of a bot that plays no more; those at a table when they leave it."""

    def look(self) -> None:
        """Measures the matches in progress."""
