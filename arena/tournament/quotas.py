"""How many connections one address may have: enough for a class behind one router, not for a flood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, IPv6Network, ip_address

ADDRESS_CONNECTIONS_MAX = 256
"""Connections allowed from one address: forty bots behind one router, with six instances each."""
ADDRESS_UNNAMED_MAX = 64
"""How many of them may not yet have said who they are: forty bots that start in the same second."""


class Quotas:
    """Who is connected from where."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._unnamed: Counter[str] = Counter()

    def refusal(self, peer: str) -> str | None:
        """Why another connection of this address is refused; None if it is not."""
        origin = origin_of(peer)
        if self._open[origin] >= ADDRESS_CONNECTIONS_MAX:
            return f"there are {ADDRESS_CONNECTIONS_MAX} connections from this address already"
        if self._unnamed[origin] >= ADDRESS_UNNAMED_MAX:
            return (
                f"{ADDRESS_UNNAMED_MAX} connections from this address have not said who they are: "
                "let them send their names first"
            )
        return None

    @contextmanager
    def counted(self, peer: str) -> Iterator[None]:
        """Counts a connection of this address as long as it is open."""
        with _counted(self._open, origin_of(peer)):
            yield

    @contextmanager
    def unnamed(self, peer: str) -> Iterator[None]:
        """Counts it also as one that has not yet said who it is."""
        with _counted(self._unnamed, origin_of(peer)):
            yield


@contextmanager
def _counted(counter: Counter[str], origin: str) -> Iterator[None]:
    counter[origin] += 1
    try:
        yield
    finally:
        counter[origin] -= 1
        if not counter[origin]:
            del counter[origin]  # else every address that ever came stays in memory


def origin_of(peer: str) -> str:
    """What counts as one address: in IPv6 the whole /64, as one machine can have all of it."""
    try:
        address = ip_address(peer.partition("%")[0])
    except ValueError:  # a stream in this process
        return peer
    if not isinstance(address, IPv6Address):
        return peer
    return str(address.ipv4_mapped or IPv6Network((address, 64), strict=False))
