"""Plays small games so that nobody can gain on it: Kuhn poker, Liar's Dice for two with few dice, and push or
fold in Hold'em.

tables.json.gz says how often it makes each move, by its dice and all bids so far in the round; solve.py made
it.  With more dice or seats it goes by plain odds, which anybody may beat.

push.json.gz says how often it goes all in, by the stacks in big blinds and its hand, as the small blind and
as the big one that is asked to call; solve_push.py made it.  Other Hold'em it plays by the same table.
"""

import gzip
import json
from functools import cache
from math import comb
from pathlib import Path

from arena.sdk import Bot, every, run

# Kuhn poker: how often it bets, by its card and what was said before (Kuhn 1950, with the first seat's free
# choice at its middle).
BETS = {
    "": {"J": 1 / 6, "Q": 0, "K": 1 / 2},
    "pass bet": {"J": 0, "Q": 1 / 2, "K": 1},
    "pass": {"J": 1 / 3, "Q": 0, "K": 1},
    "bet": {"J": 0, "Q": 1 / 3, "K": 1},
}


@cache
def tables():
    """How often each move is made in each situation, by dice of starter and other, faces and wild ones."""
    with gzip.open(Path(__file__).with_name("tables.json.gz")) as file:
        return json.load(file)


@cache
def pushes():
    """How often each class of hands goes all in: by stack, first the small blind, then the caller."""
    with gzip.open(Path(__file__).with_name("push.json.gz")) as file:
        return json.load(file)


def class_of(hole):
    """The class of two cards: `AKs`, `72o`, `55`."""
    (one, suit), (other, its) = sorted(hole, key=lambda card: "AKQJT98765432".index(card[0]))
    return one + other + ("" if one == other else "s" if suit == its else "o")


@cache
def at_least(needed, dice, p):
    """The probability that at least `needed` of so many dice are good, if each is so with probability p."""
    return sum(comb(dice, k) * p**k * (1 - p) ** (dice - k) for k in range(max(0, needed), dice + 1))


class Optimal(Bot):
    name = "optimal"
    version = "1"

    def started(self, match):
        self.table, self.bids, self.is_second = None, 0, False

    def event(self, kind, payload):
        if kind == "round_started":
            rules = self.match.rules
            (starter, dice), (_, others), *more = payload["dice"]
            key = f"{dice},{others},{rules.get('faces', 6)},{int(rules.get('wild_ones', False))}"
            self.table = None if more else tables().get(key)
            self.bids, self.is_second = 0, starter != "yourself"
        elif kind == "bid":
            self.bids |= 1 << self.number(*payload["bid"])

    def move(self, state, options):
        if "said" in state:
            share = BETS[" ".join(state["said"])][state["your_card"]]
            return "bet" if self.rng.random() < share else "pass"
        if "cards" in state:
            return self.all_in_or_fold(state)
        moves = list(every(options))
        if moves == ["pass"]:
            return "pass"
        hand = "".join(map(str, state["your_hand"]))
        shares = (self.table or {}).get(f"{int(self.is_second)}{hand}:{self.bids:x}")
        return self.by_odds(state, moves) if shares is None else self.drawn(shares, moves)

    def all_in_or_fold(self, state):
        """All chips as often as the table says; else a fold, or a check where that is possible."""
        turn, cards = state["turn"], state["cards"]
        me = next(player for player in state["table"] if player["playerID"] == turn["playerID"])
        big_blind, owed = self.match.rules["big_blind"], turn["bet_to_player"] - turn["bet_so_far"]
        stack = min(15, max(2, round((me["wealth"] + turn["bet_so_far"]) / big_blind)))
        calls = turn["bet_to_player"] > big_blind or not me["small_blind"]
        share = 0 if cards["flop"] else pushes()[str(stack)][calls].get(class_of(cards["hole"]), 0)
        if self.rng.random() < share:
            most = me["wealth"] if turn["minimum_raise"] else min(owed, me["wealth"])
            return {"action": 1, "betAmount": most}
        return {"action": 0} if owed else {"action": 1, "betAmount": 0}

    def number(self, face, count):
        """The place of a bid among all, the lowest first."""
        return (count - 1) * self.match.rules.get("faces", 6) + face - 1

    def drawn(self, shares, moves):
        """A move drawn by its share."""
        faces = self.match.rules.get("faces", 6)
        (drawn,) = self.rng.choices(list(map(int, shares)), shares.values())
        bid = [drawn % faces + 1, drawn // faces + 1]
        return bid if bid in moves else "challenge"

    def by_odds(self, state, moves):
        """The likeliest bid, unless the last one is likelier to be wrong; it never challenges off turn."""
        if "pass" in moves:
            return "pass"
        bids = [move for move in moves if isinstance(move, list)]
        best = max(bids, key=lambda bid: self.likelihood(bid, state), default=None)
        if best is None or (
            "challenge" in moves
            and self.likelihood(best, state) < 1 - self.likelihood(state["last_bid"], state)
        ):
            return "challenge"
        return best

    def likelihood(self, bid, state):
        """The probability that the bid is true, as far as its own dice tell."""
        face, count = bid
        rules = self.match.rules
        good = {face, 1} if rules.get("wild_ones") else {face}
        needed = count - sum(die in good for die in state["your_hand"])
        hidden = sum(dice for _, dice in state["other_hands"]) - len(state["your_hand"])
        return at_least(needed, hidden, len(good) / rules.get("faces", 6))


if __name__ == "__main__":
    run(Optimal)
