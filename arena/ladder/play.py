"""Plays a ladder: begins its matches as bots become free, books them, and opens the next batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Protocol

import attrs
import trio

from arena.ladder.connected import ConnectedBots
from arena.match.record import Entry
from arena.schedule import Pairing, match_id
from arena.schedule.admission import Capacity
from arena.schedule.ladder import FailureReason
from arena.schedule.ladder_rows import LadderStanding
from arena.tournament.folder.changes import BeginEpoch, Change, Changes, OpenBatch, Publish, SetStatus
from arena.tournament.folder.ladder_course import LadderCourse
from arena.tournament.folder.seal import Seal, opening_of
from arena.tournament.play.grounds import TakenMatch
from arena.tournament.play.in_process import InProcessGrounds, TakenHere

LEAST_S = 1.0
"""The shortest batch: with shorter ones the folder would hold more batches than matches."""
LOOK_S = 1.0
"""How long to wait for bots where there are too few for a match."""
NOBODY: frozenset[str] = frozenset()


class Audience(Protocol):
    """Says who is here, and is told what happens."""

    @property
    def present(self) -> Mapping[str, str]:
        """The versions that can play now -> their owners."""

    async def are_back(self) -> None:
        """Returns once those who played before, and still are to play, are here again."""

    def take_standing(self) -> LadderStanding | None:
        """What ratings say anew, once; None: nothing since it was asked last."""

    def note_failed(self, id: str, how: FailureReason) -> None:
        """Is told that a version failed in play."""

    def note_epoch(self) -> None:
        """Is told that an epoch has ended."""


@attrs.define(eq=False)
class LadderPlay:
    """The ladder's matches in progress, and what follows from those that end."""

    _grounds_with: Callable[[int], InProcessGrounds]
    """The grounds on which matches are played with a seed."""
    _course: LadderCourse
    _keep: trio.MemorySendChannel[Changes]
    _epoch_s: float = attrs.field(kw_only=True)
    _draw_seal: Callable[[], Seal] = attrs.field(kw_only=True)
    _batch_s: float = attrs.field(kw_only=True)
    _audience: Audience = attrs.field(kw_only=True)
    _callers: ConnectedBots = attrs.field(kw_only=True)
    _grounds: InProcessGrounds = attrs.field(init=False)
    _taken_on: dict[TakenHere, None] = attrs.field(factory=dict)
    """The matches in progress."""
    _changed: trio.Event = attrs.field(factory=trio.Event)
    _present: frozenset[str] = NOBODY
    """The versions that the batch began with."""
    _is_paused: bool = False
    _capacity: Capacity | None = None
    """How many matches are played at once; None: as the tournament says."""
    _over: list[tuple[TakenHere, Entry | None]] = attrs.field(factory=list)

    def __attrs_post_init__(self) -> None:
        self._course.thinking = lambda: chain.from_iterable(taken.thought_s for taken in self._taken_on)
        self._set_out()

    def look_again(self) -> None:
        """Notes that versions came or went."""
        self._changed.set()

    def pause(self, is_paused: bool) -> None:
        """Begins no more matches for the time being; those in progress are played to their end."""
        self._is_paused = is_paused
        self._changed.set()

    @property
    def cores(self) -> float:
        """How many cores the matches may keep busy."""
        capacity = self._grounds.capacity
        return capacity.first if capacity.is_fixed else capacity.cores

    def limit(self, capacity: Capacity) -> None:
        """Plays as many matches at once as this allows from now on; those in progress go on."""
        self._capacity = capacity
        self._grounds.limit(capacity)
        self._changed.set()

    async def play(self) -> None:
        """Plays until it is cancelled; finished matches are kept even then."""
        await self._audience.are_back()  # else the open series of all who played before would be void
        try:
            async with trio.open_nursery() as matches:
                while True:
                    while self._is_paused:
                        await self._rest()
                    await self._open_batch()
                    began_at = trio.current_time()
                    while not self._is_batch_over(trio.current_time() - began_at):
                        await self._go_on(matches, began_at)
        finally:
            await self._book_all()
            for taken in self._taken_on:
                self._grounds.end(taken)
            self._taken_on.clear()

    def _set_out(self) -> None:
        """Has matches be played with the seed of the epoch."""
        self._grounds = self._grounds_with(self._course.seed)
        self._grounds.follow(self._pending, lambda: None)
        if self._capacity is not None:
            self._grounds.limit(self._capacity)

    async def _go_on(self, matches: trio.Nursery, began_at: float) -> None:
        """Begins what can begin, waits until something has changed, and books what is over."""
        self._changed = trio.Event()
        self._begin_all(matches)
        if not self._over:
            now = trio.current_time()
            ends_at = began_at + (self._batch_s if now >= began_at + LEAST_S else LEAST_S)
            looks_at = now + min(LOOK_S, self._grounds.looks_every_s)
            with trio.move_on_at(looks_at if now >= ends_at else min(ends_at, looks_at)):
                await self._changed.wait()
        self._grounds.look()
        await self._book_all()

    async def _rest(self) -> None:
        """Waits until something has changed."""
        self._changed = trio.Event()
        await self._changed.wait()

    def _is_batch_over(self, for_s: float) -> bool:
        """Whether the next batch begins: at the deadline, or before it where tables would stay empty."""
        if self._is_paused:
            return False
        if self._course.is_ended:
            return not (self._taken_on or self._over)
        if self._is_idle():
            return self._is_time_over
        if for_s >= self._batch_s:
            return True
        return for_s >= LEAST_S and not self._grounds.is_full and self._next() is None

    def _is_idle(self) -> bool:
        """Whether the next batch would be as empty as this one: nothing is played, and the same are here."""
        is_over = not (self._taken_on or self._over or self._course.has_open)
        return is_over and self._audience.present.keys() == self._present

    @property
    def _is_time_over(self) -> bool:
        """Whether the epoch is to end; one in which nothing was planned goes on."""
        return self._course.has_planned and time.time() - self._course.began_at >= self._epoch_s

    async def _begin_epoch(self) -> None:
        """Ends the epoch, in which all is played, and begins the next with a seed of its own."""
        seal, now = self._draw_seal(), time.time()
        await self._keep.send([BeginEpoch(now, seal)])  # what is sent after it is kept after it
        self._course.begin_epoch(self._course.epoch + 1, opening_of(seal).seed, now)
        self._set_out()
        self._audience.note_epoch()

    async def _open_batch(self) -> None:
        if self._course.may_begin_epoch and not (self._taken_on or self._over):
            await self._begin_epoch()
        self._present = frozenset(self._audience.present)
        opened = self._course.open_batch(
            self._audience.present,
            self._audience.take_standing(),
            self._callers.connecting,
            ends=self._is_time_over,
        )
        for bot, how in opened.failed.items():
            self._grounds.withdraw(bot)
            self._audience.note_failed(bot, how)
        changes: list[Change] = [SetStatus(bot, "withdrawn") for bot in opened.failed]
        await self._keep.send([*changes, OpenBatch(opened.row, opened.planned, opened.dropped)])

    def _begin_all(self, matches: trio.Nursery) -> None:
        while not (self._is_paused or self._grounds.is_full) and (pairing := self._next()) is not None:
            if not self._grounds.has_room(pairing, NOBODY):
                return
            taken = self._grounds.begin(pairing, NOBODY)
            self._course.begin(pairing)
            self._taken_on[taken] = None
            self._grounds.start(taken, matches, self._note_over)

    def _next(self) -> Pairing | None:
        """The match that begins next: of those whose bots are free, the first by the owners' shares."""
        may_begin, can_seat = self._callers.may_begin, self._grounds.can_seat
        return self._course.next_match(lambda pairing: may_begin(pairing) and can_seat(pairing, NOBODY))

    def _pending(self) -> Iterator[Pairing]:
        return iter(self._course.waiting)

    def _note_over(self, taken: TakenMatch, entry: Entry | None) -> None:
        assert isinstance(taken, TakenHere), "matches are begun here"
        self._over.append((taken, entry))
        self._changed.set()

    async def _book_all(self) -> None:
        """Books and keeps the matches that are over."""
        over, self._over = self._over, []
        changes: list[Change] = []
        for taken, entry in over:
            assert entry is not None, "what begins here is played"
            self._grounds.end(taken)
            del self._taken_on[taken]
            changes += self._close(entry)
        if changes:
            with trio.CancelScope(shield=True), suppress(trio.BrokenResourceError):
                await self._keep.send(changes)  # broken: the writer has failed, and says why itself

    def _close(self, entry: Entry) -> Changes:
        """Books a finished match; returns the changes for the store."""
        closed = self._course.note(entry)
        if not closed:
            return [entry]
        return [entry, Publish(tuple(match_id(self._course.seed, pairing.id) for pairing in closed))]
