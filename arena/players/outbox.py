"""What waits to be sent over one connection: put aside until the next question, then handed to the kernel.

A message that can wait is put aside and goes out together with the next question: a call of `send` costs
more than all that we compute for a message.  The question's time begins when the last byte of it is handed
over, and the outbox stamps it with that moment.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

from arena.players.desk import Slot
from arena.players.lag import LagWatch
from arena.players.transport import Transport

OUTBOX_BYTES_MAX = 1 << 20
"""A bot that reads nothing while a megabyte piles up is gone; the longest question is some kilobytes."""
SEND_BYTES = 1 << 16
"""Handed over in one step of the writer task."""


class Outbox:
    """One connection's way out; a connection that takes the place of a lost one has a new outbox."""

    __slots__ = (
        "_aside",
        "_is_writing",
        "_note_lost",
        "_slot",
        "_start_writing",
        "_stuck",
        "_transport",
        "_watch",
    )

    def __init__(
        self,
        transport: Transport,
        watch: LagWatch | None,
        note_lost: Callable[[str], None],
        start_writing: Callable[[Callable[[], Awaitable[None]]], object],
    ) -> None:
        """`watch`: None if news of this transport does not come through Trio's poll, or nobody watches.

        `note_lost` is called with the reason why the connection can take nothing more; `start_writing` with
        the writer, to be started as a task.
        """
        self._transport = transport
        self._start_writing = start_writing
        self._watch = watch
        self._note_lost = note_lost
        self._aside: list[bytes] = []
        """Messages that go out with the next question, or at `flush`."""
        self._stuck = bytearray()
        """What the kernel would not take at once."""
        self._is_writing = False
        """Whether there is a writer, or none must begin any more."""
        self._slot: Slot | None = None
        """The slot of the last question that was put in."""

    @property
    def stuck_bytes(self) -> int:
        """How many bytes the kernel would not take so far."""
        return len(self._stuck)

    def put(self, octets: bytes) -> None:
        """Puts a message aside until the next question, or `flush`."""
        self._aside.append(octets)

    def put_question(self, octets: bytes, slot: Slot) -> None:
        """A question, and all that was put aside before it."""
        self._aside.append(octets)
        self._slot = slot
        self.flush()

    def flush(self) -> None:
        """Hands over all that was put aside."""
        if self._aside:
            octets = b"".join(self._aside)
            self._aside.clear()
            self._write(octets)

    def close(self) -> None:
        """The connection is lost: what was put aside is not handed over any more."""
        self._aside.clear()
        self.end_writing()

    def end_writing(self) -> None:
        """From now on only what the kernel takes at once is sent: no writer can be started any more."""
        self._is_writing = True

    def _write(self, octets: bytes) -> None:
        """Hands bytes to the kernel; what it does not take now is left to the writer task."""
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

        Started when it is needed: nearly all connections never need it, and thousands of tasks that wait
        would take as much memory as all else that is known of their bots.
        """
        while self._stuck:
            waiting = bytes(self._stuck[:SEND_BYTES])
            try:
                sent = await self._transport.send_some(memoryview(waiting))
            except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                return  # the reader sees it too, and it is the one to say so
            del self._stuck[:sent]
        self._is_writing = False
        if self._slot is not None:
            now, watch = trio.current_time(), self._watch
            self._slot.note_sent(now, now if watch is None else watch.polled_before)
