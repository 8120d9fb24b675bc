"""A ladder in virtual time: bots that take as long as they take, tables, batches with a deadline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from math import log
from random import Random

import attrs
from playing import terms

from arena.schedule import Pairing, derive_seed
from arena.schedule.course import ClosedSeries, MatchResult
from arena.schedule.ladder import Ladder
from arena.schedule.ladder_rows import (
    BatchRow,
    LadderMatch,
    LadderSettings,
    LadderStanding,
    PresentBot,
)
from arena.schedule.withdrawals import BotOutcome

REORDERED_AFTER = 16
"""After so many matches the order in which the others begin is asked for again."""


@attrs.frozen
class SimulatedBot:
    """How a bot plays: whose it is, how strong it is in Elo, and how long its part of a match takes."""

    owner: str
    strength: float = 0.0
    seconds: float = 0.02
    outcome: BotOutcome = attrs.field(factory=BotOutcome)
    connects: bool = False


class CountingJudge:
    """A judge without ratings: an error that falls with the root of the series, all orders alike."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.series = Counter[str]()

    def add(self, series: ClosedSeries) -> None:
        self.told.append(series.id)
        self.series.update(series.matches[0][0].bots)

    def standing(self, bots: Sequence[str]) -> LadderStanding:
        return LadderStanding({bot: 700 / self.series[bot] ** 0.5 for bot in bots if self.series[bot]})


class SimulatedLadder:
    """A ladder that is planned and played, batch by batch."""

    def __init__(
        self,
        bots: Mapping[str, SimulatedBot],
        *,
        judge=None,
        settings=None,
        seats=2,
        tables=2,
        batch_s=10.0,
        seed=5,
    ):
        self.bots = dict(bots)
        self.terms = terms(seats=seats, seed=seed)
        self.settings = settings or LadderSettings()
        self.judge = judge or CountingJudge()
        self.ladder = Ladder(self.settings, self.terms, self.judge)
        self.rows: list[BatchRow] = []
        self.planned: list[tuple[Pairing, ...]] = []
        self.results: dict[str, LadderMatch] = {}
        self.closed_by_batch: list[tuple[str, ...]] = []
        self.spent = Counter[str]()
        """Owner -> the seconds that its bots have taken in all."""
        self.now = 0.0
        self._tables, self._batch_s, self._seed = tables, batch_s, seed
        self._arrived: dict[str, int] = {}
        self._pending: list[Pairing] = []
        self._playing: list[tuple[float, str, Pairing]] = []
        self._closed: tuple[str, ...] = ()
        self._spent: dict[str, float] = {}

    def batch(self, present: Iterable[str] | None = None, *, ends: bool = False) -> tuple[Pairing, ...]:
        """Plans the next batch among these bots, or all, and plays until its deadline."""
        names = list(self.bots if present is None else present)
        number = len(self.rows)
        here = tuple(
            PresentBot(bot, self.bots[bot].owner, self._arrived.setdefault(bot, number)) for bot in names
        )
        row = BatchRow(
            batch=number,
            present=here,
            closed=self._closed,
            spent=self._spent,
            ends=ends,
            connecting=tuple(bot for bot in names if self.bots[bot].connects),
        )
        planned = self.ladder.open_batch(row, self.results)
        self.rows.append(row)
        self.planned.append(planned)
        gone = self.ladder.void
        self._pending = [pairing for pairing in (*self._pending, *planned) if pairing.series not in gone]
        self._play()
        return planned

    def _play(self) -> None:
        """Plays until the deadline, or until nothing is left."""
        open_matches = Counter(
            pairing.series
            for block in self.ladder.open.values()
            for pairing in block
            if pairing.id not in self.results
        )
        closed, spent, end, ended = [], Counter[str](), self.now + self._batch_s, 0
        may_begin: list[Pairing] = []
        while True:
            if ended % REORDERED_AFTER == 0 or not may_begin:
                may_begin = self.ladder.next_first(self._pending, spent)
            while may_begin and len(self._playing) < self._tables:
                self._pending.remove(pairing := may_begin.pop(0))
                lasts = sum(self.bots[bot].seconds for bot in pairing.bots)
                heappush(self._playing, (self.now + lasts, pairing.id, pairing))
            if not self._playing or self._playing[0][0] > end:
                break
            self.now, _, pairing = heappop(self._playing)
            ended += 1
            self.results[pairing.id] = self._result(pairing)
            for bot in pairing.bots:
                spent[self.bots[bot].owner] += self.bots[bot].seconds
            if pairing.series in self.ladder.open:
                open_matches[pairing.series] -= 1
                if not open_matches[pairing.series]:
                    closed.append(pairing.series)
        self.now = end if self._playing else self.now
        self._closed, self._spent = tuple(closed), dict(spent)
        self.closed_by_batch.append(self._closed)
        self.spent.update(spent)

    def _result(self, pairing: Pairing) -> LadderMatch:
        """By Plackett and Luce's model, from the match alone."""
        rng = Random(derive_seed(self._seed, "result", pairing.id))
        times = [-log(1 - rng.random()) / 10 ** (self.bots[bot].strength / 400) for bot in pairing.bots]
        points = tuple(sum(other > time for other in times) / (len(times) - 1) for time in times)
        result = MatchResult(points=points, returns=points, faults=(0,) * len(points))
        return LadderMatch(result, {bot: self.bots[bot].outcome for bot in pairing.bots})

    def replayed(self, rng: Random | None = None) -> Ladder:
        """The ladder planned again from the rows, in any order within each."""
        again = Ladder(self.settings, self.terms, type(self.judge)())
        for row, planned in zip(self.rows, self.planned, strict=True):
            if rng is not None:
                mixed = dict(rng.sample(sorted(row.spent.items()), len(row.spent)))
                row = BatchRow(
                    batch=row.batch,
                    present=tuple(rng.sample(row.present, len(row.present))),
                    closed=tuple(rng.sample(row.closed, len(row.closed))),
                    spent=mixed,
                    connecting=row.connecting,
                )
            assert planned == again.open_batch(row, self.results)
        return again

    def series_of(self, bot: str) -> int:
        """How many series were planned for this bot."""
        return len({pairing.series for batch in self.planned for pairing in batch if bot in pairing.bots})

    def closed_with(self, bots: Iterable[str], since: int = 0) -> int:
        """How many series have closed between these bots alone, from this batch on."""
        names = set(bots)
        found = {
            pairing.series for batch in self.planned for pairing in batch if names.issuperset(pairing.bots)
        }
        return len(found & {series for closed in self.closed_by_batch[since:] for series in closed})
