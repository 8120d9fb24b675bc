"""A bot that the arena starts: a process group of its own, a port or two pipes, a bounded log, and an end to all its children."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import trio

from arena.entrants import Entrant, made_since, mark_built, snapshot
from arena.errors import ArenaError
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.players.tcp import accept_all, introduce, listen
from arena.players.transport import PipeTransport, Transport
from arena.wire.connection import ArenaConnection

GRACE_S = 1.0
"""What a bot has to end by itself after goodbye, and again after SIGTERM."""
LOG_BYTES_MAX = 1 << 18
TAIL_BYTES = 4096
LOG_BYTES_PER_S = 8 << 20
"""A bot that floods its standard error is read no faster than this: its own time, not others'."""
READ_BYTES = 65536
BUILD_S_MAX = 600.0


class BotBroken(ArenaError):
    """A bot that cannot be built or started, or never connects; `log` is the end of what it printed."""

    def __init__(self, name: str, reason: str, log: str = "") -> None:
        super().__init__(f"{name}: {reason}")
        self.name, self.reason, self.log = name, reason, log


class BotLog:
    """What an instance prints, in a file of bounded size, with its tail in memory."""

    def __init__(self, path: Path | None) -> None:
        self._file = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("wb", buffering=0)
        self._tail = b""
        self._mark = 0
        self.total = 0

    async def drain(self, fd: int) -> None:
        """Reads what the bot prints until it is closed everywhere."""
        os.set_blocking(fd, False)
        try:
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
        finally:
            os.close(fd)

    def _write(self, octets: bytes) -> None:
        room = LOG_BYTES_MAX - self.total
        self.total += len(octets)
        self._tail = (self._tail + octets)[-TAIL_BYTES:]
        if self._file is not None and room > 0:
            try:
                self._file.write(octets[:room])
            except OSError:  # a full disk must not end a match; the tail is still in memory
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
        self._closing = trio.Event()
        self.ended = trio.Event()
        """Set when the process and all its children are gone."""
        self.extra_evidence = self._stderr

    def begin(self, start: Any) -> None:
        self.log.mark()
        super().begin(start)

    def _stderr(self) -> tuple[Mapping[str, Any], ...]:
        text = self.log.since_mark()
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return ({"stderr": text},) if text else ()

    def close(self) -> None:
        """Ends the instance: goodbye, and after a grace period the process group is killed."""
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
    task_status: trio.TaskStatus[ProcessPlayer],
) -> None:
    """Starts one instance, reports its player once it has connected, and ends it with all its children when told to.

    Raises BotBroken if it cannot be started or does not connect within its `connect_s`.
    """
    token = secrets.token_hex(16)
    log = BotLog(log_path)
    player = ProcessPlayer(entrant, log, margin_s=margin_s, reconnect_s=reconnect_s, watch=watch)
    player.secrets = (token,)
    try:
        with ExitStack() as ours:
            process, output_fd, link = await _start(entrant, token, ours)
            broken: str | None = None
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(log.drain, output_fd)
                    nursery.start_soon(_watch_exit, process, player)
                    if isinstance(link, socket.socket):
                        nursery.start_soon(_serve_port, link, player, name_wait_s)
                    else:
                        nursery.start_soon(_serve_one, player, name_wait_s, link)
                    broken = await _wait_entered(player, entrant.connect_s)
                    if broken is None:
                        task_status.started(player)
                        await player.wait_closing()
                        player.dismiss("the arena is done with this instance")
                    nursery.cancel_scope.cancel()
            finally:
                with trio.CancelScope(shield=True):
                    player.leave("the arena ended it")
                    await _end(process, token)
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
        await _settle_log()
        return player.gone_reason
    return None if player.entered.is_set() else f"did not connect within {connect_s:g} s"


