"""How matches begin and what comes of their ends: a dispatcher with grounds that play nothing."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace

import pytest
import trio
import trio.testing
from test_bookkeeper import SEED, Books

from arena.match.record import Entry
from arena.tournament.folder.intake import Intake
from arena.tournament.play.dispatcher import Dispatcher
from arena.tournament.play.grounds import TakenMatch
from arena.tournament.play.reporting import Silent


class Bare:
    """Grounds with room for everything, whose matches end when that is said."""

    looks_every_s = inf
    is_full = False

    def __init__(self, books):
        self.books = books
        self.running: list[TakenMatch] = []
        self.ended: list[TakenMatch] = []

    def follow(self, upcoming, has_room):
        pass

    def is_free(self, bot):
        return True

    def can_seat(self, pairing, without):
        return True

    has_room = can_seat

    def begin(self, pairing, without):
        return TakenMatch(pairing, without)

    def start(self, taken, matches, over):
        self.running.append(taken)
        self.over = over

    def end(self, taken):
        self.ended.append(taken)

    def drop(self, taken_on):
        pass

    def withdraw(self, bot):
        pass

    def look(self):
        pass

    def finish(self, *indices):
        """These matches, by their places in the order, end now."""
        for index in indices:
            self.over(self.running[index], self.books.entry(index))


async def kept_of(books, act) -> tuple[list[int], int, Bare]:
    """Runs a dispatcher and `act(grounds, nursery)` beside it; the matches kept, by their places in the
    order, in how many bundles, and the grounds."""
    grounds = Bare(books)
    keep, to_write = trio.open_memory_channel(inf)
    missing = tuple(pairing.id for pairing in books.order)
    dispatcher = Dispatcher(
        SimpleNamespace(seed=SEED, only=None, stop_at_fault=False),
        grounds,
        Silent(),
        books.summary,
        books.course,
        Intake(frozenset(), missing, (), missing),
        keep,
        stops_at=inf,
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(dispatcher.play)
        await trio.testing.wait_all_tasks_blocked()
        await act(grounds, nursery)
    keep.close()
    bundles = [bundle async for bundle in to_write]
    ids = [books.id(index) for index in range(len(books.order))]
    kept = [ids.index(one.match_id) for bundle in bundles for one in bundle if isinstance(one, Entry)]
    return kept, len(bundles), grounds


async def test_matches_that_end_together_are_kept_together():
    """Each is booked, in the order of their ends, and its bots are free again."""
    books = Books()

    async def act(grounds, nursery):
        grounds.finish(0, 2, 1)
        await trio.testing.wait_all_tasks_blocked()
        assert [grounds.running[index] for index in (0, 2, 1)] == grounds.ended
        grounds.finish(3, 4, 5)

    kept, bundles, _ = await kept_of(books, act)
    assert ([0, 2, 1, 3, 4, 5], 2) == (kept, bundles)


async def test_a_match_that_ends_with_its_course_does_not_count():
    """Its end and that of the course come in the same step: past the end nothing is booked, and all are freed."""
    books = Books(ends_after=1)

    async def act(grounds, nursery):
        grounds.finish(0, 1, 2, 3)

    kept, _, grounds = await kept_of(books, act)
    assert [0, 1] == kept
    assert set(grounds.running) == set(grounds.ended)
    assert 2 == books.summary.played


@pytest.mark.parametrize("ends_first", [True, False])
async def test_what_is_over_is_kept_if_the_run_is_cancelled(ends_first):
    """In the very step in which it ended; the other matches are broken off, and all are freed."""
    books = Books()

    async def act(grounds, nursery):
        if ends_first:
            grounds.finish(0, 1)
        nursery.cancel_scope.cancel()
        if not ends_first:
            grounds.finish(0, 1)

    kept, _, grounds = await kept_of(books, act)
    assert [0, 1] == kept
    assert set(grounds.running) == set(grounds.ended)
    assert 6 == len(grounds.ended)


async def test_matches_that_end_while_the_disk_is_waited_for_are_booked():
    """Even if they are the last ones, after which nothing more is heard."""
    books = Books(series=200)

    async def act(grounds, nursery):
        for index in range(len(grounds.running)):
            grounds.finish(index)
            if index % 3 == 0:
                await trio.lowlevel.cancel_shielded_checkpoint()

    kept, bundles, _ = await kept_of(books, act)
    assert [*range(len(books.order))] == kept
    assert bundles > 1
