"""Which matches of a folder are wanted: of a bot, against another, lost, with faults, or upsets."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import attrs

from arena.errors import FAULT_KINDS

Kind: TypeAlias = Literal["lost", "faults", "upsets"]
_OF_BOT = "SELECT match FROM seats WHERE bot = "
_LOST = (
    "SELECT mine.match FROM seats mine JOIN seats theirs USING (match)"
    " WHERE mine.bot = :bot AND theirs.bot = COALESCE(:against, theirs.bot) AND mine.rank > theirs.rank"
)
_FAULTS = f"SELECT match FROM seats WHERE {' + '.join(FAULT_KINDS)} > 0 AND bot = COALESCE(:bot, bot)"
_UPSETS = (
    "WITH strengths AS (SELECT bot, AVG(points) AS strength FROM seats GROUP BY bot)"
    " SELECT won.match FROM seats won JOIN strengths USING (bot) WHERE won.win AND strength <"
    " (SELECT MIN(other.strength) FROM seats beaten JOIN strengths other USING (bot)"
    " WHERE beaten.match = won.match AND beaten.seat <> won.seat)"
)


@attrs.frozen
class MatchFilter:
    """What the wanted matches have in common."""

    bot: str | None = None
    """Who played; None: anybody."""
    against: str | None = None
    """Who played too."""
    only: Kind | None = None
    """Those that the bot lost (to that other one), in which it (or anybody) failed, or which were won by
    the bot with the fewest points on average of those who played."""

    @property
    def test(self) -> str:
        """The condition on `number`, in SQL, with names for its values."""
        if self.only == "lost":  # which says who played as well
            return f"number IN ({_LOST})"
        chosen = {"faults": _FAULTS, "upsets": _UPSETS}
        among = [_OF_BOT + ":bot"] if self.bot is not None else []
        among += [_OF_BOT + ":against"] if self.against is not None else []
        among += [chosen[self.only]] if self.only is not None else []
        return " AND ".join(f"number IN ({each})" for each in among) or "1"

    @property
    def values(self) -> dict[str, Any]:
        """The values in the condition."""
        return {"bot": self.bot, "against": self.against}


ALL_MATCHES = MatchFilter()
"""Every match."""
