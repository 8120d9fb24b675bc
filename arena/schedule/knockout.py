"""Knockout: a bracket of ties at two seats; the loser of a tie is out.  Pure.

The standard bracket: entrants are seeded in the order named, the first and the second can only meet in the
final, and byes go to the top seeds.  A tie is the best of `series` series; a series is won by more points.
It ends when one bot is too far ahead for the other to catch up.  If it is level after all of them, the next
series that is won decides it, within as many series again; then all points; then the better seed wins.
There is no match for third place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum

import attrs

from arena.schedule.pairing import Pairing
from arena.schedule.terms import (
    FinishedPoints,
    FormatKind,
    ScheduleSize,
    Terms,
    Withdrawn,
    series_of,
    too_few,
)
from arena.words import counted


def pairings(
    entrants: Sequence[str], terms: Terms, results: FinishedPoints, withdrawn: Withdrawn
) -> Iterator[Pairing]:
    """In each cycle every undecided tie of the bracket round plays one series.

    The next bracket round begins when all ties of this one are decided.  A bot that is withdrawn loses
    the tie to its opponent at once; if both are, the better seed advances.
    """
    yield from _course(entrants, terms, results, withdrawn).planned


def places(
    entrants: Sequence[str], terms: Terms, results: FinishedPoints, withdrawn: Withdrawn
) -> Mapping[str, int]:
    """Bot -> its place so far; the losers of one bracket round share theirs: 1, 2, 3, 3, 5, 5, 5, 5.

    All bots still in the bracket share the first place.
    """
    return _course(entrants, terms, results, withdrawn).places


def size(entrants: int, terms: Terms) -> ScheduleSize:
    """How many matches are played at most: if all ties are level to the end."""
    series = 2 * terms.series
    matches = (entrants - 1) * series * terms.seats
    words = (
        f"{counted(entrants - 1, 'tie')} × up to {series:,} series × {terms.seats} seats: "
        f"at most {counted(matches, 'match')}"
    )
    return ScheduleSize(matches, words, is_exact=False)


def refusal(entrants: int, terms: Terms) -> str | None:
    """Why this many entrants cannot play it on these terms: a tie is between two."""
    if terms.seats != 2:
        return f"a knockout is played at 2 seats, not at {terms.seats}: set seats = 2, or another tournament"
    return too_few(entrants, terms)


KIND = FormatKind(
    name="knockout",
    summary="a bracket, seeded in the order named: the loser of a tie is out",
    pairings=pairings,
    is_adaptive=True,
    size=size,
    refusal=refusal,
    ranked_by="places",
    places=places,
)


@attrs.frozen
class _Course:
    """The course of a knockout, as far as results determine it."""

    planned: list[Pairing]
    places: dict[str, int]


@attrs.define
class _Tie:
    """One or two bots, of which one advances."""

    bots: tuple[str, ...]
    """The better seed first."""
    winner: str | None = None
    leads: list[float] = attrs.field(factory=list)
    """How many points the better seed was ahead in each series."""


def _course(entrants: Sequence[str], terms: Terms, results: FinishedPoints, withdrawn: Withdrawn) -> _Course:
    """The course from the first bracket round to the last one that can be planned."""
    assert len(set(entrants)) == len(entrants), "two entrants of one name would be one bot in the tables"
    course, cycle = _Course([], dict.fromkeys(entrants, 1)), 0
    ties = [_tie(bots, entrants) for bots in _bracket(entrants)]
    while ties:
        while undecided := _undecided(ties, cycle, terms, withdrawn, course.places):
            lap = [list(series_of(terms, tie.bots, len(tie.leads), cycle=cycle)) for tie in undecided]
            course.planned.extend(pairing for series in lap for pairing in series)
            if any(pairing.id not in results for series in lap for pairing in series):
                return course
            for tie, series in zip(undecided, lap, strict=True):
                tie.leads.append(_lead(tie.bots[0], series, results))
            cycle += 1
        winners = [tie.winner for tie in ties if tie.winner is not None]
        ties = [_tie(bots, entrants) for bots in zip(winners[::2], winners[1::2], strict=False)]
    return course


def _bracket(entrants: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The ties of the first bracket round, from top to bottom; a bot alone has a bye.

    Each step doubles the bracket: every seed gets the opponent that makes all ties' sums of seeds equal.
    """
    order = [0]
    while len(order) < len(entrants):
        last = 2 * len(order) - 1
        order = [seed for better in order for seed in (better, last - better)]
    for better, worse in zip(order[::2], order[1::2], strict=False):
        yield tuple(entrants[seed] for seed in (better, worse) if seed < len(entrants))


def _tie(bots: Sequence[str], entrants: Sequence[str]) -> _Tie:
    return _Tie(tuple(sorted(bots, key=entrants.index)))


def _undecided(
    ties: Sequence[_Tie], cycle: int, terms: Terms, withdrawn: Withdrawn, places: dict[str, int]
) -> list[_Tie]:
    """The ties of a bracket round still open in this cycle; settles the others and places the losers."""
    for tie in ties:
        if tie.winner is None:
            tie.winner = _by_play(tie, terms.series) or _by_walkover(tie.bots, cycle, withdrawn)
            for bot in tie.bots:
                if tie.winner not in (None, bot):
                    places[bot] = len(ties) + 1
    return [tie for tie in ties if tie.winner is None]


def _by_play(tie: _Tie, series: int) -> str | None:
    """Who has won a best-of-`series` tie, if that is decided."""
    ahead = sum((lead > 0) - (lead < 0) for lead in tie.leads)
    if abs(ahead) > max(series - len(tie.leads), 0):
        return tie.bots[0 if ahead > 0 else 1]
    if len(tie.leads) < 2 * series:
        return None
    return tie.bots[0 if _settled(fsum(tie.leads)) >= 0 else 1]


def _by_walkover(bots: Sequence[str], cycle: int, withdrawn: Withdrawn) -> str | None:
    """Who advances without play: the one that is not withdrawn, or the better seed of two that are."""
    playing = [bot for bot in bots if cycle <= withdrawn.get(bot, cycle)]
    return None if len(playing) == 2 else (playing or bots)[0]


def _lead(bot: str, series: Sequence[Pairing], results: FinishedPoints) -> float:
    """How many points the bot was ahead in a series; aborted matches are tied."""
    lead = 0.0
    for pairing in series:
        points = results[pairing.id]
        if points:
            own = pairing.bots.index(bot)
            lead += points[own] - points[1 - own]
    return _settled(lead)


def _settled(points: float) -> float:
    """The sum, rounded so that sums that differ only by floating-point error are level."""
    return round(points, 9)
