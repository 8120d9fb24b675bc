"""Who listens to a table, and the version that counts what all of them can see change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import trio

from arena.server.tables.table import Notice

Listener: TypeAlias = Callable[[Notice], None]
"""Is told at once what happens at a table; it must not raise or wait, and sees the table as it is then."""


class Versioned:
    """Who is told what happens, and who waits until something does."""

    def __init__(self, now: Callable[[], float], version: int) -> None:
        """`now` returns the Unix time."""
        self.version = version
        self.modified_at = now()
        """Unix time of this version."""
        self.attendance: list[Callable[[str], bool]] = []
        """Each says of a player_id whether it has a connection of its kind."""
        self.is_stopped = False
        """Whether the server ends."""
        self._now = now
        self._listeners: list[Listener] = []
        self._changed = trio.Event()

    def attach(self, listener: Listener) -> None:
        self._listeners.append(listener)

    async def changed(self, after: int) -> None:
        """Returns once the version is no longer `after`."""
        while self.version == after:
            await self._changed.wait()

    def _tell(self, news: Notice) -> None:
        for listener in tuple(self._listeners):
            listener(news)

    def _bump(self) -> None:
        self.version += 1
        self.modified_at = self._now()
        self._changed.set()
        self._changed = trio.Event()
