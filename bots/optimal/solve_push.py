"""Solves push or fold in Hold'em for two by CFR+, and writes how often each hand is all in to push.json.gz.

    python bots/optimal/solve_push.py        # some seconds; needs numpy and the arena, unlike the bot itself

The small blind, half the big one, goes all in or folds; then the other calls or folds.  Stacks are 2 to 15
big blinds, in which all is counted here.  Hands go by their 169 classes: what two of them are worth all in is
the arena's own table.

CFR+: O. Tammelin, Solving Large Imperfect Information Games Using CFR+, 2014.
"""

import gzip
import json
from itertools import combinations
from pathlib import Path

import numpy as np

from arena.games.cards import DECK
from arena.games.holdem.classes import CLASSES, class_of
from arena.games.holdem.equities import equities

ITERATIONS = 2_000
SURE = 0.002  # what is done less often than this is left out
STACKS = range(2, 16)
SMALL_BLIND = 0.5


def pairs():
    """The probability of each pair of classes: by the first seat's and by the second one's."""
    hands = [(class_of(hand), {*hand}) for hand in combinations(DECK, 2)]
    found = np.zeros((len(CLASSES), len(CLASSES)))
    places = {name: place for place, name in enumerate(CLASSES)}
    for one, cards in hands:
        for other, its in hands:
            if not cards & its:
                found[places[one], places[other]] += 1
    return found / found.sum()


class Push:
    """Push or fold with one stack; what is won is the small blind's."""

    def __init__(self, stack, chances, shares):
        self.chances = chances
        self.called = chances * stack * (2 * shares - 1)
        self.total = chances.sum(1)

    def gains(self, push, call):
        """By hand: how much more it is worth to push than to fold, and to call than to fold."""
        pushed = self.chances @ (1 - call) + self.called @ call + SMALL_BLIND * self.total
        return pushed, push @ self.chances - push @ self.called

    def value(self, push, call):
        """What the small blind wins on average."""
        return float(push @ self.gains(push, call)[0] - SMALL_BLIND)

    def far(self, push, call):
        """Half of what both could gain by a best response."""
        pushing, calling = self.gains(push, call)
        best = (pushing > 0) @ pushing - push @ pushing + (calling > 0) @ calling - call @ calling
        return float(best) / 2

    def solve(self):
        """Plays itself; returns the mean shares of hands with which to push and to call."""
        # A regret for being in and one for being out, of each hand; what is played is in proportion.
        regrets, sums = np.zeros((2, 2, len(self.total))), np.zeros((2, len(self.total)))
        play = np.full((2, len(self.total)), 0.5)
        for number in range(1, ITERATIONS + 1):
            for seat in (0, 1):
                gain = self.gains(*play)[seat]
                own = play[seat]
                regrets[seat] = np.maximum(regrets[seat] + [gain * (1 - own), -gain * own], 0)
                both = regrets[seat].sum(0)
                play[seat] = np.where(both > 0, regrets[seat][0] / np.where(both > 0, both, 1), 0.5)
                sums[seat] += number * play[seat]
        means = sums * 2 / (ITERATIONS * (ITERATIONS + 1))
        # What is hardly ever done is left out, before anything is judged.
        return np.round(np.where(means < SURE, 0, np.where(means > 1 - SURE, 1, means)), 3)


def main():
    chances, shares = pairs(), np.array(equities())
    tables = {}
    for stack in STACKS:
        game = Push(stack, chances, shares)
        push, call = both = game.solve()
        print(
            f"{stack}: the small blind wins {game.value(push, call):+.4f}, pushes {push @ game.total:.1%} "
            f"and is called by {call @ game.total:.1%}; within {game.far(push, call):.5f} of optimal",
            flush=True,
        )
        tables[stack] = [
            {name: float(share) for name, share in zip(CLASSES, each, strict=True) if share} for each in both
        ]
    packed = gzip.compress(json.dumps(tables, separators=(",", ":")).encode(), mtime=0)
    Path(__file__).with_name("push.json.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
