"""Garbage is looked for rarely for a while, and as before afterwards."""

import gc

import pytest

from arena.schedule.collector import YOUNG_MAX, rarely_collected


@pytest.mark.parametrize("young", [700, 10 * YOUNG_MAX, 0])
def test_the_collector_is_as_before_afterwards(young):
    """Whoever collects more rarely, or never, goes on so."""
    before = gc.get_threshold()
    try:
        gc.set_threshold(young, 9, 8)
        with rarely_collected():
            assert (max(young, YOUNG_MAX) if young else 0, 9, 8) == gc.get_threshold()
            assert gc.get_freeze_count() > 0
        assert (young, 9, 8) == gc.get_threshold()
    finally:
        gc.set_threshold(*before)
