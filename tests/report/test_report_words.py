"""Days and values in words."""

from __future__ import annotations

from typing import Any

import pytest

from arena.analysis.bot_page import LostHow
from arena.page.report import phrases as words

VALUES = [(True, "yes"), (False, "no"), (None, "–"), (2.5, "2.500"), (20, "20"), ("next", "next")]


@pytest.mark.parametrize(("value", "said"), VALUES)
def test_values_of_house_rules(value: Any, said: str) -> None:
    assert said == words.scalar(value)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (LostHow(9, by_faults=0, by_luck=0), "It was outplayed in all of its 9 lost matches."),
        (
            LostHow(9, by_faults=2, by_luck=1),
            "Of its 9 lost matches it failed in 2, lost 1 by luck alone and was outplayed in 6.",
        ),
        (LostHow(3, by_faults=3, by_luck=0), "Of its 3 lost matches it failed in 3."),
        (LostHow(1, by_faults=0, by_luck=1), "In its only lost match it lost by luck alone."),
    ],
)
def test_why_a_bot_lost(how: LostHow, said: str) -> None:
    """Only what there was is said."""
    assert said == words.losses(how)


def test_a_day_is_the_same_everywhere() -> None:
    """Days are the world's and in English."""
    assert "14 November 2023" == words.day(1_700_000_000)
