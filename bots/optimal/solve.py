"""Solves Liar's Dice for two with few dice by CFR+, and writes the strategies to tables.json.gz.

    python bots/optimal/solve.py        # some minutes; needs numpy, which the bot itself does not

A round for so many dice of the starter and of the other is a game of its own, whose stakes are the values of
the rounds that may follow; so rounds with fewer dice are solved first.  Bids only grow, so the bids so far
are a set: a number whose bits are the bids.  All sets with the same highest bid lie side by side, and are
worked out in one step.

CFR+: O. Tammelin, Solving Large Imperfect Information Games Using CFR+, 2014.
"""

import gzip
import json
from itertools import combinations_with_replacement
from math import factorial, prod
from pathlib import Path

import numpy as np

ITERATIONS = 2_000
SURE = 0.002  # what is done less often than this is left out
ROUNDS = [
    *((1, 1, faces, wild) for faces in range(2, 7) for wild in (False, True)),
    *(
        (*dice, faces, wild)
        for dice in ((1, 2), (2, 1), (2, 2))
        for faces in (2, 3)
        for wild in (False, True)
    ),
]


class Round:
    """A round in which the starter and the other have so many dice; seat 0 is the starter."""

    def __init__(self, dice, faces, wild, stakes):
        """`stakes`: what the starter wins on average once seat 0, or seat 1, has lost the round."""
        self.hands = [tuple(combinations_with_replacement(range(1, faces + 1), count)) for count in dice]
        self.chances = [np.array([chance(hand, faces) for hand in hands]) for hands in self.hands]
        self.bids = [(face, count) for count in range(1, sum(dice) + 1) for face in range(1, faces + 1)]
        n = len(self.bids)
        self.n, self.sets = n, 1 << n
        self.actor = np.array([each.bit_count() % 2 for each in range(self.sets)])
        # What the starter wins if bid b is challenged by seat s, by both hands.
        self.challenged = np.empty((n, 2, len(self.hands[0]), len(self.hands[1])))
        for b, (face, count) in enumerate(self.bids):
            good = {face, 1} if wild else {face}
            has = [np.array([sum(die in good for die in hand) for hand in hands]) for hands in self.hands]
            is_true = has[0][:, None] + has[1][None, :] >= count
            for challenger in (0, 1):
                self.challenged[b, challenger] = np.where(is_true, stakes[challenger], stakes[1 - challenger])
        shape = [(self.sets, len(hands), n + 1) for hands in self.hands]
        self.legal = np.zeros((self.sets, n + 1), bool)
        for highest in range(-1, n):
            self.legal[self.with_highest(highest), highest + 1 : n] = True
        self.legal[1:, n] = True  # the last move is the challenge
        self.regrets = [np.zeros(each) for each in shape]
        self.sums = [np.zeros(each) for each in shape]

    def with_highest(self, highest):
        """The sets whose highest bid this is; −1: the empty one."""
        return slice(1 << highest, 2 << highest) if highest >= 0 else slice(0, 1)

    def strategies(self, weights):
        """Each seat's shares of moves in proportion to these weights; even where all are 0."""
        found = []
        for each in weights:
            total = each.sum(2, keepdims=True)
            even = np.broadcast_to(
                (self.legal / np.maximum(1, self.legal.sum(1))[:, None])[:, None], each.shape
            )
            found.append(np.where(total > 0, each / np.where(total > 0, total, 1), even))
        return found

    def reaches(self, strategies):
        """How likely each seat itself plays so that the bids become these, by its hand."""
        found = [np.ones((self.sets, len(hands))) for hands in self.hands]
        for highest in range(-1, self.n):
            here = self.with_highest(highest)
            for bid in range(highest + 1, self.n):
                after = slice(here.start + (1 << bid), here.stop + (1 << bid))
                for seat in (0, 1):
                    own = (self.actor[here] == seat)[:, None]
                    found[seat][after] = found[seat][here] * np.where(own, strategies[seat][here, :, bid], 1)
        return found

    def values(self, seat, strategies, reach, best=False):
        """By its hand: what the seat wins after each set of bids, and by each move, times the other's reach.

        `best`: it does what is best in place of its strategy.
        """
        moves = np.zeros((self.sets, len(self.hands[seat]), self.n + 1))
        value = np.zeros((self.sets, len(self.hands[seat])))
        for highest in range(self.n - 1, -2, -1):
            here = self.with_highest(highest)
            own = (self.actor[here] == seat)[:, None]
            for bid in range(highest + 1, self.n):
                moves[here, :, bid] = value[here.start + (1 << bid) : here.stop + (1 << bid)]
            if highest >= 0:
                for challenger in (0, 1):
                    weight = reach[1 - seat][here] * self.chances[1 - seat]
                    if challenger != seat:
                        weight = weight * strategies[challenger][here, :, self.n]
                    won = self.challenged[highest, challenger]
                    by_hand = weight @ (won.T if seat == 0 else -won)
                    moves[here, :, self.n] = np.where(
                        own == (challenger == seat), by_hand, moves[here, :, self.n]
                    )
            if best:
                mine = np.where(self.legal[here][:, None], moves[here], -np.inf).max(2)
            else:
                mine = (strategies[seat][here] * moves[here]).sum(2)
            value[here] = np.where(own, mine, moves[here].sum(2))
        return value, moves

    def solve(self):
        """Plays itself; returns mean strategies, where they lead, their value and distance from optimal."""
        for number in range(1, ITERATIONS + 1):
            for seat in (0, 1):
                played = self.strategies(self.regrets)
                reach = self.reaches(played)
                value, moves = self.values(seat, played, reach)
                own = (self.actor == seat)[:, None, None] & self.legal[:, None]
                gain = np.where(own, moves - value[:, :, None], 0)
                self.regrets[seat] = np.maximum(self.regrets[seat] + gain, 0)
                self.sums[seat] += np.where(own, number * reach[seat][:, :, None] * played[seat], 0)
        # What is hardly ever done is left out, before anything is judged.
        means = [np.where(each < SURE, 0, each) for each in self.strategies(self.sums)]
        means = self.strategies(means)
        reach = self.reaches(means)
        best = [self.values(seat, means, reach, best=True)[0][0] @ self.chances[seat] for seat in (0, 1)]
        value = self.values(0, means, reach)[0][0] @ self.chances[0]
        return means, reach, float(value), float(sum(best)) / 2

    def table(self, strategies, reach):
        """What is played, by hand and by the bids so far, wherever the seat's own play can lead."""
        found = {}
        for seat, hands in enumerate(self.hands):
            for place, hand in enumerate(hands):
                for bids in range(self.sets):
                    if self.actor[bids] == seat and reach[seat][bids, place] > 0:
                        shares = strategies[seat][bids, place]
                        moves = {str(move): round(float(shares[move]), 3) for move in shares.nonzero()[0]}
                        found[f"{seat}{''.join(map(str, hand))}:{bids:x}"] = moves
        return found


def chance(hand, faces):
    """The probability of these dice, in any order."""
    ways = factorial(len(hand)) // prod(factorial(hand.count(face)) for face in set(hand))
    return ways / faces ** len(hand)


def main():
    values, tables = {}, {}
    for mine, other, faces, wild in ROUNDS:
        # The loser of a round starts the next one, if it has dice left.
        lost = values[mine - 1, other, faces, wild] if mine > 1 else -1.0
        won = -values[other - 1, mine, faces, wild] if other > 1 else 1.0
        solved = Round((mine, other), faces, wild, (lost, won))
        strategies, reach, values[mine, other, faces, wild], far = solved.solve()
        key = f"{mine},{other},{faces},{int(wild)}"
        tables[key] = solved.table(strategies, reach)
        value = values[mine, other, faces, wild]
        print(f"{key}: the starter wins {value:+.5f}; within {far:.5f} of optimal", flush=True)
    packed = gzip.compress(json.dumps(tables, separators=(",", ":")).encode(), mtime=0)
    Path(__file__).with_name("tables.json.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
