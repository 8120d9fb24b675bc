"""A ladder: matchmaking that always goes on, batch by batch, among bots that come and go.  Pure.

A batch is planned from rows (`ladder_rows.BatchRow`): who is present, what closed during the batch before,
and how long each owner's bots took.  A batch ends by a deadline; a series that is still open goes on, and
counts in the batch in which it closes.  So what counts is ordered by the batch in which it closed, then by
the schedule, and whoever is given the same rows plans the same: the process that plays, one that goes on
after it, and `verify`.

Nobody waits for another's bot.  Who is not present is not paired, and its open series are void, as are those
of a bot that failed: they never count, for anybody.  A bot has more open series than `AHEAD_LEAST` only if it
closed many in the batch before, so that one that sleeps has no queue; and playing time is shared by owner
(`playing_time`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Literal, TypeAlias

import attrs

from arena.schedule.course import ClosedSeries
from arena.schedule.ladder_batch import TURN_PART, BatchPlan, BatchTerms
from arena.schedule.ladder_rows import (
    BatchRow,
    LadderJudge,
    LadderMatch,
    LadderSettings,
    LadderStanding,
    PresentBot,
    Waiting,
)
from arena.schedule.pairing import Pairing, PairingId, derive_seed
from arena.schedule.playing_time import TimeAccounts
from arena.schedule.terms import Terms, series_of
from arena.schedule.turns import MeetingTurns
from arena.schedule.withdrawals import BotOutcome, FailureCount

AHEAD_LEAST = 2
"""So many open series every bot may have, and every owner."""
GROWTH = 2
"""And up to this many times what it closed in the batch before: quick bots always have something to play."""

FailureReason: TypeAlias = Literal["abandoned", "crashed"]
"""Whether a bot failed as it was abandoned in match after match, or as it crashed too often."""


class Ladder:
    """What is planned so far, and what counts; told every row once, in order."""

    def __init__(self, settings: LadderSettings, terms: Terms, judge: LadderJudge, epoch: int = 0) -> None:
        """`epoch`: names its series, so that they differ from those of other epochs."""
        self.epoch = epoch
        self.settings = settings
        self.terms = terms
        self.failed: dict[str, FailureReason] = {}
        """The bots that are not paired any more, whoever says that they are present."""
        self.void: set[str] = set()
        """The series that were planned and never count."""
        self.accounts = TimeAccounts()
        self.standing = LadderStanding({})
        """What was known when the last batch was planned."""
        self._judge = judge
        self._failures: dict[str, FailureCount] = {}
        self._row: BatchRow | None = None
        self._present: dict[str, PresentBot] = {}
        """The bots that may be paired, in an order that is drawn."""
        self._owners: dict[str, str] = {}
        """The owner of every bot that was ever present."""
        self._arrived: dict[str, int] = {}
        """The first batch in which each was."""
        self._connecting: set[str] = set()
        """The bots that connect by themselves, of all that were ever present."""
        self._open: dict[str, tuple[Pairing, ...]] = {}
        """The open series, in schedule order."""
        self._planned = 0
        self._repetitions = Counter[frozenset[str]]()
        self._series = Counter[str]()
        """Bot -> how many series were planned for it, without void ones."""
        self._closed = Counter[str]()
        """Bot -> how many series closed during the batch before."""
        self._closed_series = 0
        self._turns = MeetingTurns()

    @property
    def is_ending(self) -> bool:
        """Whether nothing more is planned."""
        return self._row is not None and self._row.ends

    @property
    def open(self) -> Mapping[str, tuple[Pairing, ...]]:
        """The series that are planned and neither closed nor void, in schedule order."""
        return self._open

    def refusal(self, row: BatchRow, results: Mapping[PairingId, LadderMatch]) -> str | None:
        """Why this cannot be the next row, in one sentence; None if it can."""
        number = 0 if self._row is None else self._row.batch + 1
        if row.batch != number:
            return f"batch {row.batch} stands where batch {number} was expected"
        if self.is_ending and not row.ends:
            return f"batch {number} goes on after an end"
        bots = [each.bot for each in row.present]
        if len(set(bots)) < len(bots):
            return f"batch {number} says twice that a bot is present"
        for each in row.present:
            if self._owners.get(each.bot, each.owner) != each.owner:
                return f"{each.bot} had another owner before batch {number}"
            if each.arrived != (first := self._arrived.get(each.bot, number)):
                return f"{each.bot} was first present in batch {first}, not in {each.arrived}"
        for series in row.closed:
            if series not in self._open:
                return f"batch {number} closes {series}, which is not open"
            if any(pairing.id not in results for pairing in self._open[series]):
                return f"batch {number} closes {series}, of which a match is missing"
        if len(set(row.closed)) < len(row.closed):
            return f"batch {number} closes a series twice"
        known = set(self._owners.values())
        for owner, seconds in row.spent.items():
            if not 0 <= seconds < float("inf"):
                return f"batch {number} has a playing time that is not a number of seconds"
            if owner not in known:
                return f"batch {number} charges {owner}, of whom no bot was present"
        return None

    def open_batch(self, row: BatchRow, results: Mapping[PairingId, LadderMatch]) -> tuple[Pairing, ...]:
        """The pairings of the next batch, in schedule order; `results`: those of the series that closed."""
        assert (why := self.refusal(row, results)) is None, why
        owners = {each.owner for each in self._row.present} if self._row is not None else set()
        closed = set(row.closed)
        in_order = [self._open.pop(series) for series in [*self._open] if series in closed]
        self._count(in_order, results)
        self.accounts = self.accounts.after(row.spent, owners, sum(self._closed.values()))
        self._row = row
        self._seat(row.present)
        self._connecting.update(row.connecting)
        self._make_void()
        self.standing = self._judge.standing(tuple(sorted(self._present)))
        return () if row.ends else tuple(chain.from_iterable(map(self._plan, self._chosen())))

    def _count(self, closed: Iterable[tuple[Pairing, ...]], results: Mapping[PairingId, LadderMatch]) -> None:
        """Takes in the series that closed, in the order in which they count."""
        assert self._row is not None or not closed
        self._closed.clear()
        self._closed_series = 0
        for block in closed:
            series, bots = block[0].series, set(block[0].bots)
            self._closed.update(bots)
            self._closed_series += 1
            if not bots.isdisjoint(self.failed):
                self.void.add(series)
                continue
            matches = tuple((pairing, results[pairing.id].result) for pairing in block)
            found = ClosedSeries(series, block[0].cycle, ends_cycle=False, matches=matches)
            if not found.is_spoilt:
                self._judge.add(found)
            for pairing in block:
                self._note(results[pairing.id].outcomes)

    def _note(self, outcomes: Mapping[str, BotOutcome]) -> None:
        """Takes in how a match went for its bots; some of them may have failed by it."""
        after, crashes = self.settings.withdrawn_after, self.settings.restarts_max
        for bot, outcome in outcomes.items():
            if outcome.crashed and bot in self._connecting:
                continue  # the network fails, and people close their laptops: that is lost, and no crash
            failures = self._failures.setdefault(bot, FailureCount(self.settings.crashes_among))
            if failures.is_too_much(outcome, withdrawn_after=after, restarts_max=crashes):
                self.failed.setdefault(bot, "crashed" if failures.crashed > crashes else "abandoned")

    def _seat(self, present: Iterable[PresentBot]) -> None:
        """Takes in who may be paired."""
        # By keyed hashes, so that neither the order of rows nor the ids favour anybody.
        drawn = sorted(present, key=lambda each: (derive_seed(self.terms.seed, "ladder", each.bot), each.bot))
        self._present = {each.bot: each for each in drawn if each.bot not in self.failed}
        self._owners.update((each.bot, each.owner) for each in drawn)
        self._arrived.update((each.bot, each.arrived) for each in drawn)
        for bot in self._present:
            self._turns.arrive(bot)

    def _make_void(self) -> None:
        """Drops the open series of bots that are not there any more."""
        for series, block in [*self._open.items()]:
            if not self._present.keys() >= set(block[0].bots):
                self.void.add(series)
                del self._open[series]
                self._series.subtract(block[0].bots)

    def _chosen(self) -> list[tuple[str, ...]]:
        """The bots of each series of the batch."""
        terms, settings = self.terms, self.settings
        admitted = self._admitted(self.accounts)
        owners = {bot: each.owner for bot, each in self._present.items() if each.owner in admitted}
        # Series that wait until an owner has a share again keep nobody else from playing.
        going = [block for block in self._open.values() if owners.keys() >= set(block[0].bots)]
        plan = BatchPlan(
            BatchTerms(
                seats=terms.seats,
                seed=terms.seed,
                owners_may_meet=settings.owners_may_meet,
                before=self._planned,
                shares=self.standing.shares,
            ),
            owners,
            *self._rooms(going),
            self._turns,
        )
        size = min(settings.series_most, max(settings.series_least, GROWTH * self._closed_series))
        size -= len(going)
        new = {bot: self._series[bot] for bot in self._newcomers() if bot in owners}
        plan.begin([bot for bot, series in new.items() if not series])
        size = max(size, len(plan.chosen))
        plan.take_turns((self._planned + size) // TURN_PART - self._planned // TURN_PART)
        plan.place(new, size - len(plan.chosen))
        plan.open_order(size - len(plan.chosen))
        return plan.chosen

    def _plan(self, bots: Sequence[str]) -> tuple[Pairing, ...]:
        """The pairings of one more series of these bots."""
        assert self._row is not None
        key = frozenset(bots)
        # Whoever remembers the first rotation of shared deals knows the others' hands in the second.
        terms = self.terms if self._connecting.isdisjoint(key) else attrs.evolve(self.terms, deals="fresh")
        repetition = f"{self.epoch}.{self._repetitions[key]}"
        block = tuple(series_of(terms, sorted(bots), repetition, cycle=self._row.batch))
        self._repetitions[key] += 1
        self._series.update(bots)
        self._planned += 1
        self._open[block[0].series] = block
        return block

    def _admitted(self, accounts: TimeAccounts) -> Collection[str]:
        """The owners whose bots may play: at the end all, so that it comes."""
        owners = {each.owner for each in self._present.values()}
        if self.is_ending:
            return owners
        return accounts.admitted(owners, 1 if self.settings.owners_may_meet else self.terms.seats)

    def _rooms(self, open_blocks: Iterable[Sequence[Pairing]]) -> tuple[dict[str, int], dict[str, int]]:
        """For how many more series there is room beside these: of each bot, and of each owner."""
        open_series = Counter(bot for block in open_blocks for bot in block[0].bots)
        rooms = {bot: self._room(self._closed[bot], open_series[bot]) for bot in self._present}
        closed, going = Counter[str](), Counter[str]()
        for bot, owner in self._owners.items():
            closed[owner] += self._closed[bot]
            going[owner] += open_series[bot]
        owners = {each.owner for each in self._present.values()}
        return rooms, {owner: self._room(closed[owner], going[owner]) for owner in owners}

    @staticmethod
    def _room(closed: int, going: int) -> int:
        return max(AHEAD_LEAST, GROWTH * closed) - going

    def _newcomers(self) -> list[str]:
        """The bots that are not placed yet: those with the fewest series first, then who arrived first."""
        errors, within = self.standing.errors, self.settings.placed_within
        new = [bot for bot in self._present if round(errors.get(bot, float("inf")), 1) > within]
        return sorted(new, key=lambda bot: (self._series[bot], self._present[bot].arrived))

    def is_placed(self, bot: str) -> bool:
        """Whether the rating of this bot was known well enough when the last batch was planned."""
        return round(self.standing.errors.get(bot, float("inf")), 1) <= self.settings.placed_within

    def next_first(
        self, pending: Iterable[Pairing], spent: Mapping[str, float] = MappingProxyType({})
    ) -> list[Pairing]:
        """Those of these planned matches that may begin now, in the order in which they should.

        Matches of owners who have used more than their share wait.  Those of new versions come first, then
        those whose owners have most left.  `spent`: owner -> the seconds that its bots have taken since the
        batch was planned, matches in progress included.
        """
        accounts, new = self.accounts.during(spent), set(self._newcomers())
        admitted = self._admitted(accounts)

        def key(pairing: Pairing) -> tuple[bool, float]:
            left = min(accounts.of(self._owners[bot]) for bot in pairing.bots)
            return new.isdisjoint(pairing.bots), -left

        may = (pairing for pairing in pending if all(self._owners[bot] in admitted for bot in pairing.bots))
        return sorted(may, key=key)

    def waits(self, bot: str, pending: Sequence[Pairing] = ()) -> Waiting:
        """What this bot waits for; `pending`: the matches that have not begun, in the order of the queue."""
        if bot in self.failed:
            return Waiting("failed")
        if bot not in self._present:
            return Waiting("absent")
        if any(bot in block[0].bots for block in self._open.values()):
            before = next((at for at, pairing in enumerate(pending) if bot in pairing.bots), None)
            if before is None:  # all of them are being played
                return Waiting("match")
            ahead = dict.fromkeys(pairing.series for pairing in pending[: before + 1])
            return Waiting("match", place=len(ahead), matches=before)
        owners = {each.owner for each in self._present.values()}
        if len(self._present if self.settings.owners_may_meet else owners) < self.terms.seats:
            return Waiting("opponents")
        owner = self._present[bot].owner
        if owner not in self._admitted(self.accounts):
            return Waiting("share", batches=self.accounts.batches_until_share(owner))
        if self._rooms(self._open.values())[1][owner] <= 0:
            return Waiting("room")
        new = self._newcomers()
        return Waiting("batch", place=new.index(bot) + 1 if bot in new else 0)
