"""Tournaments without matches: a format is asked, results are made up, and it is asked again."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import strategies as st

from arena.schedule import FORMATS, Terms, derive_seed

ENDING = sorted(name for name, kind in FORMATS.items() if not kind.is_endless)
"""The formats that plan a tournament; what has no end is planned by batches."""
KIND = {"game": "liars-dice", "seats": 2, "series": 1, "seed": 5, "deals": "same"}


def terms(**other):
    return Terms(**KIND | other)


def names(count):
    return [f"bot-{number}" for number in range(count)]


def any_points(seed):
    """Points as chance has them, of the match's id alone; now and then the match is aborted."""

    def points(pairing):
        rng = Random(derive_seed(seed, pairing.id))
        return () if rng.random() < 0.1 else tuple(rng.choice([0.0, 0.5, 1.0]) for _ in pairing.bots)

    return points


def first_named_wins(entrants):
    """Points for who is named before the others."""

    def points(pairing):
        winner = min(pairing.bots, key=entrants.index)
        return tuple(float(bot == winner) for bot in pairing.bots)

    return points


def play(form, entrants, conditions, points, withdrawn=None, rng=None):
    """All pairings and results of a whole tournament; checks that every call only adds to the one before.

    With `rng`, a few results at a time and in any order; else a cycle or all at once.
    """
    kind, results, before = FORMATS[form], {}, []
    while True:
        planned = list(kind.pairings(entrants, conditions, results, withdrawn or {}))
        assert before == planned[: len(before)], "what was planned stays planned"
        open_ = [pairing for pairing in planned if pairing.id not in results]
        assert not kind.is_adaptive or len({pairing.cycle for pairing in open_}) <= 1
        if not open_:
            return planned, results
        chosen = rng.sample(open_, rng.randint(1, len(open_))) if rng else open_
        results |= {pairing.id: points(pairing) for pairing in chosen}
        before = planned


def meetings(pairings):
    """Set of bots -> in how many cycles it met."""
    return Counter(bots for bots, _ in {(frozenset(pairing.bots), pairing.cycle) for pairing in pairings})


@st.composite
def tournaments(draw, *forms):
    """A format, entrants and terms that it does not refuse."""
    form = draw(st.sampled_from(forms or ENDING))
    count = draw(st.integers(2, 9))
    seats = 2 if form == "knockout" or (form == "comparison" and count == 2) else draw(st.integers(2, 4))
    count = max(count, seats + (form == "comparison" and count > 2))
    conditions = terms(
        seats=seats,
        series=draw(st.integers(1, 3)),
        seed=draw(st.integers(0, 2**128 - 1)),
        deals=draw(st.sampled_from(["same", "fresh"])),
        cycles=draw(st.none() | st.integers(1, 4)),
        challengers=draw(st.integers(1, count - seats + 1)),
        sets=draw(st.sampled_from([None, "all", "balanced"])),
    )
    return form, draw(st.permutations(names(count))), conditions
