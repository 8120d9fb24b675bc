"""Parts of runs with workers, each by itself: orders that are dropped, ended in the same step, or played elsewhere."""

from __future__ import annotations

from array import array
from math import inf

import attrs
import msgspec
import pytest
import trio
import trio.testing
from tournaments import SHORT

from arena.match.record import Decision, Entry, MatchRecord, pack
from arena.schedule import Pairing
from arena.schedule.admission import Capacity
from arena.tournament.plan import Plan
from arena.tournament.play.grounds import TakenMatch
from arena.tournament.tournament import Tournament
from arena.tournament.workers import serve as serve_module
from arena.tournament.workers.crew import WorkerGrounds
from arena.tournament.workers.divided import Divided
from arena.tournament.workers.messages import (
    BeginWork,
    DropMatches,
    FromRun,
    FromWorker,
    GameSaid,
    MatchesDropped,
    MatchOrder,
    PlayMatches,
    WithdrawBot,
    decoded,
    encoded,
)
from arena.tournament.workers.pipe import Pipe
from arena.tournament.workers.post import WorkerPost, bundled
from arena.tournament.workers.serve import TOGETHER_S, Worker
from arena.tournament.workers.translation import entry_from, ordered_match, pairing_of, record_said

PAIRINGS = [
    Pairing(f"ann+bob#0/{each}", "liars-dice", ("ann", "bob"), 1 << 127, "ann+bob#0", each, 0)
    for each in range(3)
]
SETTING = Tournament(
    plan=Plan(seed=1, series=1),
    game=SHORT,
    entrants=(),
    capacity=Capacity.fixed(1),
    folder=None,
    versions={"ann": "1"},
)


def post_for(bots=("ann", "bob")):
    begin = BeginWork(
        "{}",
        b"\1",
        GameSaid("liars-dice", 1, None),
        (),
        frozenset(bots),
        {},
        "",
        (),
        None,
        frozenset(),
        (1, 1, 1.0),
        0,
        1,
    )
    post = WorkerPost("worker 1", begin, dict.fromkeys(bots, ""))
    post.wanted = 5
    return post


def crew_of(*posts):
    return WorkerGrounds(
        SETTING, posts, None, note=print, note_bug=print, note_lag=print, check=lambda said, post: None
    )


def begun(crew, pairing):
    """A match that is taken on as the dispatcher does it."""
    assert not crew.is_full
    assert crew.can_seat(pairing, frozenset())
    taken = crew.begin(pairing, frozenset())
    crew.start(taken, None, lambda taken, entry: None)
    return taken


def test_what_a_lost_worker_had_answered_is_not_ordered_again():
    """Nor what was to be dropped: that is dropped."""
    post = post_for()
    crew = crew_of(post)
    first, second, third = (begun(crew, pairing) for pairing in PAIRINGS)
    first.answer(None)
    crew.drop([second])
    crew.withdraw("cat")
    post.resubmit(["cat"])
    assert [WithdrawBot("cat"), ordered_match(third.number, third.pairing, frozenset())] == post.outbox
    assert second.is_answered
    assert not third.is_answered
    assert crew.is_full, "nobody is there"


async def test_a_worker_has_as_much_ahead_as_takes_half_a_second(autojump_clock):
    """By what its matches take, which are told some at a time; one, until that is known."""
    post = post_for()
    taken = iter(range(100))
    post.note_finished(1, 2)
    rooms = []
    for matches in (0, 5, 10):
        await trio.sleep(matches * 0.025)
        post.note_finished(matches, 2)
        post.taken_on.clear()
        while post.has_room:
            post.taken_on[next(taken)] = None
        rooms.append(len(post.taken_on))
    assert [2 + 1, 2 + 20, 2 + 20] == rooms


