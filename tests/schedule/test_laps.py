"""The order within a lap: everybody plays early, in every prefix about equally often."""

from __future__ import annotations

import time
from collections import Counter
from itertools import combinations

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import names, terms, tournaments

from arena.schedule import FORMATS, ORDER, ORDERS
from arena.schedule.design import blocks
from arena.schedule.laps import alphabetical, everybody_early


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
    (13, 4): 3,
    (11, 5): 3,
    (21, 5): 4,
    (31, 6): 5,
}  # bots and seats: the largest lead; the last four are planes, where every two sets share a bot


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "seats"), SAMPLES)
def test_of_a_sample_nobody_is_far_ahead(bots, seats):
    """Two series, or three; in the small samples that are projective planes and the like up to five."""
    conditions = terms(seats=seats, sets="balanced")
    lap = sets_in(planned("round-robin", names(bots), conditions))
    assert len(blocks(bots, seats)) == len(lap)
    assert SAMPLES[bots, seats] == lead(names(bots), lap)


def test_the_plane_of_13_allows_no_better_order():
    """Whichever five of its sets come first, one bot of 13 has played three series more than another."""
    for first in combinations(blocks(13, 4), 5):
        assert 3 <= [*leads(range(13), first)][-1]


@pytest.mark.slow
@given(tournaments("round-robin", "gauntlet"))
def test_the_orders_have_the_same_matches_in_every_lap(tournament):
    """Ids, seeds, seats and laps are the same; only the places within a lap are others."""
    form, entrants, conditions = tournament
    plans = [planned(form, entrants, terms_in(conditions, order)) for order in ORDERS]
    laps = [sorted(plan, key=lambda pairing: (pairing.cycle, pairing.id)) for plan in plans]
    assert laps[0] == laps[1]
    assert all(plan == sorted(plan, key=lambda pairing: pairing.cycle) for plan in plans)


def terms_in(conditions, order):
    return attrs.evolve(conditions, order=order)


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


def test_the_first_order_is_the_dictionarys():
    """Folders from before there was another one go on in it: sets in alphabetical order, challengers too."""
    first = terms(order=1)
    pairs = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert pairs == [tuple(sorted(two)) for two in sets_in(planned("round-robin", "dcba", first))]
    lap = sets_in(planned("gauntlet", "dcba", terms(order=1, challengers=2)))
    assert [("c", "a"), ("c", "b"), ("d", "a"), ("d", "b")] == [tuple(sorted(two)[::-1]) for two in lap]
    assert (2, everybody_early, alphabetical) == (ORDER, ORDERS[ORDER], ORDERS[1])


def test_the_second_order_is_kept_for_good():
    """Recorded on its first day: a folder begun then must go on in the same order."""

    def lap(*options):
        return " ".join("".join(chosen) for chosen in ORDERS[2](*options))

    assert "ad bc bd ac cd ab" == lap("abcd", 2, None)
    assert "be cd ac de bd ae ce ab ad bc" == lap("abcde", 2, None)
    assert "abc cde ade bcd abe abd bce acd bde ace" == lap("abcde", 3, None)
    plane = [tuple("abcdefg"[point] for point in block) for block in blocks(7, 3)]
    assert "bcg cef aeg abf bde acd dfg" == lap("abcdefg", 3, sorted(plane))


@pytest.mark.slow
def test_the_largest_tournaments_are_ordered_in_a_moment():
    """100,000 matches at three seats; usually in half a second."""
    began = time.process_time()
    assert 32_509 == len(everybody_early(names(59), 3, None))
    assert time.process_time() - began < 5
