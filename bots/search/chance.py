"""Moves tried where only chance is hidden: whoever moves knows all that anybody knows.

Then what follows a move is a matter of luck and of what is best next, and the value of a position is that
of its best move (T. Keller, M. Helmert, "Trial-Based Heuristic Tree Search for Finite Horizon MDPs", ICAPS
2013, pp. 135–143).  A try walks through states drawn at random until it comes to a position that is new, and
ends there: that one counts what its `holdings` say, and what it usually is worth to be on turn.
"""

from math import inf, log, sqrt
from time import monotonic

from attrs import astuple
from tree import STEPS_MAX, Moves, beginner, begins_round, words

from arena.match.game import CHANCE

BEGINS = 0.1  # what it is worth to begin a round, before any was seen
DECIDED = 0.05  # below this probability to win, and above 1 less it, a position says nothing of others
SPREAD_MIN = 0.01
LOOKS = 6  # states drawn to see whether others know something
TRIES = 500  # as many as fit into the time on a quiet machine
POOL = 200  # states through which tries walk
CURIOSITY = 0.8  # standard deviations of what tries are worth
PRIOR = 1.0  # tries as which counts what a position looks like at first sight
DOUBT = 0.5  # of these, by how much a move that was tried once may be worse than it looked
STEEPNESS = 2.0  # a seat that holds twice as much as another is 2 ** STEEPNESS times as likely to win
CREDIT = 0.5  # how much of what it usually is worth to be on turn is left where a try ends
SETTLED = 20  # tries from which on a position says what it is worth to be on turn
MEMORY = 60  # times that count in what is learnt in a match
FAIR = 0.3  # how large a part of the tries from where it stands is shared out evenly
CHECKED = 16  # tries between two looks at the clock


class Position:
    """What the seat that moves sees, with its moves, and what became of each of them."""

    def __init__(self, number, seat, moves, value, share=0.0, habits=(), tempo=None):
        self.number, self.seat, self.moves, self.share = number, seat, moves, share
        self.habits, self.tempo = habits, tempo
        """What is learnt of its moves, and of being on turn, in all positions that say the same in words."""
        self.base = self.value = value
        """What it is worth to each seat: at first sight, and now."""
        self.times = 0
        self.tried = [0] * len(moves)
        self.worth = [value] * len(moves)
        self.after = [{} for _ in moves]
        """The positions that followed each move, and how often."""


