"""What a format is given, what it says about itself, and how sizes are put into words.  Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import attrs

from arena.schedule.pairing import Deals, Pairing, PairingId, Points, rotations
from arena.words import counted

Sets: TypeAlias = Literal["all", "balanced"]
"""Whether every set of bots meets, or a sample in which every two bots meet equally often."""


@attrs.frozen(kw_only=True)
class Terms:
    """What every format is given besides the entrants."""

    game: str
    seats: int
    series: int
    """How often a set of bots meets; in a knockout: the series that decide a tie."""
    seed: int
    deals: Deals
    cycles: int | None = None
    """Swiss: how many cycles; None: as many as it takes to find the best."""
    challengers: int = 1
    """Gauntlet: how many entrants, the first ones, challenge the others."""
    sets: Sets | None = None
    """Round-robin: which sets meet; None: all up to `SETS_MAX` of them, and always all at two seats."""
    slots: Mapping[str, str | None] = attrs.field(factory=dict, eq=False)
    """Round-robin: slot -> the bot that has it now, None: nobody; see `roster`.  Every bot has a slot; if
    this is empty, one of its own name."""


FinishedPoints: TypeAlias = Mapping[PairingId, Points]
Withdrawn: TypeAlias = Mapping[str, int]
"""Bot -> the last cycle for which it is paired."""
Format: TypeAlias = Callable[[Sequence[str], Terms, FinishedPoints, Withdrawn], Iterator[Pairing]]
"""A format: entrants in the order named, terms, the points of finished matches, withdrawn bots -> pairings.

It yields all pairings that are determined, in order of play, by cycle.  An adaptive format yields cycle c + 1
only when all of cycle c is finished, and does not pair withdrawn bots; the others ignore both.  Calling it
again with more results yields the same pairings first, then more: nothing else is needed to resume.  It is
over when everything it yields is finished.
"""
Places: TypeAlias = Callable[[Sequence[str], Terms, FinishedPoints, Withdrawn], Mapping[str, int]]
"""Bot -> its place so far: 1 is the best, and several may share a place."""


@attrs.frozen
class ScheduleSize:
    """How large a tournament is."""

    matches: int
    """How many matches there are at most."""
    words: str
    """The same in words: `6 pairs × 10 series × 2 seats = 120 matches`."""
    is_exact: bool = True
    """Whether all of them are certain to be played, unless a bot is withdrawn."""


@attrs.frozen(kw_only=True)
class FormatKind:
    """A format, with what it takes to offer it."""

    name: str
    summary: str
    """One line for the help."""
    pairings: Format
    is_adaptive: bool = False
    """Whether what it plans depends on results."""
    size: Callable[[int, Terms], ScheduleSize]
    """The size of a tournament with this many entrants, if it is not refused."""
    sets: Callable[[Sequence[str], Terms], Sequence[tuple[str, ...]]] | None = None
    """The sets of a lap, in order, if a rule may say which of them play more: see `allocation`."""
    only_grows: Callable[[int, int, Terms], bool] = lambda before, after, terms: before == after
    """Whether everything planned for the first number of entrants is also planned for the second."""
    refusal: Callable[[int, Terms], str | None]
    """Why this many entrants cannot play it on these terms, in one sentence; None if they can."""
    ranked_by: Literal["score", "rating", "places"]
    """What ranks the bots: points; ratings, if they had different opponents; or the format's own places."""
    places: Places | None = None
    """The place of every entrant, if `ranked_by` is places; bots still in the tournament share the first."""
    is_endless: bool = False
    """Whether bots come and go while it is played, batch by batch: see `ladder`."""
    is_offered: bool = True
    """Whether a tournament can be of this kind; if not, another command uses it."""


def series_of(terms: Terms, bots: Sequence[str], repetition: int | str, *, cycle: int) -> Iterator[Pairing]:
    """One series of a tournament on these terms."""
    return rotations(bots, repetition, cycle=cycle, game=terms.game, seed=terms.seed, deals=terms.deals)


def sets_in_words(count: int, seats: int) -> str:
    """A number of sets in words: `6 pairs`, `20 sets of 3`."""
    return counted(count, "pair") if seats == 2 else f"{counted(count, 'set')} of {seats}"


def size_in_sets(sets: int, words: str, terms: Terms) -> ScheduleSize:
    """The size of a tournament in which `sets` sets, described by `words`, play all their series."""
    matches = sets * terms.series * terms.seats
    return ScheduleSize(
        matches, f"{words} × {terms.series:,} series × {terms.seats} seats = {counted(matches, 'match')}"
    )


def too_few(entrants: int, terms: Terms) -> str | None:
    """The refusal if there are fewer entrants than seats; None otherwise."""
    if entrants >= terms.seats:
        return None
    fewer = ", or fewer seats" if entrants > 1 else ""  # there is no table for one
    return f"{counted(entrants, 'bot')} for {terms.seats} seats: name more bots{fewer}"
