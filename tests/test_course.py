"""A tournament on its way: what counts grows in schedule order, and only what counts decides anything."""

from __future__ import annotations

import random
from math import inf

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedule import FORMATS, Shares, Terms
from arena.schedule.allocation import Batches
from arena.schedule.course import ClosedSeries, Course, MatchResult
from arena.schedule.withdrawals import BotOutcome
from arena.store import FinishedMatch
from arena.tournament.folder.intake import take_in

ALLOCATED = "round-robin, allocated"
OFFERED = [ALLOCATED, *(name for name, kind in FORMATS.items() if kind.is_offered)]
STRENGTH = {"ann": 5, "bob": 4, "cat": 3, "dan": 2, "eve": 1}


class Closest:
    """A rule that gives most matches to the pairs whose results have differed least; and that may end it."""

    def __init__(self, series_max: float = inf) -> None:
        self.told: list[str] = []
        self.asked: list[Shares] = []
        self._series_max = series_max
        self._ahead: dict[frozenset[str], float] = {}

    def closed(self, series):
        self.told.append(series.id)
        pairing, result = series.matches[0]
        bots, points = frozenset(pairing.bots), result.points or (0.5, 0.5)
        sign = 1 if pairing.bots[0] == min(bots) else -1
        self._ahead[bots] = self._ahead.get(bots, 0.0) + sign * (points[0] - points[1])
        return len(self.told) >= self._series_max

    def shares(self):
        self.asked.append({bots: 1 / (1 + ahead**2) for bots, ahead in self._ahead.items()})
        return self.asked[-1]


def course(tournament="round-robin", bots="ann bob cat dan eve", rule=None, **terms):
    """With `ALLOCATED` as the tournament, `rule` says which pairs play more."""
    kind = FORMATS[tournament.partition(",")[0]]
    shares = None
    if tournament == ALLOCATED:
        rule = rule or Closest()
        shares, terms = rule.shares, {"series": 6, **terms}
    is_enough = None if rule is None else rule.closed
    terms = Terms(**{"game": "toy", "seats": 2, "series": 2, "seed": 7, "deals": "same", **terms})
    how = {"withdrawn_after": 2, "restarts_max": 9, "is_enough": is_enough, "shares": shares}
    return Course(bots.split(), kind, terms, **how)


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
    return FinishedMatch(pairing.id, False, result.points, result.returns, result.faults, *[flags] * 4)


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


# A round-robin in which some pairs play more than others


def series_by_batch(tour):
    """The series of each batch, in order."""
    found = {}
    for pairing in tour.order:
        found.setdefault(pairing.cycle, {})[pairing.series] = None
    return [list(series) for series in found.values()]


def test_two_batches_are_planned_at_first():
    """Both are equal; a third follows when the first is over, whatever was played of the second."""
    tour = course(ALLOCATED, bots="ann bob cat")
    assert [["ann+bob#0", "ann+cat#0", "bob+cat#0"], ["ann+bob#1", "ann+cat#1", "bob+cat#1"]] == [
        sorted(batch) for batch in series_by_batch(tour)
    ]
    assert 36 == tour.size
    first, second = ([pairing for pairing in tour.order if pairing.cycle == number] for number in range(2))
    for pairing in (*second[:3], *first[:-1]):
        assert () == won_by_strength(tour, pairing).planned
    third = won_by_strength(tour, first[-1]).planned
    assert {2} == {pairing.cycle for pairing in third}
    assert 3 == len({pairing.series for pairing in third})


def test_a_batch_follows_from_the_batches_that_were_over_when_the_last_one_was_planned():
    """Batch 5 from what counted up to the end of batch 3, one batch being played meanwhile."""
    tour = course(ALLOCATED)
    play(tour)
    batches = series_by_batch(tour)
    assert [10] * 6 == list(map(len, batches))
    others = Closest()
    again = Batches(FORMATS["round-robin"].sets(tour.names, tour.terms), tour.terms)
    expected = [list(again.next()) for _ in range(2)]
    for batch in batches[:4]:
        for id in batch:
            pairings = [pairing for pairing in tour.order if pairing.series == id]
            matches = tuple((pairing, by_strength(pairing)) for pairing in pairings)
            others.closed(ClosedSeries(id, pairings[0].cycle, False, matches))
        expected.append(list(again.next(others.shares())))
    assert tour.order == [pairing for batch in expected for pairing in batch]


