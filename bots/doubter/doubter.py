"""Bluff, honest when it can be: it plays all it has of the claim, and accuses by the odds of its own cards.

Without a card of the rank that is due it puts down the one that it could play honestly last.  It
accuses when fewer cards of the claim are hidden from it than were claimed; else by the odds that the
player holds none of them, and by what became of that player's earlier plays that were shown.  If the
player wins unless it is accused, only the own place is at stake.
"""

from collections import Counter
from functools import cache
from math import comb

from arena.sdk import Bot, run

RANKS, SUITS = "A23456789TJQK", "CDHS"

# Tuned by self-play: how many lies a player is thought to have told for each true play, before any was shown.
LIES_OF_ONE = 0.1
LIES_OF_MORE = 0.002  # who has to lie puts down a single card, if it is sensible


@cache
def chance_of(count, hand, good, hidden):
    """The probability that a hand out of `hidden` cards, of which so many are good, has `count` of those."""
    ways = sum(comb(good, k) * comb(hidden - good, hand - k) for k in range(count, min(good, hand) + 1))
    return ways / comb(hidden, hand)


class Doubter(Bot):
    name = "doubter"
    version = "1"

    def started(self, match):
        self.laid = []  # its own cards in the pile: nobody else can hold them
        self.shown = Counter()  # plays that were shown: by player, whether of one card, and whether a lie
        self.by_suit = match.rules.get("claims") == "free_suit"

    def event(self, kind, payload):
        if kind == "challenge":
            self.shown[payload["player"], len(payload["cards"]) == 1, payload["bluff"]] += 1

    def move(self, state, options):
        is_fresh = state["pile_size"] == (state["last_play"]["count"] if state["asked"] == "accuse" else 0)
        if is_fresh:
            self.laid = []
        if state["asked"] == "accuse":
            return "bluff" if self.lie(state) > self.certainty(state) else "pass"
        move = self.play(state)
        self.laid += move["play"]
        return move

    # On turn.

    def play(self, state):
        """All it has of the due claim, or of the one it has most of; if that is none, one card and a lie."""
        hand, due = state["hand"], state["claim_due"]
        if due is not None:
            honest = [card for card in hand if card[0] == due]
            return {"play": honest or [max(hand, key=lambda card: self.wait(card, state))]}
        kinds = [card[self.by_suit] for card in hand]
        claim = max(kinds, key=kinds.count)
        return {"play": [card for card in hand if card[self.by_suit] == claim], "claim": claim}

    def wait(self, card, state):
        """After how many plays, its own and others', it could play the card honestly."""
        seats = len(state["hand_sizes"])
        away = (RANKS.index(card[0]) - RANKS.index(state["claim_due"])) % len(RANKS)
        waits = range(away, away + seats * len(RANKS), len(RANKS))
        return next((wait for wait in waits if wait % seats == 0), len(RANKS) * seats)

    # When another has played.

    def lie(self, state):
        """The probability that the last play was a lie."""
        play = state["last_play"]
        player, count, claim = play["player"], play["count"], play["claim"]
        # A play that came too late did not count: those cards are in the hand still.
        known = {*state["hand"], *self.laid}
        each = len(RANKS) if self.by_suit else len(SUITS)
        good = each - sum(card[self.by_suit] == claim for card in known)
        if count > good:
            return 1.0
        held, hidden = dict(state["hand_sizes"])[player] + count, len(RANKS) * len(SUITS) - len(known)
        odds = self.habit(player, count == 1) / chance_of(count, held, good, hidden)
        odds *= 1 - chance_of(1, held, good, hidden)
        return odds / (1 + odds)

    def habit(self, player, is_one):
        """How many lies the player has told for each true play, of one card or of more."""
        lies, truths = self.shown[player, is_one, True], self.shown[player, is_one, False]
        return (lies + (LIES_OF_ONE if is_one else LIES_OF_MORE)) / (truths + 1)

    def certainty(self, state):
        """How likely a lie must be to accuse: the pile is one's own to lose, and for all others to win."""
        sizes = dict(state["hand_sizes"])
        seats = len(sizes)
        if sizes[state["current_player"]]:
            return 1 - 1 / seats
        # Last but for the winner if it is wrong, else the match goes on: half of the others will be beaten.
        own = sizes[state["you"]]
        return min(0.95, 2 * sum(size > own for size in sizes.values()) / (seats - 1))


if __name__ == "__main__":
    run(Doubter)