async def _start(entrant: Entrant, token: str, ours: ExitStack) -> tuple[trio.Process, int, socket.socket | Transport]:
    """The process, the file descriptor its prints come from, and how it is talked to."""
    link: socket.socket | Transport
    environment = _environment(entrant.name, token)
    read_fd, write_fd = os.pipe()
    theirs = [write_fd]
    stdin, stdout = subprocess.DEVNULL, write_fd
    if entrant.transport == "stdio":
        from_bot, stdout = os.pipe()
        stdin, to_bot = os.pipe()
        theirs += [stdout, stdin]
        link = PipeTransport(from_bot, to_bot)
        ours.callback(link.close)
    else:
        link = listen("127.0.0.1", 0)
        ours.callback(link.close)
        environment |= {"ARENA_HOST": "127.0.0.1", "ARENA_PORT": str(link.getsockname()[1])}
    try:
        process = await trio.lowlevel.open_process(
            list(entrant.run),
            stdin=stdin,
            stdout=stdout,
            stderr=write_fd,
            cwd=entrant.folder,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        os.close(read_fd)
        raise BotBroken(entrant.name, f"cannot run {entrant.run[0]}: {error.strerror or error}") from None
    finally:
        for fd in theirs:
            os.close(fd)
    return process, read_fd, link


def _environment(name: str, token: str) -> dict[str, str]:
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    # the interpreter that runs the arena comes first, so that a Python bot finds arena.sdk without an activated environment
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return {**kept, "PATH": path, "ARENA_NAME": name, "ARENA_TOKEN": token}


async def _watch_exit(process: trio.Process, player: ProcessPlayer) -> None:
    code = await process.wait()
    await _settle_log()
    player.leave(_ending(code))
    player.entered.set()


async def _settle_log() -> None:
    """Lets the reader take what the bot printed last, and the answer it may have sent last."""
    for _ in range(5):
        await trio.lowlevel.checkpoint()


def _ending(code: int) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"its process ended with exit code {code}"


async def _serve_port(listener: socket.socket, player: ProcessPlayer, name_wait_s: float) -> None:
    async def serve(transport: Transport) -> None:
        await _serve_one(player, name_wait_s, transport)

    await accept_all(listener, serve, connections_max=4)


async def _serve_one(player: ProcessPlayer, name_wait_s: float, transport: Transport) -> None:
    connection = ArenaConnection()
    try:
        refusal = await introduce(transport, connection, name_wait_s)
    except trio.BrokenResourceError:
        transport.close()
        return
    if refusal is None and player.is_connected:
        refusal = "this port is one instance's own, and it is connected already"
    if refusal is not None:
        transport.send_now(connection.bye(refusal))
        transport.close()
        return
    serving = player.serve(transport, connection)
    player.entered.set()
    await serving
    lost_at = player.lost_at
    await trio.sleep(player.reconnect_s)
    if player.lost_at == lost_at:
        player.stop_waiting()


async def _end(process: trio.Process, token: str) -> None:
    """Ends the process, its group, and whatever it started that carries its token."""
    with trio.move_on_after(GRACE_S):
        await process.wait()
    if process.returncode is None:
        _signal_group(process.pid, signal.SIGTERM)
        with trio.move_on_after(GRACE_S):
            await process.wait()
    _signal_group(process.pid, signal.SIGKILL)
    _kill_strays(token)
    await process.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass


def _kill_strays(token: str) -> None:
    """Kills processes that left the group but still carry the instance's token in their environment (Linux)."""
    marker = f"ARENA_TOKEN={token}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker in (folder / "environ").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)
        except OSError:
            continue


async def build(entrant: Entrant, log_path: Path) -> Entrant:
    """Builds the bot in its folder and records what that made; gives the entrant as it is now.

    Raises BotBroken if the build fails.
    """
    assert entrant.folder is not None, "what is built has a folder"
    log_path.parent.mkdir(parents=True, exist_ok=True)
    before = snapshot(entrant.folder)
    command, returncode = " ".join(entrant.build), None
    with log_path.open("wb") as log, trio.move_on_after(BUILD_S_MAX):
        try:
            result = await trio.run_process(
                list(entrant.build), cwd=entrant.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL, check=False
            )
            returncode = result.returncode
        except OSError as error:
            raise BotBroken(entrant.name, f"cannot build it with {command}: {error.strerror or error}") from None
    if returncode != 0:
        ending = f"took more than {BUILD_S_MAX:g} s" if returncode is None else f"failed with exit code {returncode}"
        tail = log_path.read_bytes()[-TAIL_BYTES:].decode("utf-8", "replace")
        raise BotBroken(entrant.name, f"its build {ending}: {command}", tail)
    return mark_built(entrant, made_since(entrant.folder, before))
