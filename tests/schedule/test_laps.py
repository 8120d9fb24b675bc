"""The order within a lap: everybody plays early, in every prefix about equally often."""

from __future__ import annotations

import time
from collections import Counter
from itertools import combinations
from string import ascii_lowercase, digits
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import names, terms

from arena.schedule import FORMATS
from arena.schedule.beam import ordered
from arena.schedule.design import blocks
from arena.schedule.laps import nobody_far_ahead


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
@given(st.integers(3, 8), st.integers(0, 6), st.permutations(range(14)))
def test_of_all_larger_sets_nobody_is_ever_more_than_two_series_ahead(seats, more, order):
    """At 3 to 8 seats; whatever the order in which the bots are named."""
    bots = [f"bot-{number}" for number in order if number < min(seats + more, 12)]
    lap = sets_in(planned("round-robin", bots, terms(seats=seats, sets="all")))
    assert lead(bots, lap) <= 2


SAMPLES = {
    (13, 3): 2,
    (36, 3): 2,
    (12, 4): 2,
    (40, 4): 2,
    (26, 5): 2,
    (36, 7): 2,
    (37, 9): 2,
    (22, 10): 2,
}
"""Bots and seats: the largest lead."""
HARDEST = {
    (13, 4): 3,
    (11, 5): 3,
    (21, 5): 3,
    (11, 6): 3,
    (31, 6): 4,
    (15, 7): 3,
    (15, 8): 3,
    (13, 9): 3,
}
"""As many sets as bots, so that any two sets share equally many bots: projective planes and the like."""


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "seats"), SAMPLES | HARDEST)
def test_of_a_sample_nobody_is_far_ahead(bots, seats):
    """Two series; in the samples of which no order allows that, three or four."""
    conditions = terms(seats=seats, sets="balanced")
    lap = sets_in(planned("round-robin", names(bots), conditions))
    assert len(blocks(bots, seats)) == len(lap)
    assert (SAMPLES | HARDEST)[bots, seats] == lead(names(bots), lap)


def can_keep_within(sets, count, lead_max):
    """Whether there is an order in which none of `count` bots is ever further ahead; all are tried.

    Who is ahead follows from which sets have played, in whatever order they did.
    """
    masks, every = [sum(1 << bot for bot in chosen) for chosen in sets], (1 << count) - 1
    reached = {0: (0,) * lead_max}  # who is 1 or more ahead of the last bot, 2 or more, and so on
    for _ in sets:
        following = {}
        for played, levels in reached.items():
            for number, mask in enumerate(masks):
                now, over = [], mask
                for level in levels:
                    now.append(level | over)
                    over &= level
                if now[0] == every:
                    now, over = [*now[1:], over], 0
                if not over and not played >> number & 1:
                    following[played | 1 << number] = tuple(now)
        reached = following
    return bool(reached)


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "seats"), HARDEST)
def test_no_order_of_the_hardest_samples_is_better(bots, seats):
    """Whatever the order of their sets, some bot is three series ahead of another at some time."""
    assert not can_keep_within(blocks(bots, seats), bots, 2)


def test_the_proof_finds_an_order_where_there_is_one():
    """Else it would prove nothing."""
    assert can_keep_within(blocks(7, 3), 7, 2)
    assert not can_keep_within(blocks(7, 3), 7, 1)
    assert can_keep_within(blocks(13, 4), 13, 3)


@pytest.mark.slow
@given(st.integers(3, 9), st.integers(1, 4), st.integers(1, 4), st.randoms(use_true_random=False))
def test_a_searched_order_has_all_sets_and_keeps_its_promise(count, size, lead_max, rng):
    """Of any sets; whether or not all bots are in equally many of them."""
    sets = [*combinations(range(count), min(size, count))]
    sets = rng.sample(sets, min(len(sets), 30))
    order = ordered(sets, count, lead_max)
    if order is not None:
        assert sorted(sets) == sorted(order)
        assert lead(range(count), order) <= lead_max


def test_nothing_is_found_where_there_is_nothing():
    """After a moment; and what is asked of a search is found if it is there."""
    assert ordered(blocks(13, 4), 13, 2) is None
    assert lead(range(13), ordered(blocks(13, 4), 13, 3)) == 3


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

    def lap(*options):
        return " ".join("".join(chosen) for chosen in nobody_far_ahead(*options))

    def sample(bots, seats):
        sets = sorted(tuple(bots[point] for point in block) for block in blocks(len(bots), seats))
        return lap(bots, seats, sets)

    assert "ad bc bd ac cd ab" == lap("abcd", 2, None)
    assert "be cd ac de bd ae ce ab ad bc" == lap("abcde", 2, None)
    assert "abc cde ade bcd abe abd bce acd bde ace" == lap("abcde", 3, None)
    assert "bcg cef aeg abf bde acd dfg" == sample("abcdefg", 3)
    letters = ascii_lowercase + digits
    assert "cejkn achil ikpqt dehrt jlqru adnpu cdgqs afgjt ginor bdijm bghku" == sample(letters[:21], 5)[:65]
    assert 1849554568 == crc32(sample(letters[:21], 5).encode())
    assert 3641597527 == crc32(sample(letters[:36], 7).encode())


@pytest.mark.slow
def test_the_largest_tournaments_are_ordered_in_a_moment():
    """100,000 matches at three seats; usually in half a second."""
    began = time.process_time()
    assert 32_509 == len(nobody_far_ahead(names(59), 3, None))
    assert time.process_time() - began < 5
