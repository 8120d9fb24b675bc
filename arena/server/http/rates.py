"""How often something may happen, for each neighbourhood: so many at once, and so many a second over time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from math import ceil
from typing import Generic, TypeVar

from arena.players.allowance import Bucket
from arena.server.http.addresses import is_loopback, neighbourhood
from arena.server.refusal import Refusal

KNOWN_MAX = 10_000
"""Addresses, credentials, … that are remembered; then the one that was not used for longest is forgotten."""

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class RecentlyUsed(Generic[_Key, _Value]):
    """What was used lately: a bounded mapping."""

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
    """One such limit; loopback, from where a proxy or a host's own program speaks for many, has none."""

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
        """It does not count after all."""
        if (bucket := self._buckets.get((neighbourhood(address), of))) is not None:
            bucket.add(-1.0)
