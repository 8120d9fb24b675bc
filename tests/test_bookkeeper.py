"""The books of a run, without a run: told made-up matches, what they keep, take back and ask of the store."""

from __future__ import annotations

import gc
import tracemalloc
from itertools import count
from pathlib import Path

import pytest

import arena
from arena.analysis.live import Standings
from arena.match.record import Capsule, Decision, Entry, MatchRecord
from arena.schedule import FORMATS, Terms, match_id
from arena.schedule.course import Course
from arena.tournament.folder.changes import ExtendSchedule, Publish, Remove, SetPlaces, SetStatus
from arena.tournament.folder.intake import Intake
from arena.tournament.play.bookkeeper import Bookkeeper, Consequences
from arena.tournament.play.summary import Summary

SEED = 7


class Books:
    """A course between ann and bob or others, its books, and matches to tell them.

    A bot that abandons one match is withdrawn.  Each two successive matches are a series.
    """

    def __init__(self, bots="ann bob", tournament="round-robin", *, only=None, ends_after=None, **terms):
        counted = count(1)

        def is_enough(closed):
            return next(counted) == ends_after

        terms = {"game": "toy", "seats": 2, "series": 3, "seed": SEED, "deals": "same", **terms}
        self.course = Course(
            bots.split(),
            FORMATS[tournament],
            Terms(**terms),
            withdrawn_after=1,
            restarts_max=9,
            is_enough=is_enough,
        )
        self.order = self.course.order
        self.summary = Summary()
        missing = tuple(pairing.id for pairing in self.order)
        wanted = missing if only is None else missing[only : only + 1]
        intake = Intake(frozenset(), missing, (), wanted, replaced=None if only is None else wanted[0])
        self.bookkeeper = Bookkeeper(self.course, intake, self.summary, seed=SEED, plays_one=only is not None)

    def id(self, index: int) -> str:
        return match_id(SEED, self.order[index].id)

    def remove(self, *indices: int) -> Remove:
        return Remove(tuple(map(self.id, indices)))

    def entry(
        self, index: int, *, faulty=(), abandoned=(), withdrawn=(), error=None, fault="illegal"
    ) -> Entry:
        """The match at this place of the order; bots that are faulty or abandoned have one lagged fault each."""
        pairing = self.order[index]
        decisions = tuple(
            Decision(0, seat, None, 0.1, fault=fault, reason="no such move", lagged=True)
            for seat, bot in enumerate(pairing.bots)
            if bot in (*faulty, *abandoned)
        )
        record = MatchRecord(
            turns=(),
            decisions=decisions,
            ranks=(1, 2),
            returns=(1.0, -1.0),
            abandoned=tuple(bot in abandoned for bot in pairing.bots),
            capsules=tuple(Capsule(decision, 0, ()) for decision in decisions),
            error=error,
        )
        return Entry(
            match_id=self.id(index),
            pairing=pairing,
            deals="same",
            versions=("1", "1"),
            withdrawn=tuple(bot in withdrawn for bot in pairing.bots),
            record=record,
            points=() if error else (1.0, 0.0),
            packed=b"",
            decisions=decisions,
            started_at=0.0,
        )

    def note(self, index: int, **how) -> tuple[Entry, Consequences]:
        """Tells a match; what was told, and what followed."""
        entry = self.entry(index, **how)
        return entry, self.bookkeeper.note(entry)

    def told(self) -> object:
        """What the summary says of all matches."""
        return self.summary.played, self.summary.faults.total(), self.summary.lagged, self.summary.aborted


# What is kept


def test_a_match_is_kept_and_counted():
    """Nothing else follows from a match in which nothing happened."""
    books = Books()
    entry, news = books.note(0)
    assert ([entry], True, False, ()) == (news.changes, news.is_kept, news.ends_run, news.reinstated)
    assert ((1, 0, 0, []), entry) == (books.told(), books.summary.last)


def test_an_aborted_match_is_kept_and_listed():
    """A bug of the rules is told at the end, with the id of its match."""
    books = Books()
    entry, news = books.note(0, error="Traceback")
    assert [entry] == news.changes
    assert (1, 0, 0, [books.id(0)]) == books.told()


