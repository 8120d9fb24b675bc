"""The HTTP side of the server: anycorn's protocols on sockets that are already bound, behind a guard.

    async with trio.open_nursery() as nursery:
        listeners = [listen("127.0.0.1", 8080)]
        await nursery.start(partial(serve_http, app, listeners, HttpOptions(), note=…, note_bug=…))

What a client sends can end its own connection and nothing else.  If the HTTP side itself raises, which
would be a bug of ours, it is noted and started again on the same listening sockets: nobody else in this
process is touched.
"""

from __future__ import annotations

import errno
import socket
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import trio
from anycorn.config import Config
from anycorn.logging import Logger
from anycorn.worker_context import WorkerContext

from arena.server.http.certificate import Certificate
from arena.server.http.clients import Caps, Clients
from arena.server.http.connection import Application, Connection, Patience
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.postman import Postman

ACCEPT_PAUSE_S = 0.1
"""The pause before the next try when the machine is out of file descriptors."""
RESTART_PAUSE_S = 0.2
"""The pause before the HTTP side starts again after a bug of ours: one at its start then costs little."""
BUGS_MAX = 100
"""How many different tracebacks are noted."""
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n"
    b"Content-Type: application/json\r\nContent-Length: 72\r\n\r\n"
    b'{"error":"full","message":"Too many connections are open.","field":null}'
)
OUT_OF_RESOURCES = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS))


@attrs.frozen
class HttpOptions:
    """What the HTTP side allows."""

    head_bytes_max: int = 1 << 14
    message_bytes_max: int = 1 << 14
    """The longest message of a WebSocket."""
    patience: Patience = attrs.field(factory=Patience)
    caps: Caps = attrs.field(factory=Caps)
    guard: GuardOptions = attrs.field(factory=GuardOptions)


async def serve_http(
    app: Application,
    listeners: Sequence[socket.socket],
    options: HttpOptions,
    *,
    note: Callable[[str], None],
    note_bug: Callable[[str], None],
    certificate: Certificate | None = None,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serves the application on listening sockets until cancelled; they stay open.

    With a certificate it speaks HTTPS alone.

    `note` is told sentences for the log, `note_bug` tracebacks of what must not happen.
    """
    note_bug = _Once(note_bug)
    task_status.started()
    while True:
        side = _HttpSide(app, options, note_bug, certificate)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(side.postman.run)
                for listener in listeners:
                    nursery.start_soon(side.accept, listener, nursery)
        except* Exception:
            note_bug(traceback.format_exc())
        note("the HTTP side stopped because of a bug and is started again")
        await trio.sleep(RESTART_PAUSE_S)


class _HttpSide:
    """All connections of one HTTP side."""

    def __init__(
        self,
        app: Application,
        options: HttpOptions,
        note_bug: Callable[[str], None],
        certificate: Certificate | None,
    ) -> None:
        self._certificate = certificate
        self._app = Guard(app, options.guard, note_bug)
        self._options = options
        self._note_bug = note_bug
        self._config = _config(options)
        self._context = WorkerContext(None)
        self.postman = Postman()
        self._clients = Clients(options.caps, options.guard.trusted_proxies)

    async def accept(self, listener: socket.socket, nursery: trio.Nursery) -> None:
        while True:
            await trio.lowlevel.wait_readable(listener)
            try:
                sock, address = listener.accept()
                sock.setblocking(False)
            except OSError as error:
                if error.errno in OUT_OF_RESOURCES:
                    await trio.sleep(ACCEPT_PAUSE_S)
                continue
            try:
                has_room = self._clients.has_room(address[0])
            except BaseException:
                sock.close()  # our bug: its client is told so by the end of the connection
                raise
            if has_room:
                nursery.start_soon(self._serve, sock, address[0])
            elif self._certificate is not None:  # it would have to shake hands first
                sock.close()
            else:
                _turn_away(sock)

    async def _serve(self, sock: socket.socket, address: str) -> None:
        connection = Connection(
            sock,
            self._app,
            self._config,
            self._context,
            self._options.patience,
            self.postman,
            lambda connection, is_idle: self._clients.set_idle(connection, address, is_idle),
            None if self._certificate is None else self._certificate.session(),
        )
        self._clients.enter(connection, address)
        try:
            await trio.sleep(self._clients.wait_s(address))
            await connection.run()
        except* Exception:  # our bug, set off by one connection: it costs that connection
            self._note_bug(traceback.format_exc())
        finally:
            self._clients.leave(connection, address)


def _turn_away(sock: socket.socket) -> None:
    """Says that there is no room, if the kernel takes it at once."""
    with sock:
        try:
            sock.send(FULL)
        except OSError:
            pass


class _Once:
    """Hands on each traceback once: the same bug set off ten times a second says nothing new."""

    def __init__(self, note_bug: Callable[[str], None]) -> None:
        self._note_bug = note_bug
        self._noted: set[int] = set()

    def __call__(self, traceback_text: str) -> None:
        known = hash(traceback_text)
        if known not in self._noted and len(self._noted) < BUGS_MAX:
            self._noted.add(known)
            self._note_bug(traceback_text)


class _Silent(Logger):
    """anycorn's log: nothing.  What matters is noted where it happens."""

    def __init__(self, config: Config) -> None:
        self.access_logger = self.error_logger = None

    async def access(self, *arguments: Any) -> None:
        pass


def _config(options: HttpOptions) -> Config:
    config = Config()
    config.logger_class = _Silent
    config.h11_max_incomplete_size = options.head_bytes_max
    config.websocket_max_message_size = options.message_bytes_max
    config.websocket_permessage_deflate = False  # a kilobyte can become a megabyte
    config.include_server_header = False
    config.keep_alive_max_requests = 1 << 30
    return config
