"""Codes and tokens that are guessed: an address from which wrong ones come is slowed down, not refused."""

from __future__ import annotations

import trio

from arena.players.allowance import Bucket
from arena.server.http.addresses import neighbourhood
from arena.server.http.quotas import RecentlyUsed

WRONG_AT_ONCE, WRONG_PER_S = 10, 1 / 10
"""Wrong codes and tokens of one address before it waits, and how fast that is forgotten."""
WAIT_MAX_S = 5.0
"""The longest wait."""


class Guesses:
    """Slows down the addresses from which wrong codes and tokens come.

    Forty people may share an address with somebody who guesses: whoever has a token is not slowed, as nobody
    guesses one, and a right code waits five seconds at most.
    """

    def __init__(self) -> None:
        self._wrong: RecentlyUsed[str, Bucket] = RecentlyUsed()

    async def before_code(self, address: str) -> None:
        """Waits before a code is looked at, right or wrong: else nobody who guesses need wait for answers."""
        bucket = self._wrong.get(neighbourhood(address))
        await trio.sleep(0.0 if bucket is None else min(WAIT_MAX_S, bucket.over_s(WRONG_AT_ONCE - 1.0)))

    def wrong(self, address: str) -> None:
        """Notes a wrong code or token."""
        key = neighbourhood(address)
        bucket = self._wrong.get(key) or Bucket(WRONG_PER_S)
        bucket.add(1.0)
        self._wrong.put(key, bucket)

    async def wrong_token(self, address: str) -> None:
        """Notes a wrong token, and waits before it is answered: programs that go on asking cost less so."""
        await self.before_code(address)
        self.wrong(address)
