"""What games may say of chance: every draw with its probability."""

from collections import Counter
from math import fsum
from random import Random

import pytest
from test_bluff_contract import Short
from test_kuhn import KUHN

from arena.game import CHANCE, CHANCES_MAX
from arena.games.chamber import Chamber
from arena.games.chamber.moves import Pass, UseRebalancerItem
from arena.games.liars_dice import LiarsDice
from arena.testing import random_match


class Deck(Short):
    """Bluff with five cards."""

    deck = Short.deck[:5]


def rebalanced(game, seats, rng):
    """A state in which all Rebalancers were used, and chance is due."""
    while True:
        for _, step in random_match(game, seats, rng):
            asked = game.to_act(step.state)
            if step.state.due == "rebalance":
                answers = {seat: UseRebalancerItem("blank") for seat in asked[:1]}
                answers |= dict.fromkeys(asked[1:], Pass())
                return game.apply(step.state, answers).state


SMALL = Chamber(items_per_round=1, live_max=2, blank_max=2, chamber_max=5)
LISTED = {
    "Kuhn": (KUHN(), KUHN().start(2)),
    "a die each": (LiarsDice(dice=1), LiarsDice(dice=1).start(3)),
    "two coins each": (LiarsDice(dice=2, faces=2), LiarsDice(dice=2, faces=2).start(2)),
    "five cards": (Deck(), Deck().start(2)),
    "a chamber without items": (bare := Chamber(items_per_round=0, live_max=3, blank_max=3), bare.start(2)),
    "two items each": (two := Chamber(items_per_round=2, live_max=1, blank_max=1), two.start(2)),
    "a rebalance": (SMALL, rebalanced(SMALL, 2, Random(1))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTED)
def test_the_chances_are_those_of_draws(name):
    """As many draws as make each move come up often give these moves, each about as often as it should."""
    game, state = LISTED[name]
    chances = dict(game.chances(state))
    assert len(game.chances(state)) == len(chances) <= CHANCES_MAX
    assert fsum(chances.values()) == pytest.approx(1, abs=1e-12)
    rng, draws = Random(name), 30 * len(chances)
    drawn = Counter(game.draw(state, rng) for _ in range(draws))
    assert drawn.keys() <= chances.keys()
    spread = sum((drawn[move] - draws * p) ** 2 / (draws * p) for move, p in chances.items())
    degrees = len(chances) - 1
    assert abs(spread - degrees) < 4 * (2 * degrees) ** 0.5
    for move in chances:
        game.apply(state, {CHANCE: move})
