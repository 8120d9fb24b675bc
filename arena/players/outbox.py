"""Holds what waits to be sent over one connection, until it is handed to the kernel with the next question.

A message that can wait is put aside and goes out together with the next question: a call of `send` costs
more than all our work on a message.  The question's time begins when its last byte is handed over, and the
outbox stamps it with that moment.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import attrs
import trio

from arena.players.desk import Slot
from arena.players.lag import LagWatch
from arena.players.transport import Transport

OUTBOX_BYTES_MAX = 1 << 20
"""How many bytes may pile up before a bot that does not read is gone; the longest question is some kB."""
SEND_BYTES = 1 << 16
"""The most bytes that the writer task hands over in one step."""


@attrs.define(eq=False)
class Outbox:
    """One connection's way out; a connection that takes the place of a lost one has a new outbox."""

    _transport: Transport
    _watch: LagWatch | None
    """None if news of this transport does not come through Trio's poll, or nobody watches."""
    _note_lost: Callable[[str], None]
    """Is called with the reason why the connection can take nothing more."""
    _start_writing: Callable[[Callable[[], Awaitable[None]]], object]
    """Starts the writer as a task."""
    _aside: list[bytes] = attrs.field(init=False, factory=list)
    """The messages that go out with the next question, or at `flush`."""
    _stuck: bytearray = attrs.field(init=False, factory=bytearray)
    """The bytes that the kernel would not take at once."""
    _is_writing: bool = attrs.field(init=False, default=False)
    """Whether there is a writer, or none may be started any more."""
    _slot: Slot | None = attrs.field(init=False, default=None)
    """The slot of the last question."""

    @property
    def stuck_bytes(self) -> int:
        """How many bytes the kernel has not taken yet."""
        return len(self._stuck)

    def put(self, octets: bytes) -> None:
        """Puts a message aside until the next question, or `flush`."""
        self._aside.append(octets)

    def put_question(self, octets: bytes, slot: Slot) -> None:
        """Hands over a question, after everything that was put aside before it."""
        self._aside.append(octets)
        self._slot = slot
        self.flush()

    def flush(self) -> None:
        """Hands over everything that was put aside."""
        if self._aside:
            octets = b"".join(self._aside)
            self._aside.clear()
            self._write(octets)

    def close(self) -> None:
        """Drops what was put aside, as the connection is lost."""
        self._aside.clear()
        self.end_writing()

    def end_writing(self) -> None:
        """Lets no writer be started any more: from now on only what the kernel takes at once is sent."""
        self._is_writing = True

    def _write(self, octets: bytes) -> None:
        """Hands bytes to the kernel, and leaves what it does not take now to the writer task."""
        sent = 0
        if not self._stuck:  # else it has to wait its turn
            try:
                sent = self._transport.send_now(octets)
            except OSError as error:
                self._note_lost(f"broke its connection ({error.strerror or error})")
                return
        if sent < len(octets):
            self._stuck += memoryview(octets)[sent:]
            if not self._is_writing:
                self._is_writing = True
                self._start_writing(self._write_stuck)
            if len(self._stuck) > OUTBOX_BYTES_MAX:
                self._note_lost(f"does not read: {len(self._stuck)} bytes wait for it")
        elif self._slot is not None:
            self._slot.note_sent(trio.current_time())

    async def _write_stuck(self) -> None:
        """The writer task: hands over what got stuck, until nothing is left or the connection breaks.

        It is started when needed: nearly all connections never need it, and thousands of waiting tasks would
        take as much memory as everything else we keep about their bots.
        """
        while self._stuck:
            waiting = bytes(self._stuck[:SEND_BYTES])
            try:
                sent = await self._transport.send_some(memoryview(waiting))
            except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                return  # the reader sees it too, and reports it
            del self._stuck[:sent]
        self._is_writing = False
        if self._slot is not None:
            now, watch = trio.current_time(), self._watch
            self._slot.note_sent(now, now if watch is None else watch.polled_before)
