"""A tournament whose bots change: slots, versions, what stays planned, and who is forgiven."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule import FORMATS, Pairing, Terms
from arena.schedule.roster import Roster, RosterEntry, RosterSlot, is_version_name, successors
from arena.schedule.withdrawals import BotOutcome, Ledger

TERMS = Terms(game="toy", seats=2, series=2, seed=7, deals="same")
NAMES = tuple(f"bot-{number:02}" for number in range(12))


def roster(*acts: tuple[str, str]) -> Roster:
    return Roster(RosterEntry(act, slot) for act, slot in acts)


def ids(terms: Terms, bots) -> list[str]:
    return [pairing.id for pairing in FORMATS["round-robin"].pairings(bots, terms, {}, {})]


JOINED = [("join", "ann"), ("join", "bob")]


def test_a_version_takes_the_slot_of_the_one_before():
    """Its name says which it is, and the old one has left."""
    grown = roster(*JOINED, ("replace", "ann"), ("replace", "ann"))
    assert {"ann@3": "ann", "bob": "bob"} == grown.present
    assert {"ann": "replaced", "ann@2": "replaced"} == grown.left
    assert ["ann", "bob"] == list(grown.slots)


def test_an_excluded_bot_may_come_back():
    """Its slot is vacant meanwhile."""
    out = roster(*JOINED, ("without", "ann"))
    assert ({"bob": "bob"}, ("ann",), {"ann": "without"}) == (out.present, out.vacant, out.left)
    again = out.extended([RosterEntry("readmit", "ann")])
    assert ({"ann": "ann", "bob": "bob"}, {}, {}) == (again.present, again.left, again.forgiven)


def test_who_is_readmitted_without_having_been_excluded_is_forgiven():
    """Once for each time; a new version begins with clean hands anyway."""
    forgiven = roster(*JOINED, ("readmit", "ann"), ("readmit", "ann"))
    assert {"ann": 2} == forgiven.forgiven
    assert {} == forgiven.extended([RosterEntry("replace", "ann")]).forgiven


def test_a_slot_is_found_by_its_name_and_by_its_bots():
    """But not by the name of a version that has left."""
    grown = roster(*JOINED, ("replace", "ann"), ("replace", "ann"))
    assert RosterSlot("ann", 3) == grown.slot_of("ann") == grown.slot_of("ann@3")
    assert grown.slot_of("ann@2") is None


@pytest.mark.parametrize(
    ("name", "is_version"),
    [("ann@2", True), ("ann@22", True), ("ann@", False), ("a@2b", False), ("ann2", False)],
)
def test_names_of_versions_are_known(name, is_version):
    """`@` and digits at the end."""
    assert is_version == is_version_name(name)


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ({"ann": "ok", "bob": "withdrawn"}, {}),
        ({"ann": "replaced", "ann@2": "ok", "bob": "ok"}, {"ann": "ann@2"}),
        (
            {"ann": "replaced", **{f"ann@{n}": "replaced" for n in range(2, 11)}, "ann@11": "without"},
            {"ann": "ann@11", **{f"ann@{n}": "ann@11" for n in range(2, 11)}},
        ),
        ({"ann": "replaced", "ann@9": "ok", "ann@10": "left out"}, {"ann": "ann@9"}),
        ({"ann": "replaced", "ann@2": "left out", "ann@3": "left out"}, {"ann": "ann@2"}),
        ({"ann": "replaced"}, {}),
        ({"ann": "replaced", f"ann@{'9' * 5000}": "ok"}, {"ann": f"ann@{'9' * 5000}"}),
    ],
)
def test_an_old_version_is_known_by_the_one_in_its_place(statuses, expected):
    """One that could not be started has taken nobody's place."""
    assert expected == successors(statuses)


# What is planned.


@pytest.mark.slow
@given(st.sets(st.sampled_from(NAMES), max_size=4), st.sets(st.sampled_from(NAMES), max_size=4))
def test_nobody_elses_matches_change(replaced, excluded):
    """Pairs: the matches between bots that stayed are those there were, in their order, each lap whole."""
    slots = {name: None if name in excluded else f"{name}@2" if name in replaced else name for name in NAMES}
    present = [bot for bot in slots.values() if bot is not None]
    before, after = ids(TERMS, NAMES), ids(attrs.evolve(TERMS, slots=slots), present)
    staying = set(present) & set(NAMES)
    kept = [pairing for pairing in before if set(pairing.split("#")[0].split("+")) <= staying]
    assert set(kept) == {pairing for pairing in after if "@" not in pairing}
    terms = attrs.evolve(TERMS, slots=slots)
    assert len(after) == FORMATS["round-robin"].size(len(present), terms).matches


SAMPLED = Terms(game="toy", seats=4, series=1, seed=7, deals="same", sets="balanced")


@pytest.mark.parametrize("excluded", [(), ("bot-03",), ("bot-03", "bot-04", "bot-09")])
def test_a_sample_is_that_of_the_slots(excluded):
    """A new version meets the opponents of the old one; the sets of a vacant slot are left out."""
    slots = {name: None if name in excluded else name for name in NAMES} | {"bot-01": "bot-01@2"}
    present = [bot for bot in slots.values() if bot is not None]
    terms = attrs.evolve(SAMPLED, slots=slots)
    before, after = (
        [
            frozenset(pairing.bots)
            for pairing in FORMATS["round-robin"].pairings(bots, each, {}, {})
            if pairing.rotation == 0
        ]
        for bots, each in ((NAMES, SAMPLED), (present, terms))
    )
    renamed = [frozenset(slots[bot] for bot in one) for one in before]
    assert [one for one in renamed if None not in one] == after
    assert 4 * len(after) == FORMATS["round-robin"].size(len(present), terms).matches
    assert len(after) < len(before) or not excluded


# Withdrawal.


def outcome(is_bad: bool, is_out: bool = False):
    return {"ann": BotOutcome(abandoned=is_bad, withdrawn=is_out), "bob": BotOutcome()}


def matches(count: int) -> list[Pairing]:
    return [Pairing(f"p{index}", "toy", ("ann", "bob"), 1, f"s{index}", 0, index) for index in range(count)]


@pytest.mark.parametrize(("times", "withdrawn_at"), [(0, 2), (1, 4), (2, 6), (3, None)])
def test_who_is_forgiven_begins_again(times, withdrawn_at):
    """Two bad matches in a row withdraw a bot; each time that it was readmitted the count starts again."""
    ledger = Ledger(matches(7), withdrawn_after=2, restarts_max=9, forgiven={"ann": times})
    for pairing in matches(7):
        is_out = "ann" in ledger.without(pairing.id)
        ledger.note(pairing.id, outcome(not is_out, is_out))
    assert withdrawn_at == ledger.withdrawn.get("ann")


def test_what_was_played_without_it_becomes_stale():
    """Matches of default moves count no more, once their bot is readmitted."""
    ledger = Ledger(matches(4), withdrawn_after=2, restarts_max=9, forgiven={"ann": 1})
    played = [outcome(True), outcome(True), outcome(False, True), outcome(False, True)]
    news = [ledger.note(pairing.id, each) for pairing, each in zip(matches(4), played, strict=True)]
    assert [(), (), ("p2",), ()] == [one.stale for one in news]
    assert ("p3",) == ledger.note("p2", outcome(False)).stale, "it waited for the one before"
    assert not ledger.note("p3", outcome(False))
    assert {} == ledger.withdrawn
