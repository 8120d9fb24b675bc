"""What came with an upgrade, and what comes while it is being answered, in one order."""

from __future__ import annotations

from typing import Any

import pytest
from anycorn.config import Config
from anycorn.protocol.events import Data, Event, Request, Response, StreamClosed
from anycorn.worker_context import WorkerContext
from raw_http import CLOSE, TEXT, frame

from arena.server.http.protocol import Socket

HEADERS = [
    (b"connection", b"upgrade"),
    (b"upgrade", b"websocket"),
    (b"sec-websocket-version", b"13"),
    (b"sec-websocket-key", b"dGhlIHNhbXBsZSBub25jZQ=="),
]


class Both:
    """The application and the connection of one WebSocket.

    `meanwhile` arrives as the upgrade is being answered, `at_goodbye` while we say goodbye.
    """

    def __init__(self, meanwhile: list[bytes], at_goodbye: bytes = b"") -> None:
        self.told: list[Any] = []
        self.ended = 0
        self._meanwhile = meanwhile
        self._at_goodbye = at_goodbye
        config = Config()
        config.websocket_max_message_size = 1000
        self.socket = Socket(None, config, WorkerContext(None), self, None, None, self.send, 1, None)  # type: ignore[arg-type]

    async def spawn_app(self, *arguments: Any) -> Any:
        async def put(message: Any) -> None:
            self.told.append(message.get("text", message["type"]))

        return put

    async def send(self, event: Event) -> None:
        if isinstance(event, Response):
            for octets in self._meanwhile:
                await self.socket.handle(Data(1, octets))
        elif isinstance(event, Data) and self._at_goodbye:
            await self.socket.handle(Data(1, self._at_goodbye))
        elif isinstance(event, StreamClosed):
            self.ended += 1
            await self.socket.handle(event)

    async def upgrade(self, first: bytes) -> None:
        await self.socket.handle(Request(1, HEADERS, "1.1", "GET", b"/", {}))  # type: ignore[arg-type]
        await self.socket.handle(Data(1, first))
        await self.socket.app_send({"type": "websocket.accept", "headers": []})


@pytest.mark.parametrize("cut", range(1, 10))
async def test_a_frame_that_arrives_in_two_parts_around_the_answer_is_one(cut: int) -> None:
    whole = frame(TEXT, b"early")
    both = Both([whole[cut:], frame(TEXT, b"next")])
    await both.upgrade(whole[:cut])
    await both.socket.handle(Data(1, frame(TEXT, b"last")))
    assert ["websocket.connect", "early", "next", "last"] == both.told


async def test_what_follows_a_goodbye_is_not_read() -> None:
    both = Both([frame(TEXT, b"one more thing")], at_goodbye=frame(TEXT, b"wait"))
    await both.upgrade(frame(CLOSE))
    await both.socket.handle(Data(1, frame(TEXT, b"and another")))
    assert (["websocket.connect", "websocket.disconnect"], 1) == (both.told, both.ended)


async def test_too_much_before_the_answer_ends_it() -> None:
    """Nobody may fill our memory because an application is slow to accept."""
    both = Both([b"x" * 600] * 5)
    await both.upgrade(b"x" * 600)
    assert (1, 1009, 0) == (both.ended, both.socket.close_code, len(both.socket.pre_accept_data))


async def test_sending_to_one_that_is_gone_raises() -> None:
    both = Both([])
    await both.upgrade(b"")
    await both.socket.handle(StreamClosed(1))
    with pytest.raises(ConnectionResetError):
        await both.socket.app_send({"type": "websocket.send", "text": "hello"})
