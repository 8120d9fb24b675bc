"""Liar's Dice: a row a rule, what follows for every match, and one match from start to end."""

from pathlib import Path
from random import Random

import attrs
import playthrough
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import IllegalMove
from arena.game import CHANCE, Seat, is_legal, shared_returns
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Bid, Challenge, Forfeit, Pass, Roll
from arena.testing.games import random_match

PLAYTHROUGH = Path(__file__).with_name("liars_dice_playthrough.txt")


def rolled(game, *hands):
    """The first question of a match with these hands."""
    return game.apply(game.start(len(hands)), {CHANCE: Roll(hands)}).state


def played(game, state, *moves):
    """The state after `moves`, each made by the seat on turn while all others pass."""
    for move in moves:
        asked = game.to_act(state)
        state = game.apply(state, {asked[0]: move} | {seat: Pass() for seat in asked[1:]}).state
    return state


def answered(game, state, *moves):
    """The step after one answer for each seat asked, in playing order."""
    return game.apply(state, dict(zip(game.to_act(state), moves, strict=True)))


# Challenges.


@pytest.mark.parametrize(
    ("hands", "bid", "wild_ones", "loser"),
    [
        pytest.param(((2,), (2,)), Bid(2, 2), False, 1, id="exact count: the bid stands"),
        pytest.param(((2,), (3,)), Bid(2, 1), False, 1, id="the bidder's own die counts"),
        pytest.param(((3,), (2,)), Bid(2, 1), False, 1, id="the challenger's die counts"),
        pytest.param(((2,), (2,)), Bid(2, 1), False, 1, id="more than the bid: the bid stands"),
        pytest.param(((2,), (3,)), Bid(2, 2), False, 0, id="one short: the bidder loses"),
        pytest.param(((4,), (5,)), Bid(2, 1), False, 0, id="none: the bidder loses"),
        pytest.param(((1,), (2,)), Bid(2, 2), False, 0, id="ones are not wild unless said"),
        pytest.param(((1,), (2,)), Bid(2, 2), True, 1, id="wild ones count for another face"),
        pytest.param(((1,), (1,)), Bid(6, 2), True, 1, id="wild ones alone make any face"),
        pytest.param(((1,), (2,)), Bid(1, 2), True, 0, id="a bid on wild ones counts ones only"),
        pytest.param(((1,), (1,)), Bid(1, 2), True, 1, id="a bid on wild ones counts each once"),
    ],
)
def test_a_challenged_bid(hands, bid, wild_ones, loser):
    """A challenge costs the challenger a die if the bid is true, else the bidder."""
    game = LiarsDice(dice=1, wild_ones=wild_ones)
    state = played(game, rolled(game, *hands), bid, Challenge())
    assert Seat(loser) == state.last_loser
    assert tuple(int(seat != loser) for seat in range(2)) == state.dice


def test_lost_dice_do_not_count():
    """Only as many dice of a roll count as the seat has left."""
    game = LiarsDice(dice=2)
    state = played(game, rolled(game, (1, 1), (2, 3)), Bid(6, 1), Challenge())
    assert state.dice == (1, 2)
    state = game.apply(state, {CHANCE: Roll(((4, 6), (6, 6)))}).state
    assert state.hands == ((4,), (6, 6))
    step = answered(game, played(game, state, Bid(6, 3)), Challenge(), Pass())
    assert step.events[0].public.actual == 2


# What is legal.

MID = Bid(3, 2)
"""The last bid in the table below, made by seat 0; seat 1 is on turn, six dice are in play."""


