"""How `search` looks ahead in a game of which it knows the rules, but not what is hidden.

Where two seats make claims in turn, and an answer to a claim ends the round, `Claims` reasons about what the
other would do with each hand that it may hold, and what its moves so far say of that hand.  Everywhere else
`Tree` tries moves in states drawn at random, those more often that have done well.

No game is named here.  A game's `holdings` say what a round has cost whom.
"""

from collections import defaultdict
from functools import partial
from math import log, sqrt
from time import monotonic

import numpy as np

from arena.match.game import CHANCE, IllegalMove, Information, Seat, Told, moves_of

MOVES_MAX = 300  # listed, where there are so few

# Claims; tuned against the bots of this house.
HANDS = 80  # drawn for the other
GUESSES = 4  # what the other may take this seat's hand for, for each of its own
CLAIMS = 12  # looked at, the most credible ones
SCREENED = 12  # hands of the other, by which these are chosen
ANSWERED = 0.7  # how often the other expects its claim to be doubted at once
TRUST = 1.0  # how much a claim says to the other of the hand behind it
BELIEF = 0.35  # how sure the other is that a claim stands, whatever it thinks of that hand
CARELESS = 0.1  # how much worse a move must look that the other makes e times less often
FIRST_CARELESS = 0.3  # the same of a claim that was made before this seat was asked
SURPRISE = 0.003  # how likely any move is, however bad it looks
LOST = 1e-3  # hands less likely than this are forgotten when few likely ones are left

# Trees.
TRIES = 300  # as many as fit into the time, at most 100 times more than that
STEPS_MAX = 40  # of a try; it ends with the round
TRIED_MAX = 60  # moves of a seat, if all are tried
SAMPLED = 12  # of more moves, so many are drawn and tried
CURIOSITY = 3.0
WINNING = 5.0  # what the match counts, in units of what `holdings` count
AT_RANDOM = 0.2  # how often a move in the rest of a try is not the best known one


class Thinker:
    """What a seat thinks in the course of one match."""

    def __init__(self, game, seat, seats):
        self.game, self.seat, self.seats = game, seat, seats
        self.claims = Claims(game, seat)
        self.tree = Tree(game, seat, seats)

    def move(self, information, rng, end, rounds):
        """The move to make; None if the game gives no states that fit.

        `end`: when to have decided; `rounds`: how much to think instead, if the clock does not matter.
        """
        sample = self.game.sample_state(information, rng)
        if sample is None:
            return None
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


def is_round_over(game, state):
    """Whether no seat is asked anything more before chance deals or rolls again."""
    asked = game.to_act(state)
    return not asked or asked[0] == CHANCE


class Hands:
    """What the other may hold: states, how likely each is, and what it takes this seat's hand for."""

    def __init__(self, states, likely, guesses):
        self.states, self.guesses = states, guesses
        self.likely = likely / likely.sum()

    def after(self, play):
        """The same hands after a move."""
        guesses = [[play(guess) for guess in row] for row in self.guesses]
        return Hands([play(state) for state in self.states], self.likely, guesses)

    def weighed(self, chances):
        """The same hands, given that the other did what it does with these probabilities."""
        return Hands(self.states, self.likely * ((1 - 10 * SURPRISE) * chances + SURPRISE), self.guesses)

    def likeliest(self, least):
        """The hands without unlikely ones."""
        return self.only([place for place, share in enumerate(self.likely) if share > least])

    def only(self, places):
        """These hands alone."""
        return Hands(
            [self.states[place] for place in places],
            self.likely[list(places)],
            [self.guesses[place] for place in places],
        )


