"""Hold'em by the share of the pot that its hand is worth, sampled, against the price of staying in.

It deals the unknown cards SAMPLES times and sees how often it would win.  Then it calls where its share pays
for the call, bets and raises with clearly more than an even share, and now and then bets with nothing.  Who
bets much is believed to hold more than any two cards: what it takes to call rises with the bet.
"""

from functools import cache

from arena.sdk import Bot, run

SAMPLES = 120
RIVALS_MAX = 3  # more of them change the answer little, and cost time

# What it takes, as multiples of its even share of the pot; tuned by self-play.
VALUE = 1.6  # to bet or raise
STRONG = 1.75  # to raise by two pots
RESPECT = 0.3  # how far towards certainty a call of all its chips moves what it asks for, beyond the pot odds
BLUFFS = 0.12  # how often it bets on nothing

RANKS, SUITS = "23456789TJQKA", "CDHS"
DECK = [rank + suit for rank in RANKS for suit in SUITS]
# A card as one number: three bits count its rank, four bits above count its suit.
CODES = {card: 1 << 3 * RANKS.index(card[0]) | 1 << 39 + 4 * SUITS.index(card[1]) for card in DECK}
RANK_BITS = (1 << 39) - 1


def strength(codes):
    """What the best five of seven cards are worth: tuples and numbers that compare."""
    total = sum(codes)
    flush = (total >> 39) + 0x3333 & 0x8888
    if not flush:
        return of_ranks(total & RANK_BITS)
    suit = flush << 36
    return of_suit(sum([code & RANK_BITS for code in codes if code & suit]))


@cache
def of_ranks(counts):
    """(category, ranks that break ties) where no five cards have one suit."""
    count = [counts >> 3 * rank & 7 for rank in range(13)]
    ranks = sorted((rank for rank in range(13) if count[rank]), key=lambda rank: (-count[rank], -rank))
    first, second = count[ranks[0]], count[ranks[1]]
    if first == 4:
        return (7, ranks[0], max(ranks[1:]))
    if first == 3 and second > 1:
        return (6, ranks[0], max(rank for rank in ranks[1:] if count[rank] > 1))
    top = straight(ranks)
    if top is not None:
        return (4, top)
    if first == 3:
        return (3, *ranks[:3])
    if first == second == 2:
        return (2, *ranks[:2], max(ranks[2:]))
    return (1, *ranks[:4]) if first == 2 else (0, *ranks[:5])


@cache
def of_suit(counts):
    """A flush or a straight flush."""
    ranks = [rank for rank in range(12, -1, -1) if counts >> 3 * rank & 1]
    top = straight(ranks)
    return (5, *ranks[:5]) if top is None else (8, top)


def straight(ranks):
    """The highest rank of five in a row, or None."""
    have = {*ranks, -1} if 12 in ranks else {*ranks}
    return next((top for top in range(12, 2, -1) if have.issuperset(range(top - 4, top + 1))), None)


def equity(hole, board, rivals, rng):
    """The share of the pot that the hand wins on average against so many hands of any two cards."""
    known = {*hole, *board}
    unknown = [CODES[card] for card in DECK if card not in known]
    mine, table = [CODES[card] for card in hole], [CODES[card] for card in board]
    missing = 5 - len(board)
    won = 0.0
    for _ in range(SAMPLES):
        drawn = rng.sample(unknown, missing + 2 * rivals)
        opened = table + drawn[:missing]
        own = strength(mine + opened)
        share = 1
        for place in range(missing, len(drawn), 2):
            other = strength(drawn[place : place + 2] + opened)
            if other > own:
                share = 0
                break
            share += other == own
        won += 1 / share if share else 0
    return won / SAMPLES


class Equity(Bot):
    name = "equity"
    version = "1"

    def move(self, state, options):
        turn, cards = state["turn"], state["cards"]
        me = next(player for player in state["table"] if player["playerID"] == turn["playerID"])
        in_hand = [player for player in state["table"] if player["state"] in ("active", "called", "all_in")]
        rivals = min(RIVALS_MAX, len(in_hand) - 1)
        board = [card for street in ("flop", "turn", "river") for card in cards[street] or ()]
        share = equity(cards["hole"], board, rivals, self.rng)
        even = 1 / (rivals + 1)
        pot = sum(each["size"] for each in state["pots"])
        owed = turn["bet_to_player"] - turn["bet_so_far"]
        call = min(owed, me["wealth"])
        if turn["minimum_raise"] and self.match.rules.get("push_or_fold"):
            return bet(me["wealth"]) if share >= even else {"action": 0}
        if turn["minimum_raise"]:
            raise_by = self.raise_by(share / even, pot + call, call)
            if raise_by:
                most = me["wealth"] - owed
                return bet(owed + max(turn["minimum_raise"], min(raise_by, most)))
        odds = call / (pot + call)
        price = odds + (1 - odds) * RESPECT * call / me["wealth"]
        return bet(call) if not call or share >= price else {"action": 0}

    def raise_by(self, worth, pot, call):
        """By how much to raise, 0 for not at all."""
        luck = self.rng.random()
        if worth >= STRONG and luck < 0.6:
            return 2 * pot
        if worth >= VALUE:
            return int(pot * (0.5 + luck / 2))
        return pot // 2 if not call and luck < BLUFFS else 0


def bet(chips):
    return {"action": 1, "betAmount": chips}


if __name__ == "__main__":
    run(Equity)
