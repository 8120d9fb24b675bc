"""The hosts of a server's leagues: each has a name and a token, of which a file keeps the hash."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

import attrs
import msgspec

from arena.errors import ConfigError
from arena.league.joining import hash_of_token
from arena.server.league.small_files import put_file
from arena.wire.names import is_readable

HOSTS = "hosts.json"
"""The file in the server's folder."""
FIRST_HOST = "host"
"""What the host is called whose token is made at the first start."""
HOST_NAME_MAX = 24
TOKEN_BYTES = 24

Role: TypeAlias = Literal["host", "assistant"]
"""An assistant sees what hosts see, and has versions tried again."""


@attrs.frozen
class Host:
    """Somebody who runs the leagues of a server."""

    name: str
    """The name that logs show."""
    role: Role
    token_hash: str


class Hosts:
    """The hosts of a server's folder, read again when the file has changed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / HOSTS
        self._seen: tuple[int, int, int] | None = None
        self._hosts: Sequence[Host] = ()

    def find(self, token: str) -> Host | None:
        """Whose token it is."""
        token_hash = hash_of_token(token)
        found = [host for host in self._read() if hmac.compare_digest(host.token_hash, token_hash)]
        return found[0] if found else None

    def first_token(self) -> str | None:
        """The token of the first host, if there was none yet: nobody can be told it again."""
        return None if self._path.exists() else add_host(self._path.parent, FIRST_HOST, "host")

    def _read(self) -> Sequence[Host]:
        with suppress(OSError):
            look = os.stat(self._path)
            seen = (look.st_ino, look.st_mtime_ns, look.st_size)
            if seen != self._seen:
                self._hosts, self._seen = hosts_in(self._path), seen
            return self._hosts
        return ()


def hosts_in(path: Path) -> list[Host]:
    """The hosts of a file; nobody if there is none, or it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Host])
    except (OSError, msgspec.DecodeError):
        return []


def add_host(folder: Path, name: str, role: Role) -> str:
    """Makes a token for a host, in place of the one of this name; returns it.

    Raises ConfigError if it cannot be written, or nobody can be called that.
    """
    if not is_readable(name, HOST_NAME_MAX):
        raise ConfigError(f"a host's name is 1 to {HOST_NAME_MAX} printable characters")
    token = secrets.token_urlsafe(TOKEN_BYTES)
    path = folder / HOSTS
    others = [host for host in hosts_in(path) if host.name != name]
    hosts = [*others, Host(name, role, hash_of_token(token))]
    put_file(path, msgspec.json.format(msgspec.json.encode(hosts)))
    return token
