"""Keeps the last messages between the arena and a bot, both ways, as evidence for its faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

MESSAGES_KEPT = 40
MESSAGE_BYTES_KEPT = 2048
"""How many bytes a capsule shows of each of the last messages."""

Direction = Literal["→", "←", "·", "—"]
"""The kind of a message: to the bot; from the bot; a note about what it said; how its connection ended."""


class Transcript:
    """The last messages of one player's match, each with its time."""

    def __init__(self) -> None:
        self._messages: list[tuple[float, Direction, bytes]] = []
        self.listener: Callable[[float, Direction, bytes], None] | None = None
        """Called with every message in full."""

    def note(self, now: float, direction: Direction, octets: bytes) -> None:
        """Remembers a message, as far as it would be shown."""
        self._messages.append((now, direction, octets[:MESSAGE_BYTES_KEPT]))
        if len(self._messages) > MESSAGES_KEPT:
            del self._messages[0]
        if self.listener is not None:
            self.listener(now, direction, octets)

    def clear(self) -> None:
        """Forgets all messages, as a new match begins, or none will for a while."""
        self._messages.clear()

    def lines(self, secrets: Iterable[str]) -> tuple[Mapping[str, Any], ...]:
        """The messages as JSON objects, oldest first, without the secrets; times count from the first one."""
        began_at = self._messages[0][0] if self._messages else 0.0
        return tuple(
            {
                "t_s": round(at - began_at, 6),
                "dir": direction,
                "text": blanked(octets.decode("utf-8", "backslashreplace").rstrip("\n"), secrets),
            }
            for at, direction, octets in self._messages
        )


def blanked(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text
