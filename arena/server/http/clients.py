"""How many connections there may be, in all and from one address, and which of them makes room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection

import attrs

from arena.players.allowance import Bucket
from arena.server.http.addresses import neighbourhood
from arena.server.http.connection import Connection
from arena.server.http.quotas import Quota, RecentlyUsed


@attrs.frozen
class Caps:
    """How many connections there may be.

    Connections from this machine and from trusted proxies belong to many people: they have figures of
    their own.
    """

    total: int = 1024
    per_address: int = 64
    per_near_address: int = 1024
    new_per_s: float = 100.0
    """New connections of one address over time; those beyond it wait before they are served."""
    new_at_once: float = 200.0
    near_new_per_s: float = 1000.0
    near_new_at_once: float = 1024.0


class Clients:
    """All connections of the HTTP side."""

    def __init__(self, caps: Caps, trusted_proxies: Collection[str]) -> None:
        self._caps = caps
        self._open = Quota(
            caps.per_address, near=caps.per_near_address, total=caps.total, near_addresses=trusted_proxies
        )
        self._idle: OrderedDict[Connection, str] = OrderedDict()
        """The connections without a request, and their neighbourhoods; idle for longest first."""
        self._paces: RecentlyUsed[str, Bucket] = RecentlyUsed()

    @property
    def total(self) -> int:
        return self._open.total

    def has_room(self, address: str) -> bool:
        """Whether one more connection may come; if need be, the one idle for longest is closed for it."""
        here = neighbourhood(address)
        if self._open.count(address) >= self._open.share(address):
            oldest = next((idle for idle, where in self._idle.items() if where == here), None)
        elif self._open.shortage(address):
            oldest = next(iter(self._idle), None)
        else:
            return True
        if oldest is None:
            return False
        del self._idle[oldest]
        oldest.drop()
        return True

    def enter(self, connection: Connection, address: str) -> None:
        self._open.enter(address)
        self.set_idle(connection, address, True)

    def leave(self, connection: Connection, address: str) -> None:
        self._open.leave(address)
        self.set_idle(connection, address, False)

    def set_idle(self, connection: Connection, address: str, is_idle: bool) -> None:
        if is_idle:
            self._idle[connection] = neighbourhood(address)
        else:
            self._idle.pop(connection, None)

    def wait_s(self, address: str) -> float:
        """How many seconds a new connection from this address has to wait until it is served."""
        here, caps, is_near = neighbourhood(address), self._caps, self._open.is_near(address)
        pace = self._paces.get(here) or Bucket(caps.near_new_per_s if is_near else caps.new_per_s)
        self._paces.put(here, pace)
        pace.add(1.0)
        return pace.over_s(caps.near_new_at_once if is_near else caps.new_at_once)
