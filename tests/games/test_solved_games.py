"""What `chances` and `moves_of` are for: any small game of two seats is solved by them alone, to its known value."""

from fractions import Fraction
from itertools import product

import attrs
import numpy as np
import pytest
from daily import nightly_rows
from test_kuhn import KUHN

from arena.game import CHANCE, Seat, moves_of
from arena.games.liars_dice import LiarsDice
from arena.match.information import first_information, next_information

SEATS = (Seat(0), Seat(1))
MOVES_MAX = 100


@attrs.frozen
class Level:
    """All moves after equally many turns, an array each: who moves (-1: chance), from which node to which."""

    mover: np.ndarray
    parent: np.ndarray
    child: np.ndarray
    share: np.ndarray
    """The probability of a move of chance."""
    choice: np.ndarray
    """The number of the choice that a move of a seat is: the same in all nodes that it cannot tell apart."""


class Solver:
    """The tree of a game of two seats with one decision at a time, and regret matching (CFR+) on it.

    O. Tammelin, "Solving Large Imperfect Information Games Using CFR+", arXiv:1407.5042.
    """

    def __init__(self, game):
        self.levels, ends, self.nodes, self.rounds = [], [], 1, 0
        self.choices = {}  # by what the seat knows, and the move; numbered as they are met
        start = game.start(2)
        layer = [(0, start, [first_information(game, start, 2, seat) for seat in SEATS], [0, 0])]
        numbers = {}
        while layer:
            edges, after = [], []
            for node, state, known, keys in layer:
                for mover, moves, share, choice in self.turns(game, state, keys):
                    step = game.apply(state, moves)
                    # Only what is new: what was known before is in the key.
                    new = [next_information(game, attrs.evolve(each, past=()), moves, step) for each in known]
                    pairs = zip(keys, new, strict=True)
                    later = [numbers.setdefault(pair, len(numbers) + 1) for pair in pairs]
                    edges.append((mover, node, self.nodes, share, choice))
                    after.append((self.nodes, step.state, new, later))
                    self.nodes += 1
                if not game.to_act(state):
                    ends.append((node, game.returns(state)[0]))
            self.levels += [Level(*map(np.array, zip(*edges, strict=True)))] if edges else []
            layer = after
        self.ends = [*map(np.array, zip(*ends, strict=True))]
        points = {}
        self.point = np.array([points.setdefault(known, len(points)) for known, _ in self.choices])
        self.seat = np.array([mover for (mover, _), _ in self.choices])
        self.regrets = np.zeros(len(self.choices))
        self.sums = np.zeros(len(self.choices))

    def turns(self, game, state, keys):
        """All turns of a state: who moves, all moves, how likely they are, and which choice that is."""
        asked = game.to_act(state)
        if asked == (CHANCE,):
            for move, share in game.chances(state):
                yield -1, {CHANCE: move}, share, 0
        elif asked:
            listed = [moves_of(game.options(state, seat), MOVES_MAX) for seat in asked]
            (mover,) = [seat for seat, moves in zip(asked, listed, strict=True) if len(moves) > 1] or asked[
                :1
            ]
            for moves in product(*listed):
                turn = dict(zip(asked, moves, strict=True))
                key = (mover, keys[mover]), turn[mover]
                yield int(mover), turn, 0.0, self.choices.setdefault(key, len(self.choices))

    def shares(self, weights):
        """Weights as probabilities of choices; uniform where all are zero."""
        totals = np.bincount(self.point, weights)[self.point]
        even = 1 / np.bincount(self.point)[self.point]
        return np.where(totals > 0, weights / np.where(totals > 0, totals, 1), even)

    def reach(self, play, movers):
        """How likely these movers, by their own moves, come to each node."""
        reach, counts = np.ones(self.nodes), np.array([mover in movers for mover in (0, 1, -1)])
        for level in self.levels:
            share = np.where(level.mover < 0, level.share, play[level.choice])
            reach[level.child] = reach[level.parent] * np.where(counts[level.mover], share, 1)
        return reach

    def values(self, play, seat, best=False):
        """What each node is worth for `seat`, times the likelihood that all others come there.

        And the same of its choices.  `best`: with its best answers instead of its play.
        """
        worth, of_choices = np.zeros(self.nodes), np.zeros(len(play))
        ends, results = self.ends
        worth[ends] = self.reach(play, (-1, 1 - seat))[ends] * results * (1 if seat == 0 else -1)
        for level in reversed(self.levels):
            own = level.mover == seat
            of_choices += np.bincount(level.choice[own], worth[level.child[own]], len(play))
            if best:
                top = np.full(len(play), -np.inf)
                np.maximum.at(top, self.point, of_choices)
                chosen = self.first(of_choices == top[self.point])
            else:
                chosen = play
            share = np.where(own, chosen[level.choice], 1)
            worth += np.bincount(level.parent, share * worth[level.child], self.nodes)
        return worth, of_choices

    def first(self, is_best):
        """1 for the first of the best choices of each point, 0 for all others."""
        numbers = np.flatnonzero(is_best)
        _, first = np.unique(self.point[numbers], return_index=True)
        chosen = np.zeros(len(is_best))
        chosen[numbers[first]] = 1
        return chosen

    def train(self, rounds):
        """CFR+: so many rounds more, the seats in turn, regrets never negative, later rounds count more."""
        for number in range(self.rounds + 1, self.rounds + rounds + 1):
            for seat in (0, 1):
                play = self.shares(self.regrets)
                _, of_choices = self.values(play, seat)
                mean = np.bincount(self.point, of_choices * play)[self.point]
                own, reach = np.zeros(len(play)), self.reach(play, (seat,))
                for level in self.levels:
                    mine = level.mover == seat
                    own[level.choice[mine]] = reach[level.parent[mine]]
                after = np.maximum(self.regrets + of_choices - mean, 0)
                self.regrets = np.where(self.seat == seat, after, self.regrets)
                self.sums += number * own * play
        self.rounds += rounds

    def bounds(self):
        """What the first seat is sure to win by its play, and what the second is sure to hold it to."""
        play = self.shares(self.sums)
        return -self.values(play, 1, best=True)[0][0], self.values(play, 0, best=True)[0][0]


def dice(faces, **rules):
    return LiarsDice(dice=1, faces=faces, **rules)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "value", "apart", "rounds"),
    [
        (KUHN(), Fraction(-1, 18), 1e-4, 3000),
        (dice(2), Fraction(0), 1e-3, 3000),
        (dice(3, challenge="next"), Fraction(-1, 9), 1e-4, 3000),
        (dice(3), Fraction(-1, 9), 1e-4, 3000),
        *nightly_rows(
            (dice(4), Fraction(-1, 8), 1e-3, 500),
            (dice(5), Fraction(-3, 25), 1e-3, 500),
            (dice(6), Fraction(-1, 9), 1e-3, 500),
            (dice(6, wild_ones=True), Fraction(-7, 327), 1e-3, 500),
        ),
    ],
    ids=str,
)
def test_a_small_game_is_solved(game, value, apart, rounds):
    """The known value of best play lies between the bounds, which are close together after so many rounds at most."""
    solver = Solver(game)
    low, high = -2, 2
    while high - low >= apart and solver.rounds < rounds:
        solver.train(50)
        low, high = solver.bounds()
    assert low - 1e-9 <= value <= high + 1e-9
    assert high - low < apart


def test_untrained_play_bounds_the_value_widely():
    """Uniform play bounds it too: the bounds are no artefact of training."""
    low, high = Solver(KUHN()).bounds()
    assert low < Fraction(-1, 18) < high
    assert high - low > 0.5
