"""How many requests of one address may wait for something to change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from arena.server.http.addresses import neighbourhood
from arena.server.limits import WAITS_PER_ADDRESS
from arena.server.refusal import Refusal


class WaitingRequests:
    """Counts the waiting requests of each neighbourhood."""

    def __init__(self, most: int = WAITS_PER_ADDRESS) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    @contextmanager
    def counted(self, address: str) -> Iterator[None]:
        """Counts one while this is open.  Raises Refusal if its address has too many."""
        address = neighbourhood(address)
        if self._counts[address] >= self._most:
            raise Refusal(
                "too_many",
                f"{self._most} requests of your address are waiting: wait for one of them",
                key="waits",
                seconds=1.0,
            )
        self._counts[address] += 1
        try:
            yield
        finally:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]
