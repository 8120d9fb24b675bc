"""How many series each set of bots plays in a batch, and which they are."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import names, terms

from arena.schedule import FORMATS
from arena.schedule.allocation import TURNS, Batches, batch, batch_size, batches_of

FOUR = tuple(combinations("abcd", 2))
"""Six pairs: ab, ac, ad, bc, bd, cd."""


def shares(**weights):
    return {frozenset(bots): weight for bots, weight in weights.items()}


@pytest.mark.parametrize(
    ("rule", "given", "counts"),
    [
        ("nobody is said to be open", None, [1, 1, 1, 1, 1, 1]),
        ("no set has a share", {}, [1, 1, 1, 1, 1, 1]),
        ("all shares are nothing", shares(ab=0.0), [1, 1, 1, 1, 1, 1]),
        ("a set of other bots has one", shares(xy=1.0), [1, 1, 1, 1, 1, 1]),
    ],
)
def test_without_shares_all_sets_play_once(rule, given, counts):
    """As in a lap, whatever the batch and the seed."""
    for number in range(7):
        assert counts == list(batch(FOUR, given, len(FOUR), 3 + number, 6 * number)), rule


def test_the_rest_goes_to_the_sets_by_their_shares():
    """Of twenty batches of six, 12 series are in turn, two of each set; 81 and 27 are three parts and one."""
    rows = [batch(FOUR, shares(ab=3.0, cd=1.0), len(FOUR), 5, 6 * number) for number in range(20)]
    assert [2, 2, 2, 2] == [sum(row[place] for row in rows) for place in (1, 2, 3, 4)]
    ab, cd = (sum(row[place] for row in rows) - 2 for place in (0, 5))
    assert 108 == ab + cd
    assert 78 <= ab <= 84


@st.composite
def divided(draw):
    """Sets, shares, the seed."""
    seats = draw(st.integers(2, 3))
    sets = list(combinations(names(draw(st.integers(seats, 7))), seats))
    weights = draw(st.lists(st.floats(0, 1e6), min_size=len(sets), max_size=len(sets)))
    given = {frozenset(bots): weight for bots, weight in zip(sets, weights, strict=True)}
    return sets, given, draw(st.integers(0, 2**128 - 1))


@given(divided(), st.integers(0, 1000), st.integers(0, 60))
@settings(max_examples=50)
def test_a_batch_has_as_many_series_as_it_should(case, before, size):
    """Whole numbers that sum up to its size, also where the sets are fewer or more."""
    sets, given, seed = case
    counts = batch(sets, given, size, seed, before)
    assert size == sum(counts)
    assert min(counts) >= 0


@given(divided(), st.integers(0, 1000))
@settings(max_examples=30)
def test_a_set_plays_its_turn_and_its_share(case, number):
    """Its share of the rest is rounded up or down; its turn comes once in ten laps' worth of batches."""
    sets, given, seed = case
    size, whole = len(sets), sum(given.values())
    rows = [batch(sets, given, size, seed, (number + later) * size) for later in range(TURNS)]
    for place, bots in enumerate(sets):
        played = sum(row[place] for row in rows)
        assert played >= 1
        if whole > 0:
            due = 1 + (size * TURNS - size) * given[frozenset(bots)] / whole
            assert abs(played - due) < TURNS + 0.01  # each batch rounds


