"""A bot that the arena starts: a process group of its own, a port or two pipes, a bounded log, a sure end."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import trio

from arena.entrants import Entrant, made_since, mark_built, snapshot
from arena.errors import ArenaError, ConfigError
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.players.tcp import Absences, accept_all, introduce, listen, send_last
from arena.players.transport import PipeTransport, Transport
from arena.wire.connection import ArenaConnection, Malformed, Noted, Received

GRACE_S = 1.0
"""What a bot has to end by itself after goodbye, and again after SIGTERM."""
EXIT_S = 0.2
"""Between the end of a bot's standard output and that of its process, which says more."""
CONNECTIONS_MAX = 16
"""Connections to one instance's port at a time, of which one plays."""
STRAY_ROUNDS_MAX = 20
"""Processes that fork faster than they are killed are looked for so often."""
LOG_BYTES_MAX = 1 << 18
TAIL_BYTES = 4096
LOG_BYTES_PER_S = 8 << 20
"""A bot that floods its standard error is read no faster than this: its own time, not others'."""
READ_BYTES = 65536
REMARKS_MAX = 100
BUILD_S_MAX = 600.0


class BotBroken(ArenaError):
    """A bot that cannot be built or started, or never connects; `log` is the end of what it printed."""

    def __init__(self, name: str, reason: str, log: str = "") -> None:
        super().__init__(f"{name}: {reason}")
        self.name, self.reason, self.log = name, reason, log


class BotLog:
    """What an instance prints, in a file of bounded size, with its tail in memory.

    Raises ConfigError if the file cannot be made.
    """

    def __init__(self, path: Path | None) -> None:
        self._file = None
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = path.open("wb", buffering=0)
            except OSError as error:
                raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from error
        self._tail = b""
        self._mark = 0
        self._remarks = 0
        self._scope = trio.CancelScope(shield=True)
        self.total = 0

    async def drain(self, fd: int) -> None:
        """Reads what the bot prints until it is closed everywhere, or `stop`."""
        os.set_blocking(fd, False)
        try:
            with self._scope:
                await self._drain(fd)
        finally:
            os.close(fd)

    async def _drain(self, fd: int) -> None:
        while True:
            await trio.lowlevel.wait_readable(fd)
            try:
                octets = os.read(fd, READ_BYTES)
            except BlockingIOError:
                continue
            if not octets:
                return
            self._write(octets)
            if self.total > LOG_BYTES_MAX:
                await trio.sleep(len(octets) / LOG_BYTES_PER_S)

    def stop(self) -> None:
        """Nothing more is read."""
        self._scope.cancel()

    def remark(self, text: str) -> None:
        """A line of the arena's own; the first ones only."""
        self._remarks += 1
        if self._remarks <= REMARKS_MAX:
            self._write(f"arena: {text}\n".encode())

    def _write(self, octets: bytes) -> None:
        room = LOG_BYTES_MAX - self.total
        self.total += len(octets)
        self._tail = (self._tail + octets)[-TAIL_BYTES:]
        if self._file is not None and room > 0:
            try:
                self._file.write(octets[:room])
            except OSError:  # a full disk must not end a match; the tail is still in memory
                self._file.close()
                self._file = None

    def close(self) -> None:
        if self._file is None:
            return
        left_out = self.total - LOG_BYTES_MAX
        if left_out > 0:
            kept = min(left_out, len(self._tail))
            try:
                self._file.write(f"\n… {left_out - kept} bytes left out …\n".encode() + self._tail[-kept:])
            except OSError:
                pass
        self._file.close()

    def mark(self) -> None:
        """A match begins: `since_mark` tells what was printed since."""
        self._mark = self.total

    def since_mark(self) -> str:
        printed = min(self.total - self._mark, len(self._tail))
        return self._tail[-printed:].decode("utf-8", "replace") if printed else ""

    def tail(self) -> str:
        return self._tail.decode("utf-8", "replace")


class ProcessPlayer(StreamPlayer):
    """An instance that is a process of ours."""

    def __init__(self, entrant: Entrant, log: BotLog, **options: Any) -> None:
        super().__init__(entrant.name, **options)
        self.log = log
        self.entered = trio.Event()
        """Set when it has connected, or never will."""
        self.ended = trio.Event()
        """Set when the process and all its children are gone."""
        self.extra_evidence = self._stderr
        self._closing = trio.Event()

    def begin(self, start: Any) -> None:
        self.log.mark()
        super().begin(start)

    def _stderr(self) -> tuple[Mapping[str, Any], ...]:
        text = self.log.since_mark()
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return ({"stderr": text},) if text else ()

    def leave(self, reason: str) -> None:
        if not self.is_gone:
            super().leave(reason)
        self.entered.set()

    def close(self) -> None:
        """Has the instance ended: goodbye, and after a grace period it is killed with all its children."""
        self._closing.set()

    async def wait_closing(self) -> None:
        await self._closing.wait()


