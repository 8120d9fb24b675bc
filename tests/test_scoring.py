"""Points of one match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.scoring import points

CASES = [
    ("two seats, a win", (1, 2), (1.0, 0.0)),
    ("two seats, a tie", (1, 1), (0.5, 0.5)),
    ("three seats in order", (3, 1, 2), (0.0, 1.0, 0.5)),
    ("three seats, two share the first place", (1, 1, 3), (0.75, 0.75, 0.0)),
    ("three seats, two share the last place", (2, 1, 2), (0.25, 1.0, 0.25)),
    ("all the same", (1, 1, 1, 1), (0.5, 0.5, 0.5, 0.5)),
    ("five seats with a tie in the middle", (1, 2, 2, 4, 5), (1.0, 0.625, 0.625, 0.25, 0.0)),
]

Ranks = st.lists(st.integers(1, 6), min_size=2, max_size=8).map(
    lambda strengths: tuple(1 + sum(other < own for other in strengths) for own in strengths)
)


@pytest.mark.parametrize(("ranks", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_points_are_the_share_of_opponents_beaten(ranks, expected):
    """Points are the share of opponents beaten, ties half."""
    assert expected == points(ranks)


@given(Ranks)
def test_every_match_gives_away_the_same_points(ranks):
    """The points of a match sum to half its seats, and a better rank never gets fewer."""
    given_points = points(ranks)
    assert len(ranks) / 2 == pytest.approx(sum(given_points))
    assert all(0 <= each <= 1 for each in given_points)
    by_rank = sorted(zip(ranks, given_points, strict=True))
    assert by_rank == sorted(by_rank, key=lambda pair: (-pair[1], pair[0]))
