"""Which matches of a folder are wanted: of a bot, against another, lost, with faults, or upsets."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import attrs

from arena.errors import FAULT_KINDS

Kind: TypeAlias = Literal["lost", "faults", "upsets"]
_OF_BOT = "SELECT match FROM seats WHERE bot IN ({bots})"
_LATEST = "SELECT match FROM (SELECT match FROM seats WHERE bot = {bot} ORDER BY match DESC LIMIT :latest)"
_LOST = (
    "SELECT mine.match FROM seats mine JOIN seats theirs USING (match)"
    " WHERE mine.bot IN ({bots}) AND theirs.bot = COALESCE(:against, theirs.bot) AND mine.rank > theirs.rank"
)
_FAULTS = f"SELECT match FROM seats WHERE {' + '.join(FAULT_KINDS)} > 0"
# In one pass, as the seats of a match lie side by side: a join of seats with seats takes twice the time.
_UPSETS = (
    "WITH strengths AS (SELECT bot, AVG(points) AS strength FROM seats GROUP BY bot)"
    " SELECT match FROM seats JOIN strengths USING (bot) GROUP BY match"
    " HAVING MAX(CASE WHEN win THEN strength END) < MIN(CASE WHEN win THEN NULL ELSE strength END)"
)


@attrs.frozen
class MatchFilter:
    """What the wanted matches have in common."""

    bot: str | None = None
    """Who played; None: anybody."""
    against: str | None = None
    """Who played too."""
    only: Kind | None = None
    """Matches that the bot lost (to that other one), in which it (or anybody) failed, or which were won by
    the bot with the fewest points on average of those who played."""
    versions: tuple[str, ...] = ()
    """Other versions of the bot, whose matches are wanted as well."""
    latest: int | None = None
    """Among how many of the latest matches of each of them is looked; None: among all."""

    @property
    def test(self) -> str:
        """The condition on `number`, in SQL, with names for its values."""
        names = [":bot", *(f":bot{number}" for number in range(len(self.versions)))]
        bots = ", ".join(names)
        latest = " UNION ALL ".join(_LATEST.format(bot=name) for name in names)
        are_latest = "" if self.latest is None else " AND match IN (" + latest + ")"
        if self.only == "lost":  # which says who played as well
            return f"number IN ({_LOST.format(bots=bots)}{are_latest})"
        of_bot = "" if self.bot is None else f" AND bot IN ({bots}){are_latest}"
        chosen = {"faults": _FAULTS + of_bot, "upsets": _UPSETS}
        among = []
        if self.bot is not None:
            among.append(_OF_BOT.format(bots=bots) if self.latest is None else latest)
        among += [_OF_BOT.format(bots=":against")] if self.against is not None else []
        among += [chosen[self.only]] if self.only is not None else []
        return " AND ".join(f"number IN ({each})" for each in among) or "1"

    @property
    def values(self) -> dict[str, Any]:
        """The values in the condition."""
        versions = {f"bot{number}": bot for number, bot in enumerate(self.versions)}
        return {"bot": self.bot, "against": self.against, "latest": self.latest} | versions


ALL_MATCHES = MatchFilter()
"""Every match."""
