"""When a bot is withdrawn: decided in schedule order, whatever was played in parallel.  Pure."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from types import MappingProxyType

import attrs

from arena.schedule.pairing import Pairing, PairingId


@attrs.frozen
class BotOutcome:
    """How one finished match went for a bot."""

    abandoned: bool = False
    """It reached `faults_max` and was not asked any more."""
    lagged: bool = False
    """At least half of its faults may have been caused by the arena's own lag."""
    crashed: bool = False
    """Its process ended or its connection broke."""
    withdrawn: bool = False
    """The match was played without it: it had been withdrawn before, and default moves were played for it."""


@attrs.define
class FailureCount:
    """How often a bot has failed in the matches that count so far."""

    crashes_among: float = inf
    """Among how many of its last matches crashes count."""
    abandoned: int = 0
    """How many, in a row up to the last, it was abandoned in."""
    _matches: int = 0
    _crashes: deque[int] = attrs.field(factory=deque)
    """The numbers of the matches in which it crashed, as far as they count."""

    @property
    def crashed(self) -> int:
        """How many crashes count."""
        return len(self._crashes)

    def is_too_much(self, outcome: BotOutcome, *, withdrawn_after: int, restarts_max: int) -> bool:
        """Takes in the next match; returns whether that is one failure too many."""
        if not outcome.abandoned:
            self.abandoned = 0
        elif not outcome.lagged:
            self.abandoned += 1
        self._matches += 1
        if outcome.crashed:
            self._crashes.append(self._matches)
        while self._crashes and self._crashes[0] <= self._matches - self.crashes_among:
            self._crashes.popleft()
        return self.abandoned >= withdrawn_after or self.crashed > restarts_max


@attrs.frozen
class Consequence:
    """What one more finished match has decided."""

    withdrawn: Mapping[str, int] = attrs.field(factory=dict)
    """Bots that are withdrawn now -> from which index of the schedule on."""
    stale: tuple[PairingId, ...] = ()
    """Finished matches that do not count, as a withdrawn bot played in them, or one that was not withdrawn
    did not.  They began before that was known, and must be played and noted again."""

    def __bool__(self) -> bool:
        return bool(self.withdrawn or self.stale)


