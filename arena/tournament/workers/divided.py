"""Divides a run between this process, to which bots connect, and workers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import trio

from arena.schedule import Pairing
from arena.tournament.play.grounds import Grounds, Over, TakenMatch, bots_playing


class Divided:
    """Two grounds in one: the first for the matches of some bots, the second for all others."""

    def __init__(self, here: Grounds, there: Grounds, bound: Collection[str]) -> None:
        """`bound`: the bots that can only play here."""
        self._here, self._there = here, there
        self._bound = frozenset(bound)
        self._grounds: dict[TakenMatch, Grounds] = {}
        """The grounds on which each match in progress is played."""

    def _grounds_of(self, pairing: Pairing, without: frozenset[str]) -> Grounds:
        return self._there if self._bound.isdisjoint(bots_playing(pairing, without)) else self._here

    @property
    def looks_every_s(self) -> float:
        return min(self._here.looks_every_s, self._there.looks_every_s)

    @property
    def is_full(self) -> bool:
        return self._here.is_full and self._there.is_full

    def follow(self, upcoming: Callable[[], Iterable[Pairing]], has_room: Callable[[], object]) -> None:
        for grounds in (self._here, self._there):
            grounds.follow(upcoming, has_room)

    def is_free(self, bot: str) -> bool:
        return self._here.is_free(bot) or self._there.is_free(bot)

    def can_seat(self, pairing: Pairing, without: frozenset[str]) -> bool:
        # False if its grounds have no room: a match that waits for one of them must not hold up the other.
        grounds = self._grounds_of(pairing, without)
        has_room = not grounds.is_full and grounds.has_room(pairing, without)
        return has_room and grounds.can_seat(pairing, without)

    def has_room(self, pairing: Pairing, without: frozenset[str]) -> bool:
        return True

    def begin(self, pairing: Pairing, without: frozenset[str]) -> TakenMatch:
        grounds = self._grounds_of(pairing, without)
        taken = grounds.begin(pairing, without)
        self._grounds[taken] = grounds
        return taken

    def start(self, taken: TakenMatch, matches: trio.Nursery, over: Over) -> None:
        self._grounds[taken].start(taken, matches, over)

    def end(self, taken: TakenMatch) -> None:
        self._grounds.pop(taken).end(taken)

    def drop(self, taken_on: Sequence[TakenMatch]) -> None:
        for grounds in (self._here, self._there):
            grounds.drop([one for one in taken_on if self._grounds[one] is grounds])

    def withdraw(self, bot: str) -> None:
        for grounds in (self._here, self._there):
            grounds.withdraw(bot)

    def look(self) -> None:
        self._here.look()
