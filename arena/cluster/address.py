"""Checks where a scheduler is: whoever reaches an unencrypted one can run any code on it and its workers."""

from __future__ import annotations

import re
import socket
from ipaddress import ip_address

from arena.errors import ConfigError, Hint
from arena.reading.units import shown

REACH_S = 2.0
"""How long it may take to connect to an address."""
_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):([0-9]{1,5})")


def checked_address(said: str, *, is_trusted: bool) -> None:
    """Raises ConfigError for what is not an address, or is an unencrypted one beyond this machine.

    `is_trusted`: allows the latter.
    """
    found = _ADDRESS.fullmatch(said)
    if found is None or not 0 < int(found[3]) < 1 << 16:
        why = f"found {shown(said)}, expected tcp://HOST:PORT or tls://HOST:PORT"
        raise ConfigError(why, setting="cluster")
    host = found[2].strip("[]")
    if found[1] == "tcp" and not is_trusted and not _is_here(host):
        raise ConfigError(
            "whoever reaches a tcp:// scheduler can run any code on all its workers: expected tls://",
            setting="cluster",
            value=said,
            hints=[Hint("trusted_network", "is for a network that only people you trust reach")],
        )


def why_unreachable(address: str) -> str | None:
    """Why nothing can be reached at an address, in the system's words; None if something can.

    Dask tries again and again until its time is up, and says no more than that.
    """
    found = _ADDRESS.fullmatch(address)
    assert found is not None, "the address was checked"
    try:
        socket.create_connection((found[2].strip("[]"), int(found[3])), REACH_S).close()
    except OSError as error:
        return error.strerror or str(error)
    return None


def _is_here(host: str) -> bool:
    """Whether this name leads to this machine alone."""
    try:
        found = {str(each[4][0]) for each in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return bool(found) and all(ip_address(each.partition("%")[0]).is_loopback for each in found)
