"""What is kept of ring tables and the hand that is played there, in JSON that this arena reads back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import attrs
import msgspec

from arena.match.game import Game
from arena.server.kept.keeping import Keeper
from arena.server.kept.records import RING_PREFIX, KeptTerms, ServerRecords, Unfinished
from arena.server.ring.ring import Ring
from arena.server.tables.live_match import LiveMatch, MatchTerms


class HandRecords(Protocol):
    """Keeps a ring table and its hand, and says when they are kept."""

    def keep_ring(self, ring: Ring) -> None: ...

    def begin_hand(self, ring: Ring, game: Game[Any, Any], terms: MatchTerms) -> None: ...

    def keep_answer(self, match: LiveMatch, seat: int, move: Any) -> None: ...

    def keep_turn(self, match: LiveMatch) -> None: ...

    async def end_match(self, table_id: str, match: LiveMatch) -> None: ...

    def forget_match(self, match_id: str) -> None: ...

    async def kept(self) -> None: ...

    def check(self) -> None: ...


class RingRecords:
    """Puts what happens at ring tables into the keeper; a hand leaves it when it is archived."""

    def __init__(
        self, keeper: Keeper, records: ServerRecords, note: Callable[[str], None] = lambda sentence: None
    ) -> None:
        """`note` is told which tables could not be read."""
        self._keeper = keeper
        self._records = records
        self._note = note

    def keep_ring(self, ring: Ring) -> None:
        self._keeper.put_table(RING_PREFIX + ring.id, msgspec.json.encode(ring))

    def begin_hand(self, ring: Ring, game: Game[Any, Any], terms: MatchTerms) -> None:
        """Keeps the table with its hand, and how the hand's match began."""
        kept = KeptTerms(ring.id, terms, game.name, game.version, attrs.asdict(game))
        self._keeper.put_match(terms.match_id, msgspec.json.encode(kept))
        self.keep_ring(ring)

    def keep_answer(self, match: LiveMatch, seat: int, move: Any) -> None:
        self._records.keep_answer(match, seat, move)

    def keep_turn(self, match: LiveMatch) -> None:
        self._records.keep_turn(match)

    async def end_match(self, table_id: str, match: LiveMatch) -> None:
        """Archives a hand whose chips are counted, and then forgets it; a restart between does it again."""
        await self._records.end_match(table_id, match)

    def forget_match(self, match_id: str) -> None:
        """Of a hand that broke off."""
        self._keeper.drop_match(match_id)

    async def kept(self) -> None:
        await self._records.kept()

    def check(self) -> None:
        self._records.check()

    # What was kept before: to be read before the keeper runs.

    def rings(self) -> list[Ring]:
        """The tables as they were left; one that cannot be read any more is not there."""
        found = []
        for table_id, octets in self._keeper.tables().items():
            if table_id.startswith(RING_PREFIX):
                try:
                    found.append(msgspec.json.decode(octets, type=Ring))
                except ValueError as error:
                    self._note(f"{table_id} is gone, as it cannot be read any more: {error}")
                    self._keeper.drop_table(table_id)
        return found

    def hand(self, ring: Ring, matches: Sequence[Unfinished]) -> Unfinished | None:
        """What was played of the hand under way, if it can go on."""
        if ring.hand is None:
            return None
        is_it = (each for each in matches if each.kept.terms.match_id == ring.hand.match_id)
        return next(is_it, None)


__all__ = ["HandRecords", "RingRecords"]