def test_a_replaced_match_is_removed_when_the_new_one_is_kept():
    """In one bundle, the old one first, as the store takes no match twice."""
    books = Books(only=1)
    entry, news = books.note(1)
    assert [books.remove(1), entry] == news.changes


def test_one_match_may_be_replaced_after_the_end():
    """`--only` plays again what is before the end of a course; that ends nothing a second time."""
    books = Books(only=1, ends_after=1)
    first, second = books.entry(0), books.entry(1)
    books.bookkeeper.note(first)
    assert not books.bookkeeper.note(second).ends_run
    again = books.bookkeeper.note(second)
    assert ([books.remove(1), second], True, False) == (again.changes, again.is_kept, again.ends_run)
    assert not books.summary.is_settled


# What it costs


OF_THE_ARENA = str(Path(arena.__file__).parent / "*")
"""What the modules of the arena keep: what other tests have left in this process, such as threads, keeps its own."""


@pytest.mark.slow
def test_a_match_that_counts_leaves_nothing_behind():
    """Books, course and live standings do not grow with what was played: a long run must fit in memory."""
    books, standings = Books(series=300), Standings()

    def plays(first: int, end: int) -> int:
        """Bytes in use after these matches."""
        for index in range(first, end):
            _, news = books.note(index)
            for closed in news.advance.closed:
                standings.add(closed)
        gc.collect()
        found = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, OF_THE_ARENA)])
        return sum(each.size for each in found.statistics("filename"))

    tracemalloc.start()
    try:
        before = plays(0, 100)
        grown = plays(100, 600) - before
    finally:
        tracemalloc.stop()
    assert grown < 8 * 500, "a byte for each of eight decisions"


# What a series hides


def test_capsules_are_shown_when_their_series_is_over():
    """They tell of a deal that the other rotation is still to be played with."""
    books = Books()
    entry, news = books.note(1, faulty=["ann"])
    assert [entry] == news.changes
    entry, news = books.note(0, faulty=["bob"])
    assert [entry, Publish((books.id(1), books.id(0)))] == news.changes


def test_a_series_without_capsules_shows_nothing():
    """The one after it does: each series is counted on its own."""
    books = Books()
    found = [news.changes[1:] for _, news in (books.note(n, faulty=["ann"] * (n == 2)) for n in range(4))]
    assert [[], [], [], [Publish((books.id(2),))]] == found


def test_a_series_of_which_a_match_is_played_again_stays_sealed():
    """Its deal is played once more."""
    books = Books()
    books.note(3, faulty=["bob"])
    books.note(1)
    _, news = books.note(0, abandoned=["ann"])  # 1 and 3 were played with ann
    assert not any(isinstance(change, Publish) for change in news.changes)
    _, news = books.note(1, withdrawn=["ann"])
    assert Publish((books.id(0),)) in news.changes
    _, news = books.note(2, withdrawn=["ann"])
    assert not any(isinstance(change, Publish) for change in news.changes)
    _, news = books.note(3, withdrawn=["ann"])
    assert any(isinstance(change, Publish) for change in news.changes)


# Withdrawals, and matches that were begun before they were known


def test_a_match_with_a_bot_that_was_withdrawn_before_is_taken_back():
    """Of the two later ones only the next is known to be stale: the other follows when that one is settled."""
    books = Books()
    books.note(2, faulty=["ann"])
    books.note(1, faulty=["bob"])
    assert (2, 2, 2, []) == books.told()
    entry, news = books.note(0, abandoned=["ann"])
    stale = books.order[1].id
    assert (("ann",), (stale,), True) == (news.advance.withdrawn, news.advance.stale, news.is_kept)
    assert [SetStatus("ann", "withdrawn"), books.remove(1), entry] == news.changes
    assert (2, 2, 2, []) == books.told()
    _, news = books.note(1, withdrawn=["ann"])
    assert (books.order[2].id,) == news.advance.stale
    assert (2, 1, 1, []) == books.told()


def test_the_arenas_own_lag_withdraws_nobody():
    """A late answer may have been its fault, an illegal one cannot."""
    for fault, withdrawn in (("too_late", ()), ("illegal", ("ann",))):
        _, news = Books().note(0, abandoned=["ann"], fault=fault)
        assert withdrawn == news.advance.withdrawn, fault


