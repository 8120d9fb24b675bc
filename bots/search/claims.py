"""Two seats that claim in turn, until one does not believe the other: what the other would do with each hand
that it may hold, and what its moves so far say of that hand."""

from functools import partial
from time import monotonic

import numpy as np
from tree import MOVES_MAX, is_round_over

from arena.match.game import IllegalMove, Information, Seat, Told, moves_of

# Tuned against the bots of this house.
HANDS = 120  # drawn for the other: as many of them are thought of as there is time for
GUESSES = 5  # what the other may take this seat's hand for, for each of its own
CLAIMS = 5  # looked at, the most credible ones
ANSWERS = 8  # hands of the other for each of which its highest credible claim is looked at
AGREED = 3  # guesses in which that claim must stand
WORSE = 1.0  # a claim that is worth so much less than the best one in two hands is not looked at in more
SCREENED = 12  # hands of the other, by which these are chosen
ANSWERED = 1.0  # how often the other expects its claim to be doubted at once
TRUST = 1.0  # how much a claim says to the other of the hand behind it
BELIEF = 0.1  # how sure the other is that a claim stands, whatever it thinks of that hand
CARELESS = 0.1  # how much worse a move must look that the other makes e times less often
FIRST_CARELESS = 0.3  # the same of a claim that was made before this seat was asked
LESSON = 0.1  # how much more the other likes to doubt than was thought, when it does so against all odds
SURPRISE = 0.003  # how likely any move is, however bad it looks
LOST = 1e-3  # hands less likely than this are forgotten when few likely ones are left


class Deal:
    """A state as it was drawn, and what claims are worth there if doubted at once, as far as looked at.

    What is claimed before changes nothing in that, so it is kept as long as the hands are.
    """

    __slots__ = ("known", "mover", "state", "turns")

    def __init__(self, state, mover, turns):
        """`turns`: how many the hands had seen when it was drawn."""
        self.state, self.mover, self.turns, self.known = state, mover, turns, {}


class Hands:
    """What the other may hold: deals, how likely each is, and what it takes this seat's hand for."""

    def __init__(self, deals, likely, guesses, now, turns=()):
        self.deals, self.guesses, self.now, self.turns = deals, guesses, now, turns
        """`now`: what one of the deals has come to by the turns since they were drawn."""
        self.likely = likely / likely.sum()

    def after(self, now, seat, move):
        """The same hands after a move."""
        return Hands(self.deals, self.likely, self.guesses, now, (*self.turns, (seat, move)))

    def weighed(self, chances):
        """The same hands, given that the other did what it does with these probabilities."""
        likely = self.likely * ((1 - 10 * SURPRISE) * chances + SURPRISE)
        return Hands(self.deals, likely, self.guesses, self.now, self.turns)

    def likeliest(self, least):
        """The hands without unlikely ones."""
        return self.only([place for place, share in enumerate(self.likely) if share > least])

    def only(self, places):
        """These hands alone."""
        deals, guesses = [self.deals[place] for place in places], [self.guesses[place] for place in places]
        return Hands(deals, self.likely[list(places)], guesses, self.now, self.turns)


