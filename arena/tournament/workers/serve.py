"""The worker's side: plays the matches that are ordered, at its own tables with its own bots."""

from __future__ import annotations

import platform
import sys
import traceback
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from time import monotonic

import attrs
import trio

from arena.box.box import Box, open_box
from arena.errors import ConfigError, RemoteProtocolError, is_full
from arena.match.record import Entry, MatchRecord, SeatTotals
from arena.players.lag import open_watch
from arena.players.start import BotBroken
from arena.schedule import Pairing
from arena.store import DATABASE
from arena.tournament.bots.build import build
from arena.tournament.bots.fingerprints import needs_build
from arena.tournament.bots.modules import make_importable
from arena.tournament.lobby.callers import lift_files_limit
from arena.tournament.plan import sandbox_of
from arena.tournament.play.in_process import (
    InProcessGrounds,
    TakenHere,
    open_conversations,
    open_pool,
)
from arena.tournament.play.logs import FOLDER as LOGS
from arena.tournament.play.logs import file_name
from arena.tournament.play.pool import Pool
from arena.tournament.tournament import Tournament
from arena.tournament.workers.briefing import hello, part_of, what_is_there
from arena.tournament.workers.messages import (
    BeginWork,
    DropMatches,
    FromRun,
    MatchesDropped,
    MatchesPlayed,
    PlayMatches,
    WantsMatches,
    WithdrawBot,
    WorkerBug,
    WorkerBye,
    WorkRefused,
)
from arena.tournament.workers.pipe import MessageTooLong, Pipe
from arena.tournament.workers.translation import pairing_of, record_said, without_surrogates

TOGETHER_S = 0.18
"""How long finished matches are gathered to be reported together, unless nothing is left to play.

With the time that the run's writer waits for more (`SOON_S`), a killed run loses 0.2 s of play.
"""


async def work_for(stream: trio.abc.Stream) -> bool:
    """Plays until the other end closes; returns whether all went well; if not, the other end was told why."""
    pipe = Pipe[FromRun](stream, FromRun)
    try:
        await pipe.send(hello())
        begin = await pipe.receive()
        if begin is None:
            return True
        if not isinstance(begin, BeginWork):
            raise RemoteProtocolError(f"found {type(begin).__name__}, expected BeginWork")
        await _work(begin, pipe)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return False  # the run is gone
    except BaseException as error:
        with suppress(Exception), trio.move_on_after(1):
            mistake = _mistake_in(error)
            bug = without_surrogates("".join(traceback.format_exception(error)))
            await pipe.send(WorkerBug(bug) if mistake is None else WorkRefused(str(mistake)))
        if isinstance(error, Exception | BaseExceptionGroup):
            return False
        raise
    return True


async def _work(begin: BeginWork, pipe: Pipe[FromRun]) -> None:
    """Opens everything that play needs, and plays until the run says no more."""
    lift_files_limit()
    sys.path += [path for path in begin.paths if path not in sys.path]
    make_importable(begin.entrants)
    tournament = part_of(begin)
    async with trio.open_nursery() as nursery:
        bugs, found = trio.open_memory_channel[str](100)
        nursery.start_soon(_tell_bugs, pipe, found)

        def note_bug(traceback_text: str) -> None:
            with suppress(trio.WouldBlock):
                bugs.send_nowait(traceback_text)

        with open_conversations(tournament) as conversations, open_watch() as watch:
            async with (
                bugs,
                _open_box(begin, tournament) as box,
                open_pool(tournament, box, watch, note_bug) as (pool, _),
            ):
                here = InProcessGrounds(tournament, pool, watch, conversations)
                if begin.builds:
                    await _build_all(begin, tournament, pool)
                await pipe.send(what_is_there(begin, tournament.origin, here.wanted))
                await Worker(tournament, here, pipe).work()
    await pipe.send(WorkerBye(watch.worst_s))


async def _build_all(begin: BeginWork, tournament: Tournament, pool: Pool) -> None:
    """Builds the bots that must be built here.  Raises ConfigError, with the log, if a build fails."""
    for entrant in begin.entrants:
        if entrant.kind == "process" and entrant.name in begin.playing and needs_build(entrant):
            assert pool.instances.box is not None, (
                "a bot that is built is a process, and processes have a box"
            )
            log = tournament.folder / LOGS / f"{file_name(entrant.name)}-build.log"
            try:
                await build(entrant, pool.instances.box, pool.instances.place_of(entrant), log)
            except BotBroken as error:
                end = f"; the end of its log:\n{error.log.rstrip()}" if error.log.strip() else ""
                raise ConfigError(f"{entrant.name}: {error.reason}{end}") from None


async def _tell_bugs(pipe: Pipe[FromRun], bugs: trio.MemoryReceiveChannel[str]) -> None:
    async for traceback_text in bugs:
        await pipe.send(WorkerBug(without_surrogates(traceback_text)))


@asynccontextmanager
async def _open_box(begin: BeginWork, tournament: Tournament) -> AsyncIterator[Box | None]:
    """The box that bots are started in; None if no bot is."""
    if not any(one.kind == "process" and one.name in begin.playing for one in begin.entrants):
        yield None
        return
    level = sandbox_of(tournament.plan.sandbox, begin.entrants)
    async with open_box(level, secret=tournament.folder / DATABASE, means=begin.box) as box:
        yield box


