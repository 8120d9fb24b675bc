"""Limits the time that slow start-ups may take in a tournament, by a budget for each bot.

A bot that wants a fresh process for every match, and takes ten seconds for each first answer, would hold up
everybody else for hours.
"""

from __future__ import annotations

from collections import defaultdict

from arena.players.base import Player
from arena.players.entrant import Entrant
from arena.tournament.play.share import WHOLE, Share

BUDGET_S = 60.0
"""How long all start-ups of a bot may take together, on top of one connection at its own `connect_s`."""
CONNECT_FREE_S = 2.0
"""How long every start may take to connect; only time beyond it is charged."""
FIRST_FREE_S = 1.0
"""How long a first answer may take without charge, if the plan sets no time per move."""


class StartUps:
    """Counts how much time each bot's start-ups have taken."""

    def __init__(self, move_s: float | None, share: Share = WHOLE) -> None:
        self._parts = share.of
        self._first_free_s = FIRST_FREE_S if move_s is None else move_s
        self._spent_s: defaultdict[str, float] = defaultdict(float)

    def connect_s(self, entrant: Entrant) -> float:
        """How long the next start of the bot may take to connect."""
        return min(entrant.connect_s, CONNECT_FREE_S + self._left_s(entrant))

    def note_start(self, entrant: Entrant, took_s: float) -> None:
        """Charges a start that is over, whether or not the bot connected."""
        self._spent_s[entrant.name] += max(0.0, took_s - CONNECT_FREE_S)

    def limit(self, entrant: Entrant, player: Player) -> None:
        """Denies an instance the longer time for its first answer, if its bot has used up the budget."""
        if not self._left_s(entrant):
            player.has_answered = True

    def note_first_answer(self, bot: str, player: Player) -> None:
        """Charges, after a match, the player's first answer if it gave that in the match."""
        took_s, player.first_answer_s = player.first_answer_s, 0.0
        self._spent_s[bot] += max(0.0, took_s - self._first_free_s)

    def _left_s(self, entrant: Entrant) -> float:
        return max(0.0, BUDGET_S / self._parts + entrant.connect_s - self._spent_s[entrant.name])