class Ledger:
    """Who is withdrawn, and from which match on; told every finished match once, in any order.

    A bot is withdrawn after `withdrawn_after` matches in a row in which it was abandoned, or after more than
    `restarts_max` crashes.  A match in which it was abandoned and lagged neither counts nor ends the row, as
    it says too little about the bot.  A bot that was readmitted n times begins again with clean hands the
    first n times that this happens; that makes the matches played without it stale, and they are played
    again.

    A match is *settled* when it is finished and, for each of its bots, all their earlier matches are
    settled.  Only settled matches decide anything, so the outcome is the same as if they were played one
    after the other.  Noting a match costs the same however many there are.
    """

    def __init__(
        self,
        order: Sequence[Pairing],
        *,
        withdrawn_after: int,
        restarts_max: int,
        forgiven: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """`forgiven`: bot -> how often it was readmitted."""
        self.withdrawn: dict[str, int] = {}
        """Bot -> the index into `order` from which on it does not play."""
        self._order: list[Pairing] = []
        self._withdrawn_after = withdrawn_after
        self._restarts_max = restarts_max
        self._forgiven = Counter(forgiven)
        self._index: dict[PairingId, int] = {}
        self._finished: dict[int, Mapping[str, BotOutcome]] = {}
        self._ways: dict[str, _Way] = {}
        self.extend(order)

    def extend(self, pairings: Iterable[Pairing]) -> None:
        """Adds pairings to the end of the schedule."""
        more, ways = tuple(pairings), self._ways
        first = len(self._order)
        self._order += more
        self._index.update(zip([pairing.id for pairing in more], range(first, len(self._order)), strict=True))
        assert len(self._index) == len(self._order), "every pairing has its own id"
        for index, pairing in enumerate(more, first):
            for bot in pairing.bots:
                if bot not in ways:
                    ways[bot] = _Way()
                ways[bot].add(index)

    def note(self, pairing: PairingId, outcomes: Mapping[str, BotOutcome]) -> Consequence:
        """Takes in what happened to each bot of a finished match; returns what follows.

        A match that is settled already stays as it was.
        """
        if self.is_settled(pairing):
            return _NOTHING
        index = self._index[pairing]
        assert outcomes.keys() == set(self._order[index].bots), "one outcome for each bot of the match"
        self._finished[index] = outcomes
        return self._settle([index])

    def without(self, pairing: PairingId) -> frozenset[str]:
        """The bots of this match that are known to be withdrawn by then."""
        if not self.withdrawn:
            return _NOBODY
        index = self._index[pairing]
        return frozenset(bot for bot in self._order[index].bots if self._is_withdrawn(bot, index))

    def is_settled(self, pairing: PairingId) -> bool:
        """Whether this match counts as it was played, whatever is noted later."""
        # A bot's matches are settled in order, so that it is enough to look at how far each bot has come.
        index = self._index[pairing]
        # No `all`, which takes twice as long: this is asked several times for every match.
        for bot in self._order[index].bots:  # noqa: SIM110
            if self._ways[bot].next <= index:
                return False
        return True

    def _is_withdrawn(self, bot: str, index: int) -> bool:
        return bot in self.withdrawn and self.withdrawn[bot] <= index

    def _settle(self, indices: list[int]) -> Consequence:
        """Settles these matches if possible, then those that waited for them."""
        withdrawn: dict[str, int] = {}
        stale: list[PairingId] = []
        while indices:
            index = indices.pop()
            if not self._is_due(index):
                continue
            outcomes = self._finished.pop(index)
            # All earlier matches of these bots are settled, so who is withdrawn here is final.  A match
            # played otherwise is forgotten; its bots wait here until it is played again and noted.
            if any(outcome.withdrawn != self._is_withdrawn(bot, index) for bot, outcome in outcomes.items()):
                stale.append(self._order[index].id)
                continue
            for bot, outcome in outcomes.items():
                if self._advance(bot, outcome):
                    withdrawn[bot] = self.withdrawn[bot] = index + 1
                following = self._ways[bot].next  # may have been waiting for this one only
                if following in self._finished:
                    indices.append(following)
        return Consequence(withdrawn, tuple(stale)) if withdrawn or stale else _NOTHING

    def _is_due(self, index: int) -> bool:
        """Whether the match is finished and the next one to be settled for all of its bots."""
        if index not in self._finished:
            return False
        for bot in self._order[index].bots:  # noqa: SIM110
            if self._ways[bot].next != index:
                return False
        return True

    def _advance(self, bot: str, outcome: BotOutcome) -> bool:
        """Takes the bot one match further; returns whether that gets it withdrawn."""
        way = self._ways[bot]
        way.go_on()
        if bot in self.withdrawn:  # its later matches still have to be settled, for the sake of its opponents
            return False
        if not way.failures.is_too_much(
            outcome, withdrawn_after=self._withdrawn_after, restarts_max=self._restarts_max
        ):
            return False
        if not self._forgiven[bot]:
            return True
        self._forgiven[bot] -= 1
        way.failures = FailureCount()
        return False


_NOBODY: frozenset[str] = frozenset()
_NOTHING = Consequence()
_PAST = 1 << 62


@attrs.define
class _Way:
    """How far a bot has come."""

    matches: list[int] = attrs.field(factory=list)
    """The indices of all its matches, ascending."""
    done: int = 0
    """How many of them are settled."""
    failures: FailureCount = attrs.field(factory=FailureCount)
    """How it has fared in the settled ones."""
    next: int = _PAST
    """The index of the match that is to be settled next; past all of them if none is left."""

    def add(self, index: int) -> None:
        """Adds a match after all others so far."""
        self.matches.append(index)
        self.next = self.matches[self.done]

    def go_on(self) -> None:
        """Notes that the next match is settled."""
        self.done += 1
        self.next = self.matches[self.done] if self.done < len(self.matches) else _PAST
