"""The judgement of an answer is a table: every row of it is here, by the rule that it stands for."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import FAULT_KINDS
from arena.match.clock import Limit
from arena.match.rulings import RULINGS, UNREAD, Arrival, is_given_up, ruling_on

LIMIT_S = 1.0
TIMES = {
    # arrival -> how long it took, when the arena had last listened, whether the question was handed over
    "in time": [(0.0, -0.5, True), (1.0, 0.9, True), (0.3, 0.2, False)],
    "unheard": [(1.0001, 1.0, True), (7.0, -3.0, True)],
    "late": [(1.0002, 1.0001, True), (7.0, 6.9, True)],
    "unread": [(1.0001, 0.0, False), (7.0, 6.9, False)],
}
WHAT = (None, *FAULT_KINDS)
LAG_IS_ASKED = None
RULES = [
    # rule, when, what it is, the fault, charged the limit, lagged
    ("in time, an answer is what it is", ("in time",), {None, "illegal", "malformed"}, ..., False, False),
    ("who gives up is silent", ("in time",), {"too_late"}, "too_late", False, LAG_IS_ASKED),
    (
        "silence costs one's own limit",
        ("unheard", "late", "unread"),
        {"too_late"},
        "too_late",
        True,
        LAG_IS_ASKED,
    ),
    ("in doubt it counts, for its limit", ("unheard",), {None, "illegal", "malformed"}, ..., True, True),
    ("late, whatever it is", ("late",), {None, "illegal", "malformed"}, "too_late", False, LAG_IS_ASKED),
    ("who does not read is gone", ("unread",), {None, "illegal", "malformed"}, "gone", False, False),
    ("gone is gone, whenever", tuple(TIMES), {"gone"}, "gone", False, False),
]
CASES = [
    pytest.param(
        arrival, what, what if fault is ... else fault, limit, lagged, id=f"{rule}: {arrival}, {what}"
    )
    for rule, arrivals, whats, fault, limit, lagged in RULES
    for arrival, what in product(arrivals, WHAT)
    if what in whats
]


@pytest.mark.parametrize(("arrival", "what", "fault", "costs_limit", "is_lagged"), CASES)
def test_a_case(arrival, what, fault, costs_limit, is_lagged):
    """What the answer comes to, at each time at which that is so."""
    for elapsed_s, heard_since_s, was_read in TIMES[arrival]:
        ruling = ruling_on(what, elapsed_s, heard_since_s, LIMIT_S, was_read)
        assert (fault, costs_limit, is_lagged) == (ruling.fault, ruling.is_charged_limit, ruling.is_lagged)


def test_every_row_is_one_of_these_cases():
    """The table has a row for each arrival and each kind of answer, and the rules say of each once what it is."""
    told = [(arrival, what) for arrival, what, *_ in (case.values for case in CASES)]
    rows = [(arrival, what) for arrival, row in RULINGS.items() for what in row]
    assert (
        sorted(map(str, rows)) == sorted(map(str, told)) == sorted(map(str, product(get_args(Arrival), WHAT)))
    )
    reached = {
        id(ruling_on(what, *times[:2], LIMIT_S, times[2]))
        for arrival, what in told
        for times in TIMES[arrival]
    }
    assert {id(ruling) for row in RULINGS.values() for ruling in row.values()} == reached


@given(
    what=st.sampled_from(WHAT),
    elapsed_s=st.floats(0, 1e6),
    heard_since_s=st.floats(-1e6, 1e6),
    limit_s=st.floats(0, 1e6) | st.just(inf),
    was_read=st.booleans(),
)
def test_nobody_pays_for_what_is_not_its_own(what, elapsed_s, heard_since_s, limit_s, was_read):
    """A move counts unless the arena knows that it is late; a fault is never undone; more than the limit is
    charged only to who was late, and lag excuses nobody who is gone."""
    ruling = ruling_on(what, elapsed_s, heard_since_s, limit_s, was_read)
    is_known_late = elapsed_s > limit_s and (heard_since_s > limit_s or not was_read)
    if what is None:
        assert is_known_late is (ruling.fault is not None)
    else:
        assert ruling.fault is not None
    if elapsed_s > limit_s and not ruling.is_charged_limit:
        assert ruling.fault in ("too_late", "gone")
    if ruling.fault == "gone":
        assert ruling.is_lagged is False


@pytest.mark.parametrize(
    ("arrival", "what", "told", "reason"),
    [
        ("in time", "malformed", "no JSON", "no JSON"),
        ("in time", "malformed", "", ""),
        ("unheard", "illegal", "{x} is not 1 to 6", "{x} is not 1 to 6"),
        ("late", None, "", "answered after 7.000 s; the limit is 0.9 s"),
        ("late", "malformed", "no JSON", "answered after 7.000 s; the limit is 0.9 s"),
        ("late", "too_late", "", "no answer within 0.9 s"),
        ("late", "too_late", "it still owed one", "it still owed one"),
        ("unread", "malformed", "no JSON", UNREAD),
        ("unread", "gone", "hung up", "hung up"),
    ],
)
def test_a_reason_is_the_players_own_where_it_tells_of_this_fault(arrival, what, told, reason):
    """The limit is told without its margin; what a bot wrote is never taken for a pattern."""
    *times, was_read = TIMES[arrival][-1]
    ruling = ruling_on(what, *times, LIMIT_S, was_read)
    assert reason == ruling.reason_for(what, told, times[0], Limit(0.9, 0.1))


@pytest.mark.parametrize(("faults", "is_over"), [(0, False), (4, False), (5, True), (6, True)])
def test_a_seat_is_given_up_with_the_last_fault_that_it_may_have(faults, is_over):
    """Not one later."""
    assert is_over is is_given_up(faults, 5)
