"""Liar's Dice by the binomial odds of a bid, given the dice it holds itself.

Who bid last is believed a little: the odds are those of a bid that much lower.  It makes the bid
it could best afford to see challenged, of nearly equal ones the highest, as that leaves the next
seat less room; and challenges when that is a better bet.
"""

from functools import cache
from math import comb

from arena.sdk import Bot, every, run

# Tuned by self-play.
TRUST = 0.75  # dice of the bid face that the last bidder is believed to hold beyond luck
HEIGHT = 0.04  # what a bid gains by being one die higher, at a table of ten dice
CAUTION = 0.5  # how sure it wants to be before it challenges out of turn


@cache
def at_least(needed, dice, p):
    """The probability that at least `needed` of so many dice are good, if each is so with probability p."""
    return sum(comb(dice, k) * p**k * (1 - p) ** (dice - k) for k in range(max(0, needed), dice + 1))


class Odds(Bot):
    name = "odds"
    version = "1"

    def move(self, state, options):
        moves = list(every(options))
        wrong = 1 - self.likelihood(state["last_bid"], state, TRUST)
        if "pass" in moves:  # not on turn: a wrong challenge costs it more than a right one gains
            seats = len(state["other_hands"])
            return "challenge" if "challenge" in moves and wrong > 1 - CAUTION / seats else "pass"
        bids = [move for move in moves if isinstance(move, list)]
        if not bids:
            return "challenge"
        best = max(bids, key=lambda bid: self.worth(bid, state))
        if "challenge" in moves and wrong > self.believed(best, state):
            return "challenge"
        return best

    def worth(self, bid, state):
        """How good a bid is: its truth, and a little for its height."""
        dice = sum(count for _, count in state["other_hands"])
        return self.believed(bid, state) + HEIGHT * 10 * bid[1] / dice

    def believed(self, bid, state):
        """The probability that a bid of its own is true, if the last bidder meant what it said."""
        return self.likelihood(bid, state, TRUST if bid[0] == state["last_bid"][0] else 0)

    def likelihood(self, bid, state, trust=0):
        """The probability that the bid is true, as far as its own dice tell, with `trust` more dice good."""
        face, count = bid
        hand, rules = state["your_hand"], self.match.rules
        good = {face, 1} if rules.get("wild_ones") else {face}
        needed = count - sum(die in good for die in hand)
        hidden = sum(dice for _, dice in state["other_hands"]) - len(hand)
        p = len(good) / rules.get("faces", 6)
        return (1 - trust) * at_least(needed, hidden, p) + trust * at_least(needed - 1, hidden, p)


if __name__ == "__main__":
    run(Odds)
