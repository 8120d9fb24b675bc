"""A bot as its own program: over TCP, or over standard input and output.

If the arena's welcome has a token and the connection breaks, the bot reconnects, and gets its place back with
the token.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn, Protocol

import msgspec
from msgspec import UNSET

from arena.sdk.bot import Bot, drawn_move
from arena.wire.bot_connection import BotConnection
from arena.wire.messages import Ask, Bye, EventMessage, FaultMessage, FromArena, Match, Result, Welcome

CHUNK_BYTES: Final = 65536
RETURN_S: Final = 10.0
"""How long the arena keeps the place of a bot that has lost its connection."""
RETURN_PAUSE_S: Final = 0.2


class Link(Protocol):
    """Bytes to and from the arena, blocking."""

    def receive(self) -> bytes:
        """The next bytes; `b""` if the arena has closed the connection."""

    def send(self, data: bytes) -> None:
        """Sends all of the data."""


def run(bot: Bot | type[Bot]) -> None:
    """Plays as this bot until the arena says bye or is gone.

    ARENA_HOST and ARENA_PORT say where the arena is; without a port the bot uses
    standard input and output.  With ARENA_TLS=1 the connection is encrypted, and the arena's certificate must
    be trusted on this machine, or be named by SSL_CERT_FILE.  ARENA_NAME and ARENA_TOKEN say who the bot is.
    Exceptions in the bot's own code propagate: its author sees the traceback, and for the arena the bot is
    gone.  Raises SystemExit (2), with a sentence on standard error, if it cannot connect or is refused.
    """
    player = bot() if isinstance(bot, type) else bot
    name = os.environ.get("ARENA_NAME") or player.name
    with _transport() as transport:
        token = play(player, transport, name, os.environ.get("ARENA_TOKEN"))
    while token is not None and (back := _connect_again()) is not None:
        with back:
            token = play(player, _over(back), name, token)


def play(bot: Bot, transport: Link, name: str, token: str | None = None) -> str | None:
    """Says hello and plays until bye or the end of the connection.

    Returns the token with which the bot may come back, if the connection broke and the arena gave one.
    Raises SystemExit (2) if the arena refuses the bot.
    """
    connection = BotConnection()
    if not _send(transport, connection.hello(name or None, token)):
        return None
    is_welcome, kept = False, None
    while received := _receive(transport):
        for message in connection.receive(received):
            if isinstance(message, Bye):
                if not is_welcome:
                    _give_up(f"The arena refused {name or 'this bot'}: {message.reason}")
                return None
            is_welcome = True
            if isinstance(message, Ask):
                move = drawn_move(bot, message.state, message.options)
                if not _send(transport, connection.answer(message.message_id, move)):
                    return kept
            elif isinstance(message, Welcome):
                kept = None if message.token is UNSET else message.token
            else:
                tell(bot, message)
    return kept


def rehearse(bot: Bot, lines: Iterable[bytes]) -> Iterator[tuple[Ask, Any]]:
    """Every question in the recorded lines of a conversation, with the bot's move as it would be sent.

    The lines are what the arena sent; `arena new` writes such a file.  For the tests of bots.
    """
    connection = BotConnection()
    for line in lines:
        for message in connection.receive(line):
            if isinstance(message, Ask):
                move = drawn_move(bot, message.state, message.options)
                yield message, msgspec.json.decode(msgspec.json.encode(move))
            else:
                tell(bot, message)


def tell(bot: Bot, message: FromArena) -> None:
    """Gives the bot a message that needs no answer."""
    if isinstance(message, EventMessage):
        bot.event(message.kind, message.payload)
    elif isinstance(message, Match):
        bot.begin(message)
    elif isinstance(message, FaultMessage):
        bot.fault(message.kind, message.reason)
    elif isinstance(message, Result):
        bot.finished(message)


def _receive(transport: Link) -> bytes:
    try:
        return transport.receive()
    except OSError:  # the arena, its machine or the network went down, which is as good as a bye
        return b""


def _send(transport: Link, data: bytes) -> bool:
    """Sends the data; returns whether there was still somebody to receive it."""
    try:
        transport.send(data)
    except OSError:
        return False
    return True


# Transports.


class _Functions:
    """A transport of two functions."""

    def __init__(self, receive: Callable[[], bytes], send: Callable[[bytes], None]) -> None:
        self.receive, self.send = receive, send


@contextmanager
def _transport() -> Iterator[Link]:
    """The link that the environment asks for: TCP if it names a port, else standard streams (no terminal)."""
    port = os.environ.get("ARENA_PORT")
    if port:
        with _connect(_host(), port) as connection:
            yield _over(connection)
    elif sys.stdin is not None and not sys.stdin.isatty():
        with _standard_streams() as transport:
            yield transport
    else:
        file = os.path.basename(sys.argv[0])
        _give_up(
            f"The arena starts this bot: arena run {file} random; or tell it where an arena listens: "
            f"ARENA_PORT=8888 python3 {file}"
        )


def _connect(host: str, port: str) -> socket.socket:
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        _give_up(f"ARENA_PORT must be a port number from 1 to 65535, not {port!r}")
    try:
        return _connected(host, int(port))
    except OSError as error:
        if untrusted := getattr(error, "verify_message", ""):
            remedy = "SSL_CERT_FILE=FILE names one that is"
            _give_up(f"The certificate of {host}:{port} is not trusted here ({untrusted}): {remedy}")
        if getattr(error, "library", None) == "SSL":
            _give_up(f"{host}:{port} does not speak TLS: leave out ARENA_TLS")
        reason = error.strerror or str(error)
        _give_up(f"No arena at {host}:{port} ({reason}): start a run that listens there")


def _connect_again() -> socket.socket | None:
    """A new connection to the same arena; None if it fails for as long as the place is kept."""
    until = time.monotonic() + RETURN_S
    while (left_s := until - time.monotonic()) > 0:
        try:
            return _connected(_host(), int(os.environ["ARENA_PORT"]), left_s)
        except ConnectionRefusedError:  # nobody listens any more: the run is over
            return None
        except OSError:
            time.sleep(RETURN_PAUSE_S)
    return None


def _connected(host: str, port: int, timeout_s: float | None = None) -> socket.socket:
    connection = socket.create_connection((host, port), timeout_s)
    # Nagle's algorithm would hold answers back for up to 40 ms.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if os.environ.get("ARENA_TLS") == "1":
        import ssl  # takes longer than all other imports of this module

        with connection:  # closes it if encryption fails
            connection = ssl.create_default_context().wrap_socket(connection, server_hostname=host)
    connection.settimeout(None)
    return connection


def _host() -> str:
    return os.environ.get("ARENA_HOST") or "127.0.0.1"


def _over(connection: socket.socket) -> Link:
    return _Functions(lambda: connection.recv(CHUNK_BYTES), connection.sendall)


@contextmanager
def _standard_streams() -> Iterator[Link]:
    """The arena at descriptors 0 and 1.

    While the bot plays they are moved to other descriptors, so that print() goes to standard error,
    in libraries and child processes too, and input() reads nothing.
    """
    sys.stdout.flush()
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        yield _Functions(lambda: os.read(incoming, CHUNK_BYTES), lambda data: _write_all(outgoing, data))
    finally:
        sys.stdout.flush()
        os.dup2(incoming, 0)
        os.dup2(outgoing, 1)
        os.close(incoming)
        os.close(outgoing)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _give_up(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise SystemExit(2)
