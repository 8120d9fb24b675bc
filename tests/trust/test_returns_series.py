"""The series on which conclusions about returns are tried: real ones, in which luck is shared as it should be."""

import numpy as np
import pytest

from .returns_series import against_field, careful, fish, head_to_head, poker, shoving


@pytest.mark.slow
def test_equal_bots_win_nothing_of_each_other():
    """All in against all in on the same deals: what one seat wins the other wins back, in every series."""
    game = poker(hands=3)
    assert not head_to_head(game, shoving, shoving, 5).values.any()
    assert not against_field(game, shoving, shoving, shoving, 5).values.any()


@pytest.mark.slow
def test_series_are_the_same_in_every_measurement():
    """Seeded by their number alone, within the bounds, in the unit of the game."""
    game = poker(hands=1)
    once, again = (head_to_head(game, shoving, fish, 30) for _ in range(2))
    assert np.array_equal(once.values, again.values)
    assert np.array_equal(once.scores, again.scores)
    low, high = game.returns_bounds(2)
    assert (
        low / game.returns_unit[1] <= once.values.min() < 0 < once.values.max() <= high / game.returns_unit[1]
    )
    assert set(once.scores) <= {0.0, 0.25, 0.5, 0.75, 1.0}


@pytest.mark.slow
def test_a_fish_loses():
    """Who calls nearly everything loses to who looks at its cards: the bots play as their names say."""
    assert head_to_head(poker(hands=10), careful(0.62), fish, 20).values.mean() > 300
