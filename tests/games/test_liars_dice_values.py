"""Liar's Dice has the values that its rules give on paper, computed over this very engine.

Expected values: RULES.md, "Liar's Dice", "Check against".
"""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
import pytest
from daily import nightly_rows

from arena.game import CHANCE, Seat
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Challenge, Roll

FIRST, SECOND = Seat(0), Seat(1)


def duel(dice=1, faces=6):
    return LiarsDice(dice=dice, faces=faces, challenge="next")


def asked_after(game, roll, bids):
    """The state after these bids, made in turn by the first and the second seat."""
    state = game.apply(game.start(2), {CHANCE: roll}).state
    for bid in bids:
        state = game.apply(state, {state.on_turn: bid}).state
    return state


def legal_moves(game, state):
    """All moves that the engine offers the seat on turn, each once."""
    moves = []
    for option in game.options(state, state.on_turn):
        domains = [range(domain.low, domain.high + 1) for domain in option.fields.values()]
        moves += [option.move(*values) for values in product(*domains)]
    assert len(set(moves)) == len(moves)
    return moves


@cache
def follow_ups(game):
    """For every bid, and None for no bid, what the engine lets the next seat do."""
    roll = Roll(((1,) * game.dice,) * 2)
    first = legal_moves(game, asked_after(game, roll, []))
    return {None: first} | {bid: legal_moves(game, asked_after(game, roll, [bid])) for bid in first}


@cache
def lowest(game):
    return min(follow_ups(game)[None], key=lambda bid: (bid.count, bid.face))


@cache
def verdict(game, roll, bid, bidder):
    """What a challenge of this bid is worth for the first seat: +1 if the other loses the die, else −1."""
    bids = [bid] if bidder == FIRST else [lowest(game), bid]
    state = asked_after(game, roll, bids)
    assert state.last_bidder == bidder
    after = game.apply(state, {state.on_turn: Challenge()}).state
    return 1 if after.last_loser == SECOND else -1


# Uniform play.


def challenged(game):
    """How likely a round of uniform play ends by a challenge of each (bid, bidder)."""
    moves = follow_ups(game)
    ends = {}
    reached = {(None, SECOND): Fraction(1)}
    for bid in sorted(moves, key=lambda bid: (bid.count, bid.face) if bid else (0, 0)):
        for bidder in (FIRST, SECOND):
            each = reached.get((bid, bidder), Fraction(0)) / len(moves[bid])
            for move in moves[bid]:
                if isinstance(move, Challenge):
                    ends[bid, bidder] = each
                else:
                    key = move, SECOND if bidder == FIRST else FIRST
                    reached[key] = reached.get(key, Fraction(0)) + each
    assert sum(ends.values()) == 1
    return {end: chance for end, chance in ends.items() if chance}


def every_roll(game, bid):
    """All rolls with their probabilities."""
    hands = list(product(range(1, game.faces + 1), repeat=game.dice))
    return [(Roll(pair), Fraction(1, len(hands) ** 2)) for pair in product(hands, repeat=2)]


def rolls_by_matches(game, bid):
    """A roll for each number of dice that show the bid's face, with the probability of that number.

    Nothing else of a roll bears on the verdict (`test_only_the_number_of_matching_dice_decides`).
    """
    total, other = 2 * game.dice, bid.face % game.faces + 1
    for matching in range(total + 1):
        dice = (bid.face,) * matching + (other,) * (total - matching)
        chance = Fraction(comb(total, matching) * (game.faces - 1) ** (total - matching), game.faces**total)
        yield Roll((dice[: game.dice], dice[game.dice :])), chance


def uniform_value(game, rolls):
    """What one round is worth for the first seat if both choose uniformly among all legal moves."""
    return sum(
        ends * chance * verdict(game, roll, bid, bidder)
        for (bid, bidder), ends in challenged(game).items()
        for roll, chance in rolls(game, bid)
    )


@pytest.mark.parametrize(
    ("dice", "rolls", "value"),
    [
        pytest.param(1, every_roll, Fraction(-1, 18), id="1v1, all 36 rolls"),
        pytest.param(1, rolls_by_matches, Fraction(-1, 18), id="1v1"),
        pytest.param(2, rolls_by_matches, Fraction(-1, 36), id="2v2"),
        pytest.param(5, rolls_by_matches, Fraction(-1, 90), id="5v5"),
    ],
)
def test_uniform_play_has_its_exact_value(dice, rolls, value):
    """Uniform play over all legal moves, one round, has the value known for the first seat."""
    assert value == uniform_value(duel(dice), rolls)


def test_only_the_number_of_matching_dice_decides():
    """With two dice each and three faces, every verdict follows from how many dice show the face."""
    game = duel(dice=2, faces=3)
    for bid in follow_ups(game)[None]:
        by_matches = {}
        for roll, _ in every_roll(game, bid):
            matching = sum(row.count(bid.face) for row in roll.hands)
            by_matches.setdefault(matching, set()).add(verdict(game, roll, bid, FIRST))
        assert all(len(verdicts) == 1 for verdicts in by_matches.values())


# Optimal play, one die each.
#
# Histories are sets of bids, since bids only rise: level i holds the 2**i histories whose last bid is
# number i, so that those of level j that came from level i are one slice.  Both seats' hands are an axis.


