"""Plays a world: in virtual time, from its seed alone, killed and resumed as often as it says."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import attrs
import trio
import trio._core._run as _run  # its dice decide who goes first: they are drawn from the seed too
import trio.testing

import arena.players.lag
import arena.tournament.lobby.gather
import arena.tournament.lobby.places
import arena.tournament.play.instances
import arena.tournament.play.match
import arena.tournament.runner
from arena.errors import ConfigError
from arena.schedule.admission import Capacity
from arena.store import DATABASE, Store
from arena.tournament.folder.run import Run
from arena.tournament.play.reporting import Silent
from arena.tournament.play.summary import Summary
from arena.tournament.runner import run_tournament

from .bots import Local, Mind, live, pester
from .network import Network, Trace
from .stand_ins import Dice, Program, noted_plays, patched
from .world import Kill, World

VIRTUAL_S_MAX = 100_000.0
"""A session that takes longer hangs."""
STEPS_MAX = 3_000_000
"""One that takes more steps of tasks goes round in a circle; seed 502005, with much junk through a small window, takes 0.46 million."""
SESSIONS_MAX = 12
TMPFS = Path("/dev/shm")


@attrs.define
class Session:
    """One call of the arena, to its end or to its kill."""

    steps: int = 0
    statements: int = 0
    took_s: float = 0.0
    """In virtual time."""
    network: Network | None = None
    summary: Summary = attrs.field(factory=Summary)
    error: BaseException | None = None
    """What it raised."""
    copy: Path | None = None
    """The folder as it was when the process was killed."""
    was_stopped: bool = False


@attrs.define
class Played:
    """A world played to its end."""

    world: World
    folder: Path
    trace: Trace
    sessions: list[Session] = attrs.field(factory=list)

    @property
    def last(self) -> Session:
        return self.sessions[-1]


@contextmanager
def workspace() -> Iterator[Path]:
    """A folder that costs no disk, for the time of a run."""
    with tempfile.TemporaryDirectory(dir=TMPFS if TMPFS.is_dir() else None, prefix="arena-simulate-") as root:
        yield Path(root)


def play_calmly(world: World, folder: Path, trace: Trace) -> Played:
    """The whole of it, without kills and with a good disk."""
    played = Played(world, folder, trace)
    session = _Session(world, folder, trace, f"{world.seed}/calm", world.concurrencies[0])
    played.sessions.append(session.run())
    return played


def play_troubled(world: World, root: Path, trace: Trace, calm: Session) -> Played:
    """With all that befalls it; `calm` says how long it takes."""
    folder, kills, full = root / "0", list(world.kills), world.full_after
    played = Played(world, folder, trace)
    while not played.sessions or _goes_on(played.last):
        number = len(played.sessions)
        assert number < SESSIONS_MAX, "it is resumed again and again"
        session = _Session(world, folder, trace, f"{world.seed}/{number}", world.concurrencies[1])
        session.slow_s, session.full_after = world.slow_disk_s, full
        full = None  # somebody made room
        if kills:
            session.kill(kills.pop(0), calm, root / str(number + 1))
        played.sessions.append(done := session.run())
        folder = played.folder = done.copy or folder
    return played


def _goes_on(session: Session) -> bool:
    """Whether this session was not the last one."""
    is_out = session.was_stopped or session.summary.is_out_of_time or is_out_of_time(session.error)
    return session.copy is not None or is_out or is_full_disk(session.error)


def is_full_disk(error: BaseException | None) -> bool:
    """Whether all that went wrong is that the disk is full, said as people are told it."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_full_disk, error.exceptions))
    return isinstance(error, ConfigError) and "the disk is full" in str(error)


