"""Plans a ladder again from the rows of its batches, and compares it with what is stored, batch by batch.

Only what is open is kept in memory, however much was played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.schedule import Pairing
from arena.store import Row, Store
from arena.tournament.folder.batches import ContradictedBatch
from arena.tournament.folder.ladder_course import LadderCourse
from arena.tournament.folder.run import Run
from arena.verify.schedule import BY_SEAT, STORED_PLACES, places_of_matches, stored_bots
from arena.verify.untruth import Untruth, Untruths, differs, is_not

_AT_ONCE = 500
"""How many pairings are looked for at a time."""


def ladder_untruths(run: Run, course: LadderCourse) -> Untruths:
    """Checks batches, schedule and the places of matches; the course is new, and told all batches by this."""
    try:
        yield from _of_batches(run, course)
    except ContradictedBatch as error:
        yield Untruth("arena.db", f"batch {error.number}", error.found, error.right)
        return
    outside = (
        "SELECT match_id, pairing_id FROM matches WHERE pairing_id NOT IN (SELECT pairing_id FROM schedule)"
    )
    for match, pairing in run.store.rows(f"{outside} LIMIT 1"):
        yield is_not(f"match {match}", "pairing_id", pairing, "one of the schedule")


def _of_batches(run: Run, course: LadderCourse) -> Untruths:
    schedule = run.store.rows("SELECT position, pairing_id, series_id FROM schedule ORDER BY position")
    row = next(schedule, None)
    bots = stored_bots(run.store)
    absent: dict[str, Pairing] = {}
    """Series -> a pairing of it that the schedule does not have."""
    for planned in course.replay(run.store):
        for pairing in planned:
            if row is None or row[1] != pairing.id:
                absent.setdefault(pairing.series, pairing)
                continue
            if row[2] != pairing.series:
                yield differs(f"schedule, position {row[0]}", "series_id", row[2], pairing.series)
            row = next(schedule, None)
        by_id = {pairing.id: pairing for pairing in planned}
        yield from places_of_matches(run, _places(run.store, [*by_id]), by_id, bots)
    if row is not None:
        yield is_not(f"schedule, position {row[0]}", "pairing_id", row[1], "one that the batches plan")
    for series, pairing in absent.items():
        if not course.is_void(series):
            yield Untruth("schedule", "pairing_id", "nothing", repr(pairing.id))


def _places(store: Store, pairings: Sequence[str]) -> Iterator[Row]:
    """The stored places of the matches of these pairings."""
    for first in range(0, len(pairings), _AT_ONCE):
        some = pairings[first : first + _AT_ONCE]
        yield from store.rows(
            f"{STORED_PLACES} WHERE m.pairing_id IN ({', '.join('?' * len(some))}) {BY_SEAT}", *some
        )
