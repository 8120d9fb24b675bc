"""Moves tried in states drawn at random, all with the same luck; those that do well are tried more often."""

from collections import defaultdict
from math import log, sqrt
from random import Random
from time import monotonic

from attrs import astuple

from arena.match.game import CHANCE, moves_of

MOVES_MAX = 300  # listed, where there are so few
TRIES = 300  # as many as fit into the time, at most 100 times more than that
STEPS_MAX = 40  # of a try; it ends with the round
TRIED_MAX = 60  # moves of a seat, if all are tried
LISTED_MAX = 2000  # lists of moves that are kept
SAMPLED = 12  # of more moves, so many are drawn and tried
CURIOSITY = 0.6  # standard deviations of what tries are worth
SPREAD_MIN = 1e-6
WINNING = 5.0  # what the match counts, in units of what `holdings` count
LED = 150  # rounds tried from their start in a match, for what it is worth to begin one
AT_RANDOM = 0.2  # how often a move in the rest of a try is not the best known one


def is_round_over(game, state):
    """Whether no seat is asked anything more before chance deals or rolls again."""
    asked = game.to_act(state)
    return not asked or asked[0] == CHANCE


def begins_round(game, step):
    """Whether this move of chance has begun a round."""
    kind = game.round_begins
    return kind is None or any(event.kind == kind for event in step.events)


def beginner(game, step):
    """The seat that is now on turn, if that is known."""
    kind, asked = game.turn_begins, game.to_act(step.state)
    if kind is None:
        return asked[0] if asked and asked[0] != CHANCE else None
    return next((astuple(event.public)[0] for event in step.events if event.kind == kind), None)


class Moves:
    """Lists of moves, kept for options that come again: a game gives the same tuple again if it can."""

    def __init__(self):
        self.listed = {}

    def of(self, options, rng):
        """All moves, or some if they are many."""
        listed = self.listed.get(id(options))
        if listed is None or listed[0] is not options:
            if len(self.listed) >= LISTED_MAX:
                self.listed.clear()
            listed = self.listed[id(options)] = options, moves_of(options, TRIED_MAX)
        return listed[1] or tuple(dict.fromkeys(rng.choice(options).sample(rng) for _ in range(SAMPLED)))


def words(seen):
    """What an observation says in single words, and by yes or no."""
    return tuple([each for each in vars(seen).values() if each is None or isinstance(each, bool | str)])


