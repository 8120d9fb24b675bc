"""Finished matches, whether they were played at tables or lie in results folders, as others ask for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import attrs

from arena.server.kept.past_turn import PastTurn, TurnWanted
from arena.telling.replay import Showing
from arena.words import first_place, listed


@attrs.frozen
class LinkCard:
    """What a link to a page is shown with where somebody sends it."""

    title: str
    description: str
    game: str
    """The name of the game that its picture shows."""


class FinishedMatches(Protocol):
    """The finished matches of one place, for whoever asks from an address."""

    async def turn(self, match_id: str, wanted: TurnWanted, address: str) -> PastTurn:
        """A question of the match.  Raises Refusal."""

    async def card(self, match_id: str, address: str) -> LinkCard:
        """Who played the match, and who won.  Raises Refusal."""


MatchesOf: TypeAlias = Callable[[str | None], FinishedMatches]
"""The matches of a results folder by its name, or those of tables (None).  Raises Refusal."""


def card_of(showing: Showing, ranks: Sequence[int]) -> LinkCard:
    """Who played a match, and who won; `ranks` is empty where the rules failed."""
    game, names = showing.game, showing.names
    first = [name for name, rank in zip(names, ranks, strict=False) if rank == 1]
    result = f"{first_place(first, 'won')}. " if first else ""
    return LinkCard(f"{game.title}: {listed(names)}", f"{result}The whole match, step by step.", game.name)
