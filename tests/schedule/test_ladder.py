"""A ladder that always goes on: the same rows give the same batches, and what a bot costs is its owner's."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import attrs
import pytest
from daily import NIGHTLY
from hypothesis import given, settings
from hypothesis import strategies as st
from laddering import CountingJudge, SimulatedBot, SimulatedLadder

from arena.schedule.ladder import AHEAD_LEAST, GROWTH
from arena.schedule.ladder_batch import TURN_PART, BatchPlan, BatchTerms
from arena.schedule.ladder_rows import BatchRow, LadderSettings, LadderStanding, PresentBot, Waiting
from arena.schedule.pairing import deals_in
from arena.schedule.turns import MeetingTurns
from arena.schedule.withdrawals import BotOutcome

SMALL = LadderSettings(series_most=40)
EARLY = LadderSettings(placed_within=1e9)
"""With one series everybody is placed, so that nothing but turns and openness decides."""
ABANDONED = BotOutcome(abandoned=True)
CRASHED = BotOutcome(crashed=True)


def alone(count, **other):
    """So many bots, each with an owner of its own."""
    return {f"b{number}@1": SimulatedBot(f"o{number}", **other) for number in range(count)}


def pairs_of(bots):
    return set(map(frozenset, combinations(bots, 2)))


def met(batches):
    """Every two bots -> after how many series they met first."""
    found, series = {}, dict.fromkeys(pairing.series for batch in batches for pairing in batch)
    sets = {pairing.series: pairing.bots for batch in batches for pairing in batch}
    for number, one in enumerate(series, 1):
        for pair in pairs_of(sets[one]):
            found.setdefault(pair, number)
    return found


@st.composite
def histories(draw):
    """A ladder after some batches with arrivals, departures, slow bots, and bots that fail."""
    seats = draw(st.integers(2, 4))
    owners = draw(st.integers(seats, 7))
    outcomes = st.sampled_from([BotOutcome()] * 5 + [ABANDONED, CRASHED])
    bots = {
        f"b{number}@{draw(st.integers(1, 3))}": SimulatedBot(
            f"o{number if number < owners else draw(st.integers(0, owners - 1))}",
            strength=draw(st.sampled_from([0.0, 100.0, 400.0])),
            seconds=draw(st.sampled_from([0.01, 0.1, 3.0, 25.0])),
            outcome=draw(outcomes),
        )
        for number in range(draw(st.integers(owners, 10)))
    }
    world = SimulatedLadder(
        bots,
        settings=attrs.evolve(SMALL, owners_may_meet=draw(st.booleans())),
        seats=seats,
        tables=draw(st.integers(1, 3)),
        seed=draw(st.integers(0, 2**128 - 1)),
    )
    for _ in range(draw(st.integers(1, 6))):
        world.batch(draw(st.lists(st.sampled_from(sorted(bots)), unique=True)))
    return world


# The contract


@given(histories(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_the_same_rows_plan_the_same(world, rng):
    """Whoever replays them, in whatever order a row names who was there and what closed."""
    again = world.replayed(rng)
    assert dict(world.ladder.open) == dict(again.open)
    assert (world.ladder.void, world.ladder.failed) == (again.void, again.failed)
    assert world.ladder.accounts == again.accounts
    assert world.judge.told == again._judge.told


@given(histories())
@settings(max_examples=40)
def test_only_those_who_are_present_are_paired_and_no_owner_meets_itself(world):
    """Whatever else is going on; and a series seats each of its bots once in each seat, on the same deals."""
    for row, planned in zip(world.rows, world.planned, strict=True):
        present = {each.bot: each.owner for each in row.present}
        blocks = {}
        for pairing in planned:
            blocks.setdefault(pairing.series, []).append(pairing)
            assert present.keys() >= set(pairing.bots)
            assert pairing.cycle == row.batch
            if not world.settings.owners_may_meet:
                assert len({present[bot] for bot in pairing.bots}) == len(pairing.bots)
        for block in blocks.values():
            assert len(block) == world.terms.seats == len(set(block[0].bots))
            assert len({pairing.seed for pairing in block}) == 1
            for seat in range(world.terms.seats):
                assert {pairing.bots[seat] for pairing in block} == set(block[0].bots)
    ids = [pairing.id for planned in world.planned for pairing in planned]
    assert len(set(ids)) == len(ids), "no match is planned twice"


@given(histories())
@settings(max_examples=40)
def test_every_series_is_open_void_or_counted(world):
    """And what counts was told in the order of batches, within a batch in that of the schedule."""
    order = list(dict.fromkeys(pairing.series for planned in world.planned for pairing in planned))
    told, void, open_ = world.judge.told, world.ladder.void, set(world.ladder.open)
    assert sorted([*told, *void, *open_]) == sorted(order)
    closed = [series for row in world.rows for series in sorted(row.closed, key=order.index)]
    assert told == [series for series in closed if series not in void]


@given(histories())
@settings(max_examples=20)
def test_a_bot_is_planned_ahead_only_as_far_as_it_is_quick(world):
    """So one that sleeps has no queue."""
    for number, row in enumerate(world.rows):
        ahead = Counter()
        for block in world.ladder.open.values():
            if block[0].cycle == number:
                ahead.update(block[0].bots)
        quick = Counter(bot for series in row.closed for bot in bots_of(world, series))
        assert all(many <= max(AHEAD_LEAST, GROWTH * quick[bot]) for bot, many in ahead.items())


def bots_of(world, series):
    return next(pairing.bots for planned in world.planned for pairing in planned if pairing.series == series)


# Who meets whom


@pytest.mark.parametrize(("seats", "count"), [(2, 9), (3, 9), (6, 12)])
def test_all_pairs_meet_in_turn(seats, count):
    """After five times as many series as there are pairs, though openness would only ever pair two of them."""

    class Stubborn(CountingJudge):
        def standing(self, bots):
            return LadderStanding(dict.fromkeys(bots, 0.0), {frozenset(["b0@1", "b1@1"]): 1.0})

    bots = alone(count)
    world = SimulatedLadder(bots, judge=Stubborn(), seats=seats)
    pairs, series = pairs_of(bots), 0
    while series <= TURN_PART * (len(pairs) + 1):
        series += len({pairing.series for pairing in world.batch()})
    found = met(world.planned)
    assert found.keys() == pairs
    assert max(found.values()) <= TURN_PART * (len(pairs) + 1)


def test_pairs_meet_in_turn_whoever_comes_and_goes():
    """One newcomer in each batch, who leaves after the next one, keeps nobody from meeting the others."""
    stay = alone(8)
    guests = {f"g{number}@1": SimulatedBot(f"g{number}") for number in range(60)}
    world = SimulatedLadder(stay | guests, settings=attrs.evolve(EARLY, series_most=16))
    for number in range(40):
        world.batch([*stay, f"g{number}@1", f"g{number + 1}@1"])
    found = met(world.planned)
    assert pairs_of(stay) <= found.keys()
    assert max(found[pair] for pair in pairs_of(stay)) <= TURN_PART * (len(pairs_of(stay)) + 10)


def test_a_newcomers_pairs_join_the_end_of_the_queue():
    """Those that waited before it came are in front of it, and those that met since then behind."""
    turns = MeetingTurns()
    for bot in "abc":
        turns.arrive(bot)
    turns.note("ab")
    turns.arrive("d")
    turns.note("ac")
    order = list(map("".join, turns.in_turn("abcd")))
    assert order.index("bc") == 0
    assert {"ab", "ad", "bd", "cd"} == set(order[1:5])
    assert order[5] == "ac"


def test_owners_of_new_versions_take_turns():
    """One series for each, then another; of one owner's, first those that have played least."""
    owners = {"n1": "x", "n2": "x", "n3": "y", "old": "z", "older": "w"}
    turns = MeetingTurns()
    for bot in owners:
        turns.arrive(bot)
    shares = {frozenset([new, old]): 1.0 for new in ("n1", "n2", "n3") for old in ("old", "older")}
    conditions = BatchTerms(seats=2, seed=5, owners_may_meet=False, before=7, shares=shares)
    plan = BatchPlan(conditions, owners, dict.fromkeys(owners, 9), dict.fromkeys("wxyz", 9), turns)
    plan.place({"n1": 3, "n2": 0, "n3": 1}, 10)
    assert {"n1": 1, "n2": 4, "n3": 5} == Counter(bots[0] for bots in plan.chosen)


