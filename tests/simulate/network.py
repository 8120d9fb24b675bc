"""Connections in memory and in virtual time, as bad as real ones: late, in pieces, in lumps, full, cut."""

from __future__ import annotations

import hashlib
import traceback
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from itertools import pairwise
from math import inf
from random import Random
from typing import Any

import attrs
import trio
import trio.abc

from arena.players.transport import RECEIVE_BYTES, Transport

WINDOW_BYTES = 1 << 16
"""What a good connection holds before its sender must wait."""


NARROW_BYTES = 700
"""Through a smaller window a question may take longer than there is time for it."""


class Trace:
    """What happened, in order: a digest of all of it, and a count of each kind."""

    def __init__(self, tell: Callable[[str], None] | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self._digest = hashlib.blake2b(digest_size=16)
        self._tell = tell

    def note(self, kind: str, *what: object) -> None:
        """One more event; `what` goes into the digest, so it must be the same at every run of the seed."""
        self.counts[kind] += 1
        said = f"{trio.current_time():.9f} {kind} {what}"
        self._digest.update(said.encode())
        if self._tell is not None:
            self._tell(said)

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()


@attrs.frozen
class Weather:
    """What a connection does to what is sent over it; chances are by message."""

    delay_s: float = 0.0
    """A message takes up to so long."""
    pieces: int = 1
    """It comes in up to so many pieces."""
    beat_s: float = 0.0
    """What comes within such a time comes together, at its end."""
    window_bytes: int = WINDOW_BYTES
    stalls: float = 0.0
    """The chance that it takes `stall_s`."""
    stall_s: float = 0.0
    resets: float = 0.0
    half_closes: float = 0.0
    """The bot's side is closed, though it still reads."""
    vanishes: float = 0.0
    """From then on nothing arrives, and nobody is told."""

    @property
    def is_clean(self) -> bool:
        """Whether whoever is honest behind it is always in time."""
        is_narrow = self.window_bytes < NARROW_BYTES
        return not (is_narrow or self.stalls or self.resets or self.half_closes or self.vanishes)

    @property
    def way_s(self) -> float:
        """The longest that a message takes where it is clean."""
        return self.delay_s + self.beat_s


class Way:
    """One direction of a connection."""

    def __init__(self, weather: Weather, rng: Random, trace: Trace, name: str) -> None:
        self.weather = weather
        self.name = name
        self.is_reset = False
        self.sent = bytearray()
        """All that was ever handed over, for those who compare."""
        self._rng = rng
        self._trace = trace
        self._flying: deque[tuple[float, bytes]] = deque()
        self._bytes = 0
        self._latest = -inf
        self._is_closed = False
        self._has_vanished = False
        self._news = trio.Event()

    def put(self, octets: bytes | memoryview) -> int:
        """Takes what there is room for; how many bytes."""
        if self.is_reset or self._is_closed:
            raise BrokenPipeError(32, "Broken pipe")
        taken = bytes(octets[: self.weather.window_bytes - self._bytes])
        if len(taken) < len(octets):
            self._trace.note("window full", self.name)
        if taken and not self._has_vanished:
            self.sent += taken
            self._bytes += len(taken)
            self._send_off(taken)
        return len(taken)

    def _send_off(self, octets: bytes) -> None:
        weather, rng, now = self.weather, self._rng, trio.current_time()
        self._trace.note("sent", self.name, octets if len(octets) < 4096 else hash_of(octets))
        if weather.vanishes and rng.random() < weather.vanishes:
            self._has_vanished = True
            self._trace.note("vanished", self.name)
            return
        at = now
        if weather.stalls and rng.random() < weather.stalls:
            at += weather.stall_s
            self._trace.note("stalled", self.name)
        for piece in self._pieces(octets):
            arrives = at + rng.random() * weather.delay_s if weather.delay_s else at
            if weather.beat_s:
                arrives += weather.beat_s - arrives % weather.beat_s
            if arrives > now:
                self._trace.counts["delayed"] += 1
            self._latest = max(self._latest, arrives)
            self._flying.append((self._latest, piece))
        self._tell()

    def _pieces(self, octets: bytes) -> list[bytes]:
        count = min(len(octets), self._rng.randint(1, self.weather.pieces)) if self.weather.pieces > 1 else 1
        if count == 1:
            return [octets]
        self._trace.counts["split"] += 1
        cuts = sorted({0, len(octets), *(self._rng.randrange(len(octets)) for _ in range(count - 1))})
        return [octets[low:high] for low, high in pairwise(cuts)]

    async def room(self) -> None:
        """Waits until `put` takes something, or fails."""
        while not (self.is_reset or self._is_closed) and self._bytes >= self.weather.window_bytes:
            await self._news.wait()

    async def take(self, most: int = RECEIVE_BYTES) -> bytes:
        """What has arrived; `b""`: the other side has closed.  Raises trio.BrokenResourceError after a reset."""
        while not self.is_reset:
            now = trio.current_time()
            if self._flying and self._flying[0][0] <= now:
                return self._arrived(now, most)
            if self._is_closed and not self._flying:
                return b""
            with trio.move_on_at(self._flying[0][0] if self._flying else inf):
                await self._news.wait()
        raise trio.BrokenResourceError("reset")

    def _arrived(self, now: float, most: int) -> bytes:
        """All that is there; in pieces, if the connection splits and the dice say so, one piece."""
        pieces = [self._flying.popleft()[1]]
        while self._flying and self._flying[0][0] <= now and self.weather.pieces == 1:
            pieces.append(self._flying.popleft()[1])
        if len(pieces) > 1:
            self._trace.counts["coalesced"] += 1
        octets = b"".join(pieces)
        if len(octets) > most:
            self._flying.appendleft((now, octets[most:]))
            octets = octets[:most]
        self._bytes -= len(octets)
        self._tell()
        return octets

    def close(self) -> None:
        """No more is sent; what flies arrives."""
        self._is_closed = True
        self._tell()

    def reset(self) -> None:
        """What flies is lost."""
        self.is_reset = True
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()


class Line:
    """One connection: the way to the bot and the way to the arena."""

    def __init__(self, bot: str, number: int, weather: Weather, seed: str, trace: Trace) -> None:
        self.bot = bot
        self.weather = weather
        self.trace = trace
        self._rng = Random(f"{seed}/{bot}/{number}")
        self.to_bot = Way(weather, self._rng, trace, f"→{bot}#{number}")
        self.to_arena = Way(weather, self._rng, trace, f"{bot}#{number}→")
        self.player = bot
        """The name that it plays under."""
        self.is_full = False
        """Whether the full protocol is spoken."""
        self.plays: list[Any] = []
        """The matches that began on it, in order: see `transcripts`."""
        self.trials = 1
        """Questions at its beginning that are of no match: all there may be before it has a player."""

    def trouble(self) -> None:
        """Rolls the dice for what may befall the whole connection."""
        weather, rng = self.weather, self._rng
        if weather.resets and rng.random() < weather.resets:
            self.trace.note("reset", self.bot)
            self.reset()
        elif weather.half_closes and rng.random() < weather.half_closes:
            self.trace.note("half-closed", self.bot)
            self.to_arena.close()

    def reset(self) -> None:
        self.to_bot.reset()
        self.to_arena.reset()


class ArenaEnd(Transport):
    """The arena's end, as the house sees it."""

    is_polled = False

    def __init__(self, line: Line) -> None:
        super().__init__()
        self.line = self._line = line
        self._is_closed = False
        self._closing = trio.CancelScope()
        self.peer = f"the machine of {line.bot}"

    def send_now(self, octets: bytes | memoryview) -> int:
        if self._is_closed:
            raise OSError(9, "Bad file descriptor")
        self._line.trouble()
        return self._line.to_bot.put(octets)

    async def send_some(self, octets: memoryview) -> int:
        if self._is_closed:
            raise trio.ClosedResourceError
        await trio.lowlevel.checkpoint()
        await self._line.to_bot.room()
        return self.send_now(octets)

    async def receive(self, most: int = RECEIVE_BYTES) -> bytes:
        octets = b""
        with trio.CancelScope() as self._closing:
            if not self._is_closed:
                try:
                    octets = await self._line.to_arena.take(most)
                except trio.BrokenResourceError:
                    pass
        return b"" if self._is_closed else octets

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._line.to_bot.close()
            self._line.to_arena.close()
            self._closing.cancel()


class BotEnd(trio.abc.Stream):
    """The bot's end, as `arena.testing.Peer` wants it."""

    def __init__(self, line: Line) -> None:
        self.line = line

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        octets = memoryview(bytes(data))
        while octets:
            await self.line.to_arena.room()
            try:
                octets = octets[self.line.to_arena.put(octets) :]
            except OSError:
                raise trio.BrokenResourceError("closed") from None
        await trio.lowlevel.checkpoint()

    async def wait_send_all_might_not_block(self) -> None:
        await self.line.to_arena.room()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.lowlevel.checkpoint()
        return await self.line.to_bot.take()

    async def aclose(self) -> None:
        self.line.to_arena.close()
        self.line.to_bot.close()
        await trio.lowlevel.checkpoint()


class Network:
    """Where the arena listens and bots connect, in one session of a run."""

    def __init__(self, seed: str, trace: Trace) -> None:
        self.seed = seed
        self.trace = trace
        self.lines: list[Line] = []
        """In the order in which they were made."""
        self._calls: trio.MemorySendChannel[Line]
        self._called: trio.MemoryReceiveChannel[Line]
        self._calls, self._called = trio.open_memory_channel[Line](inf)

    def line(self, bot: str, weather: Weather) -> Line:
        """A new connection of this bot; nobody has accepted it yet."""
        number = sum(line.bot == bot for line in self.lines)
        self.lines.append(line := Line(bot, number, weather, self.seed, self.trace))
        self.trace.note("connected" if number == 0 else "came back", bot)
        return line

    def call(self, bot: str, weather: Weather) -> BotEnd:
        """Connects to where the arena listens."""
        line = self.line(bot, weather)
        self._calls.send_nowait(line)
        return BotEnd(line)

    # In the place of `listen` and `accept_all` of `arena.players.tcp`.

    def listen(self, host: str, port: int, backlog: int = 0) -> Network:
        return self

    def getsockname(self) -> tuple[str, int]:
        return ("10.0.0.1", 8888)

    def close(self) -> None:
        self._called.close()

    async def accept_all(
        self,
        _: object,
        serve: Callable[[Transport], Awaitable[None]],
        connections_max: int,
        note_bug: Callable[[str], None],
    ) -> None:
        """What the real one does, without a socket."""

        async def serve_one(end: ArenaEnd) -> None:
            try:
                await serve(end)
            except Exception:
                note_bug(traceback.format_exc())
            finally:
                end.close()

        async with trio.open_nursery() as nursery:
            async for line in self._called:
                nursery.start_soon(serve_one, ArenaEnd(line))


def hash_of(octets: bytes) -> str:
    """A long message in few characters."""
    return hashlib.blake2b(octets, digest_size=8).hexdigest()
