"""Tries every bot once before play, side by side, so that none that hangs keeps the others waiting.

A bot that loops as it is imported costs the time it may take to connect, but all such bots cost it together,
and people are told meanwhile who is waited for and what it seems to do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import attrs
import trio

from arena.players.entrant import Entrant
from arena.players.start import BotBroken, NeverConnected

STARTING_MAX = 4
"""Bots that start at the same time; more would only get in each other's way."""
STARTING_S = 1.0
"""After this a bot that has not connected makes way: the next one may start beside it."""
WAITED_FOR_MAX = 16
"""Bots that are waited for at the same time, as each may keep a core busy."""
LOOK_EVERY_S = 0.5
TELL_AFTER_S = 2.0
TELL_AGAIN_FACTOR = 4
"""Each bot is reported after 2 s, 8 s, 32 s, 128 s."""
TOLD_MAX = 200
"""Lines about bots that are waited for; if hundreds hang, they must not fill the screen."""
COMPUTING_SHARE = 0.04
"""A bot that uses this share of a core does something: 16 loops on two cores get 0.12 each."""


@attrs.define(eq=False)
class Attempt:
    """One bot that is being tried."""

    entrant: Entrant
    has_made_way: bool = False
    """Whether others may start meanwhile, as this bot takes its time."""
    _give_back: Callable[[], object] = lambda: None
    _used_s: Callable[[], float | None] | None = None
    _began_at: float = 0.0
    _looked_at: float = 0.0
    _cpu_s: float | None = None
    _is_computing: bool = False
    _is_asked: bool = False
    """Whether people were asked what its author may have forgotten."""
    _tell_at: float = 0.0

    def takes_place(self, give_back: Callable[[], object]) -> None:
        """Notes that the bot has a place among the processes, which it returns once others may start."""
        self._give_back = give_back
        if self.has_made_way:
            give_back()

    def make_way(self) -> None:
        """Lets other bots start from now on."""
        self.has_made_way = True
        self._give_back()

    def runs(self, used_s: Callable[[], float | None]) -> None:
        """Notes that the bot's program runs; `used_s` returns its processor time so far, None if unknown."""
        self._used_s = used_s
        self._began_at = self._looked_at = trio.current_time()
        self._tell_at = self._began_at + TELL_AFTER_S

    def look(self) -> str:
        """Looks at what the bot does; returns what to report about it now, empty if nothing."""
        if self._used_s is None:
            return ""
        now, before, cpu_s = trio.current_time(), self._cpu_s or 0.0, self._used_s()
        if cpu_s is not None and cpu_s >= before:  # else it is being ended: what it did before is what counts
            self._is_computing = cpu_s - before >= COMPUTING_SHARE * (now - self._looked_at)
            self._looked_at, self._cpu_s = now, cpu_s
        if now < self._tell_at:
            return ""
        waited_s = now - self._began_at
        self._tell_at += (TELL_AGAIN_FACTOR - 1) * (self._tell_at - self._began_at)
        if self._cpu_s is None:
            return f"waiting for {self.entrant.name}, for {waited_s:.0f} s now"
        if self._is_computing:
            return f"waiting for {self.entrant.name}, which is {self._computing()}"
        if self._is_asked:
            return f"waiting for {self.entrant.name}, for {waited_s:.0f} s now, which does nothing"
        self._is_asked = True
        return f"waiting for {self.entrant.name}, which does nothing; {self._question()}"

    def explained(self, error: NeverConnected) -> str:
        """Why the bot never connected, with what it did instead."""
        if error.has_ended:
            return f"{error.reason}; {self._question()}"
        if self._cpu_s is None:
            return error.reason
        did = f"was {self._computing()}" if self._is_computing else f"did nothing; {self._question()}"
        return f"{error.never}: it {did}{error.printed}"

    def _computing(self) -> str:
        return f"computing ({self._cpu_s:.1f} s of CPU)"

    def _question(self) -> str:
        """What the bot's author may have forgotten, as a question."""
        if self.entrant.language == "Python":
            return "does the file call run()?"
        return "does the program connect to ARENA_PORT?"


class Attempts:
    """Tries bots by `start`, which returns when the bot has connected, or raises BotBroken."""

    def __init__(
        self, start: Callable[[Attempt], Awaitable[object]], starting_max: int, tell: Callable[[str], object]
    ) -> None:
        self._start = start
        self._tell = tell
        self._starting = trio.CapacityLimiter(starting_max)
        self._here = trio.CapacityLimiter(starting_max + WAITED_FOR_MAX)
        self._attempts: dict[str, Attempt] = {}
        """The attempts in progress, by the bot's name."""
        self._broken: dict[str, BotBroken] = {}

    async def run(self, entrants: Sequence[Entrant]) -> list[BotBroken]:
        """Tries all of these bots; returns the broken ones, in the same order."""
        async with trio.open_nursery() as helpers:
            helpers.start_soon(self._watch)
            async with trio.open_nursery() as nursery:
                for entrant in entrants:  # in this order, which tasks alone would not keep
                    await self._here.acquire_on_behalf_of(entrant.name)
                    await self._starting.acquire_on_behalf_of(entrant.name)
                    attempt = self._attempts[entrant.name] = Attempt(entrant)
                    nursery.start_soon(self._try, attempt)
                    helpers.start_soon(self._make_way_later, attempt)
            helpers.cancel_scope.cancel()
        return [self._broken[entrant.name] for entrant in entrants if entrant.name in self._broken]

    async def _try(self, attempt: Attempt) -> None:
        name = attempt.entrant.name
        try:
            await self._start(attempt)
        except BotBroken as error:
            if isinstance(error, NeverConnected):
                error.reason = attempt.explained(error)
            self._broken[name] = error
        finally:
            del self._attempts[name]
            if not attempt.has_made_way:
                self._starting.release_on_behalf_of(name)
            self._here.release_on_behalf_of(name)

    async def _make_way_later(self, attempt: Attempt) -> None:
        await trio.sleep(STARTING_S)
        if self._attempts.get(attempt.entrant.name) is attempt:
            attempt.make_way()
            self._starting.release_on_behalf_of(attempt.entrant.name)

    async def _watch(self) -> None:
        """Says at intervals which bots are being waited for."""
        told = 0
        while True:
            await trio.sleep(LOOK_EVERY_S)
            for line in [line for attempt in self._attempts.values() if (line := attempt.look())]:
                told += 1
                if told <= TOLD_MAX:
                    self._tell(line)
