"""Leagues that another user plays: how the server reaches the processes that do, and what they may read."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from arena.errors import ConfigError

SHARED = {"bots": 0o2750, "leagues": 0o2770}
"""The folders within the server's that the other user may read, and write, and their rights."""
OUTER = 0o711
"""The rights of the server's folder: others may pass through it, and not see what it holds."""


@attrs.frozen
class ConnectedPlayer:
    """A process that plays a league, as another user."""

    stream: trio.SocketStream
    ending = "has closed its connection"


@asynccontextmanager
async def connected_player(path: Path, bots_fd: int) -> AsyncIterator[ConnectedPlayer]:
    """A process of the user that listens at this path, which ends with the context.  Raises OSError.

    `bots_fd`: the socket on which it is passed the connections of bots; that comes first.
    """
    async with await trio.open_unix_socket(path) as stream:
        with socket.socket(fileno=os.dup(stream.socket.fileno())) as connection:
            socket.send_fds(connection, [b"."], [bots_fd])
        yield ConnectedPlayer(stream)


def share_with_players(data: Path, players: Path) -> None:
    """Lets the group of a socket read what was handed in, and play leagues; nobody else reads the folder.

    Raises ConfigError if nobody listens there, or the rights cannot be set.
    """
    if not players.is_socket():
        raise ConfigError(f"nobody who plays leagues listens at {players}: they must be started first")
    try:
        os.umask(0o077)
        group = players.stat().st_gid
        data.mkdir(parents=True, exist_ok=True)
        data.chmod(OUTER)
        for place in data.iterdir():
            if place.name not in SHARED and not place.is_symlink():
                place.chmod(stat.S_IMODE(place.stat().st_mode) & 0o700)
        for name, rights in SHARED.items():
            folder = data / name
            folder.mkdir(exist_ok=True)
            os.chown(folder, -1, group)
            folder.chmod(rights)
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError(f"{data} cannot be shared with the group of {players}: {why}") from error