@pytest.mark.parametrize(
    ("seat", "move", "legal"),
    [
        pytest.param(1, Bid(4, 2), True, id="same count, higher face"),
        pytest.param(1, Bid(1, 3), True, id="greater count, any face"),
        pytest.param(1, Bid(6, 6), True, id="all dice in play"),
        pytest.param(1, Bid(3, 2), False, id="the same bid"),
        pytest.param(1, Bid(2, 2), False, id="same count, lower face"),
        pytest.param(1, Bid(6, 1), False, id="lower count"),
        pytest.param(1, Bid(1, 7), False, id="more than there are dice"),
        pytest.param(1, Bid(7, 3), False, id="a face that no die has"),
        pytest.param(1, Bid(0, 3), False, id="face nought"),
        pytest.param(1, Bid(4, -2), False, id="a negative count"),
        pytest.param(1, Challenge(), True, id="challenge on turn"),
        pytest.param(1, Pass(), False, id="pass on turn"),
        pytest.param(2, Pass(), True, id="pass off turn"),
        pytest.param(2, Challenge(), True, id="challenge off turn"),
        pytest.param(2, Bid(4, 2), False, id="a bid off turn"),
        pytest.param(0, Pass(), True, id="the bidder passes"),
        pytest.param(0, Challenge(), False, id="a challenge of one's own bid"),
        pytest.param(1, Roll(((1, 1),) * 3), False, id="a seat rolls"),
    ],
)
def test_moves_after_a_bid(seat, move, legal):
    """Options and apply agree on what is legal once there is a bid."""
    game = LiarsDice(dice=2)
    state = played(game, rolled(game, *[(1, 2)] * 3), MID)
    moves = {Seat(1): Bid(6, 6), Seat(2): Pass(), Seat(0): Pass(), Seat(seat): move}
    assert legal == is_legal(game.options(state, Seat(seat)), move)
    if legal:
        game.apply(state, moves)
    else:
        with pytest.raises(IllegalMove, match=f"seat {seat}: "):
            game.apply(state, moves)


@pytest.mark.parametrize(
    ("seat", "move", "legal"),
    [
        pytest.param(0, Bid(1, 1), True, id="the lowest bid"),
        pytest.param(0, Bid(6, 4), True, id="the highest bid"),
        pytest.param(0, Bid(1, 0), False, id="a bid of no dice"),
        pytest.param(0, Bid(0, 0), False, id="the empty bid"),
        pytest.param(0, Challenge(), False, id="nothing to challenge on turn"),
        pytest.param(1, Challenge(), False, id="nothing to challenge off turn"),
        pytest.param(1, Pass(), True, id="pass off turn"),
    ],
)
def test_first_moves(seat, move, legal):
    """Options and apply agree on what is legal before any bid."""
    game = LiarsDice(dice=2)
    state = rolled(game, (1, 2), (3, 4))
    moves = {Seat(0): Bid(1, 1), Seat(1): Pass(), Seat(seat): move}
    assert legal == is_legal(game.options(state, Seat(seat)), move)
    if legal:
        game.apply(state, moves)
    else:
        with pytest.raises(IllegalMove):
            game.apply(state, moves)


def test_after_the_highest_bid_only_a_challenge():
    """Nothing is above all dice of the highest face."""
    game = LiarsDice(dice=1)
    state = played(game, rolled(game, (6,), (6,)), Bid(6, 2))
    assert [Challenge] == [option.move for option in game.options(state, Seat(1))]


@pytest.mark.parametrize(
    "roll",
    [
        pytest.param(Roll(((1, 2),)), id="a row missing"),
        pytest.param(Roll(((1, 2), (3,))), id="a die missing"),
        pytest.param(Roll(((1, 2), (3, 4, 5))), id="a die too many"),
        pytest.param(Roll(((1, 2), (3, 7))), id="a face too high"),
        pytest.param(Roll(((0, 2), (3, 4))), id="a face too low"),
        pytest.param(Bid(1, 1), id="no roll"),
    ],
)
def test_impossible_rolls_are_refused(roll):
    """Chance rolls as many dice for every seat as the house rules say, with the faces they have."""
    game = LiarsDice(dice=2)
    with pytest.raises(IllegalMove):
        game.apply(game.start(2), {CHANCE: roll})


# Who is asked, and which answer counts.


