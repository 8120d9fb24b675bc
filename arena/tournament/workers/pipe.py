"""Sends messages over a stream of bytes: each in MessagePack, bounded, after its length in four bytes.

Nothing here depends on what carries the bytes: the pipes of a child, or any other stream.
"""

from __future__ import annotations

from struct import Struct
from typing import Generic, TypeVar

import msgspec
import trio

from arena.errors import RemoteProtocolError
from arena.tournament.workers.messages import decoded, encoded

MESSAGE_BYTES_MAX = 64_000_000
"""The largest message: more than a match of a million decisions, half of them with evidence."""
READ_BYTES = 1 << 18

_LENGTH = Struct(">I")

Said = TypeVar("Said")


class CutOff(RemoteProtocolError):
    """The stream ended in the middle of a message."""


class MessageTooLong(Exception):
    """A message that we were to send is over the limit."""


class Pipe(Generic[Said]):
    """One end of a pipe: sends any message, receives those of one kind."""

    def __init__(self, stream: trio.abc.Stream, kind: object, bytes_max: int = MESSAGE_BYTES_MAX) -> None:
        """`kind`: the type of the messages that it receives, one type or a union."""
        self._stream = stream
        self._decoder: msgspec.msgpack.Decoder[Said] = decoded(kind)
        self._bytes_max = bytes_max
        self._received = bytearray()
        self._turn = trio.Lock()

    async def send(self, *messages: object) -> None:
        """Sends messages, in order.  Raises MessageTooLong, before anything is sent, or trio's errors."""
        parts = []
        for message in messages:
            octets = encoded(message)
            if len(octets) > self._bytes_max:
                raise MessageTooLong(f"{len(octets):,} bytes, at most {self._bytes_max:,} are allowed")
            parts += [_LENGTH.pack(len(octets)), octets]
        await self.pass_on(b"".join(parts))

    async def pass_on(self, octets: bytes) -> None:
        """Sends whole messages from elsewhere as they are."""
        async with self._turn:
            await self._stream.send_all(octets)

    async def receive(self) -> Said | None:
        """Receives the next message; None at the end.

        Raises RemoteProtocolError for anything that is not a message of this kind, is too long, or cut off.
        """
        head = await self._read(_LENGTH.size)
        if head is None:
            return None
        (length,) = _LENGTH.unpack(head)
        if length > self._bytes_max:
            raise RemoteProtocolError(
                f"a message of {length:,} bytes was announced, at most {self._bytes_max:,} are allowed"
            )
        octets = await self._read(length)
        if octets is None:
            raise CutOff("the end came in the middle of a message")
        try:
            return self._decoder.decode(octets)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise RemoteProtocolError(f"what came is no message that is expected here: {error}") from None

    async def _read(self, length: int) -> bytes | None:
        """Reads this many bytes; None at the end of the stream.  Raises CutOff if it ends within them."""
        while len(self._received) < length:
            try:
                more = await self._stream.receive_some(READ_BYTES)
            except trio.BrokenResourceError:
                more = b""
            if not more:
                if self._received:
                    raise CutOff("the end came in the middle of a message")
                return None
            self._received += more
        octets = bytes(self._received[:length])
        del self._received[:length]
        return octets