@given(st.integers(2, 4), st.integers(1, 8), st.integers(0, 2**64))
@settings(max_examples=20)
def test_new_versions_play_in_their_first_batch(seats, many, seed):
    """However many come at once, beside bots that are placed, and however small batches are."""
    old = alone(8)
    new = {f"n{number}@1": SimulatedBot(f"n{number}") for number in range(many)}
    small = attrs.evolve(EARLY, series_least=1, series_most=1)
    world = SimulatedLadder(old | new, settings=small, seats=seats, seed=seed)
    for _ in range(3):
        world.batch(old)
    planned = world.batch()
    assert new.keys() <= {bot for pairing in planned for bot in pairing.bots}


@pytest.mark.slow
def test_new_versions_come_first_until_they_are_placed():
    """As many series as they have room for, which doubles with every batch; later no more than others have."""
    bots = alone(12)
    world = SimulatedLadder(bots | {"n@1": SimulatedBot("n")}, batch_s=5.0)
    while not all(map(world.ladder.is_placed, bots)):
        world.batch(bots)
    planned = [len({pairing.series for pairing in world.batch() if "n@1" in pairing.bots}) for _ in range(10)]
    assert [2, 4, 8, 16, 32] == planned[:5]
    assert world.ladder.is_placed("n@1")
    assert sum(planned[6:]) / 4 < 25, "an even part is 19"


