"""What everybody who is connected over HTTP is told before the server ends.

The tables tell it (`OpenTables.stop`): requests that wait for something to change are answered, WebSockets
get an alert and are closed.  Requests that have begun are answered to their end, and told that the connection
is closed.
"""

from __future__ import annotations

from collections.abc import Callable

import trio

from arena.server.http.connection import Application, Message, Receive, Scope, Send

GOODBYE_S = 1.0
"""How long the server waits for answers and goodbyes to be sent."""


class Goodbye:
    """The end of the HTTP side, in order."""

    def __init__(self, stop: Callable[[], None]) -> None:
        """`stop` tells everybody; it must not raise or wait."""
        self._stop = stop
        self._underway = 0
        self._is_ending = False
        self._over = trio.Event()

    def counted(self, app: Application) -> Application:
        """The application; its requests and WebSockets are counted, so that their end can be waited for."""

        async def count(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_last(message: Message) -> None:
                if self._is_ending and message["type"] == "http.response.start":
                    message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
                await send(message)

            self._underway += 1
            try:
                await app(scope, receive, send_last)
            finally:
                self._underway -= 1
                if not self._underway:
                    self._over.set()

        return count

    async def say(self) -> None:
        """Tells everybody; returns when all are told, or after a second."""
        self._is_ending = True
        self._stop()
        with trio.move_on_after(GOODBYE_S):
            while self._underway:
                self._over = trio.Event()
                await self._over.wait()
