"""The simulation of `--until` does what a run does: the same margins, shares and batches."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from arena.analysis.stopping.goal import Goal
from arena.analysis.stopping.mixture import Mixture

from .until import Tournaments, leaders, mixture_bound, simulated
from .until_covariances import TIMES, declared_shares
from .until_fields import by_elo, in_circles, of_liars_dice, with_rare_losses


def test_the_simulation_sees_what_the_rule_sees():
    """The same series, one by one and as counts: the same margin, sureness and shares, with unequal numbers."""
    field, rng = by_elo([100, 50, 0, 0]), np.random.default_rng(3)
    until = Mixture(Goal(1, 0.9999), "abcd", 50, extremes=(0, 1))
    counts = np.zeros((1, 6, 3))
    for cycle in range(9):
        for place, (first, second) in enumerate(combinations("abcd", 2)):
            for _ in range(1 + (cycle + place) % 3):
                score = int(rng.choice(3, p=field.chances[place]))
                counts[0, place, score] += 1
                until.add({first: (score, 2), second: (2 - score, 2)})
        until.look()
    going = Tournaments(field, 1, 1, rng, allocates=True)
    seen = field.meetings(counts)
    leads = leaders(seen.scores, 1)
    going.plan(seen, leads)
    margins = seen.margins((0.0, 1.0))[0][0][np.ix_(np.flatnonzero(leads[0]), np.flatnonzero(~leads[0]))]
    assert until.margin == pytest.approx(margins.min())
    shares = dict(zip(map(frozenset, combinations("abcd", 2)), going.after[0], strict=True))
    assert until.shares() == pytest.approx(shares)


def test_batches_are_those_of_a_run():
    """A lap, then nine or ten series each: a tenth for all sets in turn, and the rest by the shares."""
    field = by_elo([0.0] * 8)
    going = Tournaments(field, 1, 2, np.random.default_rng(1), allocates=True)
    going.after = np.array([np.eye(28)[5], np.full(28, 1 / 28)])
    going.play(1)
    assert (going.counts.sum(-1) == 1).all()
    for cycle in range(2, 14):
        before = going.counts.sum(-1)
        going.play(cycle)
        assert (going.counts.sum(-1) - before).sum(-1).tolist() == [9 + (cycle % 3 == 1)] * 2
    played = going.counts.sum(-1)
    turns = 14 - 2
    assert (played[0][5], played[0].min()) == (1 + 4 * 28 - turns + 1, 1), "its own turn is one of them"
    assert played.sum(-1).tolist() == [5 * 28] * 2


def test_the_fields_are_what_they_say():
    """Ties and leaders by arithmetic."""
    assert by_elo([50, 0, 50, -9]).leaders(1) is None
    assert by_elo([50, 0, 50, -9]).leaders(2).tolist() == [True, False, True, False]
    for field in (in_circles(2, 0.8), with_rare_losses(4)):
        assert field.chances.sum(1) == pytest.approx(1)
        assert field.leaders(1) is None
    assert np.flatnonzero(of_liars_dice().leaders(1)).tolist() == [6]


@pytest.mark.slow
def test_an_even_field_is_hardly_ever_settled():
    """Two even bots of which either may be declared: at most 5 % of 400 tournaments, within two standard errors."""
    found = simulated(by_elo([0, 0]), 1, mixture_bound, 60, runs=400)
    assert found.wrong <= 0.05 + 2 * (0.05 * 0.95 / 400) ** 0.5
    assert (found.settled, found.cycles > 55) == (found.wrong, True)


@pytest.mark.slow
def test_three_bots_on_a_line_are_as_bad_as_one_pair():
    """Leaders at either end are declared as often as a single motion is beyond the bound; in a plane less often."""
    rng = np.random.default_rng(2)
    steps = rng.normal(size=(400, len(TIMES), 2)) * np.sqrt(np.diff(TIMES, prepend=0.0))[:, None]
    walks = steps.cumsum(axis=1) / np.sqrt(TIMES)[:, None]
    pair, line = (
        declared_shares(walks, np.array(bots)) for bots in ([[1, 0], [-1, 0]], [[1, 0], [0, 0], [-1, 0]])
    )
    triangle = declared_shares(walks, np.array([[1, 0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]]))
    assert 0 < line == pair
    assert triangle < pair
