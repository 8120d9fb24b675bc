"""Blef by the exact odds of every set, given the cards it holds itself.

Every set is a few groups of cards and how many of each must be there, so one count of deals does for
all 88.  Who bet last is believed a little: to hold a card of what it bet on.  It bets what is most
likely to be there, of nearly equal sets the highest, as that leaves the next one less room; and
checks when that is the better risk.
"""

from functools import cache
from math import comb

from arena.sdk import Bot, run

CHECK = 88
ALL_CARDS = 24

# Tuned by self-play.
TRUST = 0.8  # how sure it is that the last bettor holds a card of what it bet on
HEIGHT = 0.1  # what a bet gains by being the highest of all instead of the lowest
NERVE = 0.45  # how likely it takes its own bet to be checked next


def all_sets():
    """The needs of every set, by action id: so many cards, at least, of each of these groups."""
    value = [frozenset((value, colour) for colour in range(4)) for value in range(6)]
    colour = [frozenset((value, colour) for value in range(6)) for colour in range(4)]
    straights = [range(5), range(1, 6), range(6)]
    pairs = [(x, y) for x in range(6) for y in range(6)]
    return [
        *([(value[x], 1)] for x in range(6)),
        *([(value[x], 2)] for x in range(6)),
        *([(value[x], 2), (value[y], 2)] for x, y in pairs if y < x),
        *([(value[x], 1) for x in run] for run in straights),
        *([(value[x], 3)] for x in range(6)),
        *([(value[x], 3), (value[y], 2)] for x, y in pairs if y != x),
        *([(colour[c], 5)] for c in range(4)),
        *([(value[x], 4)] for x in range(6)),
        *([(frozenset((x, c) for x in run), len(run))] for run in straights for c in range(4)),
    ]


SETS = all_sets()


@cache
def odds(groups, unseen, hidden):
    """The share of deals of `hidden` out of `unseen` cards with enough of each group.

    A group is how many of its cards are unseen, and how many of them must be dealt.
    """
    ways = [1]  # to deal so many cards of the groups so far
    for size, needed in groups:
        more = [comb(size, k) if k >= needed else 0 for k in range(size + 1)]
        both = [0] * (len(ways) + size)
        for i, one in enumerate(ways):
            for k, other in enumerate(more):
                both[i + k] += one * other
        ways = both
    others = unseen - sum(size for size, _ in groups)
    good = sum(each * comb(others, hidden - k) for k, each in enumerate(ways) if k <= hidden)
    return good / comb(unseen, hidden)


def likelihood(action_id, known, hidden):
    """The probability that the set is there, with these cards known and so many others dealt."""
    groups = tuple((len(of - known), least - len(of & known)) for of, least in SETS[action_id])
    return odds(groups, ALL_CARDS - len(known), hidden)


class Croupier(Bot):
    name = "croupier"
    version = "2"

    def move(self, state, options):
        me = state["cp_nickname"]
        own = frozenset((card["value"], card["colour"]) for card in state["hands"][0]["hand"])
        hidden = sum(player["n_cards"] for player in state["players"] if player["nickname"] != me)
        last = state["history"][-1]["action_id"] if state["history"] else -1
        hint = self.hint(last, own)

        def believed(action_id):
            """The probability that a set is there, if the last bettor meant what it said."""
            alone = likelihood(action_id, own, hidden)
            return alone + TRUST * (likelihood(action_id, own | hint, hidden - len(hint)) - alone)

        # What cannot be there is no bet, however high: with two cards in play that is nearly everything.
        bets = {bet: share for bet in range(last + 1, CHECK) if (share := believed(bet)) > 0}
        if not bets:
            return CHECK
        best = max(bets, key=lambda action_id: bets[action_id] + HEIGHT * action_id / CHECK)
        if last >= 0 and (1 - bets[best]) * NERVE > believed(last):
            return CHECK
        return best

    def hint(self, last, own):
        """A card, if any, that the last bettor is believed to hold: one of the first group that it bet on."""
        unseen = sorted(SETS[last][0][0] - own) if last >= 0 else []
        return frozenset(unseen[:1])


if __name__ == "__main__":
    run(Croupier)
