"""A bot's connection to a server over a WebSocket, in blocking calls: the same messages, one a text frame."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Event,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from arena.terminal.link import NoAnswer, TableUrl, check_tls, not_ours

PATH = "/ws/bots"
CONNECT_S = 10.0
"""How long the server may take to answer at first."""
SILENCE_S = 60.0
"""After this silence the connection is dead: the server asks every 20 s whether somebody is there."""
READ_BYTES = 1 << 16


class BotSocket:
    """An open WebSocket; one thread reads, and others may send."""

    def __init__(self, url: TableUrl) -> None:
        """Raises NoAnswer if no server of the arena takes bots there."""
        self._server = url.server
        self._lock = threading.Lock()
        self._ws = WSConnection(ConnectionType.CLIENT)
        try:
            self._socket = _connected(url)
        except OSError as error:
            check_tls(self._server, error)
            why = error.strerror or str(error)
            raise NoAnswer(f"{self._server} does not answer: {why}") from None
        try:
            self._send(Request(host=f"{url.host}:{url.port}", target=f"{url.prefix}{PATH}"))
            first = next(self._events(), None)
        except (OSError, RemoteProtocolError):
            first = None
        if not isinstance(first, AcceptConnection):
            self.close()
            raise NoAnswer(not_ours(self._server))
        self._socket.settimeout(SILENCE_S)

    def messages(self) -> Iterator[str]:
        """What the server says, message by message, until the connection ends."""
        parts: list[str] = []
        try:
            for event in self._events():
                if isinstance(event, TextMessage):
                    parts.append(event.data)
                    if event.message_finished:
                        yield "".join(parts)
                        parts.clear()
        except (OSError, RemoteProtocolError):
            return

    def send(self, message: str) -> bool:
        """Sends a message; returns whether there was still a connection."""
        try:
            self._send(TextMessage(message))
        except (OSError, LocalProtocolError):
            return False
        return True

    def close(self) -> None:
        """Ends the connection at once, whoever waits for it."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _events(self) -> Iterator[Event]:
        while octets := self._socket.recv(READ_BYTES):
            with self._lock:
                self._ws.receive_data(octets)
                events = list(self._ws.events())
            for event in events:
                if isinstance(event, Ping):
                    self._send(event.response())
                elif isinstance(event, CloseConnection | RejectConnection):
                    return
                else:
                    yield event

    def _send(self, event: Event) -> None:
        with self._lock:
            self._socket.sendall(self._ws.send(event))


def _connected(url: TableUrl) -> socket.socket:
    connection = socket.create_connection((url.host, url.port), CONNECT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not url.is_tls:
        return connection
    with connection:  # closes it if encryption fails
        return ssl.create_default_context().wrap_socket(connection, server_hostname=url.host)
