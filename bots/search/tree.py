"""Moves tried in states drawn at random, those more often that have done well."""

from collections import defaultdict
from math import log, sqrt
from time import monotonic

from arena.match.game import CHANCE, moves_of

MOVES_MAX = 300  # listed, where there are so few
TRIES = 300  # as many as fit into the time, at most 100 times more than that
STEPS_MAX = 40  # of a try; it ends with the round
TRIED_MAX = 60  # moves of a seat, if all are tried
SAMPLED = 12  # of more moves, so many are drawn and tried
CURIOSITY = 3.0
WINNING = 5.0  # what the match counts, in units of what `holdings` count
AT_RANDOM = 0.2  # how often a move in the rest of a try is not the best known one


def is_round_over(game, state):
    """Whether no seat is asked anything more before chance deals or rolls again."""
    asked = game.to_act(state)
    return not asked or asked[0] == CHANCE


class Tree:
    """Tries in drawn states (ISMCTS), with one node for all that look the same to who moves.

    P. Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions on
    Computational Intelligence and AI in Games 4 (2012), pp. 120–143.
    """

    def __init__(self, game, seat, seats):
        self.game, self.seat, self.seats = game, seat, seats

    def move(self, information, sample, rng, end, tries):
        """The move that was tried most."""
        self.rng, self.nodes, self.means = rng, {}, defaultdict(lambda: (0, 0.0))
        moves = self.moves(sample, self.seat)
        if len(moves) == 1:
            return moves[0]
        root = self.nodes[self.seat, information.observation] = {move: [0, 0.0] for move in moves}
        before = self.game.holdings(sample)
        for number in range(tries):
            if number and monotonic() > end:
                break
            self.try_out(self.game.sample_state(information, rng), before)
        return max(moves, key=lambda move: root[move][0])

    def try_out(self, state, before):
        """Plays a round to its end, by the tree as far as it goes, and notes how it ended."""
        path, is_known = [], True
        for _ in range(STEPS_MAX):
            if is_round_over(self.game, state):
                break
            moves = {}
            for seat in self.game.to_act(state):
                node, is_known = self.node(state, seat, is_known)
                moves[seat] = self.chosen(node, seat) if node is not None else self.at_random(state, seat)
                path.append((node, seat, moves[seat]))
            state = self.game.apply(state, moves).state
        worth = self.worth(state, before)
        for node, seat, move in path:
            times, mean = self.means[seat, move]
            self.means[seat, move] = times + 1, mean + (worth[seat] - mean) / (times + 1)
            if node is not None:
                node[move][0] += 1
                node[move][1] += worth[seat]

    def node(self, state, seat, is_known):
        """The node of a seat's moves, and whether the tree goes on below it; each try adds one at most."""
        if not is_known:
            return None, False
        key = seat, self.game.observe(state, seat)
        if key in self.nodes:
            return self.nodes[key], True
        node = self.nodes[key] = {move: [0, 0.0] for move in self.moves(state, seat)}
        return node, len(node) == 1

    def chosen(self, node, seat):
        """A move of a node that was not tried yet, or the one with the highest bound (UCB1)."""
        new = [move for move, (times, _) in node.items() if not times]
        if new:
            return self.rng.choice(new)
        total = log(sum(times for times, _ in node.values()))
        return max(
            node, key=lambda move: node[move][1] / node[move][0] + CURIOSITY * sqrt(total / node[move][0])
        )

    def at_random(self, state, seat):
        """The move that did best in this match's tries wherever it was made; now and then any."""
        moves = self.moves(state, seat)
        if self.rng.random() < AT_RANDOM:
            return self.rng.choice(moves)
        return max(moves, key=lambda move: self.means[seat, move][1] + self.rng.random() / 2)

    def moves(self, state, seat):
        """All moves of a seat, or some if they are many."""
        options = self.game.options(state, seat)
        return moves_of(options, TRIED_MAX) or tuple(
            dict.fromkeys(self.rng.choice(options).sample(self.rng) for _ in range(SAMPLED))
        )

    def worth(self, state, before):
        """What each seat has won, against the mean of the others; the match itself counts as some of it."""
        now = self.game.holdings(state)
        won = [0.0] * self.seats
        if now is not None:
            won = [has - had for has, had in zip(now, before, strict=True)]
        if not self.game.to_act(state):
            returns = self.game.returns(state)
            won = [each + WINNING * more for each, more in zip(won, returns, strict=True)]
        others = self.seats - 1
        return [each - (sum(won) - each) / others for each in won]
