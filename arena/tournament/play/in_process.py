"""Plays matches in this process, with its bots, its tables and the referee."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from math import inf
from typing import TypeVar

import attrs
import trio

from arena.box.box import Box
from arena.match.record import Decision, Entry
from arena.players.lag import LagWatch
from arena.schedule import Pairing
from arena.schedule.admission import Capacity
from arena.tournament.play.conversations import Conversations
from arena.tournament.play.grounds import Over, TakenMatch, bots_playing
from arena.tournament.play.match import MatchRunner
from arena.tournament.play.pool import Callers, Pool
from arena.tournament.play.tables import MatchTable, Tables
from arena.tournament.tournament import Tournament

C = TypeVar("C", bound=Callers)

LOOK_EVERY_S = 0.25
"""How often the matches in progress are measured while another one waits for a table."""


@attrs.define(eq=False)
class TakenHere(TakenMatch):
    """A match at a table of this process."""

    table: MatchTable
    decisions: list[Decision] = attrs.field(factory=list)
    """What was decided in it so far."""

    @property
    def thought_s(self) -> Iterator[tuple[str, float]]:
        """Its bots, and the seconds for which it has waited for each so far, in parts."""
        for decision in self.decisions:
            yield self.pairing.bots[decision.seat], decision.elapsed_s


class InProcessGrounds:
    """The grounds in this process."""

    def __init__(
        self, tournament: Tournament, pool: Pool, watch: LagWatch, conversations: Conversations
    ) -> None:
        self.pool = pool
        """The instances of the bots."""
        self._venue = MatchRunner(tournament, watch, conversations)
        self._tables = Tables(tournament.capacity)

    @contextmanager
    def lag_noted(self, note: Callable[[float], object]) -> Iterator[None]:
        """Tells `note`, when the context ends, how late this process was at worst."""
        try:
            yield
        finally:
            note(self._venue.watch.worst_s)

    @property
    def capacity(self) -> Capacity:
        """How many tables there may be."""
        return self._tables.capacity

    def limit(self, capacity: Capacity) -> None:
        """Has as many tables as this from now on; matches in progress keep theirs."""
        self._tables.capacity = capacity

    @property
    def in_use(self) -> int:
        """How many matches are in progress."""
        return self._tables.in_use

    @property
    def wanted(self) -> int:
        """How many matches these grounds can use now: those in progress, and one more if there is room."""
        capacity = self._tables.capacity
        return capacity.first if capacity.is_fixed else self.in_use + self._tables.have_room(())

    @property
    def looks_every_s(self) -> float:
        return inf if self._tables.capacity.is_fixed else LOOK_EVERY_S

    @property
    def is_full(self) -> bool:
        return self._tables.are_full

    def follow(self, upcoming: Callable[[], Iterable[Pairing]], has_room: Callable[[], object]) -> None:
        self.pool.upcoming = upcoming  # `has_room` is not needed: the dispatcher knows when a match ends

    def is_free(self, bot: str) -> bool:
        return self.pool.is_free(bot)

    def can_seat(self, pairing: Pairing, without: frozenset[str]) -> bool:
        return self.pool.can_seat(pairing, without)

    def has_room(self, pairing: Pairing, without: frozenset[str]) -> bool:
        return self._tables.have_room(bots_playing(pairing, without))

    def begin(self, pairing: Pairing, without: frozenset[str]) -> TakenHere:
        self.pool.reserve(pairing, without)
        table = self._tables.begin(bots_playing(pairing, without))
        self.pool.instances.allow(2 * self._tables.in_use * len(pairing.bots))
        return TakenHere(pairing, without, table)

    def start(self, taken: TakenMatch, matches: trio.Nursery, over: Over) -> None:
        matches.start_soon(self._play, taken, over)

    async def _play(self, taken: TakenMatch, over: Over) -> None:
        over(taken, await self.play(taken))

    async def play(self, taken: TakenMatch) -> Entry:
        """Plays the match to its end."""
        assert isinstance(taken, TakenHere), "the match was begun here"
        seated = await self.pool.seat(taken.pairing, taken.without)
        is_spoilt = True
        try:
            self._tables.seat(taken.table, seated)
            began_at = trio.current_time()
            entry = await self._venue.play(taken.pairing, taken.without, seated, taken.decisions)
            self._tables.note(taken.table, entry, trio.current_time() - began_at)
            # A match that was cut short does not count, nor one that ends in the very step in which the
            # course ends: it is past the end.
            await trio.lowlevel.checkpoint_if_cancelled()
            is_spoilt = entry.record.error is not None
        finally:
            self.pool.release(seated, are_spoilt=is_spoilt)
        return entry

    def end(self, taken: TakenMatch) -> None:
        assert isinstance(taken, TakenHere), "the match was begun here"
        self.pool.free(taken.pairing, taken.without)
        self._tables.end(taken.table)

    def drop(self, taken_on: Sequence[TakenMatch]) -> None:
        pass  # here, all that was taken on has begun

    def withdraw(self, bot: str) -> None:
        self.pool.withdraw(bot)

    def look(self) -> None:
        self._tables.look()


def open_conversations(tournament: Tournament) -> closing[Conversations]:
    """Opens the conversations of the bots that are debugged; closes their files at the end."""
    return closing(Conversations(tournament.debugged, tournament.logs, tournament.share))


@asynccontextmanager
async def open_pool(
    tournament: Tournament,
    box: Box | None,
    watch: LagWatch,
    note_bug: Callable[[str], None],
    open_lobby: Callable[[trio.Nursery], C | None] = lambda nursery: None,
) -> AsyncIterator[tuple[Pool, C | None]]:
    """Opens the pool of the bots' instances, and a lobby if there is one; at the end no bot is left alive."""
    async with trio.open_nursery() as nursery:
        lobby = open_lobby(nursery)
        pool = Pool(tournament, nursery, box=box, watch=watch, lobby=lobby, note_bug=note_bug)
        try:
            yield pool, lobby
        finally:
            with trio.CancelScope(shield=True):  # a run that is cancelled ends its bots too
                await pool.close()
        nursery.cancel_scope.cancel()
