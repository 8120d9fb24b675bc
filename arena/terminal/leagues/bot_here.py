"""A bot as a program of this machine, started without a box: it is its owner's own.

Nothing here is missing on Windows.
"""

from __future__ import annotations

import os
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import attrs

from arena.errors import ConfigError
from arena.players.entrant import Entrant
from arena.words import printable

READ_BYTES = 1 << 16
END_S = 2.0
"""How long a program has to end when its connection is closed."""
LINE_BYTES_MAX = 1 << 17
"""The longest message of a bot; the server refuses half of that."""
LOOK_S = 0.2
"""How often it is looked whether a program that is to connect has ended."""
PYTHON = ("python3", "python")


@attrs.define(eq=False)
class BotHere:
    """A program that runs; what it says comes from `line`."""

    process: subprocess.Popen[bytes]
    send: Callable[[bytes], object]
    """Sends it bytes; raises OSError once it is gone."""
    _receive: Callable[[], bytes]
    _close: Callable[[], object]
    _said: queue.SimpleQueue[bytes] = attrs.field(factory=queue.SimpleQueue)
    _lines: list[bytes] = attrs.field(factory=list)
    _rest: bytes = b""
    _reader: threading.Thread = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        octets = b"."
        while octets:
            try:
                octets = self._receive()
            except (OSError, ValueError):
                octets = b""
            self._said.put(octets)

    def line(self, wait_s: float | None = None) -> bytes | None:
        """The next line that it says, None at its end.  Raises queue.Empty after `wait_s` of silence."""
        while not self._lines:
            octets = self._said.get(timeout=wait_s)
            if not octets:
                self._said.put(b"")  # for whoever asks again
                last, self._rest = self._rest, b""
                return last or None
            *lines, self._rest = (self._rest + octets).split(b"\n")
            if len(self._rest) > LINE_BYTES_MAX or self._rest.endswith(b"}"):  # a newline may be missing
                lines, self._rest = [*lines, self._rest], b""
            self._lines.extend(line for line in lines if line.strip())
        return self._lines.pop(0)

    def end(self) -> None:
        """Ends the program, at first by closing its connection."""
        with suppress(OSError, ValueError):
            self._close()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self._reader.join(END_S)  # a child of its own may have it open
            self.process.stdout.close()


def start_here(bot: Entrant, connect_s: float | None = None) -> BotHere:
    """Starts the program of a bot.  Raises ConfigError if it does not start, or does not connect."""
    words = _words(bot)
    env = {**os.environ, "ARENA_NAME": bot.name}
    env.pop("ARENA_TOKEN", None)  # the server is told it, and no bot needs it
    try:
        if bot.transport == "stdio":
            env.pop("ARENA_PORT", None)
            return _over_streams(
                subprocess.Popen(
                    words,
                    cwd=bot.folder,
                    env=env,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C is ours to hear
                )
            )
        with socket.create_server(("127.0.0.1", 0)) as listener:
            env |= {"ARENA_HOST": "127.0.0.1", "ARENA_PORT": str(listener.getsockname()[1])}
            process = subprocess.Popen(words, cwd=bot.folder, env=env, start_new_session=True)
            return _over_tcp(process, listener, connect_s or bot.connect_s)
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError(f"{printable(bot.command)} cannot be started: {why}") from None


def _words(bot: Entrant) -> list[str]:
    """The command; where Python is meant, the one that runs this, which has the SDK."""
    program, *words = bot.run
    return [sys.executable if program in PYTHON else program, *words]


def _over_streams(process: subprocess.Popen[bytes]) -> BotHere:
    incoming, outgoing = process.stdout, process.stdin
    assert incoming is not None
    assert outgoing is not None

    def send(octets: bytes) -> None:
        outgoing.write(octets)
        outgoing.flush()

    return BotHere(process, send, lambda: os.read(incoming.fileno(), READ_BYTES), outgoing.close)


def _over_tcp(process: subprocess.Popen[bytes], listener: socket.socket, connect_s: float) -> BotHere:
    connection = _accepted(process, listener, connect_s)
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close() -> None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()

    return BotHere(process, connection.sendall, lambda: connection.recv(READ_BYTES), close)


def _accepted(process: subprocess.Popen[bytes], listener: socket.socket, connect_s: float) -> socket.socket:
    """The program's connection.  Raises ConfigError if it makes none."""
    listener.settimeout(LOOK_S)
    for _ in range(max(1, int(connect_s / LOOK_S))):
        with suppress(TimeoutError):
            return listener.accept()[0]
        if process.poll() is not None:
            raise ConfigError(f"the bot ended with exit code {process.returncode} before it connected")
    process.kill()
    process.wait()
    raise ConfigError(f"the bot did not connect to ARENA_PORT within {connect_s:.0f} s")
