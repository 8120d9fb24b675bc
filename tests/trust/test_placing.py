"""A newcomer of a ladder is placed soon, and what is said about it is true."""

from __future__ import annotations

import pytest

from . import placing
from .placing import LadderOfNewcomers, placing_rows


@pytest.mark.slow
def test_a_newcomer_is_placed_in_a_few_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among thirty bots: within 100 Elo at all looks, before all bots together have played 2,000 matches."""
    monkeypatch.setattr(placing, "NEWCOMERS", 1)
    ladder = LadderOfNewcomers(2, placing.SEED)
    (found,) = ladder.newcomers()
    assert found.is_placed
    assert found.all_matches <= placing.MATCHES_MAX
    assert 100 * len(ladder.missed) / (placing.FIELD + 1) <= placing.MISSED_MAX


@pytest.mark.nightly
def test_newcomers_are_placed_and_intervals_hold() -> None:
    """Forty newcomers at each number of seats: every goal is met."""
    assert [] == [row.what for row in placing_rows() if row.goal and not row.goal.is_met(row.value)]