@pytest.mark.parametrize(
    ("answers", "loser", "how"),
    [
        pytest.param((Bid(1, 3), Pass(), Pass()), None, "bid_made", id="no objection: the bid stands"),
        pytest.param((Challenge(), Pass(), Pass()), 1, "challenge_made", id="the seat on turn challenges"),
        pytest.param((Bid(1, 3), Challenge(), Pass()), 2, "challenge_made", id="off turn: the bid is void"),
        pytest.param(
            (Challenge(), Challenge(), Pass()), 1, "challenge_made", id="the first of two challenges"
        ),
        pytest.param((Forfeit(), Pass(), Pass()), 1, "invalid_move", id="the seat on turn fails"),
        pytest.param((Bid(1, 3), Pass(), Forfeit()), 0, "invalid_move", id="the bidder fails off turn"),
        pytest.param((Forfeit(), Forfeit(), Pass()), 1, "invalid_move", id="the second failure costs no die"),
        pytest.param((Bid(1, 3), Forfeit(), Forfeit()), 2, "invalid_move", id="the first failure off turn"),
        pytest.param(
            (Challenge(), Pass(), Forfeit()), 0, "invalid_move", id="a failure goes before a challenge"
        ),
    ],
)
def test_simultaneous_answers(answers, loser, how):
    """After a true bid of seat 0 the first failure counts, else the first challenge, else the bid."""
    game = LiarsDice(dice=2)
    state = played(game, rolled(game, (3, 3), (1, 2), (1, 2)), Bid(3, 2))
    assert game.to_act(state) == (1, 2, 0)
    after = answered(game, state, *answers).state
    assert how == after.last_move
    assert tuple(2 - (seat == loser) for seat in range(3)) == after.dice
    if loser is not None:
        assert Seat(loser) == after.last_loser == after.on_turn


def test_answers_that_did_not_count_are_told_to_nobody():
    """A challenge behind a nearer one and a void bid leave no trace in what is told."""
    game = LiarsDice(dice=2)
    state = played(game, rolled(game, (3, 3), (1, 2), (1, 2)), Bid(3, 2))
    loud = answered(game, state, Bid(1, 3), Challenge(), Pass())
    void = answered(game, state, Bid(6, 6), Challenge(), Pass())
    assert loud == void
    first = answered(game, state, Challenge(), Pass(), Pass())
    both = answered(game, state, Challenge(), Challenge(), Pass())
    assert first == both


def test_next_asks_one_seat():
    """With `challenge = "next"` only the seat on turn is asked, and the others have no options."""
    game = LiarsDice(dice=1, challenge="next")
    state = rolled(game, (1,), (2,), (3,))
    assert (Seat(0),) == game.to_act(state)
    assert game.options(state, Seat(1)) == ()
    state = game.apply(state, {Seat(0): Bid(1, 1)}).state
    assert (Seat(1),) == game.to_act(state)
    with pytest.raises(IllegalMove):
        game.apply(state, {Seat(1): Challenge(), Seat(2): Pass()})


# The end.


def test_turns_max_ends_a_match_within_a_round():
    """At the bound the seats rank by dice left, and those that tie share."""
    game = LiarsDice(dice=2, turns_max=3)
    state = played(game, rolled(game, (1, 2), (1, 2), (1, 2)), Bid(6, 1), Challenge())
    state = game.apply(state, {CHANCE: Roll(((1, 2),) * 3)}).state
    step = answered(game, state, Bid(1, 1), Pass(), Pass())
    assert game.to_act(step.state) == ()
    assert game.ranks(step.state) == (3, 1, 1)
    assert game.returns(step.state) == (-0.5, 0.25, 0.25)
    assert [event.kind for event in step.events] == ["bid", "match_over"]
    assert step.events[-1].public.turns_max_reached


def test_later_elimination_ranks_better():
    """Who loses the last die later ranks better, whatever the seats' order."""
    game = LiarsDice(dice=1)
    state = played(game, rolled(game, (1,), (1,), (1,), (1,)), Bid(2, 1), Challenge())
    assert state.dice == (0, 1, 1, 1)
    state = game.apply(state, {CHANCE: Roll(((1,),) * 4)}).state
    state = answered(game, state, Bid(1, 1), Pass(), Forfeit()).state
    state = game.apply(state, {CHANCE: Roll(((1,),) * 4)}).state
    assert (Seat(1), Seat(2)) == game.to_act(state)
    state = answered(game, state, Bid(1, 1), Forfeit()).state
    assert game.ranks(state) == (4, 1, 2, 3)
    assert shared_returns((4, 1, 2, 3)) == game.returns(state)


def test_a_finished_match_takes_no_more_moves():
    """Nobody is asked, chance neither, and no move is taken."""
    game = LiarsDice(dice=1)
    state = answered(game, rolled(game, (1,), (1,)), Forfeit(), Pass()).state
    assert game.to_act(state) == ()
    for moves in ({CHANCE: Roll(((1,), (1,)))}, {Seat(1): Bid(1, 1)}):
        with pytest.raises(IllegalMove):
            game.apply(state, moves)