def test_the_rest_goes_to_pairs_whose_order_is_open():
    """By their shares, here three to one, as far as they have room."""

    turns, owners = MeetingTurns(), {bot: f"of {bot}" for bot in "abcdef"}
    for bot in owners:
        turns.arrive(bot)
    shares = {frozenset("ab"): 3.0, frozenset("cd"): 1.0}
    conditions = BatchTerms(seats=2, seed=5, owners_may_meet=False, before=7, shares=shares)
    rooms = dict.fromkeys(owners, 30)
    plan = BatchPlan(conditions, owners, rooms, dict.fromkeys(owners.values(), 30), turns)
    plan.open_order(36)
    assert {("a", "b"): 27, ("c", "d"): 9} == Counter(plan.chosen)
    plan.open_order(9)
    assert {("a", "b"): 30, ("c", "d"): 15} == Counter(plan.chosen)


# Playing time


def throughput(bots, batches, **other):
    """How many series have closed between these bots, and the world in which they played."""
    world = SimulatedLadder(bots, **other)
    for _ in range(batches):
        world.batch()
    return world


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "since"),
    [
        pytest.param(10.0, 0, id="a hundred times as long", marks=NIGHTLY),
        pytest.param(100.0, 40, id="a thousand times as long"),
    ],
)
def test_a_sleeper_costs_its_own_share(seconds, since):
    """It takes no more time than an equal part, and what it saved; the others play 90 % of what they did.

    Its first matches are played before anybody knows: those of 100 s are half of the first 40 batches.
    """
    quick, batches = alone(20, seconds=0.1), 100
    before = throughput(quick, batches, settings=EARLY)
    after = throughput(quick | {"z@1": SimulatedBot("z", seconds=seconds)}, batches, settings=EARLY)
    share = sum(after.spent.values()) / 21
    saved = 100 * sum(after.spent.values()) / sum(len(closed) * 2 for closed in after.closed_by_batch)
    assert after.spent["z"] <= share + saved + AHEAD_LEAST * 2 * seconds
    assert after.closed_with(quick, since) >= 0.9 * before.closed_with(quick, since)
    assert after.series_of("z@1") > 0


