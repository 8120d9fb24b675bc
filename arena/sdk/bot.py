"""What a bot is: one class with one method to write.

The same object plays as a program of its own (`run`) and inside the arena's process
(`arena.players.local`); both call exactly these methods, in the order of a match:
`begin`, then any of `move`, `event`, `fault`, then `finished`.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.wire.messages import Match, Result


class Bot:
    """A bot; override `move`, and of the rest what you need.

    Every argument is plain JSON (dicts, lists, strings, numbers) but the messages
    `match` and `result`, whose fields arena/wire/PROTOCOL.md describes.
    """

    name: str = ""
    """How it calls itself; ARENA_NAME goes before."""
    version: str = "1"

    rng: Random
    """Set anew at each match start, from a seed that the match gives: use it and nothing else for chance."""
    match: Match
    """What was told at match start: game, rules, seat, names, time control."""

    def move(self, state: dict[str, Any], options: list[dict[str, Any]]) -> Any:
        """The move to make now, as JSON; `options` says what is legal."""
        raise NotImplementedError(f"{type(self).__name__} needs a method move(self, state, options)")

    def started(self, match: Match) -> None:
        """A match begins; `self.rng` and `self.match` are set."""

    def event(self, kind: str, payload: Mapping[str, Any] | None) -> None:
        """Something happened that this seat may know of."""

    def fault(self, kind: str, reason: str) -> None:
        """An answer of this bot did not count, and why."""

    def finished(self, result: Result) -> None:
        """The match is over."""

    def begin(self, match: Match) -> None:
        """Starts a match; for those who drive a bot, not for bots."""
        self.match = match
        self.rng = Random(int(match.bot_seed))
        self.started(match)