# What holds in every match.

GAMES = st.builds(
    LiarsDice,
    dice=st.integers(1, 4),
    faces=st.integers(2, 7),
    wild_ones=st.booleans(),
    challenge=st.sampled_from(("anyone", "next")),
    turns_max=st.sampled_from((1, 7, 2000)),
)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)  # whole matches: no fair judge of time on a busy machine
@given(GAMES, st.integers(2, 5), st.randoms(use_true_random=False))
def test_one_die_a_round(game, seats, rng):
    """Every round costs exactly one die, and the match ends with one seat left or at the bound."""
    dice, rounds = (game.dice,) * seats, 0
    state = game.start(seats)
    for _, step in random_match(game, seats, rng):
        rounds += sum(event.kind in ("challenge", "invalid_move") for event in step.events)
        state = step.state
        assert sum(dice) - rounds == sum(state.dice)
        assert len(state.out) == state.dice.count(0)
    assert state.turns == game.turns_max or state.dice.count(0) == seats - 1
    assert state.turns <= game.turns_max
    assert abs(sum(game.returns(state))) < 1e-9


@pytest.mark.slow
@given(GAMES, st.integers(2, 4), st.integers(0, 2**32), st.integers(0, 2**32))
def test_events_tell_nothing_of_other_hands(game, seats, luck, choices):
    """Other hands for the others change nothing of what seat 0 is told, until a showdown shows them."""
    state = game.start(seats)
    roll = game.draw(state, Random(luck))
    other = Roll((roll.hands[0], *game.draw(state, Random(choices)).hands[1:]))
    one, same = (game.apply(state, {CHANCE: each}) for each in (roll, other))
    rng = Random(choices)
    while one.state.hands:
        told = [[(event.kind, event.seen_by(Seat(0))) for event in step.events] for step in (one, same)]
        assert told[0] == told[1]
        moves = {
            seat: rng.choice(game.options(one.state, seat)).sample(rng) for seat in game.to_act(one.state)
        }
        one, same = game.apply(one.state, moves), game.apply(same.state, moves)


@given(st.integers(0, 2**32), st.integers(2, 6))
def test_luck_does_not_depend_on_play(seed, seats):
    """A round's dice come from its rng alone: dice lost and seats dead change nothing."""
    game = LiarsDice(dice=3)
    state = game.start(seats)
    worn = attrs.evolve(state, dice=(1, *state.dice[1:-1], 0), out=(Seat(seats - 1),))
    assert game.draw(state, Random(seed)) == game.draw(worn, Random(seed))


def test_dice_are_fair():
    """Of 60,000 dice each face takes its sixth, as far as chance lets it."""
    game, rng = LiarsDice(), Random(1)
    dice = [die for _ in range(600) for row in game.draw(game.start(10), rng).hands for die in row]
    dice += [die for _ in range(600) for row in game.draw(game.start(10), rng).hands for die in row]
    for face in range(1, 7):
        assert abs(dice.count(face) - 10_000) < 400  # standard deviation 91


# One match from start to end.


def seen(value):
    """A value as the playthrough writes it."""
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            nested = any(isinstance(item, tuple) for _, item in value)
            return ("/" if nested else ",").join(f"{seen(seat)}:{seen(item)}" for seat, item in value)
        return ",".join(map(seen, value))
    return str(int(value)) if isinstance(value, Seat) else str(value)


def read_move(text, _default):
    """The move of `bid 5 2`, `pass`, `challenge` or `forfeit`."""
    word, *numbers = text.split()
    kinds = {"bid": Bid, "pass": Pass, "challenge": Challenge, "forfeit": Forfeit}
    return kinds[word](*map(int, numbers))


def read_roll(text):
    """The roll of `5 2 | 5 5 | 1 3`."""
    return Roll(tuple(tuple(map(int, row.split())) for row in text.split("|")))


def test_playthrough():
    """A whole match by hand: who is asked, what each move leads to, and what everyone is told."""
    game = LiarsDice(dice=2)
    state = playthrough.played(
        PLAYTHROUGH, game, 3, write=seen, read_move=read_move, chance={"roll": read_roll}
    )
    assert game.ranks(state) == (2, 1, 3)