@pytest.mark.slow
def test_forty_of_one_owner_have_the_share_of_one():
    """Of the playing time, though each is new; and the others play as often as beside one of them."""
    others, batches = alone(10, seconds=0.1), 100
    one = throughput(others | {"z0@1": SimulatedBot("z", seconds=0.1)}, batches)
    many = {f"z{number}@1": SimulatedBot("z", seconds=0.1) for number in range(40)}
    forty = throughput(others | many, batches)
    share = sum(forty.spent.values()) / 11
    saved = 100 * sum(forty.spent.values()) / sum(len(closed) * 2 for closed in forty.closed_by_batch)
    assert forty.spent["z"] <= share + 2 * saved
    assert forty.closed_with(others) >= 0.9 * one.closed_with(others)
    assert all(forty.series_of(bot) for bot in many), "each of them plays"


@pytest.mark.slow
def test_time_is_shared_equally_where_all_want_it():
    """Between owners of one bot, of three bots, and of bots that take twice or half as long."""
    bots = alone(6, seconds=0.1)
    bots |= {f"t{number}@1": SimulatedBot("three", seconds=0.1) for number in range(3)}
    bots |= {"slow@1": SimulatedBot("slow", seconds=0.2), "quick@1": SimulatedBot("quick", seconds=0.05)}
    world = throughput(bots, 150, settings=EARLY)
    spent = {owner: seconds / max(world.spent.values()) for owner, seconds in world.spent.items()}
    assert spent["slow"] < 1.3 * spent["o0"]
    assert spent["three"] < 1.3 * spent["o0"]
    assert spent["quick"] > 0.4 * spent["o0"]


def test_where_nobody_else_wants_it_a_share_does_not_matter():
    """Two owners, one of a sleeper: they go on playing, as there is nobody whom that could cost anything."""
    bots = {"a@1": SimulatedBot("a", seconds=3.0), "b@1": SimulatedBot("b")}
    world = throughput(bots, 60)
    assert world.ladder.accounts.of("a") < 0
    assert all(world.closed_by_batch[-20:])


@pytest.mark.slow
def test_a_debt_is_not_forgiven_for_leaving():
    """Nor with a new version: the account is the owner's."""
    bots = alone(5) | {"z@1": SimulatedBot("z", seconds=15.0), "z@2": SimulatedBot("z", seconds=15.0)}
    world = SimulatedLadder(bots, settings=EARLY)
    others = alone(5)
    while not world.ladder.accounts.is_overdrawn("z"):
        world.batch([*others, "z@1"])
    for _ in range(8):  # what it had begun is still booked
        world.batch(others)
    debt = world.ladder.accounts.of("z")
    for _ in range(5):
        world.batch(others)
    assert debt == world.ladder.accounts.of("z")
    assert not any("z@2" in pairing.bots for pairing in world.batch([*others, "z@2"]))
    assert "share" == world.ladder.waits("z@2").reason


# Who leaves, and who fails


def test_what_was_planned_for_a_bot_that_left_is_void():
    """It never counts, for nobody; when the bot is back, its next series has a number of its own."""
    world = SimulatedLadder(alone(2, seconds=100.0))
    planned = {pairing.series for pairing in world.batch()}
    assert planned == {"b0@1+b1@1#0.0", "b0@1+b1@1#0.1"}
    assert () == world.batch(["b0@1"])
    assert planned == world.ladder.void
    assert "b0@1+b1@1#0.2" == world.batch()[0].series
    assert not world.judge.told


@pytest.mark.parametrize(
    ("rule", "outcome", "reason"),
    [
        ("abandoned in three matches", ABANDONED, "abandoned"),
        ("more than three crashes", CRASHED, "crashed"),
    ],
)
def test_a_bot_fails_by_what_counts(rule, outcome, reason):
    """By its closed series in their order; what comes after them is void, and it is not paired again."""
    world = SimulatedLadder(alone(5) | {"z@1": SimulatedBot("z", outcome=outcome)})
    for _ in range(6):
        world.batch()
    assert {"z@1": reason} == world.ladder.failed
    counted = [series for series in world.judge.told if "z@1" in series]
    assert len(counted) == 2, rule
    assert not any("z@1" in pairing.bots for planned in world.planned[2:] for pairing in planned)
    assert Waiting("failed") == world.ladder.waits("z@1")


