"""A tournament on its way: what counts grows in schedule order, and only what counts decides anything."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedule import FORMATS, Terms
from arena.schedule.course import Course, MatchResult
from arena.schedule.withdrawals import BotOutcome
from arena.store import FinishedMatch
from arena.tournament.intake import take_in

OFFERED = [name for name, kind in FORMATS.items() if kind.is_offered]
STRENGTH = {"ann": 5, "bob": 4, "cat": 3, "dan": 2, "eve": 1}


def course(tournament="round-robin", bots="ann bob cat dan eve", **terms):
    terms = Terms(**{"game": "toy", "seats": 2, "series": 2, "seed": 7, "deals": "same", **terms})
    return Course(bots.split(), FORMATS[tournament], terms, withdrawn_after=2, restarts_max=9)


def fine(pairing):
    return {bot: BotOutcome() for bot in pairing.bots}


def by_strength(pairing):
    """The stronger bot wins."""
    best = max(pairing.bots, key=STRENGTH.__getitem__)
    points = tuple(float(bot == best) for bot in pairing.bots)
    return MatchResult(points=points, returns=points, faults=(0, 0), withdrawn=(False, False))


ABORTED = MatchResult(points=(), returns=(0.0, 0.0), faults=(0, 0))


def won_by_strength(course, pairing):
    return course.note(pairing.id, by_strength(pairing), fine(pairing))


def play(course, rng=None, note=won_by_strength, waiting=None):
    """Everything, in the order of the schedule or in a random one; gives what followed."""
    advances, waiting = [], list(course.order) if waiting is None else waiting
    while waiting:
        pairing = waiting.pop(rng.randrange(len(waiting)) if rng else 0)
        advance = note(course, pairing)
        advances.append(advance)
        waiting += advance.planned
        waiting += [course.by_id[stale] for stale in advance.stale]
    return advances


@pytest.mark.parametrize("tournament", OFFERED)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_the_order_in_which_matches_end_changes_nothing(tournament, seed):
    """Schedule, counted series and places are those of playing one match after the other."""
    one, other = course(tournament), course(tournament)
    in_order = [closed for advance in play(one) for closed in advance.closed]
    at_random = [closed for advance in play(other, random.Random(seed)) for closed in advance.closed]
    assert one.order == other.order
    assert in_order == at_random
    assert one.places == other.places
    assert one.is_over
    assert other.is_over
    assert len(one.order) <= one.size


def test_a_series_counts_when_all_before_it_are_over():
    """The second series may end first; it counts when the first does."""
    tour = course(bots="ann bob cat", series=1)
    by_series = {}
    for pairing in tour.order:
        by_series.setdefault(pairing.series, []).append(pairing)
    first, second, _ = by_series
    for pairing in by_series[second]:
        assert () == tour.note(pairing.id, by_strength(pairing), fine(pairing)).closed
    (one, other) = by_series[first]
    assert () == tour.note(one.id, by_strength(one), fine(one)).closed
    closed = tour.note(other.id, by_strength(other), fine(other)).closed
    assert [first, second] == [series.id for series in closed]
    assert [False, False] == [series.ends_cycle for series in closed]
    assert 2 == tour.counted


def test_the_last_series_of_a_cycle_ends_it():
    """What looks after closed cycles is told which series closes one."""
    tour = course(bots="ann bob cat", series=2)
    closed = [series for advance in play(tour) for series in advance.closed]
    assert [(0, False), (0, False), (0, True), (1, False), (1, False), (1, True)] == [
        (series.cycle, series.ends_cycle) for series in closed
    ]


def test_an_aborted_match_spoils_its_series_and_holds_up_nothing():
    """A knockout goes on: a series that was aborted is drawn."""
    tour = course("knockout", series=1)

    def note(course, pairing):
        result = ABORTED if pairing is course.order[0] else by_strength(pairing)
        return course.note(pairing.id, result, fine(pairing))

    closed = [series for advance in play(tour, note=note) for series in advance.closed]
    assert [True] + [False] * (len(closed) - 1) == [series.is_spoilt for series in closed]
    assert tour.is_over
    assert 1 == tour.places["ann"]


def test_a_withdrawn_bot_is_not_paired_in_later_cycles():
    """In a Swiss system the others go on without it; what it had left in its cycle is played by defaults."""
    tour = course("swiss", bots="ann bob cat dan", series=1, cycles=3)

    def note(course, pairing):
        without = course.ledger.without(pairing.id)
        outcomes = {bot: BotOutcome(abandoned=bot == "cat", withdrawn=bot in without) for bot in pairing.bots}
        return course.note(pairing.id, by_strength(pairing), outcomes)

    advances = play(tour, note=note)
    assert ["cat"] == [bot for advance in advances for bot in advance.withdrawn]
    assert {0} == {pairing.cycle for pairing in tour.order if "cat" in pairing.bots}
    assert {0, 1, 2} == {pairing.cycle for pairing in tour.order}


def kept(course, pairing):
    """A finished match as the store gives it."""
    result = by_strength(pairing)
    flags = (False, False)
    return FinishedMatch(pairing.id, False, result.points, result.returns, result.faults, flags, flags, flags)


@pytest.mark.parametrize("tournament", OFFERED)
@given(stop=st.integers(0, 60), seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_a_course_that_was_interrupted_goes_on_to_the_same_end(tournament, stop, seed):
    """Told what a folder holds, it plans and counts what the one that was never interrupted does."""
    whole, before, after = course(tournament), course(tournament), course(tournament)
    advances = play(whole)
    finished, waiting, rng = {}, list(before.order), random.Random(seed)
    while waiting and len(finished) < stop:
        pairing = waiting.pop(rng.randrange(len(waiting)))
        finished[pairing.id] = kept(before, pairing)
        waiting += before.note(pairing.id, by_strength(pairing), fine(pairing)).planned
    taken = take_in(after, finished)
    assert before.order == after.order
    assert before.counted == after.counted == sum(len(advance.closed) for advance in taken)
    rest = play(after, waiting=[pairing for pairing in after.order if pairing.id not in finished])
    assert whole.order == after.order
    assert whole.places == after.places
    assert after.is_over
    closed = [series for advance in (*taken, *rest) for series in advance.closed]
    assert [series for advance in advances for series in advance.closed] == closed