def test_a_match_that_ends_after_the_withdrawal_is_known_is_not_kept():
    """It was begun with the bot: it counts for nothing, and is still missing."""
    books = Books()
    kept, _ = books.note(0, abandoned=["ann"])
    _, news = books.note(1, faulty=["ann", "bob"], error="Traceback")
    assert ([books.remove(1)], False) == (news.changes, news.is_kept)
    assert ((1, 1, 1, []), kept) == (books.told(), books.summary.last)
    entry, news = books.note(1, withdrawn=["ann"])
    assert [entry, Publish((books.id(0),))] == news.changes


def test_what_counts_is_never_taken_back():
    """Matches before the withdrawal stay in the summary."""
    books = Books()
    for index in (0, 1):
        books.note(index, faulty=["bob"])
    books.note(2, abandoned=["ann"])
    assert (3, 3, 3, []) == books.told()


# What an adaptive format plans


def test_a_cycle_that_ends_brings_places_and_the_next_pairings():
    """A Swiss tournament: they are added to the schedule, in the bundle of the match that decided them."""
    books = Books("ann bob cat dan", "swiss", series=1, cycles=2)
    planned = len(books.order)
    for index in range(planned - 1):
        entry, news = books.note(index)
        assert [entry] == news.changes
    entry, news = books.note(planned - 1)
    assert 2 * planned == len(books.order)
    schedule = ExtendSchedule(tuple(books.order[planned:]))
    places = [SetPlaces(books.course.places)] if books.course.places else []
    assert [entry, schedule, *places] == news.changes
    assert tuple(books.order[planned:]) == news.advance.planned


def test_places_are_kept_where_a_format_ranks_by_them():
    """A knockout: after each cycle, who has come how far."""
    books = Books("ann bob cat dan", "knockout", series=1)
    semifinals = len(books.order)
    for index in range(semifinals):
        _, news = books.note(index)
    assert SetPlaces(books.course.places) == news.changes[-1]
    assert {1, 2, 3} >= set(books.course.places.values())


# The end of a course


def test_what_was_played_past_the_end_is_taken_back():
    """The store and the summary forget it, as if it had never been begun."""
    books = Books(ends_after=1)
    books.note(2, faulty=["ann"], error="Traceback")
    books.note(5)
    books.note(0)
    books.summary.first_fault = books.entry(2)
    entry, news = books.note(1)
    assert ([entry, books.remove(2, 5)], True) == (news.changes, news.ends_run)
    assert (2, 0, 0, []) == books.told()
    assert (entry, None, True) == (
        books.summary.last,
        books.summary.first_fault,
        books.summary.is_settled,
    )


def test_a_fault_before_the_end_is_still_the_first():
    """What stopped the run was within what counts."""
    books = Books(ends_after=1)
    fault, _ = books.note(0, faulty=["ann"])
    books.summary.first_fault = fault
    books.note(1)
    assert fault == books.summary.first_fault


def test_a_bot_withdrawn_past_the_end_is_not_withdrawn_after_all():
    """Cat fails against dan before ann and bob have ended the course."""
    books = Books("ann bob cat dan", "swiss", ends_after=1)
    books.note(3)
    _, news = books.note(2, abandoned=["cat"])
    assert {"cat", "dan"} == set(books.order[2].bots)
    assert SetStatus("cat", "withdrawn") in news.changes
    books.note(0)
    entry, news = books.note(1)
    assert ("cat",) == news.reinstated  # and match 3, which is stale, is not removed a second time
    assert [entry, books.remove(2), SetStatus("cat", "ok")] == news.changes


def test_a_bot_withdrawn_at_the_end_stays_withdrawn():
    """The match that it failed counts."""
    books = Books(ends_after=1)
    books.note(0)
    _, news = books.note(1, abandoned=["ann"])
    assert (True, (), ("ann",)) == (news.ends_run, news.reinstated, news.advance.withdrawn)


def test_nothing_is_told_after_the_end():
    """Matches that were going on are cancelled by then: it would be our bug."""
    books = Books(ends_after=1)
    books.note(0)
    books.note(1)
    with pytest.raises(AssertionError):
        books.note(2)
