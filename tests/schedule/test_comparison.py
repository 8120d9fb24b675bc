"""Comparison: both bots have the same seats, deals and opponents."""

from collections import Counter
from itertools import combinations, cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import names, terms, tournaments
from round_robins import round_robin

from arena.schedule import FORMATS

plans = FORMATS["comparison"].pairings


@given(tournaments("comparison").filter(lambda tournament: len(tournament[1]) > 2))
def test_the_second_half_is_the_first_with_the_old_bot(tournament):
    """Rotation r + seats has the deal of rotation r, and the old bot in the new one's seat."""
    _, (new, old, *field), conditions = tournament
    series = {}
    for pairing in plans([new, old, *field], conditions, {}, {}):
        series.setdefault(pairing.series, []).append(pairing)
    assert conditions.series == len(series)
    for repetition, pairings in enumerate(series.values()):
        assert list(range(2 * conditions.seats)) == [pairing.rotation for pairing in pairings]
        assert {repetition} == {pairing.cycle for pairing in pairings}
        first, second = pairings[: conditions.seats], pairings[conditions.seats :]
        for one, other in zip(first, second, strict=True):
            assert tuple(old if bot == new else bot for bot in one.bots) == other.bots
            assert one.seed == other.seed
        assert (1 if conditions.deals == "same" else conditions.seats) == len({p.seed for p in first})


@pytest.mark.slow
@given(tournaments("comparison").filter(lambda tournament: len(tournament[1]) > 2))
def test_series_take_the_sets_of_the_field_in_turn(tournament):
    """Every set of the field sits once before one sits twice, whatever the order of the field."""
    _, (new, old, *field), conditions = tournament
    pairings = plans([new, old, *field], conditions, {}, {})
    met = [frozenset(p.bots) - {new} for p in pairings if p.rotation == 0]
    sets = set(map(frozenset, combinations(field, conditions.seats - 1)))
    assert met == list(islice(cycle(met[: len(sets)]), conditions.series))
    assert len(set(met)) == min(len(sets), conditions.series)
    assert set(met) <= sets


@pytest.mark.slow
@given(tournaments("comparison"), st.randoms(use_true_random=False))
def test_the_order_of_the_field_changes_nothing(tournament, rng):
    """Only which bot is new and which is old is a matter of order."""
    _, (new, old, *field), conditions = tournament
    other = [new, old, *rng.sample(field, len(field))]
    assert list(plans([new, old, *field], conditions, {}, {})) == list(plans(other, conditions, {}, {}))


def test_without_a_field_they_meet_as_in_a_round_robin():
    """Two bots alone play what a round-robin of the two plays."""
    kind = {"game": "liars-dice", "seats": 2, "series": 3, "seed": 5, "deals": "same"}
    assert list(round_robin(["new", "old"], **kind)) == list(plans(["new", "old"], terms(series=3), {}, {}))


def test_series_are_named_after_both_and_the_field():
    """An id tells who is compared, against whom and how often before."""
    series = Counter(p.series for p in plans(["new", "old", "b", "a"], terms(seats=3, series=2), {}, {}))
    assert {"new+old#vs#a+b#0": 6, "new+old#vs#a+b#1": 6} == series


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["a+b", "c", "d"], ["a", "b+c", "d"]),
        (["a", "b#vs#c", "d"], ["a", "b", "c#vs#d"]),
        (["a", "b", "c"], ["a", "b", "c#0"]),
        (["a", "b vs c", "d"], ["a", "b", "c vs d"]),
    ],
)
def test_ids_of_different_comparisons_differ(one, other):
    """Names made of the marks that ids are built with give other ids all the same."""
    ids = [{pairing.id for pairing in plans(bots, terms(series=2), {}, {})} for bots in (one, other)]
    assert not ids[0] & ids[1]


def test_no_comparison_has_an_id_of_another_format():
    """A comparison's ids are its own: what sets of bots are called in a round-robin never is."""
    kind = {"game": "liars-dice", "seats": 2, "series": 2, "seed": 5, "deals": "same"}
    tricky = ["a", "b", "c", "b#vs#c", "b vs c", "vs"]
    ordinary = {pairing.id for pairing in round_robin(tricky, **kind)}
    assert not ordinary & {pairing.id for pairing in plans(["a", "b", "c"], terms(series=2), {}, {})}


def test_the_size_in_words():
    """Alone they are a pair; against a field they are two bots in the same seats."""
    size = FORMATS["comparison"].size
    assert "1 pair × 10 series × 2 seats = 20 matches" == size(2, terms(series=10)).words
    assert "2 bots × 10 series × 3 seats = 60 matches" == size(5, terms(series=10, seats=3)).words


def test_more_series_only_add():
    """A longer comparison begins with the shorter one."""
    short = list(plans(names(5), terms(seats=3, series=4), {}, {}))
    assert short == list(plans(names(5), terms(seats=3, series=9), {}, {}))[: len(short)]
