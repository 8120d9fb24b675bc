"""The box of a run: finds out by trying how well it confines bots, and starts programs in it."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import attrs
import trio

from arena.box import bubblewrap, limits, probe
from arena.box.allowed import rules
from arena.box.causes import Cause, bubblewrap_cause, landlock_cause
from arena.box.environment import inherited
from arena.box.guard import BOX_PORT
from arena.box.kernel import landlock, seccomp
from arena.box.levels import LEVELS, Level, Means
from arena.box.links import keep_compiled, link_package, link_shown
from arena.box.messages import BubblewrapCall, ProgramOrder
from arena.box.places import FileView
from arena.box.scratch import SCRATCH, KeptFolders, remove_folder
from arena.box.spawn import ANSWER_S_MAX, CannotRun, Running, Spawner
from arena.box.surroundings import surroundings
from arena.box.trial import BoxTrial
from arena.errors import ConfigError, Hint

SHIELD_MAY_FAIL: Mapping[Means, set[str]] = {"bubblewrap": {"agents"}, "landlock": {"agents", "signal"}}
"""Acts of a trial that a shield need not prevent, on kernels without seccomp or with an older Landlock: it
is still better than none, and says what it fails to prevent."""
PROBE_S_MAX = 20.0
_SAID_BYTES_MAX = 4096
_SMALL_PIDS = 16
"""A box numbers its processes from 1: a trial proves nothing if the arena's number is as small as this."""
_IMPORTS = "imports"
"""The folder in a run's scratch folder that is on the import path of its bots."""


@attrs.frozen(kw_only=True)
class Job:
    """A program to start."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    place: FileView
    memory_mb: int = limits.MEMORY_MB
    has_network: bool = False
    """Whether it has the network even in a strict box."""
    is_piped: bool = False
    """Whether its standard input and output are connected to the arena."""
    is_build: bool = False
    """Whether it builds a bot, before play: build tools need locks on files, which nobody sees then."""
    is_server: bool = False
    """Whether it connects to the arena, which in a strict box listens in the box's own network."""


