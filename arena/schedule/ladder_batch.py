"""A batch of a ladder while it is planned: who still has room, and which bots meet.  Pure.

First every version that never played gets a series.  A fifth of the batch goes to all pairs in turn.  The
rest goes to new versions, owner after owner, as far as their owners have room, and then to pairs whose order
is open.  Opponents are drawn by how open that is (`allocation.by_shares`); at more than two seats those join
them whose order beside theirs is most open, and of equals those who have not met them for longest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import attrs

from arena.schedule.allocation import Shares, by_shares
from arena.schedule.laps import all_sets
from arena.schedule.turns import BotPair, MeetingTurns, completed

TURN_PART = 5
"""One series in this many goes to all pairs in turn."""


@attrs.frozen(kw_only=True)
class BatchTerms:
    """What does not change while a batch is planned."""

    seats: int
    seed: int
    owners_may_meet: bool
    before: int
    """How many series were planned in earlier batches."""
    shares: Shares


class BatchPlan:
    """The series of a batch, one after the other."""

    def __init__(
        self,
        terms: BatchTerms,
        owners: Mapping[str, str],
        rooms: Mapping[str, int],
        owner_rooms: Mapping[str, int],
        turns: MeetingTurns,
    ) -> None:
        """`owners`: each bot that may be paired -> its owner, in an order that was drawn.

        `rooms`, `owner_rooms`: for how many more series there is room, bot by bot and owner by owner.
        """
        self.chosen: list[tuple[str, ...]] = []
        """The bots of each series, in order."""
        self._terms = terms
        self._owners = owners
        self._rooms = dict(rooms)
        self._owner_rooms = dict(owner_rooms)
        self._turns = turns
        self._series = Counter[str]()

    def begin(self, bots: Iterable[str]) -> None:
        """Gives each of these bots, which never played, a series."""
        for bot in bots:
            if not self._series[bot]:
                self._add_with(bot)

    def take_turns(self, size: int) -> None:
        """Adds as many series, of the pairs that have not met for longest."""
        while size > 0:
            latest, before = self._turns.number, len(self.chosen)
            for pair in self._turns.in_turn(self._free()):
                if len(self.chosen) - before == size:
                    return
                if self._turns.last(*pair) <= latest:  # else they have met in this pass
                    self._add(pair, is_turn=True)
            size -= len(self.chosen) - before
            if len(self.chosen) == before:
                return

    def place(self, waiting: Mapping[str, int], size: int) -> None:
        """Adds up to as many series of new versions, one for each owner, then another for each.

        `waiting`: new version -> how many series were planned for it before; of one owner's, the one with the
        fewest is next.
        """
        by_owner: dict[str, list[str]] = {}
        for bot in waiting:
            by_owner.setdefault(self._owners[bot], []).append(bot)
        end = len(self.chosen) + size
        while by_owner and len(self.chosen) < end:
            for owner in [*by_owner][: end - len(self.chosen)]:
                bots = sorted(by_owner[owner], key=lambda bot: waiting[bot] + self._series[bot])
                if not any(self._add_with(bot) for bot in bots):
                    del by_owner[owner]

    def open_order(self, size: int) -> None:
        """Adds up to as many series, of pairs by how open their order is."""
        end = len(self.chosen) + size
        while (left := end - len(self.chosen)) > 0:
            pairs = self._by_share(
                [(one, two) for one, two in all_sets(self._free(), 2) if self._may_meet((one, two))]
            )
            if not pairs:
                return
            before, counts = len(self.chosen), self._drawn(pairs, left)
            for lap in range(max(counts)):
                for pair, count in zip(pairs, counts, strict=True):
                    if lap < count:
                        self._add(pair)
            if len(self.chosen) == before:
                return

    def _add_with(self, bot: str) -> bool:
        """Adds a series of this bot, if it and others have room; returns whether it did."""
        if self._rooms[bot] <= 0:
            return False
        pairs = [(bot, other) for other in self._free() if other != bot and self._may_meet((bot, other))]
        while pairs := self._by_share(pairs):
            pair = pairs[self._drawn(pairs, 1).index(1)]
            if self._add(pair):
                return True
            pairs.remove(pair)
        return False

    def _add(self, pair: BotPair, *, is_turn: bool = False) -> bool:
        """Adds a series of these two, if they and others have room; returns whether it did."""
        if not self._may_meet(pair):
            return False
        bots = completed(
            pair, self._free(), self._terms.seats, self._may_join, self._turn_cost if is_turn else self._cost
        )
        if bots is None:
            return False
        for bot in bots:
            self._rooms[bot] -= 1
            self._owner_rooms[self._owners[bot]] -= 1
        self._series.update(bots)
        self._turns.note(bots)
        self.chosen.append(bots)
        return True

    def _free(self) -> list[str]:
        return [bot for bot, owner in self._owners.items() if self._rooms[bot] > 0 < self._owner_rooms[owner]]

    def _may_meet(self, pair: BotPair) -> bool:
        first, second = pair
        return self._may_join((), first) and self._may_join((first,), second)

    def _may_join(self, seated: Sequence[str], bot: str) -> bool:
        """Whether this bot has room beside those who sit there."""
        owner = self._owners[bot]
        beside = sum(self._owners[other] == owner for other in seated)
        if beside and not self._terms.owners_may_meet:
            return False
        return self._rooms[bot] > 0 and self._owner_rooms[owner] > beside

    def _share(self, first: str, second: str) -> float:
        return (self._terms.shares or {}).get(frozenset((first, second)), 0.0)

    def _by_share(self, pairs: list[BotPair]) -> list[BotPair]:
        """The pairs that have a share; all, if none has."""
        return [pair for pair in pairs if self._share(*pair) > 0] or pairs

    def _drawn(self, pairs: Sequence[BotPair], size: int) -> tuple[int, ...]:
        terms = self._terms
        return by_shares(pairs, terms.shares, size, terms.seed, terms.before + len(self.chosen))

    def _cost(self, seated: Sequence[str], bot: str) -> tuple[float, float]:
        return -sum(self._share(bot, other) for other in seated), self._turn_cost(seated, bot)[0]

    def _turn_cost(self, seated: Sequence[str], bot: str) -> tuple[float, float]:
        return sum(self._turns.last(bot, other) for other in seated), 0.0
