"""How `search` looks ahead in a game of which it knows the rules, but not what is hidden.

Where moves of two seats are sets of things that the other does not see, `Lies` follows what the other may
hold.  Where two seats make claims in turn, and an answer to a claim ends the round, `Claims` reasons about
what the other would do with each hand that it may hold.  Where nobody knows more than who moves, `Chance`
works out what luck and the best moves lead to.  Everywhere else `Tree` tries moves in states drawn at random.
No game is named here.  A game's `holdings` say what a round has cost whom.
"""

import chance
from claims import Claims
from lies import Lies
from tree import TRIES, Tree

from arena.match.game import IllegalMove


class Thinker:
    """What a seat thinks in the course of one match."""

    def __init__(self, game, seat, seats):
        self.game, self.seat, self.seats = game, seat, seats
        self.claims = Claims(game, seat)
        self.lies = Lies(game, seat)
        self.chance = chance.Chance(game, seat, seats)
        self.tree = Tree(game, seat, seats)

    def move(self, information, rng, end, rounds):
        """The move to make; None if the game gives no states that fit.

        `end`: when to have decided; `rounds`: how much to think instead, if the clock does not matter.
        """
        sample = self.game.sample_state(information, rng)
        if sample is None:
            return None
        if self.seats == 2 and self.game.holdings(sample) is not None and self.lies.fits(sample):
            return self.lies.move(information, rng, end)
        if self.chance is not None and self.chance.fits(information, sample, rng):
            return self.chance.move(information, sample, rng, end, rounds or chance.TRIES)
        self.chance = None
        if self.claims is not None and self.seats == 2 and self.game.holdings(sample) is not None:
            try:
                found = self.claims.move(information, rng, end, rounds)
            except IllegalMove:  # what looked like claims depends on what is hidden
                found = None
            if found is not None:
                return found
            self.claims = None  # once there were none, moves of this match may be hidden: `guesses` has none
        return self.tree.move(information, sample, rng, end, rounds or TRIES * 100)

    def default(self, information, rng):
        """The move that the arena makes for this seat; None if the game gives no states that fit."""
        sample = self.game.sample_state(information, rng)
        return None if sample is None else self.game.default(sample, self.seat)