async def run_process(
    entrant: Entrant,
    *,
    log_path: Path | None,
    margin_s: float = 0.0,
    name_wait_s: float = 1.0,
    reconnect_s: float = 10.0,
    watch: LagWatch | None = None,
    note_bug: Callable[[str], None] = lambda traceback_text: None,
    task_status: trio.TaskStatus[ProcessPlayer],
) -> None:
    """Starts one instance, reports its player once it has connected, and ends it when told to.

    Raises BotBroken if it cannot be started or does not connect within its `connect_s`, and
    ConfigError if its log cannot be written.
    """
    token = secrets.token_hex(16)
    log = BotLog(log_path)
    player = ProcessPlayer(
        entrant, log, margin_s=margin_s, reconnect_s=reconnect_s, watch=watch, note_bug=note_bug
    )
    player.secrets = (token,)
    try:
        with ExitStack() as ours:
            process, output_fd, link = await _start(entrant, token, ours)
            broken: str | None = None
            async with trio.open_nursery() as drain, trio.open_nursery() as nursery:
                drain.start_soon(log.drain, output_fd)
                try:
                    nursery.start_soon(_watch_exit, process, player)
                    nursery.start_soon(_serve, link, player, name_wait_s)
                    broken = await _wait_entered(player, entrant.connect_s)
                    if broken is None:
                        task_status.started(player)
                        await player.wait_closing()
                finally:
                    with trio.CancelScope(shield=True):
                        player.dismiss("the arena is done with this instance")
                        await _end(process, token)
                        await _settle_log()
                    nursery.cancel_scope.cancel()
                    log.stop()
            if broken is not None:
                raise BotBroken(entrant.name, broken, log.tail())
    finally:
        log.close()
        player.ended.set()


async def _wait_entered(player: ProcessPlayer, connect_s: float) -> str | None:
    """Waits for the first connection; gives what is wrong if none came."""
    with trio.move_on_after(connect_s):
        await player.entered.wait()
    if player.is_gone:
        has_finished = player.gone_reason == _ending(0)
        return f"{player.gone_reason}, and never connected" if has_finished else player.gone_reason
    return None if player.entered.is_set() else f"did not connect within {connect_s:g} s"


