"""The order within a lap: everybody plays early, in every prefix about equally often."""

from __future__ import annotations

import time
from collections import Counter
from itertools import combinations
from math import comb
from string import ascii_lowercase, digits
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import names, terms

from arena.schedule import FORMATS
from arena.schedule.design import blocks, sample
from arena.schedule.laps import all_sets, evenly, named


def planned(form, entrants, conditions):
    return list(FORMATS[form].pairings(entrants, conditions, {}, {}))


def leads(bots, sets):
    """After each set, by how much the bot that has played most is ahead of the one that has played least."""
    played = Counter(dict.fromkeys(bots, 0))
    for chosen in sets:
        played.update(bot for bot in chosen if bot in played)
        yield max(played.values()) - min(played.values())


def lead(bots, sets):
    return max(leads(bots, sets))


def sets_in(pairings):
    """The set of bots of each series."""
    return [pairing.bots for pairing in pairings if pairing.rotation == 0]


# Everybody early.


@pytest.mark.slow
@given(st.integers(2, 24), st.integers(1, 3))
def test_of_all_pairs_nobody_is_ever_more_than_two_series_ahead(count, series):
    """After any number of matches, also across laps; and within each round everybody plays once at most."""
    bots = names(count)
    pairings = planned("round-robin", bots, terms(series=series))
    assert lead(bots, sets_in(pairings)) <= 2
    assert max(leads(bots, (pairing.bots for pairing in pairings))) <= 2 * 2
    lap = sets_in(pairings)[: count * (count - 1) // 2]
    for begin in range(0, len(lap), max(1, count // 2)):
        sitting = [bot for pair in lap[begin : begin + count // 2] for bot in pair]
        assert len(sitting) == len(set(sitting))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(3, 6), st.integers(0, 37), st.randoms(use_true_random=False))
def test_of_all_larger_sets_nobody_is_ever_more_than_three_series_ahead(seats, more, rng):
    """Each plays once in a lap, whatever the order in which the bots are named."""
    bots = names(count_within(seats, more, 10_000))
    conditions = terms(seats=seats, sets="all")
    lap = FORMATS["round-robin"].sets(rng.sample(bots, len(bots)), conditions)
    assert sorted(combinations(sorted(bots), seats)) == sorted(lap)
    assert lead(bots, lap) <= 3


def count_within(seats, more, sets_max):
    """A number of bots, `more` than seats or fewer, that have no more sets than that."""
    return max(count for count in range(seats, seats + more + 1) if comb(count, seats) <= sets_max)


PLANES = {(21, 5): 4, (31, 6): 4}
"""Bots and seats of the samples in which one is further ahead: the projective planes of order 4 and 5."""


def assert_nobody_is_far_ahead(count, seats, seed):
    """Of a sample, if there is one; all of its sets play once in a lap."""
    bots, design = names(count), blocks(count, seats)
    if design is not None:
        conditions = terms(seats=seats, sets="balanced", seed=seed)
        lap = FORMATS["round-robin"].sets(bots, conditions)
        assert len(design) == len(set(lap)) == len(lap)
        assert 1 == len(set(Counter(bot for chosen in lap for bot in chosen).values()))
        assert lead(bots, lap) <= PLANES.get((count, seats), 3)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(3, 6), st.integers(1, 34), st.integers(0, 2**128 - 1))
def test_of_a_sample_nobody_is_ever_more_than_three_series_ahead(seats, more, seed):
    """At every seed."""
    assert_nobody_is_far_ahead(seats + more, seats, seed)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("seats", range(3, 7))
def test_in_no_sample_of_up_to_40_bots_is_anybody_further_ahead(seats):
    """The numbers in the docstring of `evenly`."""
    for count in range(seats + 1, 41):
        assert_nobody_is_far_ahead(count, seats, seed=count)


@pytest.mark.parametrize(("bots", "seats"), PLANES)
def test_of_a_projective_plane_somebody_is_four_series_ahead(bots, seats):
    """So far and no further, which the sample of no other size of up to 40 bots is."""
    assert PLANES[bots, seats] == lead(range(bots), blocks(bots, seats))


@given(st.integers(4, 20), st.integers(0, 2**128 - 1))
def test_the_seed_says_who_plays_and_not_how_evenly(count, seed):
    """What is measured at one seed is true at all."""
    bots = [f"bot-{number:02}" for number in range(count)]
    drawn = sample(bots, 3, seed)
    if drawn is not None:
        assert list(leads(range(count), blocks(count, 3))) == list(leads(bots, drawn))


@st.composite
def some_sets(draw):
    """The number of points, and some sets of them: in an order of their own, and not all equally often."""
    count = draw(st.integers(3, 9))
    size = draw(st.integers(1, count))
    return count, draw(st.lists(st.sampled_from([*combinations(range(count), size)]), unique=True))


@given(some_sets())
def test_first_plays_whose_bots_have_played_least(case):
    """Each of any sets once; of those that are left the one with the smallest sum, the first of several."""
    count, left = case
    played = [0] * count
    for chosen in evenly(tuple(left), count):
        sums = [sum(played[point] for point in each) for each in left]
        assert left.pop(sums.index(min(sums))) == chosen
        for point in chosen:
            played[point] += 1
    assert not left


@given(st.integers(1, 5), st.integers(2, 9))
def test_challengers_and_field_of_a_gauntlet_take_turns(challengers, field):
    """A challenger must meet everybody; but no challenger is ahead of another, and nobody of the field is."""
    bots = names(challengers + field)
    lap = sets_in(planned("gauntlet", bots, terms(challengers=challengers)))
    assert lead(bots[:challengers], lap) <= 1
    assert lead(bots[challengers:], lap) <= 2
    met = Counter(frozenset(pair) for pair in lap)
    assert {frozenset((one, other)): 1 for one in bots[:challengers] for other in bots[challengers:]} == met


# As it was.


def test_the_order_is_kept_for_good():
    """Recorded on its first day: a folder goes on in the order in which it began, or not at all."""

    def lap(sets):
        return " ".join("".join(chosen) for chosen in sets)

    letters = ascii_lowercase + digits
    assert "ad bc bd ac cd ab" == lap(all_sets("abcd", 2))
    assert "be cd ac de bd ae ce ab ad bc" == lap(all_sets("abcde", 2))
    assert "abc cde ade bcd abe abd bce acd bde ace" == lap(all_sets("abcde", 3))
    assert 2269789015 == crc32(lap(all_sets(letters[:24], 3)).encode())
    assert "dfg aeg abf bcg acd bde cef" == lap(named("abcdefg", blocks(7, 3)))
    assert 1577510215 == crc32(lap(named(letters, blocks(21, 5))).encode())
    assert 3895921183 == crc32(lap(named(letters, blocks(30, 5))).encode())


@pytest.mark.slow
def test_the_largest_tournaments_are_ordered_in_a_moment():
    """100,000 matches at three seats: usually in less than a second, as the time grows with the sets.

    A minute, if each time all were looked at that are left.
    """
    began = time.process_time()
    assert 32_509 == len(all_sets(names(59), 3))
    assert time.process_time() - began < 5
