"""The arena's side of the keeper: starts, ends and follows programs; every wait is bounded."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import trio

import arena
from arena.box import messages
from arena.box.guard import TERMINATE

ANSWER_S_MAX = 20.0
"""How long a guard may take to say whether its program runs, even on a machine under load."""
GONE_S_MAX = 12.0
"""How long a guard may take to end with all it guards; if it takes longer, it is stopped or hangs."""
KEEPER_END_S = 6.0
_PACKAGES = Path(arena.__file__).resolve().parents[1]
_MAIN = "from arena.box.keeper import main; "
_FDS_MAX = 4
_READ_BYTES = 4096


class CannotRun(Exception):
    """The program could not be run; `number` is the system's reason, 0 if it gave none."""

    def __init__(self, number: int) -> None:
        super().__init__(os.strerror(number) if number else "the box failed")
        self.number = number


class Running:
    """A started program and all its descendants."""

    def __init__(self, control: socket.socket) -> None:
        control.setblocking(False)
        self._control = control
        self._inbox = messages.Inbox()
        self._scope = trio.CancelScope(shield=True)
        self._fds: list[int] = []
        self.pid = 0
        """The program's process."""
        self.guard = 0
        """The process of its guard."""
        self.code: int | None = None
        """The program's exit status, in the form of `subprocess`."""
        self.excess = ""
        """Which limit it exceeded, if it was killed for that."""
        self.failed: int | None = None
        self.started = trio.Event()
        """Set when the program runs, or when starting it failed."""
        self.ended = trio.Event()
        """Set when the program itself has ended, or all its processes are gone."""
        self.gone = trio.Event()
        """Set when none of its processes is left."""

    async def listen(self) -> None:
        """Reads what the guard says until it is gone, or `close`; continues when the caller is cancelled."""
        with self._scope:
            while await self._hear():
                pass
        self._note_gone()

    async def _hear(self) -> bool:
        if self._control.fileno() < 0:  # closed before this task had its first turn, as by an early Ctrl-C
            return False
        await trio.lowlevel.wait_readable(self._control)
        try:
            octets, fds, _, _ = socket.recv_fds(self._control, _READ_BYTES, _FDS_MAX)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._fds += fds
        for message in self._inbox.take(octets):
            self._take(message)
        return bool(octets)

    def _take(self, message: messages.Message) -> None:
        match message:
            case messages.ProgramStarted():
                self.pid, self.guard = message.pid, message.guard
                self.started.set()
            case messages.ProgramFailed():
                self.failed = message.number
                self.started.set()
            case messages.ProgramExceeded():
                self.excess = message.limit
            case messages.ProgramEnded():
                self.code = message.code
                self.ended.set()
            case messages.ProgramOrder():
                raise AssertionError("a guard sends no orders")

    def _note_gone(self) -> None:
        if not self.started.is_set():
            self.failed = 0
        for event in (self.started, self.ended, self.gone):
            event.set()

    def take_listener(self) -> socket.socket | None:
        """The listening socket in the program's own network, if it has one."""
        return socket.socket(fileno=self._fds.pop()) if self._fds else None

    def terminate(self) -> None:
        """Asks the program to end."""
        with suppress(OSError):
            self._control.send(TERMINATE)

    async def kill(self) -> None:
        """Kills the program with all its descendants; returns when none is left, or none can be reached."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
        await self._wait_gone(GONE_S_MAX / 4)
        if not self.gone.is_set():  # it stopped its guard, perhaps
            self._signal_guard("SIGCONT")
            await self._wait_gone(GONE_S_MAX)
        if not self.gone.is_set():
            self._signal_guard("SIGKILL")  # the keeper buries what is left then

    async def _wait_gone(self, seconds: float) -> None:
        with trio.move_on_after(seconds):
            await self.gone.wait()

    def _signal_guard(self, name: str) -> None:
        import signal

        if self.guard:
            with suppress(OSError):
                os.kill(self.guard, signal.Signals[name])

    def close(self) -> None:
        """Stops following the program; the guard kills what still runs."""
        self._scope.cancel()
        for fd in self._fds:
            os.close(fd)
        self._fds.clear()
        if self._control.fileno() >= 0:
            trio.lowlevel.notify_closing(self._control)
            self._control.close()


class Spawner:
    """The process that starts programs for us; if a bot kills it, another one takes its place."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        """A folder that the keeper removes if the arena is killed, as nobody else is left to do it."""
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._turn = trio.Lock()

    async def spawn(self, order: messages.ProgramOrder, fds: Sequence[int]) -> Running:
        """Has a program started with these standard streams; `Running.listen` must run to follow it."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                async with self._turn:
                    await self._ask(messages.packed(order), [*fds, theirs.fileno()])
        except BaseException:
            ours.close()
            raise
        return Running(ours)

    async def _ask(self, octets: bytes, fds: Sequence[int]) -> None:
        for is_last in (False, True):
            try:
                sock = self._there()
                with trio.fail_after(ANSWER_S_MAX / 2):
                    await self._send(sock, octets, fds)
                return
            except (OSError, trio.TooSlowError):
                if is_last:
                    raise CannotRun(0) from None
                self._replace()

    async def _send(self, sock: socket.socket, octets: bytes, fds: Sequence[int]) -> None:
        assert len(octets) > messages.HEAD.size
        sent = 0
        while sent < len(octets):
            try:
                part = octets[sent:]
                sent += sock.send(part) if sent else socket.send_fds(sock, [part], fds)
            except BlockingIOError:
                self.wake()
                await trio.lowlevel.wait_writable(sock)

    def _there(self) -> socket.socket:
        if self._process is not None and self._process.poll() is not None:
            self._replace()
        if self._socket is None:
            self._socket, theirs = socket.socketpair()
            self._socket.setblocking(False)
            with theirs:
                fd = theirs.fileno()
                path = f"import sys; sys.path.insert(0, {str(_PACKAGES)!r})"
                code = f"{path}\n{_MAIN}main({fd}, {str(self._scratch)!r})"
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", code],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[fd],
                    cwd="/",
                    env={},
                )
        return self._socket

    @property
    def pid(self) -> int:
        return 0 if self._process is None else self._process.pid

    def wake(self) -> None:
        """Wakes the keeper, in case a bot has stopped it."""
        import signal

        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)

    def _replace(self) -> None:
        """Abandons this keeper: guards end what it started, each when we close its socket."""
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._socket = self._process = None

    async def close(self) -> None:
        """Ends the keeper, and with it all programs that are left."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            self.wake()
            with trio.move_on_after(KEEPER_END_S):
                while self._process.poll() is None:  # noqa: ASYNC110
                    await trio.sleep(0.002)
            self._replace()