class Worker:
    """Begins ordered matches, in their order, as tables and bots become free."""

    def __init__(self, tournament: Tournament, here: InProcessGrounds, pipe: Pipe[FromRun]) -> None:
        self._game = tournament.game.name
        self._here = here
        self._pipe = pipe
        self._waiting: dict[int, tuple[Pairing, frozenset[str]]] = {}
        """The orders that have not begun, by number."""
        self._changed = trio.Event()
        """Set when there is more to begin, or a match has ended; a new event for every wait."""
        self._told = here.wanted
        """How many matches the run was last told that we can use."""
        self._finished: list[tuple[int, Entry]] = []
        """Finished matches that the run has not been told about yet, with their numbers."""
        self._has_finished = trio.Event()
        self._playing = 0
        """How many matches are in progress."""
        self._is_idle = trio.Event()
        """Set if nothing is left to play: the run may order more only when it hears what is over."""
        here.follow(self._upcoming, lambda: None)

    def _upcoming(self) -> Iterator[Pairing]:
        return (pairing for pairing, _ in self._waiting.values())

    async def work(self) -> None:
        """Plays until the run closes its end; then breaks off matches in progress."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._begin_all, nursery)
            nursery.start_soon(self._tell_finished)
            while (said := await self._pipe.receive()) is not None:
                await self._take(said)
            nursery.cancel_scope.cancel()

    async def _take(self, said: FromRun) -> None:
        """Takes one message from the run."""
        match said:
            case PlayMatches(orders):
                for order in orders:
                    self._waiting[order.number] = pairing_of(order, self._game), frozenset(order.without)
                self._changed.set()
            case DropMatches(numbers):
                left_out = tuple(one for one in numbers if self._waiting.pop(one, None) is not None)
                if left_out:
                    await self._pipe.send(MatchesDropped(left_out))
            case WithdrawBot(bot):
                self._here.withdraw(bot)
            case _:
                raise RemoteProtocolError(f"found {type(said).__name__}, expected orders")

    async def _begin_all(self, nursery: trio.Nursery) -> None:
        """Begins matches whenever some can begin."""
        here = self._here
        while True:
            self._changed = trio.Event()
            while (number := self._next()) is not None:
                pairing, without = self._waiting.pop(number)
                self._playing += 1
                nursery.start_soon(self._play, number, here.begin(pairing, without))
            if (wanted := here.wanted) > self._told:
                self._told = wanted
                await self._pipe.send(WantsMatches(wanted))
            with trio.move_on_after(here.looks_every_s):
                await self._changed.wait()
            here.look()

    def _next(self) -> int | None:
        """The number of the first order whose bots are free, if there is a table for it."""
        here = self._here
        if here.is_full:
            return None
        for number, (pairing, without) in self._waiting.items():
            if here.can_seat(pairing, without):
                return number if here.has_room(pairing, without) else None
        return None

    async def _play(self, number: int, taken: TakenHere) -> None:
        try:
            entry = await self._here.play(taken)
        finally:
            self._here.end(taken)
            self._playing -= 1
            self._changed.set()
        self._told = self._here.wanted
        self._finished.append((number, entry))
        self._has_finished.set()
        if not (self._playing or self._waiting):
            self._is_idle.set()

    async def _tell_finished(self) -> None:
        """Reports finished matches to the run, together if they end at about the same time."""
        while True:
            await self._has_finished.wait()
            with trio.move_on_after(_until_all_tell_s()):
                await self._is_idle.wait()
            self._has_finished, self._is_idle = trio.Event(), trio.Event()
            finished, self._finished = self._finished, []
            try:
                await self._tell(finished)
            except MessageTooLong:
                for number, entry in finished:
                    try:
                        await self._tell([(number, entry)])
                    except MessageTooLong as error:
                        await self._tell([(number, _without_record(entry, str(error)))])

    async def _tell(self, finished: Sequence[tuple[int, Entry]]) -> None:
        numbers = tuple([number for number, _ in finished])
        records = tuple([record_said(entry) for _, entry in finished])
        await self._pipe.send(MatchesPlayed(numbers, records, self._told))


def _until_all_tell_s() -> float:
    """How long until the workers of this machine report finished matches, all at the same moments.

    The run then hears them all at once, books and writes what they say, and sleeps again: that takes a fifth
    less of its processor time than if each of them woke it.
    """
    return TOGETHER_S - monotonic() % TOGETHER_S if TOGETHER_S else 0.0


def _without_record(entry: Entry, why: str) -> Entry:
    """The entry for a match whose record is too long for a message: as if its rules had broken."""
    seats = len(entry.pairing.bots)
    record = MatchRecord(
        (), (), (), (), (False,) * seats, error=f"the record of this match is too long: {why}"
    )
    nothing = (SeatTotals.of(()),) * seats
    return attrs.evolve(entry, record=record, points=(), packed=b"", decisions=(), faults=(), totals=nothing)


def _mistake_in(error: BaseException) -> ConfigError | None:
    """The user's mistake in an exception, or the first of a group that holds nothing else; else None."""
    if isinstance(error, BaseExceptionGroup):
        found = [_mistake_in(one) for one in error.exceptions]
        return found[0] if all(found) else None
    cause = error.__cause__ if isinstance(error, ConfigError) else error
    if isinstance(cause, OSError) and is_full(cause):
        return ConfigError(full_disk(getattr(error, "path", None) or cause.filename))
    return error if isinstance(error, ConfigError) else None


def full_disk(path: object) -> str:
    """The message if there is no room for a file that a worker writes; `path` may be None."""
    what = "" if path is None else f" ({path})"
    return (
        f"the disk is full on {platform.node()}{what}: make room there; what was played is kept, and "
        "the same command plays on"
    )