def test_where_a_rule_ends_it_what_is_planned_is_the_same_for_all():
    """The batch in which it ends and the next one, even if several batches counted at once."""
    for series_max in (1, 10, 11, 20, 30, 41):
        one, other = (course(ALLOCATED, rule=Closest(series_max)) for _ in range(2))
        play(one)
        first, *later = other.order
        waiting = later
        while waiting:  # nothing counts before the first match of all is played
            pairing = waiting.pop()
            waiting += won_by_strength(other, pairing).planned
        won_by_strength(other, first)
        rest = list(other.unplayed)
        while rest and not other.is_over:
            won_by_strength(other, rest.pop(0))
            rest = list(other.unplayed)
        assert other.order == one.order, series_max
        assert other.beyond == one.beyond, series_max
        assert one.is_cut
        assert -(-series_max // 10) + 1 == len(series_by_batch(one))


def test_a_bot_that_is_withdrawn_plays_on_in_turn_only():
    """From the batch on that is planned when its withdrawal counts; its opponents have the others."""
    tour = course(ALLOCATED, series=12)

    def note(course, pairing):
        without = course.ledger.without(pairing.id)
        outcomes = {bot: BotOutcome(abandoned=bot == "cat", withdrawn=bot in without) for bot in pairing.bots}
        return course.note(pairing.id, by_strength(pairing), outcomes)

    advances = play(tour, note=note)
    assert ["cat"] == [bot for advance in advances for bot in advance.withdrawn]
    batches = series_by_batch(tour)
    with_cat = [sum("cat" in series for series in batch) for batch in batches]
    assert [4, 4] == with_cat[:2]
    assert 4 * 10 // 10 == sum(with_cat[2:])


@given(seed=st.integers(0, 10**6), stop=st.integers(0, 90))
@settings(max_examples=25)
def test_withdrawals_and_the_order_of_results_change_no_batch(seed, stop):
    """Bots that fail are withdrawn at the same match, whoever ends first and wherever it is interrupted."""

    def outcomes(pairing, without):
        rng = random.Random(f"{pairing.id} {sorted(without)}")
        return {
            bot: BotOutcome(abandoned=bot in "dan eve" and rng.random() < 0.5, withdrawn=bot in without)
            for bot in pairing.bots
        }

    def note(course, pairing):
        without = course.ledger.without(pairing.id)
        return course.note(pairing.id, by_strength(pairing), outcomes(pairing, without))

    one, other = course(ALLOCATED), course(ALLOCATED)
    closed = [series for advance in play(one, note=note) for series in advance.closed]
    rng, finished, waiting, counted = random.Random(seed), {}, list(other.order), []
    for _ in range(stop):
        if not waiting:
            break
        pairing = waiting.pop(rng.randrange(len(waiting)))
        without = other.ledger.without(pairing.id)
        advance = note(other, pairing)
        flags = [tuple(each) for each in zip(*_flags(pairing, outcomes(pairing, without)), strict=True)]
        result = by_strength(pairing)
        finished[pairing.id] = FinishedMatch(
            pairing.id, False, result.points, result.returns, result.faults, *flags
        )
        for stale in advance.stale:
            finished.pop(stale, None)
            waiting.append(other.by_id[stale])
        waiting += advance.planned
    after = course(ALLOCATED)
    taken = take_in(after, finished)
    stale = {id for advance in taken for id in advance.stale}
    left = [pairing for pairing in after.order if pairing.id not in finished or pairing.id in stale]
    counted = [series.id for advance in (*taken, *play(after, rng, note, left)) for series in advance.closed]
    assert [series.id for series in closed] == counted
    assert one.order == after.order
    assert one.withdrawn == after.withdrawn


def _flags(pairing, outcomes):
    """By seat: abandoned, lagged, crashed, withdrawn."""
    return [attrs.astuple(outcomes[bot]) for bot in pairing.bots]


def test_a_match_is_built_upon_when_a_batch_was_planned_by_it():
    """The last two batches that are planned decide nothing yet."""
    tour = course(ALLOCATED)
    assert not any(map(tour.is_built_upon, tour.order))
    play(tour)
    assert {0, 1, 2, 3} == {pairing.cycle for pairing in tour.order if tour.is_built_upon(pairing)}
    equal = course()
    play(equal)
    assert not any(map(equal.is_built_upon, equal.order))
