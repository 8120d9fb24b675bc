"""A tournament in progress: what is planned so far, what counts, what follows from it.  Pure.

Matches come in as they end, in any order.  What counts grows in schedule order, series by
series, and only what counts decides anything: who is withdrawn, whom an adaptive format
pairs next, whether a run may stop.  So the outcome is the same as if matches were played one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

import attrs

from arena.schedule import FormatKind, Pairing, PairingId, Points, Terms
from arena.schedule.withdrawals import BotOutcome, Ledger


@attrs.frozen(kw_only=True)
class MatchResult:
    """The result of one finished match, each by seat; points are empty if its rules broke."""

    points: Points
    returns: tuple[float, ...]
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
    """Bots that are withdrawn now."""
    stale: tuple[PairingId, ...] = ()
    """Matches that do not count and must be played again: see `withdrawals.Consequence`."""
    closed: tuple[ClosedSeries, ...] = ()
    """Series that count from now on."""
    planned: tuple[Pairing, ...] = ()
    """Pairings that an adaptive format has added."""


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
    ) -> None:
        """`is_enough` is told every series that counts, and ends the course where it gives True.

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
        self._terms = terms
        self._is_enough = is_enough
        self._blocks: list[tuple[Pairing, ...]] = []
        """The pairings of each series, in schedule order."""
        self._front = 0
        """How many series count."""
        self._results: dict[PairingId, MatchResult] = {}
        self._counted: dict[PairingId, Points] = {}
        """The points of the matches that count; an adaptive format is told them."""
        self._plan_on()

    @property
    def counted(self) -> int:
        """How many series count so far."""
        return self._front

    @property
    def is_over(self) -> bool:
        """Whether everything that will ever be planned has been played, or enough of it."""
        return self.is_cut or self._front == len(self._blocks)

    @property
    def unplayed(self) -> Iterator[Pairing]:
        """The pairings so far that have no result, in order of play."""
        return (
            pairing
            for pairing in self.order
            if pairing.id not in self._results and pairing.id not in self._counted
        )

    @property
    def beyond(self) -> Sequence[Pairing]:
        """The pairings past the series at which enough was played: as if none had ever begun."""
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
        return self.kind.size(len(self.names), self._terms).matches

    @property
    def places(self) -> Mapping[str, int]:
        """Bot -> its place so far, if the format ranks by places; else empty."""
        if self.kind.places is None:
            return {}
        return self.kind.places(self.names, self._terms, self._counted, self._withdrawn())

    def note(self, pairing: PairingId, result: MatchResult, outcomes: Mapping[str, BotOutcome]) -> Advance:
        """Takes in a finished match; gives what follows, which is nothing if the course has ended."""
        if self.is_cut:
            return Advance()
        self._results[pairing] = result
        news = self.ledger.note(pairing, outcomes)
        for stale in news.stale:  # it is played again: its series must not close on this result
            self._results.pop(stale, None)
        closed = tuple(self._closed())
        if self.is_cut:
            return Advance(tuple(bot for bot in news.withdrawn if bot in self.withdrawn), (), closed)
        return Advance(tuple(news.withdrawn), news.stale, closed, self._plan_on() if closed else ())

    def _closed(self) -> list[ClosedSeries]:
        """The series that count from now on, up to the one at which enough is played."""
        closed: list[ClosedSeries] = []
        while not self.is_over and self._is_over(block := self._blocks[self._front]):
            self._front += 1
            ends = self._front == len(self._blocks) or self._blocks[self._front][0].cycle != block[0].cycle
            matches = tuple((pairing, self._results.pop(pairing.id)) for pairing in block)
            self._counted.update({pairing.id: result.points for pairing, result in matches})
            closed.append(ClosedSeries(block[0].series, block[0].cycle, ends, matches))
            # Asked once per series, in schedule order: what ran in parallel cannot change where a run stops.
            self.is_cut = self._is_enough is not None and self._is_enough(closed[-1])
        return closed

    def _is_over(self, block: Sequence[Pairing]) -> bool:
        return all(pairing.id in self._results and self.ledger.is_settled(pairing.id) for pairing in block)

    def _plan_on(self) -> tuple[Pairing, ...]:
        """Asks any format for pairings at the start, and an adaptive one again when all of them are over."""
        if self.order and not (self.kind.is_adaptive and self.is_over):
            return ()
        pairings = tuple(self.kind.pairings(self.names, self._terms, self._counted, self._withdrawn()))
        assert pairings[: len(self.order)] == tuple(self.order), "a format only adds pairings"
        more = pairings[len(self.order) :]
        self.order += more
        self.by_id.update((pairing.id, pairing) for pairing in more)
        self._blocks += (tuple(block) for _, block in groupby(more, lambda pairing: pairing.series))
        self.ledger.extend(more)
        return more

    def _withdrawn(self) -> dict[str, int]:
        """Bot -> the cycle in which it was withdrawn."""
        # It does not play from `index` on: the match before is the one that got it withdrawn.
        return {bot: self.order[index - 1].cycle for bot, index in self.withdrawn.items()}
