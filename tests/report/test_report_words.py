"""Numbers and trees in words."""

from __future__ import annotations

from typing import Any

import pytest

from arena.report import phrases as words

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
