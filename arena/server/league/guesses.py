"""Codes and tokens that are guessed: whoever guesses wrong waits, and nobody with a right one does."""

from __future__ import annotations

import trio

from arena.players.allowance import Bucket
from arena.server.http.addresses import neighbourhood
from arena.server.http.quotas import RecentlyUsed, WaitingRequests

WRONG_AT_ONCE, WRONG_PER_S = 10, 1 / 10
"""Wrong codes and tokens of one address before it waits, and how fast that is forgotten."""
WAIT_MAX_S = 5.0
"""The longest wait for the answer to a wrong one."""
WAITING_MAX = 40
"""Wrong ones of one address that wait at the same time: a class mistypes together."""


class Guesses:
    """Slows down the addresses from which wrong codes and tokens come.

    A right one is never slowed or refused: forty people may share an address with somebody who guesses.
    """

    def __init__(self) -> None:
        self._wrong: RecentlyUsed[str, Bucket] = RecentlyUsed()
        self._waiting = WaitingRequests(WAITING_MAX)

    async def wrong(self, address: str) -> None:
        """Waits before a wrong one is answered.  Raises Refusal if too many of its address wait."""
        key = neighbourhood(address)
        bucket = self._wrong.get(key) or Bucket(WRONG_PER_S)
        wait_s = min(WAIT_MAX_S, bucket.over_s(WRONG_AT_ONCE - 1.0))
        bucket.add(1.0)
        self._wrong.put(key, bucket)
        with self._waiting.counted(address):
            await trio.sleep(wait_s)
