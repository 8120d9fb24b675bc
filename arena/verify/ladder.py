"""Plans a ladder again from the rows of its batches, and compares it with what is stored, batch by batch.

Only what is open is kept in memory, however much was played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Any

from arena.errors import ConfigError
from arena.schedule import Pairing
from arena.store import Row, Store, StoredBot, StoredEpoch
from arena.tournament.folder.batches import ContradictedBatch
from arena.tournament.folder.epochs import run_in
from arena.tournament.folder.ladder_course import LadderCourse
from arena.tournament.folder.run import Run
from arena.tournament.folder.seal import Seal, opening_of
from arena.verify.schedule import BY_SEAT, STORED_PLACES, places_of_matches, stored_bots
from arena.verify.untruth import Untruth, Untruths, differs, is_not

_AT_ONCE = 500
"""How many pairings are looked for at a time."""


def ladder_untruths(run: Run, meta: Mapping[str, Any], course: LadderCourse) -> Untruths:
    """Checks epochs, batches, schedule and the places of matches; the course is new, and told all of it."""
    epochs, schedule = run.store.epochs(), _Schedule(run.store)
    try:
        for epoch, after in zip_longest(epochs, epochs[1:]):
            opening = opening_of(Seal(epoch.sha256, epoch.opening))
            yield from _seal_untruths(epoch, opening.terms, meta)
            course.begin_epoch(epoch.number, opening.seed, epoch.began_at)
            yield from _of_epoch(run_in(run, opening.seed), course, schedule, epoch, after)
    except ContradictedBatch as error:
        yield Untruth("arena.db", f"batch {error.number}", error.found, error.right)
        return
    except ConfigError as error:
        yield Untruth("arena.db", "opening", str(error), "the one that was sealed")
        return
    if schedule.row is not None:
        position, pairing, _ = schedule.row
        yield is_not(f"schedule, position {position}", "pairing_id", pairing, "one that the batches plan")
    of_schedule = "SELECT pairing_id FROM schedule"
    outside = f"SELECT match_id, pairing_id FROM matches WHERE pairing_id NOT IN ({of_schedule}) LIMIT 1"
    for match, pairing in run.store.rows(outside):
        yield is_not(f"match {match}", "pairing_id", pairing, "one of the schedule")


def _seal_untruths(epoch: StoredEpoch, terms: Mapping[str, Any], meta: Mapping[str, Any]) -> Untruths:
    """Checks that an epoch was sealed by its opening, and is played on the terms that were sealed."""
    where = f"epoch {epoch.number}"
    if epoch.sha256 != (digest := sha256(epoch.opening.encode("ascii")).hexdigest()):
        yield differs(where, "sha256", epoch.sha256, digest)
    for key in dict.fromkeys((*terms, *meta["identity"])):
        if key != "seed" and meta["identity"].get(key) != terms.get(key):
            yield differs(where, key, meta["identity"].get(key), terms.get(key))


class _Schedule:
    """The stored schedule, read along with the batches that planned it."""

    def __init__(self, store: Store) -> None:
        self._rows = store.rows("SELECT position, pairing_id, series_id FROM schedule ORDER BY position")
        self.row: Row | None = next(self._rows, None)
        """The next row that was not found planned yet."""
        self.absent: dict[str, Pairing] = {}
        """Series -> a pairing of it that the schedule does not have."""

    def untruths(self, planned: Sequence[Pairing]) -> Untruths:
        """Checks the rows of these pairings; those that are not there must turn out to be void."""
        for pairing in planned:
            if self.row is None or self.row[1] != pairing.id:
                self.absent.setdefault(pairing.series, pairing)
                continue
            position, _, series = self.row
            if series != pairing.series:
                yield differs(f"schedule, position {position}", "series_id", series, pairing.series)
            self.row = next(self._rows, None)


def _of_epoch(
    run: Run, course: LadderCourse, schedule: _Schedule, epoch: StoredEpoch, after: StoredEpoch | None
) -> Untruths:
    bots = stored_bots(run.store)
    for planned in course.replay(run.store, epoch.first_batch, None if after is None else after.first_batch):
        yield from schedule.untruths(planned)
        yield from _places(run, planned, bots)
    for series, pairing in schedule.absent.items():
        if not course.is_void(series):
            yield Untruth("schedule", "pairing_id", "nothing", repr(pairing.id))
    schedule.absent.clear()
    if epoch.ended_at is not None and not course.is_ended:
        yield Untruth(f"epoch {epoch.number}", "ended_at", "a time", "nothing: it was not played to its end")


def _places(run: Run, planned: Sequence[Pairing], bots: Mapping[str, StoredBot]) -> Untruths:
    """Checks the places of the matches of these pairings."""
    by_id = {pairing.id: pairing for pairing in planned}
    yield from places_of_matches(run, _stored_places(run.store, [*by_id]), by_id, bots)


def _stored_places(store: Store, pairings: Sequence[str]) -> Iterator[Row]:
    for first in range(0, len(pairings), _AT_ONCE):
        some = pairings[first : first + _AT_ONCE]
        among = f"WHERE m.pairing_id IN ({', '.join('?' * len(some))})"
        yield from store.rows(f"{STORED_PLACES} {among} {BY_SEAT}", *some)
