"""The error that lists every bot that cannot play."""

from __future__ import annotations

from collections.abc import Sequence

from arena.errors import ConfigError
from arena.players.start import BotBroken


class BrokenBots(ConfigError):
    """Some bots cannot be built or started; `broken` has each of them with its reason and its log."""

    def __init__(self, broken: Sequence[BotBroken]) -> None:
        super().__init__("; ".join(str(bot) for bot in broken))
        self.broken = tuple(broken)