class Box:
    """The confinement in which all programs of a run are started."""

    def __init__(self, level: Level, means: Means, keeper: Spawner, scratch: Path, kept: KeptFolders) -> None:
        self.level = level
        self.means = means
        self.failings: tuple[str, ...] = ()
        """What programs in the box can do nevertheless, in words."""
        self._keeper = keeper
        self._scratch = scratch
        self._scratches: dict[FileView, Path] = {}
        self._kept = kept
        self._imports = scratch / _IMPORTS
        self._tasks = limits.TASKS_MAX

    @property
    def name(self) -> str:
        """The box's name in tables: `shield (bubblewrap)`."""
        return self.level if self.level == "off" else f"{self.level} ({self.means})"

    @property
    def has_own_network(self) -> bool:
        """Whether programs in the box have a network of their own, whose ports nobody else can reach."""
        return self.level == "strict"

    @property
    def port(self) -> int:
        """The arena's port, for programs in a box with its own network."""
        return BOX_PORT

    async def start(self, job: Job, fds: Sequence[int], nursery: trio.Nursery) -> Running:
        """Starts a program with these standard streams; a task in `nursery` follows it until it is closed.

        Raises CannotRun if it cannot be started.
        """
        running = await self._keeper.spawn(self._order(job), fds)
        nursery.start_soon(running.listen)
        try:
            for _ in range(4):  # more than once: a bot may have stopped the keeper
                with trio.move_on_after(ANSWER_S_MAX / 4):
                    await running.started.wait()
                    break
                self._keeper.wake()
            if not running.started.is_set() or running.failed is not None:
                raise CannotRun(running.failed or 0)
        except BaseException:
            running.close()
            raise
        return running

    def _order(self, job: Job) -> ProgramOrder:
        is_boxed = self.level != "off" and self.means == "bubblewrap"
        is_strict = self.level == "strict" and not job.is_build
        place = attrs.evolve(self._with_scratch(job.place), read=(*job.place.read, self._imports))
        place.check_links()
        env = {**job.env, "PYTHONPATH": str(self._imports)}
        if place.scratch is not None:
            env[SCRATCH] = str(place.scratch)
        folder, allowed = place.folder, None
        if self.level != "off" and self.means == "landlock":
            scratch = self._scratch_of(job.place)
            env["TMPDIR"] = str(scratch)
            if inner := [path for path in place.hidden if place.folder in path.parents]:
                folder = scratch.with_name(f"{scratch.name}-folder")
                link_shown(place.folder, inner, folder)
                place = attrs.evolve(place, read=(*place.read, folder))
                env["PYTHONPATH"] += f"{os.pathsep}{folder}"
            allowed = rules(place, scratch)
        return ProgramOrder(
            argv=job.argv,
            env=env,
            cwd=None if is_boxed else str(folder),
            bubblewrap=self._bubblewrap(job, place, env) if is_boxed else None,
            landlock=allowed,
            is_confined=self.level != "off",
            filter=b"" if self.level == "off" else seccomp.bot_filter(is_strict=is_strict),
            resources=limits.resources(),
            memory_bytes=job.memory_mb << 20,
            tasks=self._tasks,
            written=self._written(job, place),
        )

    async def printed_by(
        self, job: Job, nursery: trio.Nursery, *, limit_s: float, first_line_only: bool = False
    ) -> str:
        """Runs a program, ends it after `limit_s`, and returns what it printed, or why it cannot be run."""
        read_fd, write_fd = os.pipe()
        nowhere = os.open(os.devnull, os.O_RDONLY)
        said = b""
        try:
            try:
                running = await self.start(job, (nowhere, write_fd, write_fd), nursery)
            except CannotRun as error:
                return str(error)
            finally:
                os.close(nowhere)
                os.close(write_fd)
            try:
                with trio.move_on_after(limit_s):
                    while len(said) < _SAID_BYTES_MAX and not (first_line_only and b"\n" in said):
                        await trio.lowlevel.wait_readable(read_fd)
                        more = os.read(read_fd, _SAID_BYTES_MAX)
                        if not more:
                            break
                        said += more
            finally:
                with trio.CancelScope(shield=True):
                    await running.kill()
                running.close()
        finally:
            os.close(read_fd)
        return said.decode("utf-8", "replace")

    def _bubblewrap(self, job: Job, place: FileView, env: Mapping[str, str]) -> BubblewrapCall:
        program = bubblewrap.program()
        if program is None:
            raise CannotRun(0)
        is_strict = self.level == "strict"
        words = (
            bubblewrap.strict_words(place, {**env, "HOME": "/tmp"}, network=job.has_network)
            if is_strict
            else bubblewrap.shield_words(place, env, _temporary_bytes(job))
        )
        return BubblewrapCall(
            program=program,
            words=words,
            is_piped=job.is_piped,
            listens=is_strict and job.is_server and not job.has_network,
        )

    def _with_scratch(self, place: FileView) -> FileView:
        """The place with its scratch folder made; if that cannot be kept, with one for this run only."""
        if place.scratch is None:
            return place
        try:
            self._kept.make(place.scratch)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise
            scratch = self._scratch / f"scratch-{place.scratch.name}"
            scratch.mkdir(exist_ok=True)
            place = attrs.evolve(place, scratch=scratch)
        return place

    def _written(self, job: Job, place: FileView) -> list[tuple[str, int, str]]:
        """The folders on disk that are bounded: each with how much it may hold, and what that is called."""
        found = []
        if self.level != "off" and self.means == "landlock":
            found.append((str(self._scratch_of(job.place)), _temporary_bytes(job), "temporary files"))
        if place.scratch is not None:
            found.append((str(place.scratch), limits.TEMPORARY_BYTES_MAX, f"files in {SCRATCH}"))
        return found

    def _scratch_of(self, place: FileView) -> Path:
        """The folder for the temporary files of the programs of one place."""
        if place not in self._scratches:
            self._scratches[place] = Path(tempfile.mkdtemp(dir=self._scratch))
        return self._scratches[place]


def _temporary_bytes(job: Job) -> int:
    return min(limits.TEMPORARY_BYTES_MAX, job.memory_mb << 20)


# Which mechanisms work is found out by trying.


@asynccontextmanager
async def open_box(
    level: Level,
    *,
    secret: Path | None = None,
    say: Callable[[str], None] = lambda line: None,
    means: Means | None = None,
) -> AsyncIterator[Box]:
    """Opens the box of a run; `secret` is a file in a folder that no bot may see.

    Uses these `means`, or the best that pass a trial.  Raises ConfigError if a strict box is asked for and
    none works.
    """
    async with _kept() as make:
        if means is not None:
            yield make(level, means)
            return
        mistake: ConfigError | None = None
        async with trio.open_nursery() as nursery:
            try:
                box = await _tried(level, make, secret, nursery, say)
            except ConfigError as error:
                mistake = error  # raised below, outside of the nursery, which would wrap it in a group
        if mistake is not None:
            raise mistake
        yield box


