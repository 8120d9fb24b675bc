"""What a bot is: a class with one method to write.

The same object plays as its own program (`run`) and inside the arena's process
(`arena.players.local`); both call exactly these methods, in the order of a match:
`begin`, then any of `move`, `event`, `fault`, then `finished`.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any

from arena.sdk.chance import MatchRandom

if TYPE_CHECKING:
    from arena.wire.messages import Match, Result


class Bot:
    """A bot; override `move`, and whatever else you need.

    Every argument is plain JSON (dicts, lists, strings, numbers) except the messages
    `match` and `result`, whose fields arena/wire/PROTOCOL.md describes.
    """

    name: str = ""
    """The name the bot calls itself by; ARENA_NAME takes precedence."""
    version: str = "1"

    rng: Random
    """Seeded by the match's `bot_seed`, anew for each decision: use it and nothing else for randomness."""
    match: Match
    """The match in progress: game, rules, seat, names, time control."""

    def move(self, state: dict[str, Any], options: list[dict[str, Any]]) -> Any:
        """The move to make now, as JSON; `options` says what is legal."""
        raise NotImplementedError(f"{type(self).__name__} needs a method move(self, state, options)")

    def started(self, match: Match) -> None:
        """A match begins; `self.rng` and `self.match` are set."""

    def event(self, kind: str, payload: Mapping[str, Any] | None) -> None:
        """Something happened that this seat may know about."""

    def fault(self, kind: str, reason: str) -> None:
        """An answer of this bot did not count; `reason` says why."""

    def finished(self, result: Result) -> None:
        """The match is over."""

    def begin(self, match: Match) -> None:
        """Starts a match; called by whatever drives the bot, not by bots."""
        self.match = match
        self.rng = MatchRandom(int(match.bot_seed))
        self.started(match)


def drawn_move(bot: Bot, state: dict[str, Any], options: list[dict[str, Any]]) -> Any:
    """The bot's move, with randomness seeded for this decision; called by whatever drives the bot."""
    rng = getattr(bot, "rng", None)
    if not isinstance(rng, MatchRandom):  # the bot's own
        return bot.move(state, options)
    rng.begin_decision(state)
    move = bot.move(state, options)
    rng.end_decision()
    return move
