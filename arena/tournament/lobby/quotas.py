"""Limits the connections of one address: enough for a class behind one router, not for a flood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address

ADDRESS_CONNECTIONS_MAX = 256
"""How many connections one address may have: forty bots behind one router, with six instances each."""
UNNAMED_PART = 4
"""One connection in this many may be unnamed: of 256, as many as forty bots that start in the same second."""


class Quotas:
    """Counts the connections from each address."""

    def __init__(self, connections_max: int = ADDRESS_CONNECTIONS_MAX) -> None:
        """`connections_max`: how many connections one address may have."""
        self._connections_max = connections_max
        self._unnamed_max = max(1, connections_max // UNNAMED_PART)
        self._open: Counter[str] = Counter()
        self._unnamed: Counter[str] = Counter()

    def refusal(self, peer: str) -> str | None:
        """Why another connection from this address is refused; None if it is not."""
        origin = origin_of(peer)
        if self._open[origin] >= self._connections_max:
            return f"there are {self._connections_max} connections from this address already"
        if self._unnamed[origin] >= self._unnamed_max:
            return (
                f"{self._unnamed_max} connections from this address have not said who they are: "
                "let them send their names first"
            )
        return None

    def counted(self, peer: str) -> AbstractContextManager[None]:
        """Counts a connection from this address while the context is open."""
        return _one_more(self._open, origin_of(peer))

    def unnamed(self, peer: str) -> AbstractContextManager[None]:
        """Counts it also as one that has not said who it is, while the context is open."""
        return _one_more(self._unnamed, origin_of(peer))


@contextmanager
def _one_more(counter: Counter[str], origin: str) -> Iterator[None]:
    """Counts one more of this origin while the context is open."""
    counter[origin] += 1
    try:
        yield
    finally:
        counter[origin] -= 1
        if not counter[origin]:
            del counter[origin]  # else every address that ever connected stays in memory


@lru_cache(256)
def origin_of(peer: str) -> str:
    """The address that a peer counts for; in IPv6 the whole /64, as one machine can have all of it."""
    try:
        address = ip_address(peer.partition("%")[0])
    except ValueError:  # a stream in this process
        return peer
    if not isinstance(address, IPv6Address):
        return peer
    return str(address.ipv4_mapped or IPv6Network((address, 64), strict=False))
