"""Gauntlet: challengers meet all of the field equally often, and never one another."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import names, play, terms, tournaments

from arena.schedule import FORMATS


@given(tournaments("gauntlet"))
def test_every_set_of_the_field_meets_every_challenger(tournament):
    """Each challenger meets each set of opponents in every cycle; no match has two challengers, or none."""
    _, entrants, conditions = tournament
    challengers, field = entrants[: conditions.challengers], entrants[conditions.challengers :]
    pairings, _ = play("gauntlet", entrants, conditions, lambda pairing: ())
    expected = {
        frozenset((challenger, *others)): conditions.series * conditions.seats
        for challenger in challengers
        for others in combinations(field, conditions.seats - 1)
    }
    assert expected == Counter(frozenset(pairing.bots) for pairing in pairings)


@pytest.mark.slow
@settings(max_examples=50)
@given(tournaments("gauntlet"), st.randoms(use_true_random=False))
def test_only_who_challenges_is_a_matter_of_order(tournament, rng):
    """The challengers among themselves, and the field, may be named in any order."""
    _, entrants, conditions = tournament
    first, rest = entrants[: conditions.challengers], entrants[conditions.challengers :]
    other = [*rng.sample(first, len(first)), *rng.sample(rest, len(rest))]
    plans = FORMATS["gauntlet"].pairings
    assert list(plans(entrants, conditions, {}, {})) == list(plans(other, conditions, {}, {}))


def test_the_size_in_words():
    """What is counted has its name."""
    kind = FORMATS["gauntlet"]
    assert (
        "1 challenger × 4 opponents × 10 series × 2 seats = 80 matches"
        == kind.size(5, terms(series=10)).words
    )
    three = terms(seats=3, challengers=2)
    assert (
        "2 challengers × 3 sets of 2 opponents × 1 series × 3 seats = 18 matches" == kind.size(5, three).words
    )


def test_another_bot_of_the_field_only_adds():
    """What was planned stays as it was when the field grows."""
    plans = FORMATS["gauntlet"].pairings
    before = list(plans(names(4), terms(series=2), {}, {}))
    wider = {pairing.id: pairing for pairing in plans(names(5), terms(series=2), {}, {})}
    assert before == [wider[pairing.id] for pairing in before]
