"""Numbers and trees in words."""

from __future__ import annotations

from typing import Any

import pytest

from arena.report import phrases as words

NUMBERS = [
    ((1612.4,), "1612"),
    ((16120.0,), "16,120"),
    ((-12.5, 1, "+"), "−12.5"),
    ((12.5, 1, "+"), "+12.5"),
    ((-0.0001, 2), "0.00"),
    ((1_234_567.0,), "1.2M"),
    ((0.12345, 3), "0.123"),
]


@pytest.mark.parametrize(("given", "said"), NUMBERS)
def test_numbers(given: tuple[Any, ...], said: str) -> None:
    """No minus zero, no more digits than asked for, large numbers short."""
    assert said == words.number(*given)


@pytest.mark.parametrize(
    ("share", "said"), [(0.0, "0%"), (0.004, "<1%"), (0.58, "58%"), (0.996, ">99%"), (1.0, "100%")]
)
def test_shares(share: float, said: str) -> None:
    """Only what is all is 100 %, and only nothing 0 %."""
    assert said == words.percent(share)


@pytest.mark.parametrize(("probability", "said"), [(0.0, "<1%"), (0.5, "50%"), (0.97, "97%"), (1.0, ">99%")])
def test_chances(probability: float, said: str) -> None:
    """No probability is called certain."""
    assert said == words.chance(probability)


@pytest.mark.parametrize(
    ("time_s", "said"),
    [
        (0.0, "0 µs"),
        (0.000008, "8 µs"),
        (0.00012, "0.12 ms"),
        (0.00996, "10 ms"),
        (0.045, "45 ms"),
        (0.9996, "1.0 s"),
        (12.34, "12.3 s"),
    ],
)
def test_times(time_s: float, said: str) -> None:
    """Times in the unit that leaves few digits."""
    assert said == words.seconds(time_s)


TREES = [
    ([["ann", ["AS", "KD"]], ["bob", []]], "ann AS KD, bob none"),
    ({"size": 40, "players": ["ann", "bob"]}, "size 40, players ann bob"),
    ([{"a": 1}, {"a": None}], "a 1, "),
    (True, "yes"),
    (None, "–"),
    (2.5, "2.500"),
    ([], "none"),
]


@pytest.mark.parametrize(("value", "said"), TREES)
def test_trees_on_a_line(value: Any, said: str) -> None:
    """JSON values with as few marks as they can be understood with."""
    assert said == words.inline(value)


def test_fields_that_say_nothing_are_left_out() -> None:
    """Of an event's fields those that are no or nothing are not said; a lone field goes without its name."""
    assert "player ann, all in" == words.fields_said(
        {"player": "ann", "amount": None, "all_in": True, "x": False}
    )
    assert "AS KD" == words.fields_said({"cards": ["AS", "KD"]})
    assert "" == words.fields_said({})


def test_a_day_is_the_same_everywhere() -> None:
    """Days are the world's and in English."""
    assert "14 November 2023" == words.day(1_700_000_000)