class Duel:
    """The tree of one round with a die each, taken from the engine, and regret matching (CFR+) on it."""

    def __init__(self, faces):
        game = duel(faces=faces)
        self.bids = sorted(follow_ups(game)[None], key=lambda bid: (bid.count, bid.face))
        for number, bid in enumerate(self.bids):
            assert {*self.bids[number + 1 :], Challenge()} == set(follow_ups(game)[bid])
        self.faces, self.total = faces, len(self.bids)
        hands = range(1, faces + 1)
        self.verdicts = np.array(
            [
                [
                    [
                        [verdict(game, Roll(((own,), (others,))), bid, bidder) for others in hands]
                        for own in hands
                    ]
                    if bid != self.bids[0] or bidder == FIRST
                    else np.zeros((faces, faces))
                    for bidder in (FIRST, SECOND)
                ]
                for bid in self.bids
            ]
        ) / (faces * faces)
        # Level -1 is the empty history.  Whose turn: the parity of the number of bids made.
        self.turns = {-1: np.array([0])}
        for level in range(self.total):
            made = [bin(before).count("1") + 1 for before in range(2**level)]
            self.turns[level] = np.array(made) % 2
        self.rounds = 0
        self.regrets = {level: np.zeros(self.shape(level)) for level in self.turns}
        self.sums = {level: np.zeros(self.shape(level)) for level in self.turns}

    def shape(self, level):
        """Histories × hands of the seat on turn × its moves: the higher bids, then a challenge."""
        return len(self.turns[level]), self.faces, self.total - 1 - level + (level >= 0)

    def slice(self, level):
        """Where the histories of this level, one bid longer, lie in the level of that bid."""
        return slice(0, 1) if level < 0 else slice(2**level, 2 ** (level + 1))

    @staticmethod
    def shares(weights):
        """Weights as probabilities of the moves; uniform where all are zero."""
        totals = weights.sum(axis=2, keepdims=True)
        return np.where(totals > 0, weights / np.where(totals > 0, totals, 1), 1 / weights.shape[2])

    def reaches(self, play, seat):
        """How likely `seat`, by its own choices, comes to each history with each hand."""
        reach = {level: np.ones((len(turns), self.faces)) for level, turns in self.turns.items()}
        for level in range(-1, self.total):
            own = (self.turns[level] == seat)[:, None, None]
            onward = reach[level][:, :, None] * np.where(own, play[level], 1)
            for bid in range(level + 1, self.total):
                reach[bid][self.slice(level)] = onward[:, :, bid - level - 1]
        return reach

    def values(self, play, seat, best=False):
        """For `seat`: what each history and each move is worth with each hand, times the other's reach.

        `best`: with the best answers of `seat` instead of its play.
        """
        reach, sign = self.reaches(play, 1 - seat), 1 if seat == 0 else -1
        worth, moves = {}, {}
        for level in range(self.total - 1, -2, -1):
            own = self.turns[level] == seat
            each = np.empty(self.shape(level))
            for bid in range(level + 1, self.total):
                each[:, :, bid - level - 1] = worth[bid][self.slice(level)]
            if level >= 0:
                # The challenger is on turn; its choice is part of the reach if it is the other seat.
                chosen = reach[level] * np.where(own[:, None], 1, play[level][:, :, -1])
                for bidder in (0, 1):
                    of_bidder = self.turns[level] != bidder
                    matrix = self.verdicts[level][bidder] if seat == 0 else self.verdicts[level][bidder].T
                    each[of_bidder, :, -1] = sign * chosen[of_bidder] @ matrix.T
            mine = each.max(axis=2) if best else (each * play[level]).sum(axis=2)
            worth[level], moves[level] = np.where(own[:, None], mine, each.sum(axis=2)), each
        return worth, moves

    def train(self, rounds):
        """CFR+: so many rounds more, the seats in turn, regrets never negative, later rounds count more."""
        for number in range(self.rounds + 1, self.rounds + rounds + 1):
            self.rounds = number
            for seat in (0, 1):
                play = {level: self.shares(regrets) for level, regrets in self.regrets.items()}
                worth, moves = self.values(play, seat)
                reach = self.reaches(play, seat)
                for level, turns in self.turns.items():
                    own = turns == seat
                    regrets = self.regrets[level][own] + moves[level][own] - worth[level][own][:, :, None]
                    self.regrets[level][own] = np.maximum(regrets, 0)
                    self.sums[level][own] += number * reach[level][own][:, :, None] * play[level][own]

    def bounds(self):
        """What the first seat is sure to win by its play, and what the second is sure to hold it to."""
        play = {level: self.shares(sums) for level, sums in self.sums.items()}
        high = self.values(play, 0, best=True)[0][-1].sum()
        low = -self.values(play, 1, best=True)[0][-1].sum()
        return low, high


@pytest.mark.slow
@pytest.mark.parametrize(
    ("faces", "value", "rounds"),
    [
        (2, 0, 2000),  # the slowest to settle, in the smallest tree
        (3, Fraction(-1, 9), 400),
        *nightly_rows((4, Fraction(-1, 8), 400), (5, Fraction(-3, 25), 400), (6, Fraction(-1, 9), 400)),
    ],
)
def test_optimal_play_has_its_exact_value(faces, value, rounds):
    """With a die each, the known value lies between best answers that are at most 1/1000 apart, after so many rounds at most."""
    tree = Duel(faces)
    low, high = -1, 1
    while high - low >= 1e-3 and rounds > tree.rounds:
        tree.train(50)
        low, high = tree.bounds()
    assert low - 1e-9 <= value <= high + 1e-9
    assert high - low < 1e-3


def test_bounds_hold_for_any_play():
    """Untrained, uniform play bounds the value too, only widely: the bounds are no artefact of training."""
    low, high = Duel(3).bounds()
    assert low < Fraction(-1, 9) < high
    assert high - low > 0.1