@pytest.mark.parametrize(("among", "fails"), [(8, False), (1000, True)])
def test_a_bot_that_seldom_crashes_plays_on(among, fails):
    """However long it plays: a crash is forgotten once enough matches have gone by."""

    class Seldom(SimulatedLadder):
        def _result(self, pairing):
            crashes = "z@1" in pairing.bots and len(self.results) % 10 == 0
            found = super()._result(pairing)
            return attrs.evolve(found, outcomes=found.outcomes | {"z@1": CRASHED}) if crashes else found

    rare = LadderSettings(restarts_max=3, crashes_among=among, placed_within=1e9)
    world = Seldom(alone(1) | {"z@1": SimulatedBot("z")}, settings=rare)
    for _ in range(6):
        world.batch()
    assert len(world.results) >= 60
    assert fails == ("z@1" in world.ladder.failed)


def test_what_closed_after_a_bot_had_failed_is_void():
    """Though it closed in the same batch: as if series were played one after the other."""
    strict = LadderSettings(withdrawn_after=1)
    world = SimulatedLadder(alone(1) | {"z@1": SimulatedBot("z", outcome=ABANDONED)}, settings=strict)
    for _ in range(2):
        world.batch()
    assert ("b0@1+z@1#0.0", "b0@1+z@1#0.1") == world.closed_by_batch[0]
    assert ["b0@1+z@1#0.0"] == world.judge.told
    assert {"b0@1+z@1#0.1"} == world.ladder.void


def test_at_the_end_what_is_open_is_played_and_nothing_more_is_planned():
    """Also by an owner who has used more than its share; what follows an end is another ladder."""
    world = SimulatedLadder(alone(3) | {"z@1": SimulatedBot("z", seconds=100.0)}, tables=1)
    for _ in range(3):
        world.batch()
    assert any("z@1" in block[0].bots for block in world.ladder.open.values())
    for _ in range(200):
        if not world.ladder.open:
            break
        assert () == world.batch(ends=True)
    assert not world.ladder.open
    after = BatchRow(batch=len(world.rows), present=())
    assert f"batch {after.batch} goes on after an end" == world.ladder.refusal(after, {})


def test_bots_that_connect_are_never_dealt_the_same_twice():
    """They may remember; the series of all others share their deals, and both are planned again."""
    bots = alone(3) | {"c@1": SimulatedBot("c", connects=True)}
    world = SimulatedLadder(bots)
    for _ in range(3):
        world.batch()
    world.replayed()
    found = {("c@1" in one.bots, deals_in(one, world.terms.seed)) for batch in world.planned for one in batch}
    assert {(True, "fresh"), (False, "same")} == found


def test_a_lost_connection_is_no_crash():
    """Whoever connects may close the laptop: those matches are lost, and the bot may come back."""
    outcome = BotOutcome(abandoned=True, crashed=True)
    for connects in (False, True):
        bots = alone(3) | {"c@1": SimulatedBot("c", outcome=outcome, connects=connects)}
        world = SimulatedLadder(bots)
        for _ in range(6):
            world.batch()
        assert ("c@1" in world.ladder.failed) != connects


def test_lag_of_the_arena_makes_nobody_fail():
    """A match in which a bot was abandoned and lagged says too little about it."""
    lagged = BotOutcome(abandoned=True, lagged=True)
    world = SimulatedLadder(alone(3) | {"z@1": SimulatedBot("z", outcome=lagged)})
    for _ in range(6):
        world.batch()
    assert not world.ladder.failed


# What is said