class Claims:
    """Two seats that claim in turn, until one does not believe the other."""

    def __init__(self, game, seat):
        self.game, self.seat, self.other = game, seat, Seat(1 - seat)
        self.before = None
        """The last question: the hands, the own move (None: no choice), and what the other would do."""

    def move(self, information, rng, end, rounds):
        """The move to make; None where nobody claims anything."""
        hands = self.followed(information)
        is_new = hands is None
        hands, self.before = hands or self.drawn(information, rng), None
        mover = self.decider(hands.states[0])
        listed = self.listed(hands.states, mover)
        if listed is None:
            return None
        ends, claims = listed
        own = moves_of(self.game.options(hands.states[0], self.seat), MOVES_MAX)
        if not claims:
            worth = hands.likely @ self.ended(hands.states, mover, ends)
            return ends[int(np.argmax(worth))] if mover == self.seat else own[0]
        self.doubt = self.ending(hands.states, mover, claims)
        if self.doubt is None:
            return None
        guess = partial(self.guesses, information, rng)
        hands = hands.only(sorted(range(len(hands.states)), key=lambda place: -hands.likely[place]))
        claims = self.credible(hands, mover, claims, guess, end)
        own_worth, told, ends_told = self.worths(hands, mover, claims, ends, guess, end, rounds)
        of_other = told.mean(1)
        if mover != self.seat:
            shares = softmax(np.concatenate([ANSWERED * of_other, doubted(ends_told)], 1), CARELESS)
            self.before = hands, None, claims + ends, filled(shares, len(hands.states))
            return own[0]
        if is_new and ends:
            stood = np.concatenate([-ends_told[:, :, :1].mean(1), of_other], 1)
            meant = softmax(ANSWERED * stood, FIRST_CARELESS)
            hands = hands.weighed(filled(meant, len(hands.states))[:, 0])
        thought_of = hands.only(range(len(own_worth)))
        worth, shares = self.outlook(thought_of, claims, own_worth, told)
        best = int(np.argmax(worth))
        if ends:
            at_once = thought_of.likely @ self.ended(thought_of.states, mover, ends)
            if at_once.max() > worth[best]:
                return ends[int(np.argmax(at_once))]
        self.before = hands, claims[best], [*claims, self.doubt], filled(shares[best], len(hands.states))
        return claims[best]

    # What the other may hold.

    def drawn(self, information, rng):
        """Hands for the other, each as likely as chance makes it."""
        count = {}
        for _ in range(HANDS):
            state = self.game.sample_state(information, rng)
            key = self.game.observe(state, self.other)
            count.setdefault(key, [state, 0])[1] += 1
        states, times = zip(*count.values(), strict=True)
        return Hands(list(states), np.array(times, float), [[] for _ in states])

    def guesses(self, information, rng, state):
        """What the other may take this seat's hand for, if it holds what it does in this state."""
        public = tuple(each for each in information.past if isinstance(each, Told))
        known = Information(self.other, 2, self.game.observe(state, self.other), public)
        return [self.game.sample_state(known, rng) for _ in range(GUESSES)]

    def followed(self, information):
        """The hands of the last question, weighed by what was done since; None in a new round."""
        if self.before is None:
            return None
        hands, own, moves, shares = self.before
        seen = information.observation
        if own is not None:
            hands = hands.after(partial(self.played, seat=self.seat, move=own))
            if self.game.observe(hands.states[0], self.seat) == seen:
                return hands
        state = hands.states[0]
        if is_round_over(self.game, state) or self.other not in self.game.to_act(state):
            return None
        for move in moves_of(self.game.options(state, self.other), MOVES_MAX) or ():
            after = self.played(state, self.other, move)
            if self.game.observe(after, self.seat) == seen:
                chances = shares[:, moves.index(move)] if move in moves else np.zeros(len(shares))
                hands = hands.weighed(chances).after(partial(self.played, seat=self.other, move=move))
                few = 1 / (hands.likely**2).sum() < HANDS / 4
                return hands.likeliest(LOST) if few else hands
        return None

    # What can be done.

    def played(self, state, seat, move):
        """The state after a move of a seat, where the others have but one."""
        moves = {seat: move}
        for each in self.game.to_act(state):
            if each != seat:
                only = moves_of(self.game.options(state, each), 1)
                if only is None:
                    raise IllegalMove("two seats have a choice at once")
                moves[each] = only[0]
        return self.game.apply(state, moves).state

    def decider(self, state):
        """The seat that has a choice, or else the first one."""
        asked = self.game.to_act(state)
        free = [seat for seat in asked if moves_of(self.game.options(state, seat), 1) is None]
        return free[0] if len(free) == 1 else asked[0] if not free else None

    def listed(self, states, mover):
        """The moves that end the round, and the claims; None if these depend on what is hidden."""
        if mover is None:
            return None
        options = self.game.options(states[0], mover)
        if moves_of(options, MOVES_MAX) is None:
            return None
        if any(self.game.options(state, mover) != options for state in states):
            return None
        ends, claims = [], []
        for option in options:
            moves = moves_of((option,), MOVES_MAX)
            is_end = moves and is_round_over(self.game, self.played(states[0], mover, moves[0]))
            (ends if is_end else claims).extend(moves)
        return ends, claims

    def ending(self, states, mover, claims):
        """The other seat's answer that ends the round after any of these claims; None if there is none."""
        answers = None
        for claim in claims:
            after = self.played(states[0], mover, claim)
            answerer = self.decider(after) if not is_round_over(self.game, after) else None
            if answerer != 1 - mover:
                return None
            if answers is None:
                found = self.listed([after], answerer)
                answers = found[0] if found else []
            options = self.game.options(after, answerer)
            answers = [each for each in answers if any(each in option for option in options)]
        for state in states[:4]:
            after = self.played(state, mover, claims[0])
            if is_round_over(self.game, after) or self.listed([after], Seat(1 - mover)) is None:
                return None
        return answers[0] if answers else None

    # What it is worth.

    def won(self, before, after, seat):
        """What a seat won and the other lost meanwhile."""
        had, has = self.game.holdings(before), self.game.holdings(after)
        return has[seat] - had[seat] - has[1 - seat] + had[1 - seat]

    def ended(self, states, mover, ends):
        """What each end is worth to who makes it, in each state."""
        worth = [[self.won(state, self.played(state, mover, end), mover) for end in ends] for state in states]
        return np.array(worth, float).reshape(len(states), len(ends))

    def doubted_at_once(self, state, mover, claim):
        """What a claim is worth to who makes it if it is doubted at once."""
        claimed = self.played(state, mover, claim)
        return self.won(state, self.played(claimed, Seat(1 - mover), self.doubt), mover)

    def credible(self, hands, mover, claims, guess, end):
        """The claims that stand most often, in their order."""
        if len(claims) <= CLAIMS:
            return claims
        stands, until = [0.0] * len(claims), monotonic() + (end - monotonic()) / 4
        for place in range(len(hands.states))[:SCREENED]:
            if place > 2 and monotonic() > until:
                break
            state = hands.states[place]
            if mover != self.seat:
                (state, *_) = hands.guesses[place] or guess(state)
            for which, claim in enumerate(claims):
                stands[which] += self.doubted_at_once(state, mover, claim)
        best = sorted(range(len(claims)), key=lambda which: -stands[which])[:CLAIMS]
        return [claims[which] for which in sorted(best)]

    def worths(self, hands, mover, claims, ends, guess, end, rounds):
        """What claims and ends are worth, for as many of the hands as there is time for.

        That is: claims where the other holds what it holds; claims, and ends, in the other's guesses.
        """
        own, told, ends_told = [], [], []
        for place in range(len(hands.states))[: rounds or None]:
            if own and monotonic() > end:
                break
            state = hands.states[place]
            guesses = hands.guesses[place] = hands.guesses[place] or guess(state)
            own.append([self.doubted_at_once(state, mover, claim) for claim in claims])
            told.append([[self.doubted_at_once(each, mover, claim) for claim in claims] for each in guesses])
            ends_told.append(self.ended(guesses, mover, ends))
        return np.array(own), np.array(told), np.array(ends_told)

    def outlook(self, hands, claims, own, told):
        """What each claim is worth, and what the other would do after it with each hand.

        The other believes this seat a little.  It doubts, or claims more; then this seat doubts, or claims
        more, and what comes after that counts nothing.
        """
        first = hands.states[0]
        options = [self.game.options(self.played(first, self.seat, claim), self.other) for claim in claims]
        higher = np.array(
            [[any(claim in option for option in after) for claim in claims] for after in options]
        )
        of_other, trusted = told.mean(1), doubted(-told)
        is_doubted = 1 / (1 + np.exp(-trusted / CARELESS))
        worth, shares = [], []
        for place in range(len(claims)):
            more = np.where(higher[place], ANSWERED * of_other, -99.0)
            does = softmax(np.concatenate([more, trusted[:, place : place + 1]], 1), CARELESS)
            joint = hands.likely[:, None] * does
            doubting = -(joint[:, :-1] * own).sum(0)
            claiming = np.where(higher, joint[:, :-1].T @ (is_doubted * own), -9.0).max(1)
            worth.append(joint[:, -1] @ own[:, place] + np.maximum(doubting, claiming).sum())
            shares.append(does)
        return np.array(worth), shares


def filled(shares, rows):
    """The rows, and the mean of them for all others, for which there was no time."""
    return np.concatenate([shares, np.repeat(shares.mean(0, keepdims=True), rows - len(shares), 0)])


def doubted(worth):
    """What it is worth to doubt, over all guesses of a hand, for who believes the other a little."""
    trust = np.exp(-TRUST * worth)
    return (1 - BELIEF) * (trust * worth).sum(1) / trust.sum(1) - BELIEF


def softmax(worth, careless):
    """How likely each move of a row is for who prefers better ones, but is somewhat careless."""
    weight = np.exp((worth - worth.max(1, keepdims=True)) / careless)
    return weight / weight.sum(1, keepdims=True)


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