def test_a_bot_with_one_instance_has_one_match_at_a_time():
    """The worker is sent no second one to keep waiting, though it has room; others go on."""
    post = post_for()
    post.quotas = {"ann": 1}
    crew = crew_of(post)
    taken = begun(crew, PAIRINGS[0])
    assert not crew.is_free("ann")
    assert crew.is_free("bob")
    assert not crew.can_seat(PAIRINGS[1], frozenset())
    assert crew.can_seat(PAIRINGS[1], frozenset({"ann"})), "it is withdrawn from that one"
    crew.end(taken)
    assert crew.can_seat(PAIRINGS[1], frozenset())


def test_rotations_have_workers_of_their_own():
    """As long as these have room: an instance plays one rotation of shared deals only."""
    posts = post_for(), post_for()
    crew = crew_of(*posts)
    assert [posts[each % 2] for each in range(3)] == [begun(crew, pairing).post for pairing in PAIRINGS]


def test_orders_in_succession_are_one_message():
    """In the order in which they were said."""
    first, second, third = (
        ordered_match(number, pairing, frozenset()) for number, pairing in enumerate(PAIRINGS)
    )
    drop, withdraw = DropMatches((1,)), WithdrawBot("ann")
    assert [PlayMatches((first, second)), drop, withdraw, PlayMatches((third,))] == bundled(
        [first, second, drop, withdraw, third]
    )
    assert [] == bundled([])


class Full:
    """Grounds on which nothing can begin."""

    wanted, looks_every_s, is_full = 1, inf, True

    def __init__(self, is_full=True):
        self.is_full, self.done = is_full, []

    def follow(self, upcoming, has_room):
        self.upcoming = upcoming

    def look(self):
        pass

    def is_free(self, bot):
        return True

    def can_seat(self, pairing, without):
        return True

    def has_room(self, pairing, without):
        return not self.is_full

    def begin(self, pairing, without):
        self.done.append(pairing)
        return TakenMatch(pairing, without)


async def test_a_worker_drops_what_has_not_begun():
    """It says what that was, once; of what it does not know it says nothing."""
    ours, theirs = trio.testing.memory_stream_pair()
    run, here = Pipe[FromWorker](ours, FromWorker), Full()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Worker(SETTING, here, Pipe[FromRun](theirs, FromRun)).work)
        orders = tuple(ordered_match(number, pairing, frozenset()) for number, pairing in enumerate(PAIRINGS))
        await run.send(PlayMatches(orders), DropMatches((1, 77)))
        assert MatchesDropped((1,)) == await run.receive()
        assert [PAIRINGS[0], PAIRINGS[2]] == list(here.upcoming())
        await run.send(DropMatches((1, 2)))
        assert MatchesDropped((2,)) == await run.receive()
        nursery.cancel_scope.cancel()


class Timed(Full):
    """Grounds on which matches take so long, and all begin at once."""

    def __init__(self, *times_s):
        super().__init__(is_full=False)
        self.times_s = dict(zip([pairing.id for pairing in PAIRINGS], times_s, strict=True))

    async def play(self, taken):
        await trio.sleep(self.times_s[taken.pairing.id])
        return a_match(taken.pairing)

    def end(self, taken):
        pass


async def told_when(*times_s):
    """(numbers, seconds after the beginning) of two messages about matches that take so long."""
    ours, theirs = trio.testing.memory_stream_pair()
    run = Pipe[FromWorker](ours, FromWorker)
    began_at, heard = trio.current_time(), []
    async with trio.open_nursery() as nursery:
        worker = Worker(SETTING, Timed(*times_s), Pipe[FromRun](theirs, FromRun))
        nursery.start_soon(worker.work)
        orders = tuple(ordered_match(number, pairing, frozenset()) for number, pairing in enumerate(PAIRINGS))
        await run.send(PlayMatches(orders))
        for _ in range(2):
            heard.append(((await run.receive()).numbers, trio.current_time() - began_at))
        nursery.cancel_scope.cancel()
    return heard