def is_out_of_time(error: BaseException | None) -> bool:
    """Whether the time was over before all bots had come."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_out_of_time, error.exceptions))
    return isinstance(error, ConfigError) and "(max_time) ran out" in str(error)


class _Session(trio.abc.Instrument):
    """One call of the arena, and what befalls it; as an instrument of Trio it counts its steps."""

    def __init__(self, world: World, folder: Path, trace: Trace, seed: str, concurrency: int) -> None:
        self.world = world
        self.folder = folder
        self.trace = trace
        self.seed = seed
        self.concurrency = concurrency
        self.slow_s = 0.0
        self.full_after: int | None = None
        self.result = Session()
        self._rng = Random(f"session/{seed}")
        self._scope = trio.CancelScope()
        self._dies_at = self._stops_at = self._dies_within = -1
        self._time_s: float | None = None
        self._copy: Path | None = None

    def kill(self, kill: Kill, calm: Session, copy: Path) -> None:
        """Ends early, and leaves this copy of its folder unless it ends in order."""
        at = 1 + int(kill.share * (calm.statements if kill.kind == "within a write" else calm.steps))
        match kill.kind:
            case "at an await":
                self._dies_at = at
            case "within a write":
                self._dies_within = at
            case "in order":
                self._stops_at = at
            case "out of time":
                self._time_s = kill.share * calm.took_s
        self._copy = copy

    # What Trio and SQLite tell it.

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self.result.steps += 1
        if self.result.steps == self._dies_at:
            self._die("killed at an await")
        elif self.result.steps == self._stops_at:
            self.result.was_stopped = True
            self._note("stopped in order")
            self._scope.cancel()
        elif self.result.steps == STEPS_MAX:
            self.result.error = RuntimeError(f"it goes round in a circle at {trio.current_time()} s")
            self._scope.cancel()
        elif self.result.copy is not None and not self._scope.cancel_called:
            self._scope.cancel()

    def _statement(self, sql: str) -> None:
        self.result.statements += 1
        if self.result.statements == self._dies_within:
            self._die("killed within a write")

    def _die(self, kind: str) -> None:
        """The disk as it is now is what a kill at this moment leaves behind; what comes after is forgotten."""
        assert self._copy is not None
        if self.result.copy is None:
            self._note(kind)
            shutil.copytree(self.folder, self._copy, ignore=shutil.ignore_patterns("*-shm"))
            self.result.copy = self._copy

    def _note(self, kind: str) -> None:
        self.trace.note(kind) if _is_within_trio() else self.trace.counts.update([kind])

    # The session.

    def run(self) -> Session:
        _run._ALLOW_DETERMINISTIC_SCHEDULING = True
        _run._r.seed(self.seed)
        clock = trio.testing.MockClock(autojump_threshold=0)
        with ExitStack() as stack:
            store = stack.enter_context(self._opened())
            try:
                trio.run(self._main, store, clock=clock, instruments=[self])
            except (Exception, BaseExceptionGroup) as error:
                self.result.error = error
                if is_full_disk(error):
                    self._note("disk full")
            finally:
                store.connection.set_trace_callback(None)
        return self.result

    def _opened(self) -> Store:
        world = self.world
        if not (self.folder / DATABASE).exists():
            identity = {"rules": attrs.asdict(world.game)}
            store = Store.create(self.folder, meta={"game_version": world.game.version, "identity": identity})
        else:
            store = Store.open(self.folder, write=True)
        db = store.connection
        db.set_trace_callback(self._statement)
        if self.full_after is not None:
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {pages + self.full_after}")
        return store

    async def _main(self, store: Store) -> None:
        world = self.world
        network = self.result.network = Network(self.seed, self.trace)
        minds = {each.name: Mind(each, world.seed, world.game.name) for each in world.cast}
        Local.minds = minds
        cast = {each.name: each for each in world.cast}
        token_of = {name: token for token, name in world.tokens.items()}
        setup = Run(
            plan=attrs.evolve(world.plan, max_time=self._time_s),
            game=world.game,
            entrants=world.entrants,
            tokens=world.tokens,
            capacity=Capacity.fixed(self.concurrency),
            folder=self.folder,
            store=store,
            stop_rule=world.stop_rule(),
            in_thread=self._write,
        )
        program = Program(network, cast, minds)
        with (
            patched(arena.tournament.lobby.gather, listen=network.listen, accept_all=network.accept_all),
            patched(arena.tournament.runner, open_box=program.open_box),
            patched(arena.tournament.play.instances, run_process=program.run_process),
            patched(arena.tournament.lobby.places, secrets=Dice(self.seed)),
            patched(
                arena.players.lag, perf_counter=lambda: 0.0
            ),  # real lag decides withdrawals: no seed has it
            noted_plays(),
        ):
            async with trio.open_nursery() as nursery:
                for each in world.cast:
                    if each.comes in ("token", "guest"):
                        nursery.start_soon(live, each, minds[each.name], network, token_of.get(each.name))
                for stranger in world.strangers:
                    nursery.start_soon(pester, stranger, network, world.seed)
                with trio.fail_after(VIRTUAL_S_MAX), self._scope:
                    await run_tournament(setup, Silent(), self.result.summary)
                self.result.took_s = trio.current_time()
                if self.result.summary.is_out_of_time:
                    self.trace.note("out of time")
                nursery.cancel_scope.cancel()

    async def _write(self, write: Callable[[], None]) -> None:
        """In the place of a thread: the disk takes its time, and then it is done at once."""
        await trio.lowlevel.checkpoint()
        if self.slow_s:
            self.trace.note("disk slow")
            await trio.sleep(self.slow_s * self._rng.random())
        if self.result.copy is None:  # a process that is dead writes nothing
            write()


def _is_within_trio() -> bool:
    try:
        trio.lowlevel.current_clock()
    except RuntimeError:
        return False
    return True


__all__ = ["Played", "Session", "play_calmly", "play_troubled", "workspace"]
