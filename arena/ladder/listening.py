"""Plays leagues for a server of another user: a process for each connection to a Unix socket.

A bot that broke out of its box then has the rights of the user who plays, not those of the server.
"""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import trio

from arena.errors import ConfigError

PLAYED_MAX = 50
"""How many leagues may be played at once; further connections are closed."""
AGAIN_S = 0.1
"""How long to wait where nothing more can be opened."""
UMASK = 0o007
"""What is made belongs to the group of its folder too, of which the server is a member."""


async def listen_for_leagues(
    path: Path, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Plays until it is cancelled.  Raises ConfigError if nobody can listen at this path."""
    waiting = trio.CapacityLimiter(PLAYED_MAX)
    with _listening(path) as listener:
        async with trio.open_nursery() as nursery:
            task_status.started()
            while True:
                try:
                    connection, _ = await listener.accept()
                    with connection:
                        if len(nursery.child_tasks) < PLAYED_MAX:
                            nursery.start_soon(_play, _started(connection.fileno()), waiting)
                except OSError:  # no room for a connection or a process: those that play go on
                    await trio.sleep(AGAIN_S)


def _started(descriptor: int) -> subprocess.Popen[bytes]:
    """A process that plays for whoever is at the other end; it is killed when this thread ends."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "arena.ladder", str(os.getpid())],
        stdin=descriptor,
        stdout=descriptor,
        start_new_session=True,
        umask=UMASK,
    )


async def _play(process: subprocess.Popen[bytes], waiting: trio.CapacityLimiter) -> None:
    try:
        await trio.to_thread.run_sync(process.wait, abandon_on_cancel=True, limiter=waiting)
    finally:
        process.kill()


@contextmanager
def _listening(path: Path) -> Iterator[trio.socket.SocketType]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        before = os.umask(0o117)  # who may write to a socket may connect: its user and its group
        try:
            _bind(listener, path)
        except OSError as error:
            raise ConfigError(f"{path}: no socket can be made there: {error.strerror or error}") from error
        finally:
            os.umask(before)
        try:
            listener.listen()
            yield trio.socket.from_stdlib_socket(listener)
        finally:
            with suppress(OSError):
                path.unlink()


def _bind(listener: socket.socket, path: Path) -> None:
    """Binds to the path, in place of a socket that was left there.  Raises ConfigError if it is in use."""
    try:
        listener.bind(str(path))
    except OSError as error:
        if error.errno != errno.EADDRINUSE or not path.is_socket():
            raise
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            if probe.connect_ex(str(path)) == 0:
                raise ConfigError(f"{path}: leagues are played there already: name another path") from None
        path.unlink()
        listener.bind(str(path))
