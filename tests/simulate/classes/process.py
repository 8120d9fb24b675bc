"""The playing process of a league as a task: the real one, but for its disk, its bots and how it ends."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import msgspec
import trio
from trio.testing import memory_stream_pair

import arena.ladder.play
import arena.ladder.serve
import arena.players.local
import arena.server.league.ladder_child
import arena.tournament.folder.epochs
import arena.tournament.folder.folder
import arena.tournament.folder.ladder_course
import arena.tournament.folder.seal
import arena.tournament.folder.writer
from arena.ladder.connected import ConnectedBots
from arena.ladder.messages import FieldVersion
from arena.ladder.trying import VersionRefused
from arena.league.league import LeagueSettings
from arena.match.record import Entry
from arena.players.entrant import Entrant
from arena.store import Store
from arena.tournament.folder.changes import Changes
from arena.tournament.folder.folder import open_run
from arena.tournament.folder.run import Run
from arena.tournament.tournament import Tournament
from arena.tournament.workers.local import END_S

from ..network import Trace
from ..stand_ins import patched
from .bots import HABITS, SCRIPT, ClassPlayer, Mind, mind_in
from .world import ClassWorld

MOVE_S = 10.0
START_S = 0.2
"""How long a process takes to start."""
CHECK_S = 5.0
"""How long a check takes."""
EPOCH_PART = 0.4
"""The part of a class' day that an epoch lasts."""
CRASHED = "a process of a league has raised"


@attrs.define
class Books:
    """What was written of a league's matches, by all processes that played it."""

    kept: set[str] = attrs.field(factory=set)
    """The ids of matches that are on the disk."""
    again: list[str] = attrs.field(factory=list)
    """Those of them that were begun again."""

    def note_begun(self, match_id: str) -> None:
        if match_id in self.kept:
            self.again.append(match_id)