async def _start(
    entrant: Entrant, token: str, ours: ExitStack
) -> tuple[trio.Process, int, socket.socket | Transport]:
    """The process, the file descriptor its prints come from, and how it is talked to."""
    link: socket.socket | Transport
    environment = _environment(entrant.name, token)
    with ExitStack() as theirs, ExitStack() as undo:
        try:
            read_fd, write_fd = _pipe(undo, theirs)
            stdin, stdout = subprocess.DEVNULL, write_fd
            if entrant.transport == "stdio":
                from_bot, stdout = _pipe(undo, theirs)
                stdin, to_bot = _pipe(theirs, undo)
                link = PipeTransport(from_bot, to_bot)
            else:
                link = listen("127.0.0.1", 0)
                undo.callback(link.close)
                environment |= {"ARENA_HOST": "127.0.0.1", "ARENA_PORT": str(link.getsockname()[1])}
            process = await trio.lowlevel.open_process(
                list(entrant.run),
                stdin=stdin,
                stdout=stdout,
                stderr=write_fd,
                cwd=entrant.folder,
                env=environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL in the command
            reason = getattr(error, "strerror", None) or error
            raise BotBroken(entrant.name, f"cannot run {entrant.run[0]}: {reason}") from None
        undo.pop_all()
    ours.callback(link.close)
    return process, read_fd, link


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """A pipe whose ends are closed with these."""
    read_fd, write_fd = os.pipe()
    reader.callback(os.close, read_fd)
    writer.callback(os.close, write_fd)
    return read_fd, write_fd


def _environment(name: str, token: str) -> dict[str, str]:
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    # The interpreter that runs the arena comes first, so that a Python bot finds arena.sdk without an
    # activated environment.
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return {**kept, "PATH": path, "ARENA_NAME": name, "ARENA_TOKEN": token}


async def _watch_exit(process: trio.Process, player: ProcessPlayer) -> None:
    code = await process.wait()
    await _settle_log()
    player.leave(_ending(code))


async def _settle_log() -> None:
    """Lets the reader take what the bot printed last, and the answer it may have sent last."""
    for _ in range(5):
        await trio.lowlevel.checkpoint()


def _ending(code: int) -> str:
    if code >= 0:
        return f"its process ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:  # a real-time signal
        return f"was ended by signal {-code}"


async def _serve(link: socket.socket | Transport, player: ProcessPlayer, name_wait_s: float) -> None:
    """Plays over whatever connects to the instance's own port, or over its pipes."""
    if isinstance(link, socket.socket):
        absences = Absences(player.reconnect_s)
        serve = partial(_serve_one, player, name_wait_s, absences, ArenaConnection)
        await accept_all(link, serve, CONNECTIONS_MAX, player.note_bug)
    else:  # nobody can come back over pipes
        await _serve_one(player, name_wait_s, Absences(0.0), partial(_StdioConnection, player.log), link)
        await _settle_log()  # if it is its end that closed them, let that be the reason
        await trio.sleep(EXIT_S)
        player.leave("closed its standard output")


async def _serve_one(
    player: ProcessPlayer,
    name_wait_s: float,
    absences: Absences,
    connect: Callable[[], ArenaConnection],
    transport: Transport,
) -> None:
    connection = connect()
    try:
        refusal = await introduce(transport, connection, name_wait_s, player.allowance)
    except trio.BrokenResourceError:
        return
    if refusal is not None or player.is_connected:
        reason = refusal or "this port is one instance's own, and it is connected already"
        await send_last(transport, connection.bye(reason))
        if not player.entered.is_set():
            player.leave(f"was refused: {reason}")
        return
    if player.is_gone:
        return
    player.entered.set()
    await absences.play(player, transport, connection)
    if await absences.wait(player):
        player.leave(player.gone_reason)


class _StdioConnection(ArenaConnection):
    """A connection over standard output, where people print what is no answer."""

    def __init__(self, log: BotLog) -> None:
        super().__init__()
        self._log = log

    def receive(self, data: bytes) -> list[Received]:
        return [self._explained(received) for received in super().receive(data)]

    def _explained(self, received: Received) -> Received:
        if not isinstance(received, Malformed | Noted) or _is_answer(received.reason):
            return received
        reason = f"printed to stdout; use stderr ({received.reason})"
        self._log.remark(reason)
        return msgspec.structs.replace(received, reason=reason)


def _is_answer(reason: str) -> bool:
    """Whether this was said of something that was meant as an answer or a name."""
    return reason.startswith(("message_id ", 'no "move"', "an answer ", "a name "))


async def _end(process: trio.Process, token: str) -> None:
    """Ends the process, its group, and whatever it started that carries its token."""
    with trio.move_on_after(GRACE_S):
        await process.wait()
    if process.returncode is None:
        _signal_group(process.pid, signal.SIGTERM)
        with trio.move_on_after(GRACE_S):
            await process.wait()
    _signal_group(process.pid, signal.SIGKILL)
    # In a thread: a look at every process of the machine takes longer than a move may.
    await trio.to_thread.run_sync(_kill_strays, token)
    await process.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass


def _kill_strays(token: str) -> None:
    """Kills what left the group but still carries the instance's token in its environment (Linux)."""
    marker = f"ARENA_TOKEN={token}".encode()
    for _ in range(STRAY_ROUNDS_MAX):
        strays = [stray for stray in Path("/proc").glob("[0-9]*") if _carries(stray, marker)]
        if not strays:
            return
        for stray in strays:
            try:
                os.kill(int(stray.name), signal.SIGKILL)
            except OSError:
                continue


def _carries(process: Path, marker: bytes) -> bool:
    try:
        return marker in (process / "environ").read_bytes()  # that of a zombie is empty
    except OSError:
        return False


async def build(entrant: Entrant, log_path: Path) -> Entrant:
    """Builds the bot in its folder and records what that made; gives the entrant as it is now.

    Raises BotBroken if the build fails.
    """
    assert entrant.folder is not None, "what is built has a folder"
    before = snapshot(entrant.folder)
    command = " ".join(entrant.build)
    log = BotLog(log_path)
    try:
        code = await _run_build(entrant, log)
    except OSError as error:
        raise BotBroken(entrant.name, f"cannot build it with {command}: {error.strerror or error}") from None
    finally:
        log.close()
    if code != 0:
        ending = f"took more than {BUILD_S_MAX:g} s" if code is None else f"failed with exit code {code}"
        raise BotBroken(entrant.name, f"its build {ending}: {command}", log.tail())
    return mark_built(entrant, made_since(entrant.folder, before))


async def _run_build(entrant: Entrant, log: BotLog) -> int | None:
    """The exit code of the build; None if it took too long and was killed."""
    read_fd, write_fd = os.pipe()
    try:
        process = await trio.lowlevel.open_process(
            list(entrant.build),
            cwd=entrant.folder,
            stdin=subprocess.DEVNULL,
            stdout=write_fd,
            stderr=write_fd,
            start_new_session=True,
        )
    except BaseException:
        os.close(read_fd)
        raise
    finally:
        os.close(write_fd)
    code: int | None = None
    async with trio.open_nursery() as drain:
        drain.start_soon(log.drain, read_fd)
        try:
            with trio.move_on_after(BUILD_S_MAX):
                code = await process.wait()
        finally:
            _signal_group(process.pid, signal.SIGKILL)
            with trio.CancelScope(shield=True):
                await process.wait()
                await _settle_log()
            log.stop()
    return code
