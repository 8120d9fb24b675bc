"""The chance of a bot of the SDK: a stream of draws for each decision, the same wherever a seat is dealt the same."""

from __future__ import annotations

import copy
from itertools import pairwise
from math import sqrt
from random import Random
from types import SimpleNamespace

import pytest
import trio
import trio.testing

from arena.games.liars_dice import LiarsDice
from arena.match.clock import Control
from arena.players.local import LocalPlayer
from arena.referee import Conduct, Seating, play_match
from arena.sdk import Bot, choose
from arena.sdk.bot import drawn_move as answer


class Drawer(Bot):
    """Answers with so many numbers, or plays at random; keeps what it drew."""

    def __init__(self, draws=1):
        self.draws = draws
        self.kept = []

    def move(self, state, options):
        drawn = [self.rng.random() for _ in range(self.draws)]
        self.kept.append(drawn[:1])
        return choose(options, self.rng) if options else drawn


def begun(seed=7, draws=1, **also):
    bot = Drawer(draws)
    bot.begin(SimpleNamespace(bot_seed=str(seed), **also))
    return bot


def asked(round_number, **also):
    return {"round_number": round_number, "your_hand": [1], **also}


def test_a_decision_draws_the_same_however_much_was_drawn_before():
    """What one of two bots drew more, or was told otherwise, in earlier decisions changes nothing later."""
    one, other = begun(draws=1), begun(draws=50)
    answer(one, asked(1), [])
    answer(other, asked(1, last_bid=[3, 3]), [])
    answer(other, asked(1), [])
    assert answer(one, asked(2), []) == answer(other, asked(2, your_hand=[6]), [])[:1]


def test_the_same_question_again_is_another_decision():
    """Equal questions of one match are answered with draws of their own; so are those of another seed."""
    bots = [begun(7), begun(7), begun(8)]
    rows = [[answer(bot, asked(1), [])[0] for _ in range(20)] for bot in bots]
    assert rows[0] == rows[1]
    assert 40 == len({number for row in rows[1:] for number in row})


def test_a_game_without_rounds_counts_its_questions():
    """Where no field counts rounds, the third question's draws are the third question's in every match."""
    one, other = begun(draws=1), begun(draws=5)
    rows = [[answer(bot, {"your_hand": [2]}, [])[0] for _ in range(3)] for bot in (one, other)]
    assert rows[0] == rows[1]
    assert 3 == len(set(rows[0]))


DRAWS = {
    "random": lambda rng: rng.random(),
    "choice": lambda rng: rng.choice(range(10**9)),
    "sample": lambda rng: rng.sample(range(10**6), 5),
    "shuffle": lambda rng: (row := list(range(20)), rng.shuffle(row))[0],
    "choices": lambda rng: rng.choices(range(10**6), k=5),
    "gauss": lambda rng: rng.gauss(),
    "bytes": lambda rng: rng.randbytes(9),
    "a copy": lambda rng: copy.deepcopy(rng).random(),
    "its state": lambda rng: rng.getstate(),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_every_way_to_draw_is_keyed(draw):
    """Two bots with different pasts draw alike in a decision, in whatever way, and from the same object."""

    class Drawing(Drawer):
        def move(self, state, options):
            return draw(self.rng)

    one, other = Drawing(), Drawing()
    for bot in (one, other):
        bot.begin(SimpleNamespace(bot_seed="7"))
    rng = other.rng
    other.rng.gauss()  # leaves the second of a pair
    other.rng.random()
    assert answer(one, asked(1), []) == answer(other, asked(1), [])
    assert answer(one, asked(2), []) == answer(other, asked(2), [])
    assert rng is other.rng


def test_who_does_not_draw_does_not_pay(monkeypatch):
    """The generator is seeded by the first draw of a decision, and by nothing where there is none."""
    seeded = []
    silent, drawing = begun(draws=0), begun(draws=3)
    monkeypatch.setattr("arena.sdk.chance.MatchRandom.seed", lambda rng, *key: seeded.append(key))
    answer(silent, asked(1), [])
    assert [] == seeded
    monkeypatch.undo()
    before = drawing.rng.getstate()
    answer(drawing, asked(1), [])
    assert before != drawing.rng.getstate()
    before = silent.rng.getstate()
    answer(silent, asked(2), [])
    assert before == silent.rng.getstate()


def test_between_decisions_draws_go_on():
    """Before the first question they are those of `Random(bot_seed)`, as ever; a draw there seeds nothing anew."""
    bot, plain = begun(7, draws=0), Random(7)
    assert plain.random() == bot.rng.random()
    answer(bot, asked(1), [])
    assert plain.random() == bot.rng.random()


def test_a_bot_may_have_a_generator_of_its_own():
    """What it puts in place of `rng`, and what it seeds during a decision, is left alone."""
    bot = begun()
    bot.rng = Random(1)
    assert [Random(1).random()] == answer(bot, asked(1), [])

    class Seeding(Drawer):
        def move(self, state, options):
            self.rng.seed(5)
            return self.rng.random()

    seeding = Seeding()
    seeding.begin(SimpleNamespace(bot_seed="7"))
    assert Random(5).random() == answer(seeding, asked(1), [])


async def drawn_in(number):
    """The first draw of every decision of one seat in a match between bots that play at random."""
    bots = [Drawer(), Drawer()]
    await play_match(
        LiarsDice(),
        [LocalPlayer(name, bot) for name, bot in zip("ab", bots, strict=True)],
        seed=number,
        control=Control(),
        conduct=Conduct(),
        seating=Seating(f"m{number}", ("a", "b"), (1000 + number, 2000 + number)),
    )
    return [[drawn for (drawn,) in bot.kept] for bot in bots]


def correlation(pairs):
    """Of numbers that are uniform from 0 to 1."""
    return sum((one - 0.5) * (other - 0.5) for one, other in pairs) * 12 / len(pairs)


@pytest.mark.slow
def test_draws_are_uniform_and_independent_in_real_matches():
    """Over whole matches: each value as often as any, and none tells of the next, of an earlier match or of a seat.

    Seeded: 150 matches, about 3,000 decisions of a seat.  Each bound is four standard errors.
    """
    clock = trio.testing.MockClock(autojump_threshold=0)

    async def all_matches():
        return [await drawn_in(number) for number in range(150)]

    matches = trio.run(all_matches, clock=clock)
    rows = [drawn for match in matches for drawn in match]
    values = [value for row in rows for value in row]
    assert len(values) == len(set(values)), "no draw comes twice"
    counts = [sum(int(value * 10) == cell for value in values) for cell in range(10)]
    even = len(values) / 10
    assert sum((count - even) ** 2 / even for count in counts) < 9 + 4 * sqrt(2 * 9)
    others = {
        "the next decision": [pair for row in rows for pair in pairwise(row)],
        "the one after": [pair for row in rows for pair in zip(row, row[2:], strict=False)],
        "the next match": [pair for one, two in pairwise(rows) for pair in zip(one, two, strict=False)],
        "the other seat": [pair for one, two in matches for pair in zip(one, two, strict=False)],
    }
    for pairs in others.values():
        assert len(pairs) > 1000
        assert abs(correlation(pairs)) < 4 / sqrt(len(pairs))
