"""What a bot prints: a file of bounded size, with its tail in memory."""

from __future__ import annotations

import os
from pathlib import Path

import trio

from arena.errors import ConfigError

LOG_BYTES_MAX = 1 << 18
TAIL_BYTES = 4096
LOG_BYTES_PER_S = 8 << 20
"""A bot that floods its standard error is read no faster than this: its own time, not others'."""
READ_BYTES = 65536
REMARKS_MAX = 100


class BotLog:
    """What an instance prints, in a file of bounded size, with its tail in memory.

    Raises ConfigError if the file cannot be made.
    """

    def __init__(self, path: Path | None) -> None:
        self._file = None
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = path.open("wb", buffering=0)
            except OSError as error:
                raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from error
        self._tail = b""
        self._mark = 0
        self._remarks = 0
        self._scope = trio.CancelScope(shield=True)
        self.total = 0

    async def drain(self, fd: int) -> None:
        """Reads what the bot prints until it is closed everywhere, or `stop`."""
        os.set_blocking(fd, False)
        try:
            with self._scope:
                await self._drain(fd)
        finally:
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
        self._tail = (self._tail + octets)[-TAIL_BYTES:]
        if self._file is not None and room > 0:
            try:
                self._file.write(octets[:room])
            except OSError:  # a full disk must not end a match; the tail is still in memory
                self._file.close()
                self._file = None

    def close(self) -> None:
        if self._file is None:
            return
        left_out = self.total - LOG_BYTES_MAX
        if left_out > 0:
            kept = min(left_out, len(self._tail))
            try:
                self._file.write(f"\n… {left_out - kept} bytes left out …\n".encode() + self._tail[-kept:])
            except OSError:
                pass
        self._file.close()

    def mark(self) -> None:
        """A match begins: `since_mark` tells what was printed since."""
        self._mark = self.total

    def since_mark(self) -> str:
        printed = min(self.total - self._mark, len(self._tail))
        return self._tail[-printed:].decode("utf-8", "replace") if printed else ""

    def tail(self) -> str:
        return self._tail.decode("utf-8", "replace")
