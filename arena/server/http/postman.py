"""The task that carries frames to many WebSockets: a few at a time, so that bots are heard in between.

A task for each of 200 spectators, all woken by the same move, would run one after the other before Trio
looks at any connection again; the answer of a bot would lie there for 10 ms and be charged to the bot.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import lru_cache

import trio

AT_ONCE = 32
"""Deliveries between two looks at the connections; each takes 20 µs."""


class Postman:
    """Calls what is due, in order; one for the whole HTTP side."""

    def __init__(self) -> None:
        self._due: deque[Callable[[], None]] = deque()
        self._woken = trio.Event()

    def call(self, deliver: Callable[[], None]) -> None:
        """`deliver` will be called soon; it must not raise."""
        self._due.append(deliver)
        self._woken.set()

    async def run(self) -> None:
        """Makes the deliveries that are due, until cancelled."""
        while True:
            await self._woken.wait()
            for _ in range(min(AT_ONCE, len(self._due))):
                self._due.popleft()()
            if not self._due:
                self._woken = trio.Event()
            await trio.lowlevel.checkpoint()


@lru_cache(maxsize=16)
def framed(text: str) -> bytes:
    """A whole text frame of a server; made once for all who get the same text."""
    payload = text.encode()
    if len(payload) < 126:
        return bytes((0x81, len(payload))) + payload
    if len(payload) < 1 << 16:
        return b"\x81\x7e" + len(payload).to_bytes(2, "big") + payload
    return b"\x81\x7f" + len(payload).to_bytes(8, "big") + payload
