"""Liar's Dice has the values that its rules give on paper, computed over this very engine.

Expected values: RULES.md, "Liar's Dice", "Check against".  Those of best play are in `test_solved_games.py`.
"""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import pytest

from arena.game import CHANCE, Seat
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Challenge, Roll

FIRST, SECOND = Seat(0), Seat(1)


def duel(dice=1, faces=6):
    return LiarsDice(dice=dice, faces=faces, challenge="next")


def asked_after(game, roll, bids):
    """The state after these bids, made in turn by the first and the second seat."""
    state = game.apply(game.start(2), {CHANCE: roll}).state
    for bid in bids:
        state = game.apply(state, {state.on_turn: bid}).state
    return state


def legal_moves(game, state):
    """All moves that the engine offers the seat on turn, each once."""
    moves = []
    for option in game.options(state, state.on_turn):
        domains = [range(domain.low, domain.high + 1) for domain in option.fields.values()]
        moves += [option.move(*values) for values in product(*domains)]
    assert len(set(moves)) == len(moves)
    return moves


@cache
def follow_ups(game):
    """For every bid, and None for no bid, what the engine lets the next seat do."""
    roll = Roll(((1,) * game.dice,) * 2)
    first = legal_moves(game, asked_after(game, roll, []))
    return {None: first} | {bid: legal_moves(game, asked_after(game, roll, [bid])) for bid in first}


@cache
def lowest(game):
    return min(follow_ups(game)[None], key=lambda bid: (bid.count, bid.face))


@cache
def verdict(game, roll, bid, bidder):
    """What a challenge of this bid is worth for the first seat: +1 if the other loses the die, else −1."""
    bids = [bid] if bidder == FIRST else [lowest(game), bid]
    state = asked_after(game, roll, bids)
    assert state.last_bidder == bidder
    after = game.apply(state, {state.on_turn: Challenge()}).state
    return 1 if after.last_loser == SECOND else -1


# Uniform play.


def challenged(game):
    """How likely a round of uniform play ends by a challenge of each (bid, bidder)."""
    moves = follow_ups(game)
    ends = {}
    reached = {(None, SECOND): Fraction(1)}
    for bid in sorted(moves, key=lambda bid: (bid.count, bid.face) if bid else (0, 0)):
        for bidder in (FIRST, SECOND):
            each = reached.get((bid, bidder), Fraction(0)) / len(moves[bid])
            for move in moves[bid]:
                if isinstance(move, Challenge):
                    ends[bid, bidder] = each
                else:
                    key = move, SECOND if bidder == FIRST else FIRST
                    reached[key] = reached.get(key, Fraction(0)) + each
    assert sum(ends.values()) == 1
    return {end: chance for end, chance in ends.items() if chance}


def every_roll(game, bid):
    """All rolls with their probabilities."""
    hands = list(product(range(1, game.faces + 1), repeat=game.dice))
    return [(Roll(pair), Fraction(1, len(hands) ** 2)) for pair in product(hands, repeat=2)]


def rolls_by_matches(game, bid):
    """A roll for each number of dice that show the bid's face, with the probability of that number.

    Nothing else of a roll bears on the verdict (`test_only_the_number_of_matching_dice_decides`).
    """
    total, other = 2 * game.dice, bid.face % game.faces + 1
    for matching in range(total + 1):
        dice = (bid.face,) * matching + (other,) * (total - matching)
        chance = Fraction(comb(total, matching) * (game.faces - 1) ** (total - matching), game.faces**total)
        yield Roll((dice[: game.dice], dice[game.dice :])), chance


def uniform_value(game, rolls):
    """What one round is worth for the first seat if both choose uniformly among all legal moves."""
    return sum(
        ends * chance * verdict(game, roll, bid, bidder)
        for (bid, bidder), ends in challenged(game).items()
        for roll, chance in rolls(game, bid)
    )


@pytest.mark.parametrize(
    ("dice", "rolls", "value"),
    [
        pytest.param(1, every_roll, Fraction(-1, 18), id="1v1, all 36 rolls"),
        pytest.param(1, rolls_by_matches, Fraction(-1, 18), id="1v1"),
        pytest.param(2, rolls_by_matches, Fraction(-1, 36), id="2v2"),
        pytest.param(5, rolls_by_matches, Fraction(-1, 90), id="5v5"),
    ],
)
def test_uniform_play_has_its_exact_value(dice, rolls, value):
    """Uniform play over all legal moves, one round, has the value known for the first seat."""
    assert value == uniform_value(duel(dice), rolls)


def test_only_the_number_of_matching_dice_decides():
    """With two dice each and three faces, every verdict follows from how many dice show the face."""
    game = duel(dice=2, faces=3)
    for bid in follow_ups(game)[None]:
        by_matches = {}
        for roll, _ in every_roll(game, bid):
            matching = sum(row.count(bid.face) for row in roll.hands)
            by_matches.setdefault(matching, set()).add(verdict(game, roll, bid, FIRST))
        assert all(len(verdicts) == 1 for verdicts in by_matches.values())
