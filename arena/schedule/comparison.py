"""Comparison: a new bot and an old one in the same seats, on the same deals, against the same bots.  Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, cycle, islice
from math import comb

from arena.schedule.pairing import Pairing, circle_of, derive_seed, joined
from arena.schedule.terms import (
    FinishedPoints,
    FormatKind,
    ScheduleSize,
    Terms,
    Withdrawn,
    series_of,
    sets_in_words,
    size_in_sets,
)
from arena.words import counted

SETS_DRAWN_MAX = 10_000
"""More sets of the field than this are not shuffled: so many will never be played."""


def pairings(
    entrants: Sequence[str], terms: Terms, results: FinishedPoints, withdrawn: Withdrawn
) -> Iterator[Pairing]:
    """`series` series of the first entrant, the new bot, and the second, the old one; one per cycle.

    Without a field they meet each other, as in a round-robin.  With a field, the other entrants, they never
    meet: each series seats a set of the field with the new bot and then the same set with the old one.
    """
    assert len(set(entrants)) == len(entrants), "two entrants of one name would be one bot in the tables"
    (new, old), field = entrants[:2], sorted(entrants[2:])
    if not field:
        for repetition in range(terms.series):
            yield from series_of(terms, (new, old), repetition, cycle=repetition)
        return
    opponents = islice(cycle(_sets(field, terms)), terms.series)
    for repetition, others in enumerate(opponents):
        yield from _halves(new, old, others, repetition, terms)


def size(entrants: int, terms: Terms) -> ScheduleSize:
    """How many matches are planned, without planning them."""
    if entrants == 2:
        return size_in_sets(1, sets_in_words(1, 2), terms)
    matches = 2 * terms.series * terms.seats
    words = f"2 bots × {terms.series:,} series × {terms.seats} seats = {counted(matches, 'match')}"
    return ScheduleSize(matches, words)


def refusal(entrants: int, terms: Terms) -> str | None:
    """Why this many entrants cannot play it: it takes two, and a field that fills the other seats."""
    field = entrants - 2
    if field < 0:
        return f"{counted(entrants, 'bot')} to compare: name a new bot and an old one"
    if field >= terms.seats - 1 or (field == 0 and terms.seats == 2):
        return None
    return (
        f"{counted(field, 'bot')} in the field for the {terms.seats - 1} other seats: "
        "name more bots, or fewer seats"
    )


def _sets(field: Sequence[str], terms: Terms) -> Iterable[tuple[str, ...]]:
    """The sets of the field in random order, so that a test that stops early does not meet one name only.

    If there are too many sets to shuffle, the bots are shuffled instead.
    """
    drawn = sorted(field, key=lambda bot: derive_seed(terms.seed, "field", bot))
    sets = (tuple(sorted(bots)) for bots in combinations(drawn, terms.seats - 1))
    if comb(len(field), terms.seats - 1) > SETS_DRAWN_MAX:
        return sets
    return sorted(sets, key=lambda bots: derive_seed(terms.seed, "set", *bots))


def _halves(new: str, old: str, others: Sequence[str], repetition: int, terms: Terms) -> Iterator[Pairing]:
    """One series: every rotation with the new bot, then every one with the old bot in its seat.

    Both halves are one series, because they share their deals; rotations of the second half have their own
    numbers, so that no instance sees a deal twice.
    """
    # No other id has more than one unescaped `#`, so that none can equal this one.
    series = f"{joined((new, old))}#vs#{joined(others)}#{repetition}"
    circle = circle_of((new, *others), series, terms.seed)
    for rotation in range(2 * len(circle)):
        half, turn = divmod(rotation, len(circle))
        seated = circle if half == 0 else tuple(old if bot == new else bot for bot in circle)
        own = () if terms.deals == "same" else (turn,)
        yield Pairing(
            id=f"{series}/{rotation}",
            game=terms.game,
            bots=(*seated[turn:], *seated[:turn]),
            seed=derive_seed(terms.seed, "deals", series, *own),
            series=series,
            rotation=rotation,
            cycle=repetition,
        )


KIND = FormatKind(
    name="comparison",
    summary="a new bot and an old one, on the same deals",
    pairings=pairings,
    size=size,
    refusal=refusal,
    ranked_by="score",
    is_offered=False,
)
