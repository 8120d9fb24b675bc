"""Liar's Dice with a straight face: often bids on what it does not hold, as if it did.

In every round it makes up a hand, often not its own, and plays that one well.
"""

from functools import cache
from math import comb

from arena.sdk import Bot, every, run

NERVE = 0.4  # how often it imagines another hand than its own


class Bluffer(Bot):
    name = "bluffer"
    version = "1"

    def started(self, match):
        self.round, self.story = None, []

    def move(self, state, options):
        if self.round != state["round_number"]:
            self.round, self.story = state["round_number"], self.imagine(state["your_hand"])
        moves = list(every(options))
        truth = self.likelihood(state["last_bid"], state["your_hand"], state)
        bids = [move for move in moves if isinstance(move, list)]
        if "pass" in moves:  # not on turn
            return "challenge" if "challenge" in moves and truth < 0.05 else "pass"
        if not bids:
            return "challenge"
        best = max(bids, key=lambda bid: (self.likelihood(bid, self.story, state), self.rng.random()))
        if "challenge" in moves and (truth < 0.2 or self.likelihood(best, self.story, state) < 0.15):
            return "challenge"
        return best

    def imagine(self, hand):
        """Its own hand, or one in which two of its dice show a face it would like to have."""
        if self.rng.random() >= NERVE:
            return hand
        face = self.rng.randint(1, self.match.rules.get("faces", 6))
        return [face] * min(2, len(hand)) + hand[2:]

    def likelihood(self, bid, hand, state):
        """The probability that the bid is true, were `hand` its own."""
        face, count = bid
        rules = self.match.rules
        good = {face, 1} if rules.get("wild_ones") else {face}
        needed = count - sum(die in good for die in hand)
        hidden = sum(dice for _, dice in state["other_hands"]) - len(hand)
        return at_least(needed, hidden, len(good) / rules.get("faces", 6))


@cache
def at_least(needed, dice, p):
    """The probability that at least `needed` of so many dice are good, if each is so with probability p."""
    return sum(comb(dice, k) * p**k * (1 - p) ** (dice - k) for k in range(max(0, needed), dice + 1))


if __name__ == "__main__":
    run(Bluffer)
