"""Liar's Dice without a lie: bids only what its own hand and a fair share of the other dice support.

Challenges only bids that are impossible, or when it has nothing true left to say.
"""

from arena.sdk import Bot, every, run


class Truthful(Bot):
    name = "truthful"
    version = "1"

    def move(self, state, options):
        moves = list(every(options))
        if "challenge" in moves and self.is_impossible(state):
            return "challenge"
        bids = [move for move in moves if isinstance(move, list)]
        if not bids:
            return "pass" if "pass" in moves else "challenge"
        honest = [bid for bid in bids if bid[1] <= self.supported(bid[0], state)]
        if honest:
            return max(honest, key=lambda bid: (self.supported(bid[0], state) - bid[1], bid))
        return "challenge" if "challenge" in moves else min(bids, key=lambda bid: bid[1])

    def is_impossible(self, state):
        """Whether even all hidden dice together could not make the last bid true."""
        face, count = state["last_bid"]
        return count > self.own(face, state) + self.hidden(state)

    def supported(self, face, state):
        """How many dice of this face it honestly believes in."""
        rules = self.match.rules
        faces_good = 2 if rules.get("wild_ones") and face != 1 else 1
        return self.own(face, state) + self.hidden(state) * faces_good // rules.get("faces", 6)

    def own(self, face, state):
        good = {face, 1} if self.match.rules.get("wild_ones") else {face}
        return sum(die in good for die in state["your_hand"])

    def hidden(self, state):
        return sum(count for _, count in state["other_hands"]) - len(state["your_hand"])


if __name__ == "__main__":
    run(Truthful)
