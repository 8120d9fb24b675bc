"""Sessions on a Dask worker: each is a worker of the arena, a child of this process.

A session outlives the Dask tasks that play in it, so that bots need not start anew for each.  Only a few
assignments run in Dask's event loop: a thread of the session's own reads what its child says, and the thread
of a task waits for its matches.
"""

from __future__ import annotations

import os
import platform
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from struct import Struct

import attrs
import msgspec

from arena.box.scratch import remove_folder

LEASE_S = 20.0
"""How long a session goes on without hearing of its run."""
END_S = 5.0
"""How long a child may take to end its bots; those that ignore SIGTERM need two to three seconds."""
LOOK_S = 0.5
READ_BYTES = 1 << 18
LOGS_BYTES_MAX = 8_000_000
"""How much of its bots' logs a session sends back at most."""

_LENGTH = Struct(">I")


@attrs.frozen
class SessionSaid:
    """What a session's child has said, and how it ended."""

    octets: bytes = attrs.field(repr=False)
    """What it said, in whole messages."""
    ending: str = ""
    """How the child ended, in words; empty: it is still running."""
    host: str = ""
    took_s: float = 0.0


class _Head(msgspec.Struct):
    """The fields of a message that say which orders it answers."""

    type: str
    number: int = -1
    numbers: tuple[int, ...] = ()


class Session:
    """A worker of the arena, with the messages from it that nobody has fetched yet."""

    def __init__(self, id: str, scratch: str) -> None:
        """`scratch`: the folder in which the session's own is made."""
        self.id = id
        self.folder = Path(tempfile.mkdtemp(prefix="arena-worker-", dir=scratch))
        """The worker's stand-in for the run's folder; logs are written into it."""
        self.touched_at = time.monotonic()
        self.is_ready = False
        self._news = threading.Condition()
        self._heard: list[bytes] = []
        self._open: set[int] = set()
        """The numbers of the orders that are not answered yet."""
        self._ending = ""
        self._end_at: float | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._writing = threading.Lock()
        self.locks: list[int] = []
        """The locks, as file descriptors, of the homes in which its bots play."""
        # The child is killed when the thread that started it ends, so that must not be the thread of a task.
        self._thread = threading.Thread(target=self._live, name=f"arena {id}", daemon=True)
        self._thread.start()

    # For tasks.

    def say(self, octets: bytes) -> None:
        """Sends messages to the child; its answers come with the next `fetch`."""
        self.touched_at = time.monotonic()
        with self._writing, suppress(OSError):  # if it has ended, the thread that reads from it knows
            process = self._process
            if process is not None and process.stdin is not None and not process.stdin.closed:
                process.stdin.write(octets)
                process.stdin.flush()

    def expect(self, numbers: Collection[int]) -> None:
        """Notes, before they are sent, that these orders will be answered."""
        with self._news:
            self._open.update(numbers)

    def fetch(self, numbers: Collection[int] = (), *, one: bool = False) -> SessionSaid:
        """Waits until these orders are answered, or for `one` message; returns all messages so far."""
        began = time.monotonic()
        wanted = set(numbers)
        with self._news:
            while not self._ending and (wanted & self._open or (one and not self._heard)):
                self._news.wait(LOOK_S)
            octets = b"".join(self._heard)
            self._heard.clear()
            return SessionSaid(octets, self._ending, platform.node(), time.monotonic() - began)

    def touch(self) -> None:
        """Notes that the run was heard of."""
        self.touched_at = time.monotonic()

    def end(self) -> None:
        """Has the child end its bots and itself; returns at once."""
        if self._end_at is None:
            self._end_at = time.monotonic() + END_S
            threading.Thread(target=self._close_pipe, daemon=True).start()

    def wait(self) -> None:
        """Waits until the child is gone."""
        self._thread.join(2 * END_S)

    def _close_pipe(self) -> None:
        with self._writing, suppress(OSError):
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.close()

    # The child.

    def _live(self) -> None:
        ending = "could not be watched"
        try:
            ending = self._watch()
        except OSError as error:
            ending = f"could not be started: {error}"
        finally:
            for lock in self.locks:
                os.close(lock)
            self.locks.clear()
            with self._news:
                self._ending = ending
                self._news.notify_all()

    def _watch(self) -> str:
        """Starts the child, reads what it says until it ends, and returns how it ended."""
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.worker", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            cwd=self.folder,
        )
        self._process = process
        assert process.stdout is not None, "it was asked for"
        received = bytearray()
        while True:
            ready, _, _ = select.select([process.stdout], [], [], LOOK_S)
            if ready:
                octets = os.read(process.stdout.fileno(), READ_BYTES)
                if not octets:
                    break
                received += octets
                self._take(received)
            self._look(process)
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_S)
        process.kill()
        process.wait()
        process.stdout.close()
        self._close_pipe()
        return _ending(process.returncode)

    def _look(self, process: subprocess.Popen[bytes]) -> None:
        now = time.monotonic()
        if now > self.touched_at + LEASE_S and self._end_at is None:
            self.end()
            SESSIONS.pop(self.id, None)
            threading.Thread(target=self._clear_later, daemon=True).start()
        if self._end_at is not None and now > self._end_at:
            process.kill()

    def _take(self, received: bytearray) -> None:
        """Stores the whole messages for the next `fetch`."""
        with self._news:
            for message, answered in taken_apart(received):
                self._open -= answered
                self._heard.append(message)
            self._news.notify_all()

    def _clear_later(self) -> None:
        """Waits for the child's end and removes the folder, as the run will not ask for its logs any more."""
        self.wait()
        self.clear_away()

    def clear_away(self) -> dict[str, bytes]:
        """Removes the folder; returns the logs of the bots, as many as there is room for."""
        logs: dict[str, bytes] = {}
        room = LOGS_BYTES_MAX
        with suppress(OSError):
            for path in sorted((self.folder / "logs").glob("*")):
                octets = path.read_bytes() if path.is_file() else b""
                if octets and len(octets) <= room:
                    logs[path.name] = octets
                    room -= len(octets)
        remove_folder(self.folder)
        return logs


def taken_apart(received: bytearray) -> Iterator[tuple[bytes, set[int]]]:
    """Takes the whole messages from the beginning, and yields each with the numbers of the orders it answers.

    Raises ValueError for what is not a message.
    """
    begin = 0
    while len(received) >= begin + _LENGTH.size:
        (length,) = _LENGTH.unpack_from(received, begin)
        end = begin + _LENGTH.size + length
        if len(received) < end:
            break
        message = bytes(memoryview(received)[begin:end])
        head = msgspec.msgpack.decode(memoryview(message)[_LENGTH.size :], type=_Head)
        yield message, {head.number, *head.numbers}
        begin = end
    del received[:begin]


def _ending(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


class Turns:
    """Lets the sessions of a Dask worker, which share its cores, play in turn, for a task or several each."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._whose = ""
        self._playing = 0
        self._waiting: list[str] = []
        """The ids of the sessions that wait, in the order in which they came."""

    @contextmanager
    def turn(self, id: str) -> Iterator[None]:
        """Waits until it is this session's turn."""
        with self._changed:
            self._waiting.append(id)
            while (self._playing and self._whose != id) or self._waiting[0] != id:
                self._changed.wait()
            self._waiting.remove(id)
            self._whose = id
            self._playing += 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._playing -= 1
                self._changed.notify_all()


TURNS = Turns()
"""The turns of this process's sessions."""
SESSIONS: dict[str, Session] = {}
"""This process's sessions, by id."""
