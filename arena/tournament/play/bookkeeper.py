"""Keeps the books of a run: takes in every match as it ends, and decides what to keep and what follows.

Nothing here waits, writes or plays: what is to change in the store is returned as data, and the dispatcher
does the rest.  So each match is booked in one piece, and no other task runs meanwhile.
"""

from __future__ import annotations

from collections import Counter

import attrs

from arena.match.record import Entry
from arena.schedule import PairingId, match_id
from arena.schedule.course import Advance, Course
from arena.tournament.folder.changes import (
    Change,
    Changes,
    ExtendSchedule,
    Publish,
    Remove,
    SetPlaces,
    SetStatus,
)
from arena.tournament.folder.intake import Intake
from arena.tournament.play.match import outcomes_of, result_of
from arena.tournament.play.summary import Summary


@attrs.frozen
class Consequences:
    """What follows from one finished match."""

    advance: Advance
    """What follows for the course."""
    changes: Changes
    """Changes for the store, to be applied in this order and all at once."""
    is_kept: bool
    """False if the match must be played again, as it was wrong about which of its bots are withdrawn."""
    ends_run: bool = False
    """Whether enough has been played, so that matches still in progress are past the end."""
    reinstated: tuple[str, ...] = ()
    """Bots that are not withdrawn after all, as only matches past the end got them withdrawn."""


class Bookkeeper:
    """Decides what is kept of a run's matches, and what the summary says about them."""

    def __init__(
        self, course: Course, intake: Intake, summary: Summary, *, seed: int, plays_one: bool = False
    ) -> None:
        """`plays_one`: whether only one match is asked for, which may lie past the end of the course."""
        self._course = course
        self._summary = summary
        self._seed = seed
        self._plays_one = plays_one
        self._replaced = intake.replaced
        self._early = intake.early
        self._kept = set(intake.kept)
        """The matches that are stored, or on their way to the writer, and do not count yet."""
        self._missing = Counter(course.by_id[pairing].series for pairing in intake.missing)
        """Series -> how many of its matches are missing."""
        self._tallies: dict[PairingId, _Tally] = {}
        """The tallies of matches that may yet be taken back, as their series do not count yet."""
        self._sealed: dict[str, list[str]] = {}
        """Series -> its matches with capsules, which show hands and stay hidden until the series is over."""

    @property
    def is_settled(self) -> bool:
        """Whether enough has been played."""
        return self._course.is_cut and not self._plays_one

    def note(self, entry: Entry) -> Consequences:
        """Takes note of a finished match; returns what follows from it."""
        assert not self.is_settled, "matches past the end are cancelled"
        id = entry.pairing.id
        self._tallies[id] = self._count(entry)
        advance = self._course.note(id, result_of(entry), outcomes_of(entry))
        is_kept = id not in advance.stale
        changes: list[Change] = []
        if advance.withdrawn or advance.stale:
            changes += [SetStatus(bot, "withdrawn") for bot in advance.withdrawn]
            changes += [self._take_back(stale, noted=id) for stale in advance.stale]
        if is_kept:
            changes += self._keep(entry)
        if advance.closed or advance.planned:
            changes += self._plan_on(advance)
        for closed in advance.closed:  # nothing can take back what counts
            for pairing, _ in closed.matches:
                self._tallies.pop(pairing.id, None)
                self._kept.discard(pairing.id)
        if not self.is_settled:
            return Consequences(advance, changes, is_kept)
        withdrawn = self._course.withdrawn
        reinstated = tuple(bot for bot in self._course.ledger.withdrawn if bot not in withdrawn)
        changes += self._cut()
        changes += [SetStatus(bot, "ok") for bot in reinstated]
        return Consequences(advance, changes, is_kept, ends_run=True, reinstated=reinstated)

    def _count(self, entry: Entry) -> _Tally:
        """Adds a match to the summary; returns what it added."""
        summary, record = self._summary, entry.record
        summary.played += 1
        if record.error is not None:
            summary.aborted.append(entry.match_id)
        lagged = sum([totals.lagged for totals in entry.totals])
        if not (entry.faults or lagged):
            return _NOTHING
        bots = entry.pairing.bots
        faults = Counter((bots[each.seat], str(each.fault), each.reason) for each in entry.faults)
        summary.faults.update(faults)
        summary.lagged += lagged
        return _Tally(faults, lagged)

    def _discount(self, pairing: PairingId) -> None:
        """Takes a match out of the summary."""
        summary, id = self._summary, self._match_id(pairing)
        tally = self._tallies.pop(pairing, None)
        if tally is not None:  # else it was played in an earlier run
            summary.played -= 1
            summary.faults -= tally.faults
            summary.lagged -= tally.lagged
            summary.aborted = [aborted for aborted in summary.aborted if aborted != id]

    def _take_back(self, stale: PairingId, *, noted: PairingId) -> Change:
        """Marks a finished match as missing again: it does not count, and has to be played again.

        It began before it was known whether one of its bots would be withdrawn by then.  A run that plays one
        match at a time knows that, and tables must not depend on how many are played at once.
        """
        self._discount(stale)
        self._kept.discard(stale)
        if stale != noted:  # the match just played is still counted as missing
            self._missing[self._course.by_id[stale].series] += 1
        return Remove((self._match_id(stale),))

    def _keep(self, entry: Entry) -> list[Change]:
        """Keeps a match, and publishes what its series hid once the series is over."""
        replaces = entry.pairing.id == self._replaced
        changes: list[Change] = [Remove((entry.match_id,)), entry] if replaces else [entry]
        self._kept.add(entry.pairing.id)
        self._summary.last = entry
        series = entry.pairing.series
        if entry.record.capsules:
            self._sealed.setdefault(series, []).append(entry.match_id)
        self._missing[series] -= 1
        if not self._missing[series] and series in self._sealed:
            changes.append(Publish(tuple(self._sealed.pop(series))))
        return changes

    def _plan_on(self, advance: Advance) -> list[Change]:
        """Takes in pairings that were added to the schedule, and the bots' places at the end of a cycle."""
        changes: list[Change] = []
        if advance.planned:
            self._missing.update(pairing.series for pairing in advance.planned)
            again = [pairing.id for pairing in advance.planned if pairing.id in self._early]
            if again:
                changes.append(Remove(tuple(map(self._match_id, again))))
            changes.append(ExtendSchedule(advance.planned))
        if any(closed.ends_cycle for closed in advance.closed) and (places := self._course.places):
            changes.append(SetPlaces(places))
        return changes

    def _cut(self) -> list[Change]:
        """Takes back what was played past the end of the course, as if it had never begun."""
        beyond = [pairing.id for pairing in self._course.beyond if pairing.id in self._kept]
        self._kept.difference_update(beyond)
        for pairing in beyond:
            self._discount(pairing)
        summary = self._summary
        if summary.first_fault is not None and summary.first_fault.pairing in self._course.beyond:
            summary.first_fault = None
        summary.is_settled = True
        return [Remove(tuple(map(self._match_id, beyond)))] if beyond else []

    def _match_id(self, pairing: PairingId) -> str:
        return match_id(self._seed, pairing)


@attrs.frozen
class _Tally:
    """What a match added to the summary."""

    faults: Counter[tuple[str, str, str]]
    lagged: int


_NOTHING = _Tally(Counter(), 0)
