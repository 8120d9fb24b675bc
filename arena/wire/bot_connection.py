"""A bot's end of a connection to the arena, without a socket: what the SDK and our own test bots speak."""

from __future__ import annotations

from typing import Any

from arena.errors import RemoteProtocolError
from arena.wire import messages
from arena.wire.json_stream import Broken, JsonStream
from arena.wire.messages import PROTOCOL, FromArena


class BotConnection:
    """A bot's end of its connection to the arena, in the full protocol."""

    def __init__(self, *, bytes_max: int = 1 << 20, depth_max: int = 512) -> None:
        """The limits are wider than the arena's: questions are longer than answers, and trusted."""
        self.is_closed = False
        self._stream = JsonStream(bytes_max=bytes_max, depth_max=depth_max)

    def hello(self, name: str | None = None, token: str | None = None) -> bytes:
        """The hello message, which is sent first."""
        return messages.encode(messages.Hello(PROTOCOL, name, token))

    def receive(self, data: bytes) -> list[FromArena]:
        """The messages that these bytes complete; `b""` means that the arena has closed the connection.

        Unknown types and keys are ignored.  Raises RemoteProtocolError for anything that is not a message.
        """
        if not data:
            self.is_closed = True
            return []
        received = []
        for value in self._stream.feed(data):
            if isinstance(value, Broken):
                raise RemoteProtocolError(f"the arena sent something that cannot be read: {value.reason}")
            message = messages.from_arena(value)
            if message is not None:
                received.append(message)
        return received

    def answer(self, message_id: str, move: Any) -> bytes:
        """The answer to this question; `move` is anything that JSON can represent."""
        return messages.encode(messages.Answer(message_id, move))
