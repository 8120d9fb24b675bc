"""What holds of every format: it only ever adds, names its matches once, is as large as it says."""

from collections import Counter

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import ENDING, any_points, names, play, terms, tournaments
from round_robins import round_robin

from arena.schedule import FORMATS

Seeds = st.integers(0, 2**32)


def test_every_format_is_registered_by_its_name():
    """What ranks by places has some; what pairs by results is adaptive: its plan follows them."""
    for name, kind in FORMATS.items():
        assert name == kind.name
        assert (kind.places is not None) == (kind.ranked_by == "places")
    assert {True, False} == {kind.is_offered for kind in FORMATS.values()}


@pytest.mark.slow
@given(tournaments(), Seeds, st.randoms(use_true_random=False))
def test_results_in_any_order_lead_to_the_same_tournament(tournament, seed, rng):
    """Played cycle by cycle, or stopped and continued after any results: the same matches in the same order."""
    form, entrants, conditions = tournament
    whole, results = play(form, entrants, conditions, any_points(seed))
    assert (whole, results) == play(form, entrants, conditions, any_points(seed), rng=rng)
    assert whole == list(FORMATS[form].pairings(entrants, conditions, results, {}))


@pytest.mark.slow
@given(tournaments(), Seeds)
def test_matches_are_planned_by_cycle_and_named_once(tournament, seed):
    """Cycles follow each other without gaps, no id comes twice, and nobody sits twice in a match."""
    form, entrants, conditions = tournament
    pairings, _ = play(form, entrants, conditions, any_points(seed))
    cycles = [pairing.cycle for pairing in pairings]
    assert sorted(cycles) == cycles
    assert set(range(cycles[-1] + 1)) == set(cycles)
    assert len(pairings) == len({pairing.id for pairing in pairings})
    assert {conditions.seats} == {len(set(pairing.bots)) for pairing in pairings}
    assert {conditions.game} == {pairing.game for pairing in pairings}


@pytest.mark.slow
@given(tournaments(), Seeds)
def test_the_size_is_what_is_played_or_its_bound(tournament, seed):
    """As many matches as the size says, or at most so many; its words say the number too."""
    form, entrants, conditions = tournament
    pairings, _ = play(form, entrants, conditions, any_points(seed))
    size = FORMATS[form].size(len(entrants), conditions)
    assert len(pairings) == size.matches if size.is_exact else len(pairings) <= size.matches
    assert f" {size.matches:,} match" in size.words


@pytest.mark.slow
@given(tournaments(), Seeds)
def test_in_every_series_each_bot_has_every_seat_equally_often(tournament, seed):
    """A series is fair by itself: each of its bots sits once in every seat, or once in each half."""
    form, entrants, conditions = tournament
    pairings, _ = play(form, entrants, conditions, any_points(seed))
    seats = {}
    for pairing in pairings:
        sitting = seats.setdefault(pairing.series, Counter())
        sitting.update((bot, seat) for seat, bot in enumerate(pairing.bots))
    for sitting in seats.values():
        for bot in {bot for bot, _ in sitting}:
            assert 1 == len({sitting[bot, seat] for seat in range(conditions.seats)})


@pytest.mark.slow
@settings(max_examples=50)
@given(tournaments("gauntlet", "swiss", "knockout", "round-robin"), Seeds)
def test_whatever_plans_a_match_it_is_the_same_match(tournament, seed):
    """A set of bots and a repetition have the same id, seats and seeds in every format; only the cycle differs."""
    form, entrants, conditions = tournament
    pairings, _ = play(form, entrants, conditions, any_points(seed))
    for pairing in pairings:
        repetition = int(pairing.series.rpartition("#")[2])
        kind = {key: getattr(conditions, key) for key in ("game", "seats", "seed", "deals")}
        full = list(round_robin(pairing.bots, series=repetition + 1, **kind))
        same = full[repetition * conditions.seats + pairing.rotation]
        assert same == attrs.evolve(pairing, cycle=repetition)


@pytest.mark.slow
@given(tournaments("round-robin", "gauntlet", "comparison"), Seeds)
def test_fixed_formats_do_not_look_at_withdrawals(tournament, seed):
    """A bot that is withdrawn stays in the plan of a format that does not adapt."""
    form, entrants, conditions = tournament
    plan = list(FORMATS[form].pairings(entrants, conditions, {}, {}))
    assert plan == list(FORMATS[form].pairings(entrants, conditions, {}, {entrants[0]: 0}))


@pytest.mark.slow
@settings(max_examples=50)
@given(tournaments("swiss", "knockout"), Seeds, st.data())
def test_adaptive_formats_go_on_without_who_is_withdrawn(tournament, seed, data):
    """Nobody is paired after the cycle it was withdrawn in, and the tournament ends all the same."""
    form, entrants, conditions = tournament
    withdrawn = data.draw(st.dictionaries(st.sampled_from(entrants), st.integers(-1, 3)))
    before, _ = play(form, entrants, conditions, any_points(seed))
    pairings, _ = play(form, entrants, conditions, any_points(seed), withdrawn)
    assert all(pairing.cycle <= withdrawn.get(bot, 99) for pairing in pairings for bot in pairing.bots)
    untouched = min(withdrawn.values(), default=99)
    first = [pairing for pairing in before if pairing.cycle <= untouched]
    assert first == [pairing for pairing in pairings if pairing.cycle <= untouched]


@pytest.mark.parametrize("form", ENDING)
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("challengers", [0, 1, 3])
def test_who_is_not_refused_has_something_to_play(form, seats, challengers):
    """A refusal is one sentence; without one there are matches for these entrants."""
    for count in range(7):
        conditions = terms(seats=seats, challengers=challengers)
        reason = FORMATS[form].refusal(count, conditions)
        if reason is None:
            assert list(FORMATS[form].pairings(names(count), conditions, {}, {}))
            assert FORMATS[form].size(count, conditions).matches > 0
        else:
            assert ": " in reason
            assert not reason.endswith(".")
