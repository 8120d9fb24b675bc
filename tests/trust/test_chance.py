"""The measures of a bot's draws see what they are there to see."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from arena.sdk.chance import MatchRandom

from .chance import ToldRandom, deviates, ratio_of_variances, shared, twice

RNG = Random(1)


def drawn(of_match):
    """150 series of two rotations and two seats, each with what this gives for it."""
    return [[of_match(), of_match()] for _ in range(150)]


def fresh(count=20):
    return [RNG.random() for _ in range(count)]


def alike():
    row = fresh()
    return [row, list(row)]


def doubled():
    return [[value for value in fresh() for _ in range(2)] for _ in range(2)]


DEFECTS = {
    "low values": (lambda: [[value**1.2 for value in fresh()] for _ in range(2)], "draws from uniform"),
    "the other seat's draws": (alike, "pairs of draws from independent, by cells"),
    "each draw twice": (doubled, "pairs of draws from independent, by correlation"),
}


def test_honest_draws_are_within_the_bound():
    """Seeded: one run of `random.Random`."""
    assert 4 > max(deviates(drawn(lambda: [fresh(), fresh()])).values())


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_beyond_the_bound(defect):
    """Draws that are not uniform, or that tell of each other."""
    of_match, seen_by = DEFECTS[defect]
    assert 10 < deviates(drawn(of_match))[seen_by]


def test_draws_that_come_again():
    """Within a seat of both rotations they are counted as shared, within one rotation as coming twice."""
    one, other = fresh(4), fresh(4)
    assert 0.75 == shared([[[one, other], [[*one[:2], *fresh(2)], other]]])
    assert 0 == twice([[[one, other], [one, other]]])
    assert 4 == twice([[[one, one], [one, other]]])


def test_the_ratio_lies_in_its_interval():
    """Four times the variance, from 400 series each."""
    rng = np.random.default_rng(3)
    low, ratio, high = ratio_of_variances(2 * rng.normal(size=400), rng.normal(size=400))
    assert low < ratio < high
    assert 3 < low < 4 < high < 5.5


def test_the_other_key_is_what_was_told():
    """Equal words give equal draws, others give others; the same question again is another decision."""

    def first(generator, *questions):
        for state in questions:
            generator.begin_decision(state)
        return generator.random()

    told, other = {"round_number": 1, "your_hand": [1]}, {"round_number": 1, "your_hand": [2]}
    assert first(MatchRandom(7), told) == first(MatchRandom(7), other)
    assert first(ToldRandom(7), told) == first(ToldRandom(7), told)
    assert 3 == len({first(ToldRandom(7), *asked) for asked in ([told], [other], [told, told])})
