"""A tournament in progress: what is planned so far, what counts, what follows from it.  Pure.

Matches come in as they end, in any order.  What counts grows in schedule order, series by
series, and only what counts decides anything: who is withdrawn, whom an adaptive format
pairs next, whether a run may stop.  So the outcome is the same as if matches were played one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType

import attrs

from arena.schedule.allocation import AHEAD, Batches, Shares, batches_of
from arena.schedule.collector import without_collector
from arena.schedule.pairing import Pairing, PairingId, Points
from arena.schedule.terms import FormatKind, Terms
from arena.schedule.withdrawals import BotOutcome, Ledger


@attrs.frozen(kw_only=True)
class MatchResult:
    """The result of one finished match, indexed by seat; points are empty if its rules broke."""

    points: Points
    returns: tuple[float, ...]
    """The returns by which bots are rated: without luck, where the game declares it."""
    faults: tuple[int, ...]
    withdrawn: tuple[bool, ...] = ()
    """Whether the seat played default moves, because its bot had been withdrawn before; empty: none did."""

    @property
    def is_aborted(self) -> bool:
        return not self.points


@attrs.frozen
class ClosedSeries:
    """A series that is complete, like all before it."""

    id: str
    cycle: int
    ends_cycle: bool
    """Whether it is the last of its cycle."""
    matches: tuple[tuple[Pairing, MatchResult], ...]

    @property
    def is_spoilt(self) -> bool:
        """Whether it is left out, because one of its matches was aborted."""
        return any(result.is_aborted for _, result in self.matches)


@attrs.frozen
class Advance:
    """What follows from one more finished match."""

    withdrawn: tuple[str, ...] = ()
    """Bots that this match got withdrawn."""
    stale: tuple[PairingId, ...] = ()
    """Matches that do not count and must be played again: see `withdrawals.Consequence`."""
    closed: tuple[ClosedSeries, ...] = ()
    """Series that count from now on."""
    planned: tuple[Pairing, ...] = ()
    """Pairings that the results so far added to the schedule."""


_NOTHING = Advance()


class Course:
    """The schedule between these bots, as far as it is determined, and what has been played of it."""

    def __init__(
        self,
        names: Sequence[str],
        kind: FormatKind,
        terms: Terms,
        *,
        withdrawn_after: int,
        restarts_max: int,
        forgiven: Mapping[str, int] = MappingProxyType({}),
        is_enough: Callable[[ClosedSeries], bool] | None = None,
        shares: Callable[[], Shares] | None = None,
    ) -> None:
        """`is_enough` is told every series that counts, and ends the course where it returns True.

        `shares` is asked at the end of every cycle, once `is_enough` has been told its last series, how the
        next batch is divided among the sets of bots.  None: all sets play equally often.

        `forgiven`: bot -> how often it was readmitted after it had been withdrawn.
        """
        self.is_cut = False
        """Whether `is_enough` has ended it."""
        self.names = tuple(names)
        self.kind = kind
        self.order: list[Pairing] = []
        """All pairings so far, in order of play."""
        self.by_id: dict[PairingId, Pairing] = {}
        self.ledger = Ledger(
            (), withdrawn_after=withdrawn_after, restarts_max=restarts_max, forgiven=forgiven
        )
        self.terms = terms
        """What the format is given besides the bots."""
        self._is_enough = is_enough
        self._shares = shares
        assert shares is None or kind.sets is not None, "in this format no set can play more than others"
        self._batches = Batches(kind.sets(self.names, terms), terms) if shares and kind.sets else None
        self._cycle = -1
        """The last cycle that has closed."""
        self._blocks: list[tuple[Pairing, ...]] = []
        """The pairings of each series, in schedule order."""
        self._front = 0
        """How many series count."""
        self._results: dict[PairingId, MatchResult] = {}
        self._counted: dict[PairingId, Points] = {}
        """The points of the matches that count, kept only if the format needs them."""
        self._plan_on()

    @property
    def is_adaptive(self) -> bool:
        """Whether what is planned depends on results."""
        return self.kind.is_adaptive or self._batches is not None

    def is_built_upon(self, pairing: Pairing) -> bool:
        """Whether what is planned depends on the result of this match."""
        lead = 1 if self._batches is None else AHEAD
        return self.is_adaptive and pairing.cycle + lead <= self.order[-1].cycle

    @property
    def counted(self) -> int:
        """How many series count so far."""
        return self._front

    @property
    def is_over(self) -> bool:
        """Whether everything that will ever be planned, or enough of it, has been played."""
        return self.is_cut or self._front == len(self._blocks)

    @property
    def unplayed(self) -> Iterator[Pairing]:
        """The pairings planned so far that have no result, in order of play."""
        return (
            pairing
            for block in self._blocks[self._front :]
            for pairing in block
            if pairing.id not in self._results
        )

    @property
    def beyond(self) -> Sequence[Pairing]:
        """The pairings after the series that ended the course; they count as never begun."""
        return self.order[self._end :]

    @property
    def withdrawn(self) -> Mapping[str, int]:
        """Bot -> the index into `order` from which on it does not play."""
        # The ledger may have settled matches past the cut; what those decided is taken back.
        return {bot: index for bot, index in self.ledger.withdrawn.items() if index <= self._end}

    @property
    def _end(self) -> int:
        return sum(map(len, self._blocks[: self._front])) if self.is_cut else len(self.order)

    @property
    def size(self) -> int:
        """How many matches there will be; at most, if that depends on results."""
        return self.kind.size(len(self.names), self.terms).matches

    @property
    def cycles(self) -> int:
        """How many cycles a round-robin will have: laps, or the batches of an allocated one."""
        if self._batches is None or self.kind.sets is None:
            return self.terms.series
        return batches_of(len(self.kind.sets(self.names, self.terms)), self.terms.series)

    @property
    def places(self) -> Mapping[str, int]:
        """Bot -> its place so far, if the format ranks by places; else empty."""
        if self.kind.places is None:
            return {}
        return self.kind.places(self.names, self.terms, self._counted, self._withdrawn())

    def note(self, pairing: PairingId, result: MatchResult, outcomes: Mapping[str, BotOutcome]) -> Advance:
        """Takes in a finished match; returns what follows, which is nothing if the course has ended."""
        if self.is_cut:
            return Advance()
        self._results[pairing] = result
        news = self.ledger.note(pairing, outcomes)
        for stale in news.stale:  # it is played again: its series must not close on this result
            self._results.pop(stale, None)
        planned = len(self.order)
        closed = tuple(self._closed())
        if not (closed or news):
            return _NOTHING
        more = tuple(self.order[planned:])
        if self.is_cut:
            return Advance(tuple(bot for bot in news.withdrawn if bot in self.withdrawn), (), closed, more)
        return Advance(tuple(news.withdrawn), news.stale, closed, more)

    def _closed(self) -> list[ClosedSeries]:
        """The series that count from now on, up to the one at which enough is played.

        Every cycle that they close adds to the schedule what follows from it, before the next one counts:
        what is planned where the course ends must not depend on how many cycles closed at once.
        """
        closed: list[ClosedSeries] = []
        while not self.is_over and self._is_over(block := self._blocks[self._front]):
            self._front += 1
            ends = self._front == len(self._blocks) or self._blocks[self._front][0].cycle != block[0].cycle
            matches = tuple([(pairing, self._results.pop(pairing.id)) for pairing in block])
            if self.kind.is_adaptive or self.kind.places is not None:
                self._counted.update({pairing.id: result.points for pairing, result in matches})
            closed.append(ClosedSeries(block[0].series, block[0].cycle, ends, matches))
            # Asked once per series, in schedule order: what ran in parallel cannot change where a run stops.
            self.is_cut = self._is_enough is not None and self._is_enough(closed[-1])
            if ends and not self.is_cut:
                self._cycle = block[0].cycle
                self._plan_on()
        return closed

    def _is_over(self, block: Sequence[Pairing]) -> bool:
        for pairing in block:
            if pairing.id not in self._results or not self.ledger.is_settled(pairing.id):
                return False
        return True

    def _plan_on(self) -> None:
        """Adds to the schedule what is determined by now: at the start, and when a cycle has closed."""
        with without_collector():
            if self._batches is not None:
                self._add(self._next_batches(self._batches))
            elif not self.order or self.kind.is_adaptive:
                self._add(self._asked_again())

    def _next_batches(self, batches: Batches) -> Sequence[Pairing]:
        """The first batches at the start; later the one batch that the results so far decide."""
        if self._shares is None or self._cycle < 0:
            return [pairing for _ in range(AHEAD) for pairing in batches.next()]
        # The matches of later cycles, which may have withdrawn more, are not all over.
        withdrawn = [bot for bot, cycle in self._withdrawn().items() if cycle <= self._cycle]
        return tuple(batches.next(self._shares(), withdrawn))

    def _asked_again(self) -> Sequence[Pairing]:
        """What the format yields beyond what it has yielded."""
        pairings = tuple(self.kind.pairings(self.names, self.terms, self._counted, self._withdrawn()))
        assert pairings[: len(self.order)] == tuple(self.order), "a format only adds pairings"
        return pairings[len(self.order) :]

    def _add(self, more: Sequence[Pairing]) -> None:
        self.order += more
        self.by_id.update((pairing.id, pairing) for pairing in more)
        self._blocks += [tuple(block) for _, block in groupby(more, attrgetter("series"))]
        self.ledger.extend(more)

    def _withdrawn(self) -> dict[str, int]:
        """Bot -> the cycle in which it was withdrawn."""
        # It does not play from `index` on: the match before is the one that got it withdrawn.
        return {bot: self.order[index - 1].cycle for bot, index in self.withdrawn.items()}
