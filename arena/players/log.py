"""Keeps what a bot prints in a file of bounded size, with its tail in memory."""

from __future__ import annotations

import os
from pathlib import Path

import trio

from arena.errors import unwritable

LOG_BYTES_MAX = 1 << 18
TAIL_BYTES = 4096
"""How many of the last bytes are shown."""
KEPT_BYTES = 1 << 16
"""How many of the last bytes are remembered: Java prints a thousand lines below an exception."""
LOG_BYTES_PER_S = 8 << 20
"""The rate at which a bot that floods its standard error is read: it costs its own time, not others'."""
READ_BYTES = 65536
REST_BYTES_MAX = 1 << 20
"""The most that a pipe may hold when its program ends."""
REMARKS_MAX = 100


class BotLog:
    """The log of what an instance prints: a file of bounded size, with its tail in memory.

    Raises ConfigError if the file cannot be made.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._file = None
        self._fd: int | None = None
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = path.open("wb", buffering=0)
            except OSError as error:
                raise unwritable(path, error) from error
        self._tail = bytearray()
        self._mark = 0
        self._remarks = 0
        self._scope = trio.CancelScope(shield=True)
        self.total = 0

    async def drain(self, fd: int) -> None:
        """Reads what the bot prints until all writers have closed the descriptor, or until `stop`."""
        os.set_blocking(fd, False)
        self._fd = fd
        try:
            with self._scope:
                await self._drain(fd)
        finally:
            self._fd = None
            os.close(fd)

    async def _drain(self, fd: int) -> None:
        while True:
            await trio.lowlevel.wait_readable(fd)
            try:
                octets = os.read(fd, READ_BYTES)
            except BlockingIOError:
                continue
            if not octets:
                return
            self._write(octets)
            if self.total > LOG_BYTES_MAX:
                await trio.sleep(len(octets) / LOG_BYTES_PER_S)

    def take_rest(self) -> None:
        """Reads at once what was printed and is still unread: a program that has ended said why last.

        So what people are told about its end does not depend on how soon its log was read.
        """
        rest = REST_BYTES_MAX
        while self._fd is not None and rest > 0:
            try:
                octets = os.read(self._fd, READ_BYTES)
            except BlockingIOError:
                return
            if not octets:
                return
            self._write(octets)
            rest -= len(octets)

    def stop(self) -> None:
        """Stops reading."""
        self._scope.cancel()

    def remark(self, text: str) -> None:
        """Adds a line of the arena's own; only the first few are kept."""
        self._remarks += 1
        if self._remarks <= REMARKS_MAX:
            self._write(f"arena: {text}\n".encode())

    def _write(self, octets: bytes) -> None:
        room = LOG_BYTES_MAX - self.total
        self.total += len(octets)
        self._tail += octets
        if len(self._tail) > 2 * KEPT_BYTES:  # not every time: a bot may print a character at a time
            del self._tail[:-KEPT_BYTES]
        if self._file is not None and room > 0:
            try:
                self._file.write(octets[:room])
            except OSError:  # a full disk must not end a match, and the tail is still in memory
                self._file.close()
                self._file = None

    def close(self) -> None:
        if self._file is None:
            return
        left_out = self.total - LOG_BYTES_MAX
        if left_out > 0:
            kept = min(left_out, TAIL_BYTES, len(self._tail))
            try:
                self._file.write(f"\n… {left_out - kept} bytes left out …\n".encode() + self._tail[-kept:])
            except OSError:
                pass
        self._file.close()

    def mark(self) -> None:
        """Marks the beginning of a match: `since_mark` returns what was printed since."""
        self._mark = self.total

    def since_mark(self) -> str:
        return self._last(min(self.total - self._mark, TAIL_BYTES))

    def since(self, total: int) -> str:
        """What was printed after the first `total` bytes, as far as it is shown."""
        return self._last(min(self.total - total, TAIL_BYTES))

    def tail(self) -> str:
        return self._last(TAIL_BYTES)

    def kept(self) -> str:
        """The end as far as it is remembered, for searching in it."""
        return self._last(KEPT_BYTES)

    def _last(self, size: int) -> str:
        return self._tail[-size:].decode("utf-8", "replace") if size else ""
