"""How many there may be at one time, and how often something may happen: in all, and for a neighbourhood."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from math import ceil, inf
from typing import Generic, Literal, TypeVar

from arena.players.allowance import Bucket
from arena.refusal import Refusal
from arena.server.http.addresses import is_loopback, neighbourhood
from arena.server.limits import WAITS_PER_ADDRESS

KNOWN_MAX = 10_000
"""How many addresses, credentials, … are remembered."""

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Quota:
    """Counts who is here at the moment from each neighbourhood, and says whether there is room for more.

    The address "" is nobody's, as it is the server's own, or not known: nothing limits it but how many there
    are in all.  Memory follows who is here, not who ever was.
    """

    def __init__(
        self,
        per_address: float,
        *,
        near: float = inf,
        total: float = inf,
        reserved: int = 0,
        near_addresses: Iterable[str] = (),
        here: Iterable[str] = (),
    ) -> None:
        """`near`: the share of loopback and `near_addresses`, where a proxy or a program speaks for many.

        `reserved`: how many of `total` are for addresses that have none.  `here`: addresses to begin with.
        """
        self.total = 0
        self._of: Counter[str] = Counter()
        self._per_address, self._near, self._most = per_address, near, total
        self._reserved = reserved
        self._near_addresses = frozenset(near_addresses)
        for address in here:
            self.enter(address)

    def count(self, address: str) -> int:
        """How many of the address's neighbourhood are here."""
        return self._of.get(neighbourhood(address), 0)

    def share(self, address: str) -> float:
        """How many may be here from one neighbourhood of addresses."""
        return self._near if self.is_near(address) else self._per_address

    def is_near(self, address: str) -> bool:
        return is_loopback(address) or address in self._near_addresses

    def shortage(self, address: str, more: int = 1) -> Literal["total", "address", "reserved"] | None:
        """The limit because of which `more` cannot come from there; None: there is room."""
        mine, total = self.count(address), self.total + more
        if total > self._most:
            return "total"
        if address and mine + more > self.share(address):
            return "address"
        return "reserved" if address and mine and total > self._most - self._reserved else None

    def enter(self, address: str, many: int = 1) -> None:
        self._of[neighbourhood(address)] += many
        self.total += many

    def leave(self, address: str, many: int = 1) -> None:
        here = neighbourhood(address)
        self._of[here] -= many
        self.total -= many
        if not self._of[here]:
            del self._of[here]

    @contextmanager
    def counted(self, address: str, many: int = 1) -> Iterator[None]:
        """Counts `many` more from this address while the context is open."""
        self.enter(address, many)
        try:
            yield
        finally:
            self.leave(address, many)


class WaitingRequests(Quota):
    """The requests that wait for something to change, or are read for in a thread."""

    def __init__(self, most: int = WAITS_PER_ADDRESS) -> None:
        """`most`: how many one address may have, loopback too."""
        super().__init__(most, near=most)

    @contextmanager
    def counted(self, address: str, many: int = 1) -> Iterator[None]:
        """Counts one more while the context is open.  Raises Refusal if its address has too many."""
        if self.shortage(address):
            why = f"{self.share(address)} requests of your address are waiting: wait for one of them"
            raise Refusal("too_many", why, key="waits", seconds=1.0)
        with super().counted(address, many):
            yield


class RecentlyUsed(Generic[_Key, _Value]):
    """A bounded mapping, which forgets what was not used for longest."""

    def __init__(self, most: int = KNOWN_MAX) -> None:
        self._most = most
        self._values: OrderedDict[_Key, _Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: _Key) -> _Value | None:
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: _Key, value: _Value) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)


class Rate:
    """How often something may happen; loopback, from where others speak for many, has no such limit."""

    def __init__(self, key: str, at_once: int, per_s: float, what: str) -> None:
        """`key`: the name of the limit in a refusal, whose message names `what` there were too many of."""
        self._key = key
        self._at_once = at_once
        self._per_s = per_s
        self._what = what
        self._buckets: RecentlyUsed[tuple[str, str], Bucket] = RecentlyUsed()

    def take(self, address: str, of: str = "") -> None:
        """Counts one more; each `of` is counted on its own.  Raises Refusal if it is too many."""
        if is_loopback(address):
            return
        key = (neighbourhood(address), of)
        bucket = self._buckets.get(key) or Bucket(self._per_s)
        wait_s = bucket.over_s(self._at_once - 1.0)
        if wait_s > 0:
            why = f"too many {self._what}: wait {max(1, ceil(wait_s))} s"
            raise Refusal("too_many", why, key=self._key, seconds=wait_s)
        bucket.add(1.0)
        self._buckets.put(key, bucket)

    def give_back(self, address: str, of: str = "") -> None:
        """Has one that was taken not count after all."""
        if (bucket := self._buckets.get((neighbourhood(address), of))) is not None:
            bucket.add(-1.0)

    @contextmanager
    def counted(self, address: str) -> Iterator[None]:
        """Counts what happens in the context, unless it fails, or the server itself ("") asked for it."""
        if not address:
            yield
            return
        self.take(address)
        try:
            yield
        except BaseException:
            self.give_back(address)
            raise