class Chance:
    """Tries of moves where nobody knows more than who moves."""

    def __init__(self, game, seat, seats):
        self.game, self.seat, self.seats = game, seat, seats
        self.every, self.moves = range(seats), Moves()
        self.positions, self.ends = {}, {}
        self.habits, self.tempo, self.round = {}, {}, Mean(1, BEGINS)
        """How much better each move was than its position, and to be on turn than it looked, by words; and to
        begin a round."""
        self.seen, self.spread = (0, 0.0, 0.0), 0.2
        """Tries, what they were worth in sum, and the squares of that; and its standard deviation."""

    def fits(self, information, sample, rng):
        """Whether all that the others know is known to this seat, and what they hold says who wins."""
        held = self.game.holdings(sample)
        if held is None or self.game.rated_by != "ranks" or min(held) < 0:
            return False
        others = [seat for seat in range(self.seats) if seat != self.seat]
        known = [self.game.observe(sample, seat) for seat in others]
        for _ in range(LOOKS):
            state = self.game.sample_state(information, rng)
            if any(self.game.observe(state, seat) != seen for seat, seen in zip(others, known, strict=True)):
                return False
        return True

    def move(self, information, sample, rng, end, tries):
        """The move that does best in so many tries, or in as many as there is time for."""
        self.rng, self.steps, self.same = rng, {}, {}
        if (self.seat, self.game.observe(sample, self.seat), ()) not in self.positions:
            self.positions.clear()  # the last question was of another round
            self.ends.clear()
        root = self.position(sample, ())
        if len(root.moves) == 1:
            return root.moves[0]
        pool = []
        for number in range(tries):
            if number % CHECKED == 0 and number and monotonic() > end:
                break
            if number < POOL:
                state = self.game.sample_state(information, rng)
                pool.append(self.same.setdefault(state, state))
            self.try_out(root, pool[number % POOL])
        if self.begins(information) and DECIDED < root.share < 1 - DECIDED:
            self.round.learn((root.value[self.seat] - root.share) / openness(root.share))
        return root.moves[self.best(root)]

    def begins(self, information):
        """Whether this seat has the first turn of a round, and nothing was done in it yet."""
        turns = []
        for each in reversed(information.told() if self.game.turn_begins else ()):
            if each.kind == self.game.round_begins:
                return turns == [self.seat]
            if each.kind == self.game.turn_begins:
                turns.append(astuple(each.payload)[0])
        return False

    def try_out(self, position, state):
        """One walk from a position to the next new one."""
        path, done, which = [], (), self.neglected(position)
        while position.moves and len(path) < STEPS_MAX:
            which = self.chosen(position) if path or which is None else which
            path.append((position, which))
            key = position.number, which, id(state)
            is_new, found = not position.times, self.steps.get(key)
            if found is None:
                *found, is_sure = self.step(state, done, position, which)
                found[1] = self.same.setdefault(found[1], found[1])
                if is_sure:
                    self.steps[key] = found
            position, state, done = found
            if is_new:
                break
        self.look(position.value[self.seat])
        for before, which in reversed(path):
            after = before.after[which]
            after[position] = after.get(position, 0) + 1
            self.count(before, which)
            position = before

    def look(self, worth):
        """Takes note of what a try was worth."""
        times, total, squares = self.seen
        self.seen = times, total, squares = times + 1, total + worth, squares + worth**2
        self.spread = sqrt(max(squares / times - (total / times) ** 2, SPREAD_MIN**2))

    def step(self, state, done, position, which):
        """What follows a move, where these moves were already made by others that are asked at once.

        That is a position, its state, the moves made there, and whether the same follows every time.
        """
        done = (*done, (position.seat, position.moves[which]))
        asked, is_sure = self.game.to_act(state), True
        if len(done) == len(asked):
            state, done = self.game.apply(state, dict(done)).state, ()
        while (asked := self.game.to_act(state)) and asked[0] == CHANCE:
            step, before = self.game.apply(state, {CHANCE: self.game.draw(state, self.rng)}), state
            state = step.state
            if begins_round(self.game, step):
                value = self.led(self.shares(state), self.leader(step), self.round.value)
                return self.end(value), before, (), True
            is_sure = False
        if not asked:
            returns = self.game.returns(state)
            return self.end([(each * (self.seats - 1) + 1) / self.seats for each in returns]), state, (), True
        return self.position(state, done), state, done, is_sure

    def leader(self, step):
        """The seat that has the first turn of a round that has just begun, if nobody does anything before."""
        for _ in range(STEPS_MAX):
            first, asked = beginner(self.game, step), self.game.to_act(step.state)
            if first is not None or not asked or asked[0] == CHANCE:
                return first
            step = self.game.apply(step.state, {seat: self.game.default(step.state, seat) for seat in asked})
        return None

    def position(self, state, done):
        """The position of who moves now: of all that are asked at once, this seat is the first."""
        asked = self.game.to_act(state)
        left = [seat for seat in asked if all(seat != each for each, _ in done)]
        seat = self.seat if self.seat in left else left[0]
        seen = self.game.observe(state, seat)
        key = seat, seen, done
        if key not in self.positions:
            moves, context = self.moves.of(self.game.options(state, seat), self.rng), (seat, *words(seen))
            habits = [self.habits.setdefault((context, move), Mean()) for move in moves]
            tempo, shares = self.tempo.setdefault(context, Mean()), self.shares(state)
            value = self.led(shares, seat, CREDIT * tempo.value)
            number = len(self.positions)
            self.positions[key] = Position(number, seat, moves, value, shares[seat], habits, tempo)
        return self.positions[key]

    def end(self, value):
        """The position in which nobody moves any more in this round."""
        key = tuple(value)
        if key not in self.ends:
            self.ends[key] = Position(-1, None, (), value)
        return self.ends[key]

    def shares(self, state):
        """How likely each seat is to win, by what it holds."""
        strengths = [each**STEEPNESS for each in self.game.holdings(state)]
        total = sum(strengths)
        return [each / total for each in strengths]

    def led(self, shares, seat, lead):
        """The shares, where it is worth something to a seat that it is on turn."""
        if seat is None:
            return shares
        share = shares[seat]
        gain, others = lead * openness(share), 1 - share or 1
        return [each + gain if of == seat else each - gain * each / others for of, each in enumerate(shares)]

    def neglected(self, position):
        """A move that was tried less than each is, however bad it looks; None if there is none."""
        least = min(position.tried)
        return position.tried.index(least) if least < FAIR * position.times / len(position.moves) else None

    def chosen(self, position):
        """The move with the highest bound; one that was not tried is taken for what it usually is worth."""
        seat, reach, best, which = position.seat, CURIOSITY * self.spread, -inf, 0
        reach, base, worth = reach * sqrt(log(position.times + 1) + 0.1), position.base[seat], position.worth
        for place, times in enumerate(position.tried):
            bound = worth[place][seat] if times else base + position.habits[place].value
            bound += reach / sqrt(times + 1)
            if bound > best:
                best, which = bound, place
        return which

    def best(self, position):
        """The best move, where one that was tried seldom may be worse than it looked."""
        seat, reach, best, which = position.seat, DOUBT * self.spread, -inf, 0
        worth = position.worth
        for place, times in enumerate(position.tried):
            if times and (bound := worth[place][seat] - reach / sqrt(times)) > best:
                best, which = bound, place
        return which

    def count(self, position, which):
        """What a move is worth by all that followed it, and its position by its best move."""
        seat = position.seat
        position.times += 1
        position.tried[which] += 1
        times, after = position.tried[which], position.after[which]
        position.worth[which] = worth = [
            (sum([each.value[of] * count for each, count in after.items()]) + PRIOR * position.base[of])
            / (times + PRIOR)
            for of in self.every
        ]
        position.value = position.worth[self.best(position)]
        position.habits[which].learn(worth[seat] - position.base[seat])
        share = position.share
        if position.times >= SETTLED and DECIDED < share < 1 - DECIDED:
            position.tempo.learn((position.value[seat] - share) / openness(share))


class Mean:
    """A mean of values that forgets."""

    __slots__ = ("times", "value")

    def __init__(self, times=0, value=0.0):
        self.times, self.value = times, value

    def learn(self, value):
        self.times = min(self.times + 1, MEMORY)
        self.value += (value - self.value) / self.times


def openness(share):
    """How much is still open if a seat wins with this probability: 1 at a half, nothing at the ends."""
    return 4 * share * (1 - share)
