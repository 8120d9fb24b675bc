"""The ratings of a ladder: by evidence alone, at every look, of those who are there."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.analysis.stopping.mixture import error_levels, margins_at
from arena.analysis.strength.placing import LadderRatings
from arena.analysis.student import as_normal, as_student
from arena.schedule import Pairing
from arena.schedule.course import ClosedSeries, MatchResult


def series(number, *places):
    """A series of two matches in which the bots finish in this order, a better place before a worse one."""
    points = tuple(1 - place / (len(places) - 1) for place in range(len(places)))
    result = MatchResult(points=points, returns=points, faults=(0,) * len(places))
    matches = [
        (Pairing(f"{number}/{rotation}", "game", places, 1, str(number), rotation, 0), result)
        for rotation in range(2)
    ]
    return ClosedSeries(str(number), 0, ends_cycle=False, matches=tuple(matches))


def played(strengths, count, seed=1):
    """So many series between bots of these strengths, who wins by Bradley and Terry."""
    rng, found = Random(seed), []
    for number in range(count):
        one, two = rng.sample(sorted(strengths), 2)
        wins = rng.random() < 1 / (1 + 10 ** ((strengths[two] - strengths[one]) / 400))
        found.append(series(number, *((one, two) if wins else (two, one))))
    return found


def judged(closed):
    ratings = LadderRatings()
    for one in closed:
        ratings.add(one)
    return ratings


FIELD = {"a@1": 300.0, "a@2": 100.0, "b@1": 100.0, "c@1": 0.0, "d@1": -400.0}


@given(st.randoms(use_true_random=False))
def test_the_order_in_which_series_counted_moves_nobody(rng):
    """The same evidence gives the same ratings, errors and shares, to the last digit that is used."""
    closed = played(FIELD, 60)
    bots = sorted(FIELD)
    first, second = judged(closed), judged(rng.sample(closed, len(closed)))
    for one, two in zip(first.places(bots), second.places(bots), strict=True):
        assert (one.bot, one.best, one.worst) == (two.bot, two.best, two.worst)
        assert one.rating == pytest.approx(two.rating)
        assert one.error == pytest.approx(two.error)
    assert first.standing(bots).shares == pytest.approx(second.standing(bots).shares)


def test_a_version_that_has_left_keeps_its_evidence_and_has_no_rank():
    """Its series hold the others in place; the mean of 1500 is that of those who are there."""
    ratings = judged(played(FIELD, 400))
    there = [bot for bot in FIELD if bot != "a@1"]
    places, every = ratings.places(there), {place.bot: place.rating for place in ratings.places(list(FIELD))}
    assert {place.bot for place in places} == set(there)
    assert 1500 == pytest.approx(np.mean([place.rating for place in places]))
    apart = places[0].rating - places[-1].rating
    assert apart == pytest.approx(every[places[0].bot] - every[places[-1].bot])
    assert all(place.worst <= 4 for place in places)


def test_places_are_open_until_they_are_settled():
    """At first anybody may be anywhere; at last two that are alike share two places, and the others have one."""
    bots = sorted(FIELD)
    early = judged(played(FIELD, 20)).places(bots)
    assert [(1, 5)] * 5 == [(place.best, place.worst) for place in early]
    late = {place.bot: (place.best, place.worst) for place in judged(played(FIELD, 4000)).places(bots)}
    assert {"a@1": (1, 1), "a@2": (2, 3), "b@1": (2, 3), "c@1": (4, 4), "d@1": (5, 5)} == late


def test_whose_order_is_open_meets():
    """Bots that are alike have a share of the next batch, and those that are far apart have next to none."""
    shares = judged(played(FIELD, 4000)).standing(sorted(FIELD)).shares
    assert max(shares, key=shares.get) == frozenset(["a@2", "b@1"])
    assert frozenset(["a@1", "d@1"]) not in shares


def test_errors_fall_with_the_series_of_a_bot():
    """Nothing is known of a bot without series, or with one; then less and less is unknown."""
    bots = ["a@1", "b@1", "c@1", "d@1", "new@1"]
    closed = played(dict.fromkeys(bots[:4], 0.0), 200)
    assert "new@1" not in judged(closed).standing(bots).errors
    errors = []
    for many in (1, 2, 10, 40):
        more = [
            series(1000 + number, *Random(number).sample(["new@1", bots[number % 4]], 2))
            for number in range(many)
        ]
        errors.append(judged([*closed, *more]).standing(bots).errors["new@1"])
    assert errors[0] == float("inf")
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 250


def test_with_less_than_two_bots_nothing_is_said():
    """One bot is first and last."""
    assert {} == LadderRatings().standing(["a@1"]).errors
    (alone,) = judged(played({"a@1": 0.0, "b@1": 0.0}, 5)).places(["a@1"])
    assert (alone.rating, alone.best, alone.worst) == (1500, 1, 1)


@given(st.floats(0.0001, 0.5), st.floats(0.5, 1e5))
def test_the_margin_of_a_level_has_that_level(level, many):
    """The width of a confidence sequence is where its test rejects."""
    number = np.array([many])
    assert error_levels(margins_at(level, number), number)[0] == pytest.approx(level)


@given(st.floats(-6, 6), st.floats(1, 1e4))
def test_a_t_as_unlikely_as_z_is_as_unlikely_as_that(z, freedom):
    """Either way round."""
    back = as_normal(as_student(np.array([z]), np.array([freedom])), np.array([freedom]))
    assert back[0] == pytest.approx(z)
