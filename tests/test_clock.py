"""Limits and banks, as arithmetic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.clock import Control, Limit, SeatClock

# Name, control, then what one seat does: (limit expected, is it a first answer, time spent, bank afterwards).
CASES = [
    (
        "per move alone: every limit is the same",
        Control(move_s=1.0),
        [(1.0, False, 0.9, None), (1.0, False, 5.0, None)],
    ),
    (
        "a bank runs down and grows by the increment",
        Control(move_s=None, bank_s=3.0, increment_s=0.5),
        [(3.0, False, 1.0, 2.5), (2.5, False, 2.5, 0.5), (0.5, False, 0.25, 0.75)],
    ),
    (
        "a bank is never overdrawn",
        Control(move_s=None, bank_s=1.0),
        [(1.0, False, 4.0, 0.0), (0.0, False, 0.5, 0.0)],
    ),
    (
        "both at once: the smaller limits",
        Control(move_s=2.0, bank_s=3.0),
        [(2.0, False, 2.0, 1.0), (1.0, False, 0.25, 0.75)],
    ),
    (
        "an overdrawn bank still gets its increment",
        Control(move_s=None, bank_s=1.0, increment_s=0.25),
        [(1.0, False, 2.0, 0.25), (0.25, False, 0.0, 0.5)],
    ),
    (
        "the margin is granted on top and costs nothing",
        Control(move_s=None, bank_s=1.0, margin_s=0.25),
        [(1.0, False, 0.25, 1.0), (1.0, False, 0.75, 0.5)],
    ),
    (
        "the first answer has its own limit and costs nothing",
        Control(move_s=0.5, bank_s=2.0, first_s=10.0),
        [(10.0, True, 8.0, 2.0), (0.5, False, 0.5, 1.5)],
    ),
    (
        "a first answer never has less than others",
        Control(move_s=60.0, first_s=10.0),
        [(60.0, True, 1.0, None)],
    ),
    ("a first answer adds the increment", Control(bank_s=1.0, increment_s=0.5), [(10.0, True, 9.0, 1.5)]),
    ("no limit at all is endless", Control(move_s=None), [(float("inf"), False, 1e9, None)]),
]


@pytest.mark.parametrize(
    ("control", "answers"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_limits_and_banks(control, answers):
    """Each question's limit follows from the control and the answers before."""
    clock = SeatClock(control)
    for limit_s, first, elapsed_s, bank_s in answers:
        limit = clock.limit(first=first)
        assert Limit(limit_s, control.margin_s, first) == limit
        assert limit_s + control.margin_s == limit.total_s
        clock.spend(elapsed_s, limit)
        assert bank_s == clock.bank_s


@given(
    st.floats(0.01, 100),
    st.floats(0, 10),
    st.floats(0, 1),
    st.lists(st.tuples(st.floats(0, 200), st.booleans()), max_size=30),
)
def test_a_bank_stays_between_nothing_and_all_that_was_given(bank_s, increment_s, margin_s, answers):
    """However a bot answers, its bank is never negative and never more than bank and increments together."""
    clock = SeatClock(Control(move_s=None, bank_s=bank_s, increment_s=increment_s, margin_s=margin_s))
    for number, (elapsed_s, first) in enumerate(answers, 1):
        clock.spend(elapsed_s, clock.limit(first=first))
        assert increment_s <= clock.bank_s <= (bank_s + number * increment_s) * (1 + 1e-9)
