"""Two seats, each of whose moves is a set of things that the other does not see, and may doubt.

A move is safe if who made it is no worse off when it is doubted than when it is let stand.  What the other
holds follows from its moves so far, if it makes safe ones as long as it can.  Which of one's own moves are
doubted is learnt in the course of a match.
"""

from functools import partial
from time import monotonic
from typing import NamedTuple

from arena.match.game import CHANCE, Information, OneOf, Seat, Subset, Told, moves_of

DEALS = 12  # states followed at once
DEALS_MIN = 4  # of these, whatever the clock says
VIEWS = 6  # what the other may take this seat's hand for
SAME = 2  # values of another field, which say the same: the first one is used
DARED = 6  # things in a move that is not safe, at most
ANSWERS_MAX = 4
STEPS_MAX = 3  # from one question to the next
AHEAD = 7  # own turns that are looked ahead for safe moves
WINNING = 40.0  # what the match counts, in units of what `holdings` count
# What others do, before anything was seen of them.
LIE = 0.03  # how often a seat dares what is not safe although it need not
SMALLER = 0.3  # how much rarer the next larger move is that is not safe, and the next smaller one that is
DOUBTED = ((0.0, 0.95), (0.1, 0.5), (0.4, 0.25), (1.0, 0.12))
"""How often a move is doubted that the other thinks to be safe with at most this probability."""
SURE = 3.0  # how many doubts seen in the match count as much as these


class Sets(NamedTuple):
    """The things of which a move is a set, and what makes a move of some of them."""

    things: tuple
    move: partial


def made(kind, name, rest, things):
    """The move of some things."""
    return kind(**{name: things}, **rest)


