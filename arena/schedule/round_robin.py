"""Round-robin: every set of bots meets, or a balanced sample of the sets.  Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

from arena.schedule.design import blocks, sample
from arena.schedule.laps import ORDERS
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
    sample is drawn again when there is one more entrant.
    """
    assert len(set(entrants)) == len(entrants), "two entrants of one name would be one bot in the tables"
    sets = sets_of(entrants, terms)
    for cycle in range(terms.series):
        for bots in sets:
            yield from series_of(terms, bots, cycle, cycle=cycle)


def size(entrants: int, terms: Terms) -> ScheduleSize:
    """How many matches are planned, without planning them."""
    sets = every = comb(entrants, terms.seats)
    if _is_sampled(entrants, terms):
        sets = len(blocks(entrants, terms.seats) or range(every))
    words = sets_in_words(sets, terms.seats)
    return size_in_sets(sets, words if sets == every else f"{words}, of {every:,} balanced,", terms)


def sets_of(entrants: Sequence[str], terms: Terms) -> Sequence[tuple[str, ...]]:
    """The sets of bots that meet, in the order in which they play in every lap."""
    drawn = sample(entrants, terms.seats, terms.seed) if _is_sampled(len(entrants), terms) else None
    return ORDERS[terms.order](sorted(entrants), terms.seats, drawn)


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
    size=size,
    only_grows=only_grows,
    refusal=too_few,
    ranked_by="score",
)
