"""Days and values in words."""

from __future__ import annotations

from typing import Any

import pytest

from arena.page.report import phrases as words

VALUES = [(True, "yes"), (False, "no"), (None, "–"), (2.5, "2.500"), (20, "20"), ("next", "next")]


@pytest.mark.parametrize(("value", "said"), VALUES)
def test_values_of_house_rules(value: Any, said: str) -> None:
    assert said == words.scalar(value)


def test_a_day_is_the_same_everywhere() -> None:
    """Days are the world's and in English."""
    assert "14 November 2023" == words.day(1_700_000_000)
