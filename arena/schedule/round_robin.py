"""Round-robin: every set of bots meets, or a balanced sample of the sets.  Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb

from arena.schedule.design import blocks, sample
from arena.schedule.laps import all_sets
from arena.schedule.pairing import Pairing
from arena.schedule.terms import (
    FinishedPoints,
    FormatKind,
    ScheduleSize,
    Terms,
    Withdrawn,
    series_of,
    sets_in_words,
    size_in_sets,
    too_few,
)

SETS_MAX = 500
"""Up to this many sets, all of them meet by default: a lap then takes minutes."""


def pairings(
    entrants: Sequence[str], terms: Terms, results: FinishedPoints, withdrawn: Withdrawn
) -> Iterator[Pairing]:
    """Every set of bots, or of the sample, meets in `series` series; in each, every bot has every seat once.

    In order of play: by cycle (lap `n` has every set's `n`th series), then by set, then by rotation.  The
    sets of a lap follow each other so that everybody plays early: see `laps`.
    What is planned for a set depends on that set alone: one more entrant, one more series or another
    order of the entrants adds pairings or moves them within their lap, but never changes one.  Only a
    sample is drawn again when there is one more entrant.  It is drawn for slots (`Terms.slots`): a bot that
    takes the place of another meets its opponents, and the sets of a slot without a bot are left out.
    """
    assert len(set(entrants)) == len(entrants), "two entrants of one name would be one bot in the tables"
    sets = sets_of(entrants, terms)
    for cycle in range(terms.series):
        for bots in sets:
            yield from series_of(terms, bots, cycle, cycle=cycle)


def size(entrants: int, terms: Terms) -> ScheduleSize:
    """How many matches are planned, without planning them."""
    sets = every = comb(entrants, terms.seats)
    slots = len(terms.slots) or entrants
    if _is_sampled(slots, terms):
        sets = len(blocks(slots, terms.seats) or range(every))
        if slots > entrants:
            sets = len(sets_of([bot for bot in terms.slots.values() if bot is not None], terms))
    words = sets_in_words(sets, terms.seats)
    return size_in_sets(sets, words if sets == every else f"{words}, of {every:,} balanced,", terms)


def sets_of(entrants: Sequence[str], terms: Terms) -> Sequence[tuple[str, ...]]:
    """The sets of bots that meet, in the order in which they play in every lap."""
    bots = terms.slots or {entrant: entrant for entrant in entrants}
    assert set(entrants) == {bot for bot in bots.values() if bot is not None}, "every bot has a slot"
    if _is_sampled(len(bots), terms):
        slots = sorted(bots)
        return _seated(sample(slots, terms.seats, terms.seed) or all_sets(slots, terms.seats), bots)
    slots = sorted(slot for slot, bot in bots.items() if bot is not None)
    return _seated(all_sets(slots, terms.seats), bots)


def _seated(sets: Sequence[tuple[str, ...]], bots: Mapping[str, str | None]) -> list[tuple[str, ...]]:
    """The bots in these sets of slots; sets with an empty slot are left out."""
    seated = [tuple([bots[slot] for slot in slots]) for slots in sets]
    return [tuple([bot for bot in one if bot is not None]) for one in seated if None not in one]


def _is_sampled(entrants: int, terms: Terms) -> bool:
    """Whether a balanced sample is wanted; `design` says whether one exists."""
    wanted = terms.sets or ("all" if comb(entrants, terms.seats) <= SETS_MAX else "balanced")
    return wanted == "balanced" and terms.seats > 2


def only_grows(before: int, after: int, terms: Terms) -> bool:
    """Whether a larger tournament contains the smaller one: all sets do, but a sample is drawn again."""
    return before == after or not (_is_sampled(before, terms) or _is_sampled(after, terms))


KIND = FormatKind(
    name="round-robin",
    summary="every set of bots meets equally often",
    pairings=pairings,
    sets=sets_of,
    size=size,
    only_grows=only_grows,
    refusal=too_few,
    ranked_by="score",
)
