"""Gauntlet: challengers meet the field, and never each other.  Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb, lcm

from arena.schedule.laps import BotSets, all_sets
from arena.schedule.pairing import Pairing
from arena.schedule.terms import (
    FinishedPoints,
    FormatKind,
    ScheduleSize,
    Terms,
    Withdrawn,
    series_of,
    size_in_sets,
    too_few,
)
from arena.words import counted


def pairings(
    entrants: Sequence[str], terms: Terms, results: FinishedPoints, withdrawn: Withdrawn
) -> Iterator[Pairing]:
    """Each of the first `challengers` entrants meets every set of the others, in `series` series.

    In order of play: by cycle; the challengers take turns; then by rotation.  A challenger plays more than
    the others, but the challengers all play equally many matches, and so do the bots of the field, as far as
    that is possible: see `laps`.  All are pairings of the round-robin of all entrants.
    """
    assert len(set(entrants)) == len(entrants), "two entrants of one name would be one bot in the tables"
    challengers, field = sorted(entrants[: terms.challengers]), sorted(entrants[terms.challengers :])
    opponents = all_sets(field, terms.seats - 1)
    sets = [(challenger, *others) for challenger, others in _in_turns(challengers, opponents)]
    for cycle in range(terms.series):
        for bots in sets:
            yield from series_of(terms, bots, cycle, cycle=cycle)


def _in_turns(challengers: Sequence[str], opponents: BotSets) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every challenger with all opponents: challengers and opponents both go round and round."""
    every = len(challengers) * len(opponents)
    round_trip = lcm(len(challengers), len(opponents))
    for turn in range(every):
        # After a round trip the same two would meet again: from then on one goes a step ahead.
        ahead = turn // round_trip
        yield challengers[turn % len(challengers)], opponents[(turn + ahead) % len(opponents)]


def size(entrants: int, terms: Terms) -> ScheduleSize:
    """How many matches are planned, without planning them."""
    sets = comb(entrants - terms.challengers, terms.seats - 1)
    opponents = (
        counted(sets, "opponent")
        if terms.seats == 2
        else f"{counted(sets, 'set')} of {terms.seats - 1} opponents"
    )
    return size_in_sets(
        terms.challengers * sets, f"{counted(terms.challengers, 'challenger')} × {opponents}", terms
    )


def refusal(entrants: int, terms: Terms) -> str | None:
    """Why this many entrants cannot play it: it takes a challenger, and a field for the other seats."""
    if terms.challengers < 1:
        return f"{terms.challengers} challengers: a gauntlet takes at least 1"
    field = entrants - terms.challengers
    if field >= terms.seats - 1:
        return None
    return too_few(entrants, terms) or (
        f"{counted(entrants, 'bot')}, {terms.challengers} of them challengers, leave {max(field, 0)} to meet "
        f"at {terms.seats} seats: name more bots, or fewer challengers"
    )


KIND = FormatKind(
    name="gauntlet",
    summary="the bots named first challenge all the others, and never each other",
    pairings=pairings,
    size=size,
    only_grows=lambda before, after, terms: True,
    refusal=refusal,
    ranked_by="rating",
)