class Claims:
    """Two seats that claim in turn, until one does not believe the other."""

    def __init__(self, game, seat):
        self.game, self.seat, self.other = game, seat, Seat(1 - seat)
        self.doubting, self.expected = 0.0, None
        """How much more the other likes to doubt than it should, and how likely a doubt was thought to be."""
        self.before = None
        """The last question: the hands, the own move (None: no choice), what the other may do, and how it
        likes that with each hand that was thought of."""

    def move(self, information, rng, end, rounds):
        """The move to make; None where nobody claims anything."""
        hands = self.followed(information)
        is_new = hands is None
        if is_new and self.before is not None:
            self.learn(True)
        hands, self.before = hands or self.drawn(information, rng), None
        mover = self.decider(hands.now)
        listed = self.listed([deal.state for deal in hands.deals] if is_new else [hands.now], mover)
        if listed is None:
            return None
        ends, claims = listed
        own = moves_of(self.game.options(hands.now, self.seat), MOVES_MAX)
        if not claims:
            worth = hands.likely @ self.ended(hands, hands.deals, mover, ends)
            return ends[int(np.argmax(worth))] if mover == self.seat else own[0]
        self.doubt = self.ending(hands, mover, claims)
        if self.doubt is None:
            return None
        guess = partial(self.guesses, information, rng, mover, len(hands.turns))
        hands = hands.only(sorted(range(len(hands.deals)), key=lambda place: -hands.likely[place]))
        claims = self.credible(hands, mover, claims, guess, end)
        own_worth, told, ends_told = self.worths(hands, mover, claims, ends, guess, end, rounds)
        of_other, hands = told.mean(1), hands.only(range(len(told)))  # others would blur what follows
        if mover != self.seat:
            likes = np.concatenate([ANSWERED * of_other, doubted(ends_told)], 1)
            self.before = hands, None, claims + ends, likes
            return own[0]
        if is_new and ends:
            stood = np.concatenate([-ends_told[:, :, :1].mean(1), of_other], 1)
            meant = softmax(ANSWERED * stood, FIRST_CARELESS)
            hands = hands.weighed(meant[:, 0])
        worth, likes = self.outlook(hands, claims, own_worth, told)
        best = int(np.argmax(worth))
        if ends:
            at_once = hands.likely @ self.ended(hands, hands.deals, mover, ends)
            if at_once.max() > worth[best]:
                return ends[int(np.argmax(at_once))]
        self.before = hands, claims[best], [*claims, self.doubt], likes[best]
        self.expected = hands.likely @ softmax(likes[best], CARELESS)[:, -1]
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
        mover = self.decider(states[0])
        deals = [Deal(state, mover, 0) for state in states]
        return Hands(deals, np.array(times, float), [[] for _ in deals], states[0])

    def guesses(self, information, rng, mover, turns, state):
        """What the other may take this seat's hand for, if it holds what it does in this state."""
        public = tuple(each for each in information.past if isinstance(each, Told))
        known = Information(self.other, 2, self.game.observe(state, self.other), public)
        return [Deal(self.game.sample_state(known, rng), mover, turns) for _ in range(GUESSES)]

    def followed(self, information):
        """The hands of the last question, weighed by what was done since; None in a new round."""
        if self.before is None:
            return None
        hands, own, moves, likes = self.before
        seen = information.observation
        if own is not None:
            hands = hands.after(self.played(hands.now, self.seat, own), self.seat, own)
            if self.game.observe(hands.now, self.seat) == seen:
                return hands
        state = hands.now
        if is_round_over(self.game, state) or self.other not in self.game.to_act(state):
            return None
        self.learn(False)
        for move in moves_of(self.game.options(state, self.other), MOVES_MAX) or ():
            after = self.played(state, self.other, move)
            if self.game.observe(after, self.seat) == seen:
                if move not in moves:
                    moves, likes = [*moves, move], np.concatenate([likes, self.liking(hands, move, likes)], 1)
                chances = softmax(likes, CARELESS)[:, moves.index(move)]
                hands = hands.weighed(chances).after(after, self.other, move)
                few = 1 / (hands.likely**2).sum() < HANDS / 4
                return hands.likeliest(LOST) if few else hands
        return None

    def learn(self, was_doubted):
        """What the other did after a claim says how much it likes to doubt."""
        if self.expected is not None:
            self.doubting += LESSON * (was_doubted - self.expected)
            self.expected = None

    def liking(self, hands, move, likes):
        """How the other likes a claim that was not thought of, with each hand that was."""
        rows = hands.guesses
        return [[ANSWERED * np.mean([self.doubted_at_once(each, move) for each in row])] for row in rows]

    # What can be done.

    def played(self, state, seat, move):
        """The state after a move of a seat, where the others have but one."""
        moves, asked = {seat: move}, self.game.to_act(state)
        for each in asked if len(asked) > 1 else ():
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

    def ending(self, hands, mover, claims):
        """The other seat's answer that ends the round after any of these claims; None if there is none."""
        answers = None
        for claim in claims:
            after = self.played(hands.now, mover, claim)
            answerer = self.decider(after) if not is_round_over(self.game, after) else None
            if answerer != 1 - mover:
                return None
            if answers is None:
                found = self.listed([after], answerer)
                answers = found[0] if found else []
            options = self.game.options(after, answerer)
            answers = [each for each in answers if any(each in option for option in options)]
        for deal in hands.deals[:4]:
            after = self.played(self.now(hands, deal), mover, claims[0])
            if is_round_over(self.game, after) or self.listed([after], Seat(1 - mover)) is None:
                return None
        return answers[0] if answers else None

    # What it is worth.

    def won(self, before, after, seat):
        """What a seat won and the other lost meanwhile."""
        had, has = self.game.holdings(before), self.game.holdings(after)
        return has[seat] - had[seat] - has[1 - seat] + had[1 - seat]

    def now(self, hands, deal):
        """What a deal has come to by the turns since it was drawn."""
        state = deal.state
        for seat, move in hands.turns[deal.turns :]:
            state = self.played(state, seat, move)
        return state

    def ended(self, hands, deals, mover, ends):
        """What each end is worth to who makes it, in each deal."""
        worth = []
        for deal in deals:
            if hands.turns and ends == [self.doubt]:  # of the last claim, which may have been looked at
                worth.append([-self.doubted_at_once(deal, hands.turns[-1][1])])
            else:
                state = self.now(hands, deal)
                worth.append([self.won(state, self.played(state, mover, end), mover) for end in ends])
        return np.array(worth, float).reshape(len(deals), len(ends))

    def doubted_at_once(self, deal, claim):
        """What a claim is worth to who makes it if it is doubted at once."""
        if claim not in deal.known:
            claimed = self.played(deal.state, deal.mover, claim)
            ended = self.played(claimed, Seat(1 - deal.mover), self.doubt)
            deal.known[claim] = self.won(deal.state, ended, deal.mover)
        return deal.known[claim]

    def credible(self, hands, mover, claims, guess, end):
        """The claims that stand most often, in their order: of those that stand equally often the last ones.

        A later claim leaves the other less to claim, so an earlier one is worth a look only if it stands more
        often, or if there are few.
        """
        if len(claims) <= CLAIMS:
            return claims
        stands, left, start = [0.0] * len(claims), range(len(claims)), monotonic()
        until = start + (end - start) / 4
        for place in range(len(hands.deals))[:SCREENED]:
            if place > 2 and monotonic() > until:
                break
            deal = hands.deals[place]
            if mover != self.seat:
                hands.guesses[place] = hands.guesses[place] or guess(deal.state)
                deal = hands.guesses[place][0]
            for which in left:
                stands[which] += self.doubted_at_once(deal, claims[which])
            if place:
                most = max(stands[which] for which in left)
                left = [which for which in left if stands[which] >= most - (place + 1) * WORSE]
        worst = min(stands)
        found, left = [], [which for which in range(len(claims)) if stands[which] > worst] or list(left)
        while len(found) < CLAIMS and left:
            front, most = [], -np.inf
            for which in sorted(left, reverse=True):
                if stands[which] > most:
                    front.append(which)
                    most = stands[which]
            found += front[::-1]
            left = [which for which in left if which not in front]
        found = {*found[:CLAIMS], *self.answers(hands, mover, claims, guess, until + (until - start) / 2)}
        return [claims[which] for which in sorted(found)]

    def answers(self, hands, mover, claims, guess, until):
        """The highest claim with each of the likeliest hands of the other that stands in its first guesses.

        A claim of the other says little of its hand if nothing else is thought of that it might have claimed.
        """
        found = []
        for place in range(len(hands.deals))[:ANSWERS] if mover == self.seat else ():
            if place and monotonic() > until:
                break
            guesses = hands.guesses[place] = hands.guesses[place] or guess(hands.deals[place].state)
            for which in reversed(range(len(claims))):
                if all(self.doubted_at_once(each, claims[which]) > 0 for each in guesses[:AGREED]):
                    found.append(which)
                    break
        return found

    def worths(self, hands, mover, claims, ends, guess, end, rounds):
        """What claims and ends are worth, for as many of the hands as there is time for.

        That is: claims where the other holds what it holds; claims, and ends, in the other's guesses.
        """
        own, told, ends_told = [], [], []
        for place in range(len(hands.deals))[: rounds or HANDS]:
            if own and monotonic() > end:
                break
            deal = hands.deals[place]
            guesses = hands.guesses[place] = hands.guesses[place] or guess(deal.state)
            own.append([self.doubted_at_once(deal, claim) for claim in claims])
            told.append([[self.doubted_at_once(each, claim) for claim in claims] for each in guesses])
            ends_told.append(self.ended(hands, guesses, mover, ends))
        return np.array(own), np.array(told), np.array(ends_told)

    def outlook(self, hands, claims, own, told):
        """What each claim is worth, and what the other would do after it with each hand.

        The other believes this seat a little.  It doubts, or claims more; then this seat doubts, or claims
        more, and what comes after that counts nothing.
        """
        options = [
            self.game.options(self.played(hands.now, self.seat, claim), self.other) for claim in claims
        ]
        higher = np.array(
            [[any(claim in option for option in after) for claim in claims] for after in options]
        )
        of_other, trusted = told.mean(1), doubted(-told) + self.doubting
        is_doubted = 1 / (1 + np.exp(-trusted / CARELESS))
        worth, likes = [], []
        for place in range(len(claims)):
            more = np.where(higher[place], ANSWERED * of_other, -99.0)
            likes.append(np.concatenate([more, trusted[:, place : place + 1]], 1))
            does = softmax(likes[-1], CARELESS)
            joint = hands.likely[:, None] * does
            doubting = -(joint[:, :-1] * own).sum(0)
            claiming = np.where(higher, joint[:, :-1].T @ (is_doubted * own), -9.0).max(1)
            worth.append(joint[:, -1] @ own[:, place] + np.maximum(doubting, claiming).sum())
        return np.array(worth), likes


def doubted(worth):
    """What it is worth to doubt, over all guesses of a hand, for who believes the other a little."""
    trust = np.exp(-TRUST * worth)
    return (1 - BELIEF) * (trust * worth).sum(1) / trust.sum(1) - BELIEF


def softmax(worth, careless):
    """How likely each move of a row is for who prefers better ones, but is somewhat careless."""
    weight = np.exp((worth - worth.max(1, keepdims=True)) / careless)
    return weight / weight.sum(1, keepdims=True)