class Lies:
    """Two seats whose moves the other sees in part only."""

    def __init__(self, game, seat):
        self.game, self.seat, self.other = game, seat, Seat(1 - seat)
        self.deals, self.made, self.asked, self.since = [], None, None, 0
        self.doubts = [[share * SURE, SURE] for _, share in DOUBTED]

    def fits(self, state):
        """Whether a move that is asked for is a set of things, or an answer that leads to such a question."""
        asked = self.game.to_act(state)
        if asked != (self.seat,):
            return False
        if self.field(state, self.seat) is not None:
            return True
        answers = moves_of(self.game.options(state, self.seat), ANSWERS_MAX) or ()
        return len(answers) > 1 and any(self.is_asked_next(state, answer) for answer in answers)

    def is_asked_next(self, state, answer):
        """Whether the next question after an answer is for a set of things."""
        after = self.after(state, self.seat, answer)
        return any(seat != CHANCE and self.field(after, seat) is not None for seat in self.game.to_act(after))

    def move(self, information, rng, end):
        """The move to make; None if it is none of this kind."""
        self.rng, self.end = rng, end
        deals = self.followed(information) or self.drawn(information)
        self.deals, self.made = deals, None
        is_answer = self.field(deals[0][0], self.seat) is None
        self.made = self.answer(deals) if is_answer else self.dared(deals, information)
        self.since = len(information.past)
        return self.made

    # What the other may hold: states, and how likely each is.

    def drawn(self, information):
        return [(self.game.sample_state(information, self.rng), 1.0) for _ in range(DEALS)]

    def followed(self, information):
        """The states of the last question, after what was done since, as far as they fit what is seen now."""
        if self.made is None:
            return None
        self.kinds = {each.kind for each in information.past[self.since :] if isinstance(each, Told)}
        found = []
        for place, (state, likely) in enumerate(self.deals):
            if place >= DEALS_MIN and monotonic() > self.end:
                break
            found += self.onward(self.after(state, self.seat, self.made), likely, information, STEPS_MAX)
        self.learn()
        if not found:
            return None
        total = sum(likely for _, likely in found)
        if len(found) > DEALS:
            weights = [likely for _, likely in found]
            return [(state, 1.0) for state, _ in self.rng.choices(found, weights, k=DEALS)] if total else None
        return [(state, likely / total) for state, likely in found] if total else None

    def onward(self, state, likely, information, steps):
        """The states to which moves of the other lead, where this seat sees what it sees."""
        if self.game.observe(state, self.seat) == information.observation:
            return [(state, likely)]
        asked = self.game.to_act(state)
        if not steps or asked != (self.other,):
            return []
        found = []
        for move, share in self.habits(state):
            step = self.game.apply(state, {self.other: move})
            if all(event.kind in self.kinds for event in step.events if event.public is not None):
                found += self.onward(step.state, likely * share, information, steps - 1)
        return found

    def habits(self, state):
        """What the other may do in a state, and how likely it is: safe moves if it can, the largest ones."""
        if self.field(state, self.other) is None:
            return [(move, 1.0) for move in moves_of(self.game.options(state, self.other), ANSWERS_MAX) or ()]
        safe, dared = self.candidates(state, self.other)
        weights = [(move, SMALLER**place) for place, move in enumerate(reversed(safe))]
        share = LIE if safe else 1.0
        return weights + [(move, share * SMALLER**place) for place, move in enumerate(dared)]

    def after(self, state, seat, move):
        return self.game.apply(state, {seat: move}).state

    # Answers.

    def answer(self, deals):
        """The answer that is worth most, over all that the other may hold."""

        def worth(move):
            return sum(
                likely * self.gain(state, self.after(state, self.seat, move), self.seat)
                for state, likely in deals
            )

        return max(moves_of(self.game.options(deals[0][0], self.seat), ANSWERS_MAX), key=worth)

    # Moves.

    def dared(self, deals, information):
        """The move that is worth most, given how often one that looks like it is doubted."""
        state = self.rng.choices([s for s, _ in deals], [w for _, w in deals])[0]
        safe, dared = self.candidates(state, self.seat, self.soon(state))
        credit = self.credit(state, information)
        best = None
        for move in safe + dared:
            after = self.after(state, self.seat, move)
            look = self.game.observe(after, None)
            silent, doubts = self.outcomes(state, after, self.seat)
            which = next(place for place, (most, _) in enumerate(DOUBTED) if credit.get(look, 0.0) <= most)
            share = self.doubts[which][0] / self.doubts[which][1]
            worth = (1 - share) * silent + share * min(doubts, default=silent)
            if best is None or worth > best[0]:
                best = worth, move, which
        self.asked = best[2]
        return best[1]

    def credit(self, state, information):
        """How likely the other thinks it, by how a move looks, that this seat can safely make such a one."""
        public = tuple(each for each in information.past if isinstance(each, Told))
        known = Information(self.other, 2, self.game.observe(state, self.other), public)
        credit = {}
        for place in range(VIEWS):
            if place > 1 and monotonic() > self.end:
                break
            view = self.game.sample_state(known, self.rng)
            for move in self.candidates(view, self.seat)[0]:
                look = self.game.observe(self.after(view, self.seat, move), None)
                credit[look] = credit.get(look, 0) + 1
        return {look: times / (place + 1) for look, times in credit.items()}

    def learn(self):
        """Whether the last move was doubted."""
        if self.asked is None:
            return
        self.doubts[self.asked][0] += bool(self.kinds & self.game.showdowns)
        self.doubts[self.asked][1] += 1
        self.asked = None

    def candidates(self, state, seat, soon=None):
        """Safe moves of every size, and others that need not be: the smallest of each first."""
        safe, dared = [], []
        of = self.field(state, seat)
        good = [thing for thing in of.things if self.is_safe(state, of.move((thing,)), seat)]
        bad = [thing for thing in of.things if thing not in good]
        self.rng.shuffle(bad)
        if soon is not None:
            bad.sort(key=lambda thing: -soon.get(thing, AHEAD))  # those last that are soon safe
        safe = [of.move(tuple(good[: size + 1])) for size in range(len(good))]
        dared = [of.move(tuple(bad[: size + 1])) for size in range(min(len(bad), DARED))]
        return safe, dared

    def soon(self, state):
        """After how many own turns each thing could be played safely, if little else is done meanwhile."""
        soon, turn = {}, 0
        while turn < AHEAD and monotonic() < self.end:
            asked = self.game.to_act(state)
            if not asked or asked[0] == CHANCE:
                break
            of = self.field(state, asked[0]) if asked[0] == self.seat else None
            if of is not None:
                for thing in of.things if turn else ():
                    if self.is_safe(state, of.move((thing,)), self.seat):
                        soon.setdefault(thing, turn)
                turn += 1
            state = self.after(state, asked[0], self.game.default(state, asked[0]))
        return soon

    def field(self, state, seat):
        """The sets of things that a seat may choose; None if it is asked for something else."""
        for option in self.game.options(state, seat):
            sets = [name for name, each in option.fields.items() if isinstance(each, Subset)]
            if len(sets) == 1 and option.fields[sets[0]].least == 1:
                (name,) = sets
                rest = {
                    each: next(iter(domain.values))
                    for each, domain in option.fields.items()
                    if isinstance(domain, OneOf) and len(domain.values) <= SAME
                }
                if len(rest) == len(option.fields) - 1:
                    return Sets(option.fields[name].of, partial(made, option.move, name, rest))
        return None

    # What it is worth.

    def is_safe(self, state, move, seat):
        silent, doubts = self.outcomes(state, self.after(state, seat, move), seat)
        return all(each >= silent for each in doubts)

    def outcomes(self, state, after, seat):
        """What a move is worth to who made it if it is let stand, and by every other answer."""
        asked = self.game.to_act(after)
        if len(asked) != 1 or asked[0] == seat:
            return self.gain(state, after, seat), []
        answers = moves_of(self.game.options(after, asked[0]), ANSWERS_MAX) or ()
        silent = self.game.default(after, asked[0])
        worth = {answer: self.gain(state, self.after(after, asked[0], answer), seat) for answer in answers}
        return worth.pop(silent), list(worth.values())

    def gain(self, before, after, seat):
        """What a seat won and the other lost meanwhile; the match itself counts as some of it."""
        had, has = self.game.holdings(before), self.game.holdings(after)
        won = has[seat] - had[seat] - has[1 - seat] + had[1 - seat]
        return won + (WINNING * self.game.returns(after)[seat] if not self.game.to_act(after) else 0.0)