class ProcessLife:
    """The playing process from one start to its end."""

    def __init__(self, folder: Path, books: Books, trace: Trace, note_wrong: Callable[[str], None]) -> None:
        """`folder`: the league's results."""
        self.books = books
        self.is_dead = False
        self.has_ended = trio.Event()
        self.stream, self._there = memory_stream_pair()
        self._folder = folder
        self._trace = trace
        self._note_wrong = note_wrong
        self._scope = trio.CancelScope()
        self._store: Store | None = None
        self._left = 0
        """After how many more statements it is killed; 0: it is not."""

    @property
    def ending(self) -> str:
        return "was killed by SIGKILL" if self.is_dead else "ended with exit code 0"

    def kill(self, statement: int = 0) -> None:
        """Ends it at once, or within a write to come; from then on nothing that it writes is on the disk."""
        if self.is_dead or self.has_ended.is_set():
            return
        if statement:
            self._left = statement
            return
        self.is_dead = True
        self._trace.note("process killed")
        self._scope.cancel()

    def fill(self) -> None:
        """Has its disk be full from now on; the next process finds room again."""
        if self._store is not None and not self.is_dead and not self.has_ended.is_set():
            db = self._store.connection
            db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
            self._trace.note("league's disk full")

    async def run(self) -> None:
        """Plays to its end, whatever becomes of the task that started it: it is a process of its own."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as bots:
                with self._scope:
                    await trio.sleep(START_S)
                    with _LIVES.entered(self, bots):
                        await self._play()
                bots.cancel_scope.cancel()
            await trio.aclose_forcefully(self._there)
        if (copy := self._copy).exists():
            shutil.rmtree(self._folder)
            copy.rename(self._folder)
        self.has_ended.set()

    async def _play(self) -> None:
        try:
            await arena.ladder.serve.serve_ladder(self._there)
        except (Exception, BaseExceptionGroup) as error:
            if not self.is_dead:
                self._note_wrong(f"{CRASHED}: {error!r}")

    @property
    def _copy(self) -> Path:
        """The disk as a kill within a write left it."""
        return self._folder.with_name("killed")

    # Its disk.

    def watch(self, store: Store) -> None:
        """Counts what the store is told, for a kill within it."""
        self._store = store
        store.connection.set_trace_callback(self._note_statement)

    def forget(self) -> None:
        """The store is closed."""
        self._store = None

    def _note_statement(self, sql: str) -> None:
        if self._left:
            self._left -= 1
            if not self._left and not self.is_dead:
                shutil.copytree(self._folder, self._copy, ignore=shutil.ignore_patterns("*-shm"))
                self.kill()
                self._trace.counts["killed within a write"] += 1

    async def write(self, write: Callable[[], None]) -> None:
        """In the place of a thread."""
        await trio.lowlevel.checkpoint()
        if not self.is_dead:
            write()


class _Lives:
    """The process that runs, for those who stand in its place: there is one at a time that is not dead."""

    def __init__(self) -> None:
        self._here: dict[int, tuple[ProcessLife, trio.Nursery]] = {}
        self._tasks = 0

    @contextmanager
    def entered(self, life: ProcessLife, bots: trio.Nursery) -> Iterator[None]:
        self._tasks += 1
        number = self._tasks
        self._here[number] = (life, bots)
        try:
            yield
        finally:
            del self._here[number]

    @property
    def now(self) -> tuple[ProcessLife, trio.Nursery]:
        return self._here[max(self._here)]


_LIVES = _Lives()


class Supervised:
    """Starts processes for a server, in the place of `enlist_child`."""

    def __init__(self, folder: Path, books: Books, trace: Trace, note_wrong: Callable[[str], None]) -> None:
        self._make = partial(ProcessLife, folder, books, trace, note_wrong)
        self.life: ProcessLife | None = None

    @asynccontextmanager
    async def enlist(self, *_: object) -> AsyncIterator[ProcessLife]:
        self.life = life = self._make()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(life.run)
            try:
                yield life
            finally:
                with trio.CancelScope(shield=True):
                    await trio.aclose_forcefully(life.stream)
                    with trio.move_on_after(END_S):
                        await life.has_ended.wait()
                    life.kill()
                    await life.has_ended.wait()


@contextmanager
def stood_in(
    world: ClassWorld, supervised: Supervised, dice: Any, now: Callable[[], float]
) -> Iterator[None]:
    """What stands in the place of processes, boxes, checks, clocks, dice and bots while a class plays."""
    clock = SimpleNamespace(time=now)
    write_changes = arena.tournament.folder.writer.write_changes

    def written(store: Store, changes: Changes) -> None:
        life, _ = _LIVES.now
        write_changes(store, changes)
        if not life.is_dead:
            life.books.kept.update(each.match_id for each in changes if isinstance(each, Entry))

    def player(name: str, mind: Mind) -> ClassPlayer:
        life, bots = _LIVES.now
        return ClassPlayer(name, mind, bots, life.books.note_begun)

    with ExitStack() as stack:
        for module, others in (
            (
                arena.ladder.serve,
                {
                    "open_run": _opened,
                    "open_box": _no_box,
                    "entrant_of": _entrant_of,
                    "check_entrant": _checked,
                    "lift_files_limit": lambda: None,
                    "publish_epochs": _not_published,
                },
            ),
            (arena.tournament.folder.writer, {"write_changes": written}),
            (arena.tournament.folder.folder, {"secrets": dice}),
            (arena.tournament.folder.epochs, {"secrets": dice}),
            (arena.tournament.folder.seal, {"secrets": dice}),
            (arena.tournament.folder.ladder_course, {"time": clock}),
            (arena.ladder.play, {"time": clock}),
            (ConnectedBots, {"listen": _no_sockets}),
            (arena.players.local, {"load_bot": _mind_of, "LocalPlayer": player}),
            (
                arena.server.league.ladder_child,
                {
                    "enlist_child": supervised.enlist,
                    "plan_of_league": partial(_plan_of, world),
                    "TERMS": {
                        "batch_s": world.batch_s,
                        "rate_s": 5 * world.batch_s,
                        "epoch_s": EPOCH_PART * world.ends_s,
                    },
                },
            ),
        ):
            stack.enter_context(patched(module, **others))
        yield


def _plan_of(world: ClassWorld, settings: LeagueSettings, readable: Sequence[str]) -> str:
    plan = {
        "game": settings.game,
        "rules": dict(settings.rules),
        "seats": settings.seats,
        "move_time": MOVE_S,
        "first_move_time": MOVE_S,
        "concurrency": world.tables,
    }
    return msgspec.json.encode(plan).decode()


@contextmanager
def _opened(tournament: Tournament) -> Iterator[Run]:
    life, _ = _LIVES.now
    with open_run(tournament) as run:
        life.watch(run.store)
        try:
            yield attrs.evolve(run, in_thread=life.write)
        finally:
            run.store.connection.set_trace_callback(None)
            life.forget()


async def _not_published(*_: object) -> None:
    """A process of its own makes the copies, from what `verify` checks here as well."""


async def _no_sockets(*_: object) -> None:
    """Nobody connects by itself."""


@asynccontextmanager
async def _no_box(*_: object, **__: object) -> AsyncIterator[Any]:
    yield SimpleNamespace(name="strict")


def _entrant_of(version: FieldVersion, tournament: Tournament) -> Entrant:
    if version.is_house:
        mind, hash = "good\n1.0\n\n", version.bot
    else:
        folder = Path(version.bot)
        mind, hash = (folder / SCRIPT).read_text(), folder.name
    if mind_in(mind).habit == "is no bot":
        raise VersionRefused("It has no program.")
    return Entrant(name=version.id, kind="local", target=mind, fingerprint=hash, version=version.id)


def _mind_of(entrant: Entrant) -> Mind:
    return mind_in(entrant.target)


async def _checked(entrant: Entrant, tournament: Tournament, time_s: float) -> None:
    habit = _mind_of(entrant).habit
    if habit == "hangs in its check":
        await trio.sleep_forever()
    await trio.sleep(CHECK_S)
    if HABITS[habit].fate == "refused":
        raise VersionRefused(f"It {habit}.")


__all__ = ["CRASHED", "Books", "Supervised", "stood_in"]
