"""Starting a bot's program in its box: streams, environment, listener."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import attrs
import trio

from arena.box.box import Box, CannotRun, Job, Running
from arena.box.environment import inherited
from arena.box.packages import how_to_have
from arena.box.places import FileView, below
from arena.box.scratch import SCRATCH
from arena.errors import ArenaError, Hint
from arena.players.entrant import Entrant
from arena.players.log import BotLog
from arena.players.tcp import listen
from arena.players.transport import PipeTransport, Transport

LISTEN_ADDRESS = "127.0.0.1"
TEMPORARY = "/tmp"
"""The folder that in a strict box is memory of this instance alone, and ends with it."""
BUILD_MEMORY_MB = 8192
"""How much memory a build may use: parallel compilers need more than what they produce."""


FIRST_LINE_BYTES_MAX = 256
"""How many bytes of a script's first line Linux reads."""


class BotBroken(ArenaError):
    """A bot that cannot be found, built or started, or never connects.

    `log` is the end of what it printed, `log_path` the file with the rest, if there is one; `path` is how the
    user finds the bot, if that is not its name; `hints`: what may be chosen so that it can play.
    """

    def __init__(
        self,
        name: str,
        reason: str,
        log: str = "",
        log_path: Path | None = None,
        *,
        path: str = "",
        hints: tuple[Hint, ...] = (),
    ) -> None:
        self.name, self.reason, self.log, self.log_path, self.path = name, reason, log, log_path, path
        self.hints = hints
        self.is_boxed = True
        """Whether it was started in a box, from which results and other bots are hidden."""
        super().__init__(name, reason)

    def __str__(self) -> str:
        return f"{self.path or self.name}: {self.told}"

    @property
    def told(self) -> str:
        """The reason, and which log says more: `its process ended with exit code 1 (out/logs/ann-1.log)`."""
        return f"{self.reason} ({self.log_path})" if self.log_path and self.log.strip() else self.reason


class CannotStart(BotBroken):
    """A bot whose command, or that of its build, starts no program at all."""

    def __init__(
        self, name: str, cause: str, remedy: str = "", log: str = "", log_path: Path | None = None
    ) -> None:
        """`remedy`: what would be right, which becomes part of the reason; empty: nobody knows."""
        super().__init__(name, f"{cause}; {remedy}" if remedy else cause, log, log_path)
        self.cause, self.remedy = cause, remedy


class BuildFailed(BotBroken):
    """A bot whose build ran, and failed."""


class NeverConnected(BotBroken):
    """A bot that ran and did not connect: it ended as if all were well, or its time was up."""

    def __init__(self, name: str, never: str, printed: str = "", *, has_ended: bool = False) -> None:
        """`printed`: what it printed, worded to follow `never` in the reason."""
        super().__init__(name, never + printed)
        self.never, self.printed, self.has_ended = never, printed, has_ended


def log_name(path: Path) -> str:
    """The name of a log within its results folder: `logs/ann-1.log`."""
    return "/".join(path.parts[-2:])


@attrs.frozen
class StartedProgram:
    """A bot's program, and the arena's ends of its pipes or socket."""

    running: Running
    output_fd: int
    """The descriptor from which what it prints is read."""
    link: socket.socket | Transport
    """The way to reach it: a socket to which it connects, or its pipes."""
    is_private: bool
    """Whether only the program itself can use that link."""


async def start(
    entrant: Entrant, box: Box, place: FileView, token: str, ours: ExitStack, nursery: trio.Nursery
) -> StartedProgram:
    """Starts a bot; `ours` closes the link.

    `nursery` watches the program until `Running.close`.  Raises CannotStart.
    """
    env = environment(entrant.name, token)
    if box.level == "strict" and not entrant.writable:
        # Other people's code must leave nothing behind: what one instance kept could tell the next one about
        # hands that it is dealt again in another seat.
        place = attrs.evolve(place, scratch=None)
        env[SCRATCH] = TEMPORARY
    link: socket.socket | Transport | None = None
    is_private = entrant.transport == "stdio"
    with ExitStack() as theirs, ExitStack() as undo:
        read_fd, write_fd = _pipe(undo, theirs)
        if entrant.transport == "stdio":
            from_bot, stdout = _pipe(undo, theirs)
            stdin, to_bot = _pipe(theirs, undo)
            link = PipeTransport(from_bot, to_bot)
        else:
            stdin, stdout = os.open(os.devnull, os.O_RDWR), write_fd
            theirs.callback(os.close, stdin)
            port = box.port
            if entrant.network or not box.has_own_network:
                link = listen(LISTEN_ADDRESS, 0)
                undo.callback(link.close)
                port = link.getsockname()[1]
            env |= {"ARENA_HOST": LISTEN_ADDRESS, "ARENA_PORT": str(port)}
        job = Job(
            argv=entrant.run,
            env=env,
            place=place,
            memory_mb=entrant.memory_mb,
            has_network=entrant.network,
            is_piped=entrant.transport == "stdio",
            is_server=link is None,
        )
        running = await _run(entrant, box, job, (stdin, stdout, write_fd), nursery)
        if link is None:
            link, is_private = running.take_listener(), True
            if link is None:  # the box itself failed, and how it ended says why
                link = listen(LISTEN_ADDRESS, 0)
            link.setblocking(False)
        undo.pop_all()
    ours.callback(link.close)
    return StartedProgram(running, read_fd, link, is_private)


