"""A server from its start to its end: the real house and its REST over a folder, on a disk that can fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import attrs
import trio

from arena.errors import ConfigError
from arena.server.http.endpoints import routes_to
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.routing import Routing
from arena.server.kept.archive import Archive, open_archive
from arena.server.kept.keeping import NotKept, open_keeper
from arena.server.kept.records import ServerRecords
from arena.server.open_tables import OpenTables
from arena.server.tables.pauses import Pauses
from tests.server.halls import a_house
from tests.server.rest_client import endpoints_of
from tests.server.restarts import SettledBot

from ..network import Trace
from .world import End, Moment, World

EPOCH_S = 1_700_000_000.0
"""Unix time when the clock of a world begins: a version is never that of an earlier life."""
BUG = "a bug of ours"


class Disk:
    """In the place of the threads that write: slow, full or faulty, as the world says."""

    def __init__(self, world: World, trace: Trace, rng: Random, note_archived: Callable[[], None]) -> None:
        """`note_archived` is called as soon as the archive has been written."""
        self._note_archived = note_archived
        self._world = world
        self._trace = trace
        self._rng = rng
        self.is_sound = False
        """Whether it has been repaired."""
        self.is_dead = False
        """Whether the process that writes was killed."""

    async def commit(self, write: Callable[[], None]) -> None:
        """For the keeper."""
        await self._write(write, ConfigError)

    async def archive(self, write: Callable[[], None]) -> None:
        """For the archive."""

        def write_and_note() -> None:
            write()
            self._note_archived()

        await self._write(write_and_note, NotKept)

    async def _write(self, write: Callable[[], None], failure: type[Exception]) -> None:
        await self._take_time()
        if self.is_dead:
            raise failure("the process was killed")
        if self.is_full:
            self._trace.note("disk full")
            raise failure("the disk is full: make room for it")
        is_faulty = not self.is_sound and self._rng.random() < self._world.faults
        if is_faulty and self._rng.random() < 0.5:
            self._trace.note("write failed")
            raise failure("the disk reports an error")
        write()
        await self._take_time()
        if is_faulty:
            self._trace.note("write failed once done")
            raise failure("the disk reports an error")

    @property
    def is_full(self) -> bool:
        now = trio.current_time()
        return not self.is_sound and any(begins <= now < ends for begins, ends in self._world.full_at)

    async def _take_time(self) -> None:
        await trio.lowlevel.checkpoint()
        if self._world.slow_s and not self.is_sound:
            self._trace.note("disk slow")
            await trio.sleep(self._world.slow_s / 2 * self._rng.random())


@attrs.define(eq=False)
class Life:
    """The server from one start to its end."""

    world: World
    folder: Path
    number: int
    end: End | None
    trace: Trace
    note_wrong: Callable[[str], None]
    disk: Disk = attrs.field(init=False)
    is_over: bool = False
    """Whether it ends, or has ended: nobody is answered any more."""
    is_up: bool = False
    """Whether it can be asked."""
    counts: Counter[Moment] = attrs.field(factory=Counter)
    requests: set[trio.CancelScope] = attrs.field(factory=set)
    house: OpenTables = attrs.field(init=False)
    app: Guard = attrs.field(init=False)
    archive: Archive = attrs.field(init=False)
    _scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)

    def __attrs_post_init__(self) -> None:
        rng = Random(f"disk/{self.world.seed}/{self.number}")
        self.disk = Disk(self.world, self.trace, rng, lambda: self.note("archived"))

    def note(self, moment: Moment) -> None:
        """At the moment that was drawn the server ends."""
        self.counts[moment] += 1
        end = self.end
        if end is not None and (end.moment, end.count) == (moment, self.counts[moment]):
            self.trace.counts[f"ended at: {moment}"] += 1
            self.finish(is_killed=end.kind == "killed")

    def finish(self, *, is_killed: bool) -> None:
        """Ends it; one that was killed writes nothing from here on."""
        if self.is_over:
            return
        self.trace.note("killed" if is_killed else "stopped")
        self.is_over, self.disk.is_dead = True, is_killed
        self._scope.cancel()
        for request in self.requests:
            request.cancel()

    async def run(self, note_up: Callable[[Life], None]) -> None:
        """Serves until it ends; `note_up` is called once it can be asked."""
        with (
            self._scope,
            open_archive(self.folder) as self.archive,
            open_keeper(self.folder, tell=self._hear_disk, in_thread=self.disk.commit) as keeper,
        ):
            records = ServerRecords(keeper, self.archive.add, in_thread=self.disk.archive)
            async with trio.open_nursery() as nursery, self._a_house(records) as self.house:
                matches = records.matches(self._hear)
                for unfinished in self.house.restore(records, matches, self._hear):
                    nursery.start_soon(self.house.put_away, unfinished)
                await nursery.start(keeper.run)
                nursery.start_soon(self.house.watch)
                routes = routes_to(endpoints_of(self.house))
                self.app = Guard(Routing(routes), GuardOptions(), self._note_bug)
                note_up(self)
                try:
                    await trio.sleep_forever()
                finally:
                    if not self.disk.is_dead:
                        self.house.stop()

    def _a_house(self, records: ServerRecords) -> Any:
        return a_house(
            records=records,
            bot=SettledBot,
            broken=("odds",) if self.world.are_bots_broken else (),
            pauses=_brief if self.world.seed % 2 else Pauses,
            first_seed=1 + (self.world.seed * 10_000 + self.number * 1_000) % 900_000,
            now=lambda: EPOCH_S + trio.current_time(),
            note_bug=self._note_bug,
        )

    def _note_bug(self, text: str) -> None:
        self.note_wrong(f"{BUG}: {text}")

    def _hear(self, sentence: str) -> None:
        """What the server says when it starts: all that it says but this is a loss."""
        self.trace.note("went on" if "went on where" in sentence else "said")
        if "went on where" not in sentence:
            self.note_wrong(f"it said as it started: {sentence}")

    def _hear_disk(self, sentence: str) -> None:
        self.trace.note("told of the disk")


def _brief(kinds: frozenset[str]) -> Pauses:
    return Pauses(kinds, bot_s=0.0, showdown_s=0.0)


__all__ = ["BUG", "Life"]
