"""What a game declares of its returns: no match goes beyond, and Hold'em's bounds are attained."""

from random import Random

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import CHANCE
from arena.games import GAMES
from arena.games.cards import DECK
from arena.games.holdem import Holdem
from arena.games.holdem.betting import BOARD_AT, raises, to_call
from arena.games.holdem.moves import Bet, Deal
from arena.games.liars_dice import LiarsDice
from arena.testing.games import check_game, random_match


@st.composite
def tables(draw):
    """Hold'em with house rules of every kind, and the seats for them."""
    seats, big = draw(st.integers(2, 10)), draw(st.integers(1, 20))
    rules = {"big_blind": big, "small_blind": draw(st.integers(1, big)), "hands": draw(st.integers(1, 5))}
    chips = st.integers(big, 6 * big)
    if draw(st.booleans()):
        stacks = tuple(draw(st.lists(chips, min_size=seats, max_size=seats)))
        return Holdem(**rules, stacks=stacks, reset_stacks=False), seats
    return Holdem(**rules, stack=draw(chips), reset_stacks=draw(st.booleans())), seats


@pytest.mark.slow
@settings(max_examples=100)
@given(tables(), st.integers(0, 2**32))
def test_no_random_match_goes_beyond_them(table, seed):
    """With equal stacks and others, in freeze-outs and in hands that begin anew."""
    game, seats = table
    low, high = game.returns_bounds(seats)
    *_, (_, last) = random_match(game, seats, Random(seed))
    returns = game.returns(last.state)
    assert low <= min(returns)
    assert max(returns) <= high


def all_in(game, state):
    """The move of a seat that bets all it has, or as much as the others can call."""
    (seat,) = game.to_act(state)
    raising = raises(state.hand, seat)
    call = min(to_call(state.hand, seat), state.hand.stacks[seat])
    return {seat: Bet(raising[1] if raising else call)}


def first_seat_wins():
    """A deal that gives seat 0 all four aces."""
    aces, others = DECK[:4], DECK[4:]
    between = BOARD_AT - 2
    return Deal((*aces[:2], *others[:between], *aces[2:], *others[between:]))


@pytest.mark.parametrize(
    ("rules", "seats", "extremes"),
    [
        pytest.param({"hands": 7}, 2, (-70_000.0, 70_000.0), id="a stack in every hand"),
        pytest.param({"hands": 7}, 6, (-70_000.0, 350_000.0), id="and those of five others"),
        pytest.param({"reset_stacks": False}, 6, (-10_000.0, 50_000.0), id="a freeze-out: once"),
        pytest.param(
            {"reset_stacks": False, "stacks": (100, 700, 700)}, 3, (-700.0, 1400.0), id="stacks of their own"
        ),
    ],
)
def test_the_bounds_of_holdem_are_the_closest(rules, seats, extremes):
    """Where one seat wins with all chips in whenever it can, nobody wins or loses less than is declared."""
    game = Holdem(**rules)
    assert extremes == game.returns_bounds(seats)
    if "stacks" in rules:
        return  # the smallest stack may win all others' and the largest may lose its own, but not in one hand
    state = game.start(seats)
    while asked := game.to_act(state):
        moves = {CHANCE: first_seat_wins()} if asked == (CHANCE,) else all_in(game, state)
        state = game.apply(state, moves).state
    returns = game.returns(state)
    assert extremes == (min(returns), max(returns))


def test_games_rated_by_ranks_declare_none():
    """Their points say who is better; nothing needs to know how high returns are."""
    declared = {name for name, game in GAMES.items() if game().returns_bounds(2) is not None}
    assert {"holdem"} == declared


class Modest(Holdem):
    """Says that nobody loses more than a blind."""

    def returns_bounds(self, seats):
        return -1.0, 1.0


class Reversed(Holdem):
    """Says the highest returns first."""

    def returns_bounds(self, seats):
        return tuple(reversed(super().returns_bounds(seats)))


class Endless(LiarsDice):
    """Says that there is no bound, which is said by None."""

    def returns_bounds(self, seats):
        return float("-inf"), float("inf")


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (Modest(hands=1), r"returns are \(.*\), beyond the \(-1\.0, 1\.0\) of returns_bounds"),
        (Reversed(hands=1), "not the lowest returns and then the highest"),
        (Endless(), "returns_bounds returns .*, not two numbers"),
    ],
    ids=lambda what: type(what).__name__,
)
def test_check_game_finds_wrong_bounds(game, said):
    """A promise that one random match breaks is named, with the returns that broke it."""
    with pytest.raises(AssertionError, match=said):
        check_game(game, seats=2, matches=1)


def test_a_game_may_declare_them_by_any_numbers():
    """Whole numbers are as good as others, and attained bounds are kept."""

    @attrs.frozen
    class Whole(LiarsDice):
        def returns_bounds(self, seats):
            return -1, 1

    check_game(Whole(dice=1, faces=2), seats=2, matches=3)
