"""Withdrawals follow from the schedule's order, never from what was played in parallel."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from round_robins import round_robin

from arena.schedule import Pairing
from arena.schedule.withdrawals import BotOutcome, Consequence, Ledger

FINE, ABANDONED, CRASHED = BotOutcome(), BotOutcome(abandoned=True), BotOutcome(crashed=True)
BOTH = BotOutcome(abandoned=True, crashed=True)
LAGGED = BotOutcome(abandoned=True, lagged=True)
OUT = BotOutcome(withdrawn=True)
RULES = {"withdrawn_after": 2, "restarts_max": 1}


def pairing(number, *bots):
    return Pairing(id=f"m{number}", game="g", bots=bots, seed=0, series="s", rotation=0, cycle=0)


def schedule(*tables):
    """Matches m0, m1, …, each given by the letters of its bots."""
    return [pairing(number, *bots) for number, bots in enumerate(tables)]


def note_all(ledger, outcomes):
    """Takes in what a folder holds; gives the matches that are to be played again."""
    news = [ledger.note(pairing, bots) for pairing, bots in outcomes.items()]
    return tuple(stale for one in news for stale in one.stale)


def withdrawals(order, outcomes):
    """Who is withdrawn, and from which index of `order` on, as far as these finished matches decide it."""
    ledger = Ledger(order, **RULES)
    note_all(ledger, outcomes)
    return ledger.withdrawn


# Name, tables, outcomes of a in its matches from the first (other bots are fine), who is withdrawn where.
CASES = [
    ("nothing finished", ["ab", "ab"], [], {}),
    ("one abandoned is not enough", ["ab", "ab"], [ABANDONED, FINE], {}),
    ("two in succession are", ["ab", "ab", "ab"], [ABANDONED, ABANDONED], {"a": 2}),
    ("a good one in between begins anew", ["ab"] * 4, [ABANDONED, FINE, ABANDONED, FINE], {}),
    ("matches of others between do not count", ["ab", "bc", "ca", "bc"], [ABANDONED, ABANDONED], {"a": 3}),
    ("one crash is forgiven", ["ab", "ab"], [CRASHED, FINE], {}),
    ("crashes need no succession", ["ab"] * 4, [CRASHED, FINE, CRASHED], {"a": 3}),
    ("the arena's own lag withdraws nobody", ["ab"] * 4, [LAGGED] * 4, {}),
    ("nor does it end the row", ["ab"] * 4, [ABANDONED, LAGGED, ABANDONED], {"a": 3}),
    ("both at once count for both", ["ab"] * 3, [BOTH, BOTH], {"a": 2}),
    ("once withdrawn, always withdrawn", ["ab"] * 4, [ABANDONED, ABANDONED, OUT, OUT], {"a": 2}),
]


@pytest.mark.parametrize(("tables", "fate", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_when_a_bot_is_withdrawn(tables, fate, expected):
    """After so many abandoned matches in succession, or one crash too many."""
    order = schedule(*tables)
    own = [each for each in order if "a" in each.bots]
    left = {each.id for each in own[len(fate) :]}
    outcomes = {each.id: dict.fromkeys(each.bots, FINE) for each in order if each.id not in left}
    for each, outcome in zip(own, fate, strict=False):
        outcomes[each.id]["a"] = outcome
    assert expected == withdrawals(order, outcomes)


def test_an_unfinished_match_ends_the_walk():
    """What lies behind an unfinished match decides nothing until that one is finished."""
    ledger = Ledger(schedule("ab", "ab", "ab"), **RULES)
    bad, good = {"a": ABANDONED, "b": FINE}, {"a": FINE, "b": FINE}
    assert Consequence() == ledger.note("m1", bad)
    assert Consequence() == ledger.note("m2", bad)
    assert not ledger.is_settled("m1")
    news = ledger.note("m0", good)
    assert (Consequence({"a": 3}), {"a": 3}) == (news, ledger.withdrawn)
    assert ledger.is_settled("m1")


def test_matches_begun_too_early_are_to_be_played_again():
    """A match in which a withdrawn bot played does not count until it is played without it."""
    ledger = Ledger(schedule("ab", "ab", "ab", "bc"), **RULES)
    bad = {"a": ABANDONED, "b": FINE}
    ledger.note("m2", bad)
    ledger.note("m3", {"b": FINE, "c": FINE})
    assert not ledger.note("m0", bad)
    assert Consequence({"a": 2}, ("m2",)) == ledger.note("m1", bad)
    assert frozenset("a") == ledger.without("m2")
    assert frozenset() == ledger.without("m1")
    assert not ledger.is_settled("m3")  # of b an earlier match is open again
    assert Consequence() == ledger.note("m2", {"a": OUT, "b": FINE})
    assert ledger.is_settled("m3")


def test_a_bot_left_out_too_early_plays_after_all():
    """A match played without a bot that turns out not to be withdrawn by then is played again."""
    order = schedule("ab", "ab", "ab")
    ledger = Ledger(order, **RULES)
    fine = {"a": FINE, "b": FINE}
    stale = note_all(ledger, {"m0": fine, "m1": {"a": OUT, "b": FINE}, "m2": fine})
    assert stale == ("m1",)
    assert Consequence() == ledger.note("m1", fine)
    assert ledger.is_settled("m2")


def test_telling_a_settled_match_again_changes_nothing():
    """A match that is settled stays as it was, whatever is said of it later."""
    ledger = Ledger(schedule("ab", "ab"), **RULES)
    ledger.note("m0", {"a": FINE, "b": FINE})
    ledger.note("m0", {"a": ABANDONED, "b": FINE})
    ledger.note("m1", {"a": ABANDONED, "b": FINE})
    assert ledger.withdrawn == {}


@st.composite
def runs(draw):
    """A schedule, what each bot would do in each match, and an order in which matches come to their end."""
    tables = draw(st.lists(st.sets(st.sampled_from("abcd"), min_size=2, max_size=3), min_size=1, max_size=14))
    order = schedule(*(sorted(bots) for bots in tables))
    kinds = st.sampled_from([FINE, ABANDONED, CRASHED, BOTH])
    fate = {each.id: {bot: draw(kinds) for bot in each.bots} for each in order}
    return order, fate, draw(st.permutations([each.id for each in order]))


def play(order, fate, ending, ledger):
    """Plays every match until all count; what each was played like in the end."""
    played, due = {}, list(ending)
    while due:
        match = due.pop(0)
        out = ledger.without(match)
        played[match] = {bot: OUT if bot in out else how for bot, how in fate[match].items()}
        due += ledger.note(match, played[match]).stale
    return played


@pytest.mark.slow
@given(runs())
def test_parallel_play_ends_like_play_one_after_the_other(run):
    """In whatever order matches end, the same bots are withdrawn from the same place on."""
    order, fate, ending = run
    one, other = Ledger(order, **RULES), Ledger(order, **RULES)
    in_order = play(order, fate, [each.id for each in order], one)
    in_parallel = play(order, fate, ending, other)
    assert in_order == in_parallel
    assert one.withdrawn == other.withdrawn == withdrawals(order, in_parallel)
    assert all(other.is_settled(each.id) for each in order)


@pytest.mark.slow
@given(runs())
def test_play_in_order_repeats_nothing(run):
    """Played one after the other, no match is ever played again."""
    order, fate, _ = run
    ledger = Ledger(order, **RULES)
    for each in order:
        out = ledger.without(each.id)
        outcomes = {bot: OUT if bot in out else how for bot, how in fate[each.id].items()}
        assert ledger.note(each.id, outcomes).stale == ()


@pytest.mark.slow
@given(runs(), st.data())
def test_what_is_decided_stays_decided(run, data):
    """A run that was interrupted anywhere goes on as if it had not been."""
    order, fate, ending = run
    ledger = Ledger(order, **RULES)
    played = play(order, fate, ending, ledger)
    kept = data.draw(st.sets(st.sampled_from([each.id for each in order])))
    again = Ledger(order, **RULES)
    left = [each.id for each in order if each.id not in kept]
    stale = note_all(again, {match: played[match] for match in kept})
    assert set(again.withdrawn.items()) <= set(ledger.withdrawn.items())
    assert played == {match: played[match] for match in kept - set(stale)} | play(
        order, fate, [*stale, *left], again
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_a_long_run_is_kept_account_of_cheaply():
    """Telling the ledger a match costs no more after 100,000 of them than at the start."""
    bots = [f"bot{number}" for number in range(10)]
    kind = {"game": "g", "seats": 2, "series": 1111, "seed": 1, "deals": "same"}
    order = list(round_robin(bots, **kind))
    ledger = Ledger(order, **RULES)
    began = time.process_time()
    for each in reversed(order):
        ledger.note(each.id, dict.fromkeys(each.bots, FINE))
    # 99,990 matches, all settled by the last; quadratic work would take hours.
    assert time.process_time() - began < 10
    assert all(ledger.is_settled(each.id) for each in order)
