"""What the arena says to clients, recorded where it is sent."""

from __future__ import annotations

from typing import Any

import msgspec

from arena.players.transport import RECEIVE_BYTES, Transport

Saying = tuple[Any, ...]
"""What the arena says between two answers, as JSON values: a question, in the full protocol after events."""


class RecordingTransport(Transport):
    """A transport that keeps what is sent, grouped by the answers in between."""

    def __init__(self, inner: Transport) -> None:
        super().__init__()
        self._inner = inner
        self._said = [b""]

    def send_now(self, octets: bytes | memoryview) -> int:
        sent = self._inner.send_now(octets)
        self._said[-1] += bytes(octets[:sent])
        return sent

    async def send_some(self, octets: memoryview) -> int:
        sent = await self._inner.send_some(octets)
        self._said[-1] += bytes(octets[:sent])
        return sent

    async def receive(self, most: int = RECEIVE_BYTES) -> bytes:
        received = await self._inner.receive(most)
        if received:
            self._said.append(b"")
        return received

    def close(self) -> None:
        self._inner.close()

    @property
    def said(self) -> bytes:
        """All that was sent."""
        return b"".join(self._said)

    def sayings(self) -> list[Saying]:
        """All groups but the last, which no answer followed; encoded again they are the same bytes."""
        groups = [said for said in self._said[:-1] if said]
        sayings = [tuple(map(msgspec.json.decode, said.splitlines())) for said in groups]
        for said, saying in zip(groups, sayings, strict=True):
            assert said == b"".join(msgspec.json.encode(value) + b"\n" for value in saying), said
        return sayings