@given(divided(), st.sampled_from([4.0, 2.0**-40]), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_the_order_of_the_sets_and_the_unit_of_shares_decide_nothing(case, unit, rng):
    """Another order of a lap gives each set the same, and so do shares in another unit."""
    sets, given, seed = case
    counts = dict(zip(sets, batch(sets, given, len(sets), seed, 3), strict=True))
    mixed = rng.sample(sets, len(sets))
    scaled = {bots: weight * unit for bots, weight in given.items()}
    assert counts == dict(zip(mixed, batch(mixed, scaled, len(sets), seed, 3), strict=True))


def test_over_many_seeds_a_set_gets_what_its_share_comes_to():
    """Rounding favours nobody: one series of a batch is in turn, and five go by shares.

    A third of them and two thirds, in the mean of 600 draws, whose standard error is 0.02.
    """
    given, sums = shares(ab=1.0, ac=2.0), Counter()
    for seed in range(600):
        counts = batch(FOUR, given, 6, seed, 4)
        turns = batch(FOUR, shares(cd=1.0), 6, seed, 4)  # the same turns, whatever the shares are
        sums["ab"] += counts[0] - turns[0]
        sums["ac"] += counts[1] - turns[1]
    assert sums["ab"] / 600 == pytest.approx(5 / 3, abs=0.06)
    assert sums["ac"] / 600 == pytest.approx(10 / 3, abs=0.06)


def test_each_batch_draws_the_sets_in_an_order_of_its_own():
    """Three of six sets: in one order for all batches it would be every other set, or the ones between."""
    drawn = {batch(FOUR, None, 3, 5, 3 * number) for number in range(40)}
    assert all(3 == sum(counts) for counts in drawn)
    assert len(drawn) > 10


@pytest.mark.parametrize(
    ("sets", "parts"), [(1, 1), (6, 1), (15, 1), (16, 2), (55, 6), (66, 8), (190, 8), (4950, 8)]
)
def test_after_a_lap_batches_are_small(sets, parts):
    """An eighth of a lap, but enough for several tables; and whole laps in all, so that more may follow."""
    for series in (1, 2, 5):
        sizes = [batch_size(sets, number) for number in range(batches_of(sets, series))]
        assert len(sizes) == 1 + (series - 1) * parts
        assert sum(sizes) == series * sets
        assert sets // parts <= min(sizes)
        assert max(sizes[1:], default=0) <= -(-sets // parts)


# The batches as pairings


def planned(batches, *given, withdrawn=()):
    return [list(batches.next(each, withdrawn)) for each in given]


@given(divided(), st.integers(1, 5))
@settings(max_examples=10)
def test_a_sets_series_are_those_of_the_equal_schedule(case, series):
    """The first, the second, and so on, under the same ids and seeds; only their cycle is the batch."""
    sets, given, seed = case
    conditions = terms(seats=len(sets[0]), series=series, seed=seed, sets="all")
    many = batches_of(len(sets), series)
    found = planned(Batches(sets, conditions), *[given] * (many + 2))
    assert [[], []] == found[many:]
    sizes = [len({pairing.series for pairing in each}) for each in found[:many]]
    assert series * len(sets) == sum(sizes)
    assert sizes == [batch_size(len(sets), number) for number in range(many)]
    assert all({number} == {pairing.cycle for pairing in each} for number, each in enumerate(found[:many]))
    bots = sorted({bot for one in sets for bot in one})
    long = terms(seats=len(sets[0]), series=series * len(sets), seed=seed, sets="all")
    equal = {pairing.id: pairing for pairing in FORMATS["round-robin"].pairings(bots, long, {}, {})}
    for pairing in (pairing for each in found for pairing in each):
        same = equal[pairing.id]
        assert (same.seed, same.bots, same.series) == (pairing.seed, pairing.bots, pairing.series)
    repetitions = Counter(pairing.series.rpartition("#")[0] for each in found for pairing in each)
    ids = {pairing.series for each in found for pairing in each}
    seats = len(sets[0])
    assert ids == {f"{one}#{r}" for one, times in repetitions.items() for r in range(times // seats)}


def test_in_a_batch_everybody_plays_early():
    """Each set of it once, in the order of a lap, before one plays again."""
    batches = Batches(FOUR, terms(series=9))
    (found,) = planned(batches, shares(bc=5.0, cd=1.0))
    order = list(dict.fromkeys(pairing.series for pairing in found))
    pairs = [series.partition("#")[0] for series in order]
    firsts = list(dict.fromkeys(pairs))
    assert firsts == pairs[: len(firsts)]
    assert firsts == sorted(firsts)
    assert "b+c" in pairs[len(firsts) :]


def test_a_withdrawn_bot_plays_only_in_turn():
    """Others get the share of its sets; where nobody else has one, all sets play equally often."""
    batches = Batches(FOUR, terms(series=99))
    found = planned(batches, *[shares(ab=9.0, cd=1.0)] * 10, withdrawn=["a"])
    played = Counter(pairing.series.partition("#")[0] for each in found for pairing in each)
    assert {"a+b": 2, "a+c": 2, "a+d": 2} == {pair: n for pair, n in played.items() if "a" in pair}
    assert 2 * (1 + 54) == played["c+d"]
    (alone,) = planned(batches, shares(ab=9.0), withdrawn=["a"])
    assert 6 == len({pairing.series.partition("#")[0] for pairing in alone})
