"""A ladder as its folder holds it: its epoch and batches, what is open, and what has closed since.

All of it follows from rows of the folder and its matches, so a process that was killed goes on where it was.
Only what is open is kept here: what has closed is counted, told, and forgotten.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from types import MappingProxyType

import attrs

from arena.match.record import Entry
from arena.schedule import FormatKind, Pairing, PairingId
from arena.schedule.course import ClosedSeries, MatchResult
from arena.schedule.endless import KIND
from arena.schedule.ladder import FailureReason, Ladder
from arena.schedule.ladder_rows import (
    BatchRow,
    LadderMatch,
    LadderSettings,
    LadderStanding,
    PresentBot,
)
from arena.schedule.playing_time import spent_by_owner
from arena.store import FinishedMatch, Store
from arena.tournament.folder.batches import ContradictedBatch, KeptBatch, KeptStanding, batches_in
from arena.tournament.folder.epochs import counted_in, drawn_seal, seed_of
from arena.tournament.folder.run import Run
from arena.tournament.plan import Plan, terms_of
from arena.tournament.play.match import outcomes_by_bot, outcomes_of, result_of

ORDERED_PART = 50
"""The order in which matches begin is found anew once as many have ended as a fiftieth of those that wait: it
takes 4 ms for two thousand."""


@attrs.frozen
class OpenedBatch:
    """A batch that begins."""

    row: Mapping[str, object]
    planned: tuple[Pairing, ...]
    dropped: tuple[PairingId, ...]
    """Matches that had not begun, of series that are void from now on."""
    failed: Mapping[str, FailureReason]
    """The versions that have failed in play, as the batch before showed."""


class LadderCourse:
    """The course of a ladder, which is told its batches one by one, of the folder and new ones.

    Each epoch is planned as a ladder of its own.
    """

    is_over = False
    kind: FormatKind = KIND
    beyond: Sequence[Pairing] = ()
    places: Mapping[str, int] = MappingProxyType({})

    def __init__(
        self, plan: Plan, tell: Callable[[Iterable[ClosedSeries]], object] = lambda series: None
    ) -> None:
        """`tell` is told the series that count, those of a batch at a time."""
        self._plan = plan
        self._tell = tell
        self.batch = -1
        """The number of the last batch."""
        self.epoch = -1
        """The number of the epoch."""
        self.seed = 0
        """The seed of all that is played in the epoch."""
        self.began_at = 0.0
        """When the epoch began (Unix time)."""
        self.has_planned = False
        """Whether anything was planned in the epoch."""
        self._first = 0
        """The number of its first batch."""
        self._failed: dict[str, FailureReason] = {}
        """The versions that failed in earlier epochs."""
        self._ladder: Ladder
        self._judge = _AsKept()
        self._waiting: dict[PairingId, Pairing] = {}
        """The matches that have not begun, in order of play."""
        self._over: dict[PairingId, LadderMatch] = {}
        """The matches that are over, of open series."""
        self._seen: dict[str, PresentBot] = {}
        """Every bot as it was first present."""
        self.matches = 0
        """How many matches are over."""
        self._ordered: Sequence[Pairing] = ()
        """The matches that may begin, in order; among them some that have begun since."""
        self._ordered_at = 0
        """How many matches were over when this order was found."""
        self._dropped: list[PairingId] = []
        """Matches of void series that had not begun, and that the folder has not been told of."""
        self.thinking: Callable[[], Iterable[tuple[str, float]]] = tuple
        """Says for how long the matches in progress have waited for their bots so far, in parts."""
        self._thought: defaultdict[str, float] = defaultdict(float)
        """Bot -> for how many seconds the matches of the epoch waited for it that are over."""
        self._charged: defaultdict[str, float] = defaultdict(float)
        """Owner -> how many of these seconds, and of those of matches in progress, the batches have charged.

        A match that was cut off by a kill is played again, and charged for what it takes longer.
        """

    @classmethod
    def of(cls, run: Run, tell: Callable[[Iterable[ClosedSeries]], object]) -> LadderCourse:
        """The course of an open folder; if it is new, its first epoch begins.

        Only the last epoch is planned again.
        """
        store, course = run.store, cls(run.plan, tell)
        if not store.epochs():
            seal = drawn_seal(store.meta())
            store.begin_epoch(time.time(), seal.sha256, seal.opening)
        epochs = store.epochs()
        for epoch, after in pairwise(epochs):
            tell(counted_in(store, epoch, after))
        course._failed |= {bot.bot: "abandoned" for bot in store.bots() if bot.status == "withdrawn"}
        last = epochs[-1]
        course.matches, course.batch = last.first_match - 1, last.first_batch - 1
        course.begin_epoch(last.number, seed_of(last), last.began_at)
        for _ in course.replay(store, last.first_batch):
            pass
        course._thought.update(store.thought_s(last.first_match))
        return course

    def begin_epoch(self, number: int, seed: int, began_at: float) -> None:
        """Begins the next epoch, in which bots that failed do not play."""
        assert not self._waiting, "all that was planned has begun"
        assert not self._over, "and is counted"
        if self.epoch >= 0:
            self._failed |= self._ladder.failed
        plan = self._plan
        settings = LadderSettings(withdrawn_after=plan.withdrawn_after, restarts_max=plan.restarts_max)
        self._ladder = Ladder(settings, terms_of(plan, seed), self._judge, number)
        self.epoch, self.seed, self.began_at = number, seed, began_at
        self._first = self.batch + 1
        self.has_planned = False
        self._seen.clear()
        self._thought.clear()
        self._charged.clear()

    def replay(self, store: Store, first: int, end: int | None = None) -> Iterator[tuple[Pairing, ...]]:
        """Takes in batches of a folder, from one on to before another, with their matches; yields pairings.

        Raises ContradictedBatch where they contradict each other.
        """
        for batch in batches_in(store.batches(first, end)):
            planned = self._begin(batch)
            finished = store.finished_among([pairing.id for pairing in planned])
            for pairing in planned:
                if (match := finished.get(pairing.id)) is not None:
                    self._note(pairing, _match_of(pairing, match))
            yield planned

    @property
    def withdrawn(self) -> Mapping[str, FailureReason]:
        """The versions that failed in play, and how."""
        return self._failed | self._ladder.failed

    @property
    def match_s(self) -> float:
        """How long a match has waited for its bots lately, all together; 0 at the start of an epoch."""
        accounts = self._ladder.accounts
        return accounts.seconds / accounts.series if accounts.series >= 1 else 0.0

    @property
    def is_ended(self) -> bool:
        """Whether nothing of the epoch is open, and nothing more is planned in it."""
        return self._ladder.is_ending and not self.has_open

    @property
    def may_begin_epoch(self) -> bool:
        """Whether the epoch has ended, and its folder has nothing of it that will not be played."""
        return self.is_ended and not self._dropped

    @property
    def waiting(self) -> Iterable[Pairing]:
        """The matches that have not begun, in order of play."""
        return self._waiting.values()

    @property
    def has_open(self) -> bool:
        """Whether a series is open."""
        return bool(self._ladder.open)

    def is_void(self, series: str) -> bool:
        """Whether this series never counts."""
        return series in self._ladder.void

    def begun_with(self, bot: str) -> frozenset[str]:
        """The open series of a bot of which a match has begun, and not all are over."""
        blocks = [block for block in self._ladder.open.values() if bot in block[0].bots]
        begun = [block for block in blocks if any(pairing.id not in self._waiting for pairing in block)]
        return frozenset(block[0].series for block in begun if not self._is_complete(block))

    @property
    def open_matches(self) -> Iterator[Pairing]:
        """The matches that are not over, of series that may count, in order of play."""
        for block in self._ladder.open.values():
            yield from (pairing for pairing in block if pairing.id not in self._over)

    def open_batch(
        self,
        present: Mapping[str, str],
        standing: LadderStanding | None = None,
        connecting: Collection[str] = (),
        *,
        ends: bool = False,
    ) -> OpenedBatch:
        """Begins the next batch.

        `present`: bot -> owner, of the versions that are here; `standing`: what ratings say by now; None: as
        before; `connecting`: the bots that connect by themselves; `ends`: whether nothing more is planned in
        this epoch.
        """
        number = self.batch + 1 - self._first
        row = BatchRow(
            batch=number,
            present=tuple(
                self._seen.get(bot) or PresentBot(bot, owner, number) for bot, owner in present.items()
            ),
            closed=tuple(series for series, block in self._ladder.open.items() if self._is_complete(block)),
            spent=self._spent_by_owner(),
            ends=ends or self._ladder.is_ending,
            connecting=tuple(bot for bot in present if bot in connecting),
        )
        before = dict(self._ladder.failed)
        if standing is None and not number:  # the first row says all that an epoch is planned from
            standing = self._judge.kept
        batch = KeptBatch(row, None if standing is None else KeptStanding.of(standing))
        planned = self._begin(batch)
        self._order_again()
        failed = {bot: how for bot, how in self._ladder.failed.items() if bot not in before}
        dropped, self._dropped = tuple(self._dropped), []
        return OpenedBatch(batch.said(), planned, dropped, failed)

    def _begin(self, batch: KeptBatch) -> tuple[Pairing, ...]:
        """Takes in a batch, new or of the folder; returns its pairings."""
        row = batch.row
        if batch.standing is not None:
            self._judge.kept = batch.standing.standing
        if (why := self._ladder.refusal(row, self._over)) is not None:
            raise ContradictedBatch(self._first + row.batch, why, "what the batches before it allow")
        ending = [self._ladder.open[series] for series in row.closed]
        planned = self._ladder.open_batch(row, self._over)
        self.has_planned |= bool(planned)
        self._tell(self._judge.taken())
        for pairing in chain.from_iterable(ending):
            del self._over[pairing.id]
        void = self._ladder.void
        self._dropped += [id for id, pairing in self._waiting.items() if pairing.series in void]
        self._waiting = {id: pairing for id, pairing in self._waiting.items() if pairing.series not in void}
        still_open = {pairing.id for pairing in chain.from_iterable(self._ladder.open.values())}
        self._over = {id: match for id, match in self._over.items() if id in still_open}
        self._waiting |= {pairing.id: pairing for pairing in planned}
        for owner, seconds in row.spent.items():
            self._charged[owner] += seconds
        for one in row.present:
            self._seen.setdefault(one.bot, one)
        self.batch = self._first + row.batch
        return planned

    def _is_complete(self, block: Sequence[Pairing]) -> bool:
        return all(pairing.id in self._over for pairing in block)

    def _spent_by_owner(self) -> dict[str, float]:
        """Owner -> the seconds that its bots took and no batch has charged, matches in progress included."""
        owners = {bot: one.owner for bot, one in self._seen.items()}
        taken = spent_by_owner(chain(self._thought.items(), self.thinking()), owners)
        spent = {owner: round(seconds - self._charged[owner], 6) for owner, seconds in taken.items()}
        return {owner: seconds for owner, seconds in spent.items() if seconds > 0}

    def next_match(self, can_play: Callable[[Pairing], bool]) -> Pairing | None:
        """The match that begins next, if any can."""
        if (self.matches - self._ordered_at) * ORDERED_PART > len(self._waiting):
            self._order_again()
        pending = (pairing for pairing in self._ordered if pairing.id in self._waiting)
        return next(filter(can_play, pending), None)

    def _order_again(self) -> None:
        """Finds the order in which matches begin, by what has been spent until now."""
        self._ordered = self._ladder.next_first(self._waiting.values(), self._spent_by_owner())
        self._ordered_at = self.matches

    def begin(self, pairing: Pairing) -> None:
        """Notes that a match has begun."""
        del self._waiting[pairing.id]

    def note(self, entry: Entry) -> Sequence[Pairing]:
        """Books a finished match; returns the matches of its series if these are all over now."""
        for bot, totals in zip(entry.pairing.bots, entry.totals, strict=True):
            self._thought[bot] += totals.think_s
        return self._note(entry.pairing, LadderMatch(result_of(entry), outcomes_of(entry)))

    def _note(self, pairing: Pairing, match: LadderMatch) -> Sequence[Pairing]:
        self._waiting.pop(pairing.id, None)
        self.matches += 1
        block = self._ladder.open.get(pairing.series)
        if block is None:  # it is void, as one of its bots has left
            return ()
        self._over[pairing.id] = match
        return block if self._is_complete(block) else ()


def _match_of(pairing: Pairing, match: FinishedMatch) -> LadderMatch:
    """A match of the folder as the ladder takes it."""
    result = MatchResult(
        points=match.points, returns=match.returns, faults=match.faults, withdrawn=match.withdrawn
    )
    return LadderMatch(
        result, outcomes_by_bot(pairing, match.abandoned, match.lagged, match.crashed, match.withdrawn)
    )


class _AsKept:
    """A judge that says what the folder keeps, and remembers what it was told for whoever rates."""

    def __init__(self) -> None:
        self.kept = LadderStanding({})
        self._told: list[ClosedSeries] = []

    def add(self, series: ClosedSeries) -> None:
        self._told.append(series)

    def standing(self, bots: tuple[str, ...]) -> LadderStanding:
        return self.kept

    def taken(self) -> list[ClosedSeries]:
        """What it was told since it was asked last."""
        told, self._told = self._told, []
        return told