async def test_matches_that_end_together_are_told_together(autojump_clock, monkeypatch):
    """Of the first of them the run hears a moment later; of the last one at once, as nothing is left to play."""
    monkeypatch.setattr(serve_module, "monotonic", lambda: 0.0)
    both, last = pytest.approx(1 + TOGETHER_S), pytest.approx(3)
    assert [((0, 1), both), ((2,), last)] == await told_when(1.0, 1 + TOGETHER_S / 2, 3.0)


async def test_all_workers_of_a_machine_tell_at_the_same_moments(autojump_clock, monkeypatch):
    """These do not depend on when a match ended: the run is not woken by each worker."""
    began_at = trio.current_time()
    monkeypatch.setattr(serve_module, "monotonic", lambda: trio.current_time() - began_at)
    for ends in (2.1, 2.9):
        told, _ = await told_when(ends * TOGETHER_S, 100.0, 200.0)
        assert ((0,), pytest.approx(3 * TOGETHER_S)) == told
        began_at = trio.current_time()


def test_a_match_that_waits_here_does_not_hold_up_those_there():
    """Each half of a divided run has tables of its own."""
    here, there = Full(), Full(is_full=False)
    grounds = Divided(here, there, bound={"ann"})
    assert not grounds.is_full
    assert not grounds.can_seat(PAIRINGS[0], frozenset())
    assert grounds.can_seat(PAIRINGS[0], frozenset({"ann"}))
    grounds.begin(PAIRINGS[0], frozenset({"ann"}))
    assert ([], [PAIRINGS[0]]) == (here.done, there.done)


def a_match(pairing):
    """A finished one, with a fault."""
    decisions = (Decision(1, 0, None, 0.25), Decision(2, 1, None, 1.5, "illegal", "no \udcff", True, True))
    record = MatchRecord((), decisions, (1, 2), (1.0, -1.0), (False, True), duration_s=2.0)
    return Entry(
        "",
        pairing,
        "same",
        ("1", ""),
        (False, True),
        record,
        (1.0, 0.0),
        pack(SHORT, ()),
        (decisions[1]._replace(move="[1]"),),
        5.5,
    )


def test_a_match_comes_back_as_it_was():
    """Everything that is kept of it, through bytes: halves of characters are escaped, turns unpacked when asked for.

    Decisions without faults come as what they come to.
    """
    pairing = pairing_of(ordered_match(1, PAIRINGS[0], frozenset()), "liars-dice")
    assert PAIRINGS[0] == pairing
    entry = a_match(pairing)
    record, decisions = entry.record, entry.record.decisions
    said = decoded(type(record_said(entry))).decode(encoded(record_said(entry)))
    back = entry_from(SETTING, pairing, frozenset({"bob"}), said)
    clean = decisions[1]._replace(reason="no \\udcff")
    same = attrs.evolve(
        entry,
        match_id=back.match_id,
        record=attrs.evolve(record, decisions=(), turns=back.record.turns),
        faults=(clean,),
        decisions=(clean._replace(move="[1]"),),
    )
    assert same == back
    assert [(1, 0.25, array("f", [0.25]).tobytes()), (1, 1.5, array("f", [1.5]).tobytes())] == [
        (totals.decisions, totals.think_s, totals.times) for totals in back.totals
    ]
    wrong = msgspec.structs.replace(
        said, totals=(said.totals[0], msgspec.structs.replace(said.totals[1], times=b""))
    )
    with pytest.raises(ValueError, match="found 0 times, expected those of 1 decisions"):
        entry_from(SETTING, pairing, frozenset(), wrong)
    assert [] == list(back.record.turns)
    with pytest.raises(ValueError, match="another number of seats"):
        entry_from(SETTING, attrs.evolve(pairing, bots=("ann", "bob", "cat")), frozenset(), said)


def test_orders_are_messages():
    """Their seeds have up to 512 bits."""
    order = ordered_match(1, attrs.evolve(PAIRINGS[0], seed=(1 << 512) - 1), frozenset({"ann"}))
    assert isinstance(order, MatchOrder)
    assert (1 << 512) - 1 == pairing_of(decoded(MatchOrder).decode(encoded(order)), "liars-dice").seed