class Tree:
    """Tries in drawn states (ISMCTS), with one node for all that look the same to who moves.

    P. Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions on
    Computational Intelligence and AI in Games 4 (2012), pp. 120–143.
    """

    def __init__(self, game, seat, seats):
        self.game, self.seat, self.seats = game, seat, seats
        self.means, self.lists = defaultdict(lambda: (0, 0.0)), Moves()
        self.led, self.leads = 0, [0.0] * seats
        """How many rounds were tried from their start, and what they were worth by seat from who began."""

    def move(self, information, sample, rng, end, tries):
        """The move that does best; worse ones are dropped half by half.

        All that are left are tried in the same states with the same luck, so that luck decides less.
        """
        self.rng, self.nodes = rng, {}
        moves = list(self.moves(sample, self.seat))
        if len(moves) == 1:
            return moves[0]
        self.seen = [(0, 0.0, 0.0)] * self.seats
        before, start, halvings = self.game.holdings(sample), monotonic(), (len(moves) - 1).bit_length()
        worth = dict.fromkeys(moves, 0.0)
        for halving in range(halvings):
            until = start + (end - start) * (halving + 1) / halvings
            for number in range(max(1, tries // (halvings * len(moves)))):
                if number and monotonic() > until:
                    break
                state, luck = self.game.sample_state(information, rng), rng.random()
                for move in moves:
                    self.rng = Random(luck)
                    worth[move] += self.try_out(state, before, move)
            moves = sorted(moves, key=lambda move: -worth[move])[: (len(moves) + 1) // 2]
        return moves[0]

    def try_out(self, state, before, first):
        """What a move is worth, when the round is played to its end: by the tree as far as it goes."""
        path, is_known, lead = [], True, (0.0,) * self.seats
        for _ in range(STEPS_MAX):
            asked = self.game.to_act(state)
            if not asked:
                break
            if asked[0] == CHANCE:
                step = self.game.apply(state, {CHANCE: self.game.draw(state, self.rng)})
                if begins_round(self.game, step):
                    lead = self.lead(step)
                    break
                state = step.state
                continue
            moves = {}
            for seat in asked:
                seen = self.game.observe(state, seat)
                context = words(seen)
                node, is_known = self.node(state, seat, seen, is_known)
                if first is not None and seat == self.seat:
                    moves[seat], first, node = first, None, None
                elif node is not None:
                    moves[seat] = self.chosen(node, seat)
                else:
                    moves[seat] = self.at_random(state, seat, context)
                path.append((node, seat, (seat, context, moves[seat])))
            state = self.game.apply(state, moves).state
        worth = [each + more for each, more in zip(self.worth(state, before), lead, strict=True)]
        for seat, each in enumerate(worth):
            times, mean, squares = self.seen[seat]
            self.seen[seat] = times + 1, mean + (each - mean) / (times + 1), squares + each**2
        for node, seat, done in path:
            times, mean = self.means[done]
            self.means[done] = times + 1, mean + (worth[seat] - mean) / (times + 1)
            if node is not None:
                node[done[-1]][0] += 1
                node[done[-1]][1] += worth[seat]
        return worth[self.seat]

    # What it is worth to begin the next round.

    def lead(self, step):
        """What a round that has just begun is worth to each seat, by the mean of such rounds so far."""
        before, first, state = self.game.holdings(step.state), beginner(self.game, step), step.state
        for _ in range(STEPS_MAX):
            asked = self.game.to_act(state)
            if not asked or (first is not None and self.led >= LED):
                break
            if asked[0] == CHANCE:
                step = self.game.apply(state, {CHANCE: self.game.draw(state, self.rng)})
                if begins_round(self.game, step):
                    break
            else:
                step = self.game.apply(state, {seat: self.unplanned(state, seat) for seat in asked})
            state, first = step.state, beginner(self.game, step) if first is None else first
        if first is None:
            return (0.0,) * self.seats
        if self.led < LED:
            self.led += 1
            for seat, each in enumerate(self.worth(state, before)):
                self.leads[seat - first] += (each - self.leads[seat - first]) / self.led
        return [self.leads[seat - first] for seat in range(self.seats)]

    # What is done in a try.

    def node(self, state, seat, seen, is_known):
        """The node of a seat's moves, and whether the tree goes on below it; each try adds one at most."""
        if not is_known:
            return None, False
        key = seat, seen
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
        reach = CURIOSITY * self.spread(seat)
        return max(node, key=lambda move: node[move][1] / node[move][0] + reach * sqrt(total / node[move][0]))

    def spread(self, seat):
        """The standard deviation of what tries so far were worth to a seat."""
        times, mean, squares = self.seen[seat]
        return sqrt(max(squares / times - mean**2, SPREAD_MIN))

    def unplanned(self, state, seat):
        """The same, for who sees this state."""
        return self.at_random(state, seat, words(self.game.observe(state, seat)))

    def at_random(self, state, seat, context):
        """The move that did best in tries in which the seat saw the same words; now and then any."""
        moves = self.moves(state, seat)
        if self.rng.random() < AT_RANDOM:
            return self.rng.choice(moves)
        return max(moves, key=lambda move: self.means[seat, context, move][1] + self.rng.random() / 2)

    def moves(self, state, seat):
        """All moves of a seat, or some if they are many."""
        return self.lists.of(self.game.options(state, seat), self.rng)

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