async def start_with_log(
    entrant: Entrant,
    box: Box,
    place: FileView,
    argv: Sequence[str],
    log: BotLog,
    nursery: trio.Nursery,
    *,
    env: Mapping[str, str],
    has_network: bool,
) -> Running:
    """Starts a program that only prints into a log, such as a build.  Raises CannotStart."""
    job = Job(
        argv=tuple(argv),
        env=env,
        place=attrs.evolve(place, scratch=None),
        memory_mb=max(entrant.memory_mb, BUILD_MEMORY_MB),
        has_network=has_network,
        is_build=True,
    )
    with ExitStack() as theirs, ExitStack() as undo:
        read_fd, write_fd = _pipe(undo, theirs)
        stdin = os.open(os.devnull, os.O_RDONLY)
        theirs.callback(os.close, stdin)
        running = await _run(entrant, box, job, (stdin, write_fd, write_fd), nursery)
        undo.pop_all()
    nursery.start_soon(log.drain, read_fd)
    return running


async def _run(entrant: Entrant, box: Box, job: Job, fds: Sequence[int], nursery: trio.Nursery) -> Running:
    try:
        if any("\0" in word for word in job.argv):
            raise ValueError("embedded null byte")
        _check_folder(entrant.name, job.place.folder)
        _check_program(job)
        return await box.start(job, fds, nursery)
    except (OSError, ValueError, CannotRun) as error:
        reason = getattr(error, "strerror", None) or error
        cause = f"cannot run {job.argv[0]}: {reason}"
        raise CannotStart(entrant.name, cause, _remedy(job.argv[0], job, error)) from None


def _check_folder(name: str, folder: Path) -> None:
    """Raises CannotStart if the folder in which a bot runs may not be entered."""
    if os.path.isdir(folder) and not os.access(folder, os.X_OK):
        where = "/".join(folder.parts[-2:])  # people at a table see it, and need not know more
        raise CannotStart(name, f"{where} cannot be read: {os.strerror(errno.EACCES)}")


def _remedy(program: str, job: Job, error: Exception) -> str:
    """What to do about a program that cannot be run; empty if nobody knows."""
    if isinstance(error, FileNotFoundError):
        return "mend the command, or put the file there" if "/" in program else how_to_have(program)
    if isinstance(error, PermissionError) and "/" in program:
        path = job.place.folder / program
        if path.is_file() and not path.stat().st_mode & 0o111:
            return f"chmod +x {shlex.quote(program)}"
    return ""


def _check_program(job: Job) -> None:
    """Raises OSError if there is no such program: a box would report that only in its log."""
    program, folder = job.argv[0], job.place.folder
    path = (
        str(job.place.folder / program) if "/" in program else shutil.which(program, path=job.env.get("PATH"))
    )
    if path is None or not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if not os.access(path, os.X_OK) or os.path.isdir(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    is_own = "/" in program and below(Path(os.path.normpath(path)), [folder])
    # The bot's own program may be a link that its build left: what that leads to must not be looked at.
    if os.path.isfile(path) and (not is_own or below(Path(path).resolve(), [folder])):
        _check_first_line(path, job.env.get("PATH"))


def _check_first_line(path: str, search: str | None) -> None:
    """Raises ValueError for a script whose `#!` leads nowhere, where systems say only: no such file."""
    try:
        with open(path, "rb") as script:
            line = script.readline(FIRST_LINE_BYTES_MAX)
    except OSError:  # a program may be run without being readable
        return
    if not line.startswith(b"#!"):
        return
    if line.endswith(b"\r\n"):
        raise ValueError("its first line ends as on Windows: save it with the line ends of Unix (LF)")
    program, *words = line[2:].decode("utf-8", "replace").split() or [""]
    if os.path.basename(program) == "env" and words and not words[0].startswith("-") and "=" not in words[0]:
        program = words[0]
    is_found_elsewhere = "/" in program and not program.startswith("/")  # relative to the bot's own folder
    if program and not is_found_elsewhere and shutil.which(program, path=search) is None:
        raise ValueError(f"its first line names {program}, which is not on this machine")


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """A pipe whose ends these two stacks close."""
    read_fd, write_fd = os.pipe()
    reader.callback(os.close, read_fd)
    writer.callback(os.close, write_fd)
    return read_fd, write_fd


def environment(name: str, token: str) -> dict[str, str]:
    """The environment variables of a bot."""
    return {**inherited(), "ARENA_NAME": name, "ARENA_TOKEN": token}


def ending(code: int | None) -> str:
    """How a program ended, in words; `code` is None if nobody knows it."""
    if code is None:
        return "its process is gone"
    if code >= 0:
        return f"its process ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:  # a real-time signal
        return f"was ended by signal {-code}"


async def settle() -> None:
    """Lets readers take what a bot printed last, and the answer that it may have sent last."""
    for _ in range(5):
        await trio.lowlevel.checkpoint()