async def try_boxes() -> Sequence[tuple[Box, Cause | None]]:
    """Tries every kind of box; returns each with why it does not confine bots here, or None if it does."""
    found = []
    async with _kept() as make, trio.open_nursery() as nursery:
        for level in (level for level in LEVELS if level != "off"):
            for means in _means(level):
                box = make(level, means)
                found.append((box, await _cause_against(box, None, nursery)))
    return found


def _temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="arena-")).resolve()


@asynccontextmanager
async def _kept() -> AsyncIterator[Callable[[Level, Means], Box]]:
    """Yields a function that makes boxes; they share a keeper and a temporary folder, which go at the end."""
    with ExitStack() as undo:
        scratch = _temporary_folder()
        undo.callback(remove_folder, scratch)
        kept = KeptFolders()
        undo.callback(kept.close)
        link_package(scratch / _IMPORTS)
        keep_compiled()
        keeper = Spawner(scratch)
        try:
            yield partial(Box, keeper=keeper, scratch=scratch, kept=kept)
        finally:
            with trio.CancelScope(shield=True):
                await keeper.close()


async def _tried(
    level: Level,
    make: Callable[[Level, Means], Box],
    secret: Path | None,
    nursery: trio.Nursery,
    say: Callable[[str], None],
) -> Box:
    """Makes the best box that keeps its promises, and says which it is."""
    if level == "off":
        say("bots run without a box (sandbox = off): they have your permissions")
        return make(level, "limits")
    causes: list[Cause] = []
    for means in _means(level):
        box = make(level, means)
        cause = await _cause_against(box, secret, nursery)
        if cause is None:
            for line in (*_stepped_down(causes), _said(box)):
                say(line)
            return box
        causes.append(cause)
    if level == "strict":
        raise ConfigError(
            "a strict box, in which other people's bots play (those of a folder, for instance), cannot be "
            f"made: {causes[0].why}, so no bot was started{_to_have_bubblewrap(causes[0])}",
            hints=[Hint("sandbox", 'plays your own bots, as does sandbox = "shield" in a plan', "shield")],
        )
    say(
        "warning: bots run with limits alone: they have your permissions, and see results and other bots; "
        + " and ".join(cause.why for cause in causes)
        + _to_have_bubblewrap(causes[0])
    )
    return make(level, "limits")


def _means(level: Level) -> Sequence[Means]:
    return ("bubblewrap",) if level == "strict" else ("bubblewrap", "landlock")


def _stepped_down(causes: Sequence[Cause]) -> list[str]:
    """Why the box is not made by bubblewrap, a line for each cause; empty if it is."""
    return [f"{cause.why}; using Landlock{_to_have_bubblewrap(cause)}" for cause in causes]


def _to_have_bubblewrap(cause: Cause) -> str:
    return f"; to have bubblewrap: {cause.remedy}" if cause.remedy else ""


def _said(box: Box) -> str:
    holed = bubblewrap.holed_version(bubblewrap.bubblewrap_version()) if box.means == "bubblewrap" else ""
    by = f"{box.means} {holed}, its known hole is avoided" if holed else box.means
    line = f"bots run in a {'strict box' if box.level == 'strict' else 'shield'} ({by})"
    if box.failings:
        return f"warning: {line}, in which they can still do this: {', '.join(box.failings)}"
    return line


async def _cause_against(box: Box, secret: Path | None, nursery: trio.Nursery) -> Cause | None:
    """Why this box does not confine bots here; None if it does, except for its `failings`, which are set."""
    of_machine = bubblewrap_cause if box.means == "bubblewrap" else landlock_cause
    is_there = bubblewrap.program() if box.means == "bubblewrap" else landlock.version()
    if not is_there:
        return of_machine(surroundings())
    program = (os.path.basename(sys.executable), os.path.basename(probe.__file__))
    with BoxTrial(box.level, secret, is_counting_from_one=os.getpid() <= _SMALL_PIDS) as trial:
        job = Job(argv=(*program, *trial.words), env=inherited(), place=trial.place)
        said = (await box.printed_by(job, nursery, limit_s=PROBE_S_MAX)).splitlines()
        if probe.DONE not in said:
            return of_machine(surroundings(), " ".join(said) or "it does not start")
        escapes = trial.escapes(said)
    if box.level == "shield" and set(escapes) <= SHIELD_MAY_FAIL[box.means]:
        box.failings = tuple(probe.ACTS[act][1] for act in escapes)
        escapes = []
    if not escapes:
        return None
    failed = "; ".join(probe.ACTS[act][1] if act in probe.ACTS else act for act in escapes)
    return Cause(f"the box that {box.means} makes here fails its trial ({failed})")


__all__ = ["LEVELS", "Box", "CannotRun", "Job", "Level", "Means", "Running", "open_box", "try_boxes"]