def test_what_a_bot_waits_for_is_said():
    """Its place in the queue and the matches before it, or why it is not in the queue."""
    world = SimulatedLadder(alone(4), tables=0)
    pending = [pairing for pairing in world.batch() for _ in (0,)]
    order = list(dict.fromkeys(pairing.series for pairing in pending))
    for bot in world.bots:
        place = next(number for number, series in enumerate(order, 1) if bot in bots_of(world, series))
        assert Waiting("match", place=place, matches=2 * (place - 1)) == world.ladder.waits(bot, pending)
        assert Waiting("match") == world.ladder.waits(bot), "all of its matches have begun"
    assert Waiting("absent") == world.ladder.waits("x@1")
    world.batch(["b0@1"])
    assert Waiting("opponents") == world.ladder.waits("b0@1")


def test_new_versions_begin_before_others_and_overdrawn_owners_wait():
    """Within that, those whose owners have most left; what was spent since then counts."""
    bots = alone(4)
    world = SimulatedLadder(
        bots | {"n@1": SimulatedBot("n")}, settings=attrs.evolve(SMALL, placed_within=300)
    )
    while not all(map(world.ladder.is_placed, bots)):
        world.batch(bots)
    planned = world.batch()
    order = world.ladder.next_first(planned)
    new = ["n@1" in pairing.bots for pairing in order]
    assert new == sorted(new, reverse=True)
    assert any(new)
    later = world.ladder.next_first(planned, {"o0": 1e6})
    assert later == [pairing for pairing in order if "b0@1" not in pairing.bots]


@pytest.mark.parametrize(
    ("mistake", "row", "said"),
    [
        ("a batch left out", BatchRow(batch=2, present=()), "batch 2 stands where batch 1 was expected"),
        (
            "a bot twice",
            BatchRow(batch=1, present=(PresentBot("b0@1", "o0", 0),) * 2),
            "batch 1 says twice that a bot is present",
        ),
        (
            "another owner",
            BatchRow(batch=1, present=(PresentBot("b0@1", "o1", 0),)),
            "b0@1 had another owner before batch 1",
        ),
        (
            "an arrival before it was there",
            BatchRow(batch=1, present=(PresentBot("x@1", "o1", 0),)),
            "x@1 was first present in batch 1, not in 0",
        ),
        (
            "an arrival later than it was there",
            BatchRow(batch=1, present=(PresentBot("b0@1", "o0", 1),)),
            "b0@1 was first present in batch 0, not in 1",
        ),
        (
            "the time of somebody who was never there",
            BatchRow(batch=1, present=(), spent={"x": 1.0}),
            "batch 1 charges x, of whom no bot was present",
        ),
        (
            "a series that nobody planned",
            BatchRow(batch=1, present=(), closed=("a+b#0",)),
            "batch 1 closes a+b#0, which is not open",
        ),
        (
            "a series that is not over",
            BatchRow(batch=1, present=(), closed=("b0@1+b1@1#0.0",)),
            "batch 1 closes b0@1+b1@1#0.0, of which a match is missing",
        ),
        (
            "no time",
            BatchRow(batch=1, present=(), spent={"o0": float("nan")}),
            "batch 1 has a playing time that is not a number of seconds",
        ),
    ],
)
def test_a_row_that_cannot_be_is_refused(mistake, row, said):
    """In one sentence; `verify` says it of a folder that was changed."""
    world = SimulatedLadder(alone(2), tables=0)
    world.batch()
    assert said == world.ladder.refusal(row, {}), mistake


@pytest.mark.slow
def test_a_long_ladder_is_planned_again():
    """Forty batches among bots that come and go, as one who goes on after a crash, or verifies, plans them."""
    rng = Random(3)
    bots = alone(20) | {f"x{number}@1": SimulatedBot("x", seconds=0.5) for number in range(5)}
    world = SimulatedLadder(bots, batch_s=2.0)
    for _ in range(40):
        world.batch(rng.sample(sorted(bots), 18))
    again = world.replayed(rng)
    assert dict(world.ladder.open) == dict(again.open)
