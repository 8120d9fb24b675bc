"""No-Limit Hold'em: a row a rule, what holds in every match, and one match from start to end."""

import json
from random import Random

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ConfigError, IllegalMove
from arena.game import CHANCE, Seat, explain, is_legal
from arena.games.cards import DECK
from arena.games.holdem import Holdem
from arena.games.holdem.betting import raises
from arena.games.holdem.moves import Bet, Deal, Fold
from arena.players.codec import Codec, rules_of
from arena.testing.games import random_match, random_move

F = Fold()
"""Rows below are read aloud: F folds, a number puts so many more chips in."""


def stacked(board, *holes):
    """A deal with these cards in their places, the other cards behind them as they come."""
    places = {20 + place: card for place, card in enumerate(board.split())}
    for seat, cards in enumerate(holes):
        places |= {2 * seat + place: card for place, card in enumerate(cards.split())}
    rest = iter([card for card in DECK if card not in places.values()])
    return Deal(tuple(places[place] if place in places else next(rest) for place in range(52)))


WORST_TO_BEST = stacked("2C 7D 9H JS 4C", "3D 5H", "6S 8D", "TC QC", "KD 3H", "AD 6H", "AS KH")
"""Without any pair: seat 5 has the best hand of six, then 4, 3, 2, 1, 0."""


def begun(stacks, deal=WORST_TO_BEST, *, button=None, **rules):
    """The step of the deal of a hand with these stacks; seat 0 posts the small blind unless said otherwise."""
    rules = {"hands": 1, "reset_stacks": False, **rules}
    game = Holdem(**rules)
    state = attrs.evolve(game.start(len(stacks)), stacks=tuple(stacks))
    if button is not None:
        state = attrs.evolve(state, button=Seat(button))
    return game, game.apply(state, {CHANCE: deal})


def played(game, step, *moves):
    """The step after the moves, each made by the seat that is asked, and all events on the way."""
    events = list(step.events)
    for move in moves:
        (seat,) = game.to_act(step.state)
        step = game.apply(step.state, {seat: move if isinstance(move, Fold) else Bet(move)})
        events += step.events
    return step.state, events


def told(events, kind):
    return [event.public for event in events if event.kind == kind]


def spoken(events):
    """Who acted, in this order."""
    return [
        event.public.player for event in events if event.kind in ("fold", "check", "call", "bet", "raise")
    ]


# Whose turn it is.


@pytest.mark.parametrize(
    ("stacks", "button", "moves", "order"),
    [
        pytest.param([500] * 2, 0, [10, 0], [0, 1], id="heads-up the button acts first before the flop"),
        pytest.param([500] * 2, 0, [10, 0, 0, 0], [0, 1, 1, 0], id="and last after it"),
        pytest.param([500] * 2, 1, [10, 0, 0, 0], [1, 0, 0, 1], id="whoever the button is"),
        pytest.param([500] * 4, 3, [20, 20, 10, 0], [2, 3, 0, 1], id="left of the big blind is first"),
        pytest.param([500] * 3, 2, [20, 10, 0, 0], [2, 0, 1, 0], id="left of the button on the flop"),
        pytest.param([500] * 3, 2, [20, 10, 40, F, F], [2, 0, 1, 2, 0], id="the big blind has the option"),
        pytest.param([500] * 3, 2, [40, 50, 40, 20], [2, 0, 1, 2], id="a raise asks all others again"),
        pytest.param([500] * 3, 2, [F, 10, 0, 0], [2, 0, 1, 0], id="who folded is not asked"),
        pytest.param([500, 500, 100, 500], 3, [100, 100, 90, 80, 0], [2, 3, 0, 1, 0], id="nor who is all in"),
        pytest.param([500, 0, 500, 500], 3, [20, 10, 0, 0], [3, 0, 2, 0], id="nor who has no chips"),
        pytest.param([500, 0, 500], 0, [10, 0, 0], [0, 2, 2], id="two of three with chips are heads-up"),
    ],
)
def test_whose_turn_it_is(stacks, button, moves, order):
    """The seats act in this order."""
    _, events = played(*begun(stacks, button=button), *moves)
    assert order == spoken(events)


@pytest.mark.parametrize(
    ("seats", "buttons", "small_blinds"),
    [
        pytest.param(2, [0, 1, 0], [0, 1, 0], id="heads-up the button begins at seat 0 and posts"),
        pytest.param(3, [2, 0, 1, 2], [0, 1, 2, 0], id="with more, seat 0 posts the small blind first"),
    ],
)
def test_the_button_moves_clockwise(seats, buttons, small_blinds):
    """Hand by hand the button goes to the next seat."""
    game = Holdem(hands=len(buttons))
    seen = []
    for _, step in random_match(game, seats, Random(1)):
        seen += told(step.events, "hand_started")
    assert buttons == [started.button for started in seen]
    assert small_blinds == [started.blinds[0][0] for started in seen]


# What may be bet.


@pytest.mark.parametrize(
    ("stacks", "moves", "seat", "call", "raising"),
    [
        pytest.param([500] * 3, [], 2, 20, (40, 500), id="the least raise is the big blind"),
        pytest.param([500] * 3, [60], 0, 50, (90, 490), id="or the last raise: 40 more"),
        pytest.param([500] * 3, [60, 130], 1, 120, (200, 480), id="a raise by 80 makes it 80"),
        pytest.param([500] * 3, [20, 10], 1, 0, (20, 480), id="the big blind may raise when all called"),
        pytest.param([500] * 3, [20, 10, 0], 0, 0, (20, 480), id="on a new street it is the big blind again"),
        pytest.param([500] * 3, [20, 10, 0, 50], 1, 50, (100, 480), id="or the bet"),
        pytest.param([500, 500, 50], [], 2, 20, (40, 50), id="never more than the stack"),
        pytest.param([500, 500, 30], [], 2, 20, (30, 30), id="a short all-in raise is legal"),
        pytest.param([500, 500, 20], [], 2, 20, None, id="a stack as high as the call cannot raise"),
        pytest.param([500, 500, 15], [], 2, 15, None, id="less than the call only as an all-in"),
        pytest.param([500, 100, 500], [100, F], 1, 80, None, id="a call that takes all is no raise"),
        pytest.param([500, 70, 500], [20, 490], 1, 50, None, id="nor one that all does not suffice for"),
        pytest.param([500, 60], [490], 1, 40, None, id="nobody else can call more: no raise"),
        pytest.param([60, 500], [50], 1, 40, None, id="the other is all in: no raise"),
        pytest.param([500, 15], [], 0, 5, None, id="a short big blind is called for less"),
        pytest.param([500, 15, 500], [], 2, 15, (35, 500), id="the most posted is to be called"),
        pytest.param([500, 5, 500], [], 2, 10, (30, 500), id="also when it is the small blind"),
    ],
)  # fmt: skip
def test_what_may_be_bet(stacks, moves, seat, call, raising):
    """The seat asked may fold, put `call` in, and raise with a number of chips in this range."""
    game, step = begun(stacks)
    state, _ = played(game, step, *moves)
    assert (Seat(seat),) == game.to_act(state)
    options = game.options(state, Seat(seat))
    assert is_legal(options, Fold())
    legal = [amount for amount in range(-1, 501) if is_legal(options, Bet(amount))]
    ranges = [] if raising is None else list(range(raising[0], raising[1] + 1))
    assert [call, *ranges] == legal


@pytest.mark.parametrize(
    ("stacks", "moves", "seat", "may_raise"),
    [
        # Seat 2 opens with a raise to 60, seat 3 calls, seat 0 goes all in.
        pytest.param([80, 500, 500, 500], [60, 60, 70, 60], 2, False, id="a short all-in does not reopen"),
        pytest.param([80, 500, 500, 500], [60, 60, 70], 1, True, id="who has not acted may raise it"),
        pytest.param([100, 500, 500, 500], [60, 60, 90, 80], 2, True, id="a full raise reopens"),
        pytest.param([99, 500, 500, 500], [60, 60, 89, 79], 2, False, id="one chip short of it does not"),
        pytest.param([80, 100, 500, 500], [60, 60, 70, 80], 2, True, id="two short ones that make a full one do"),
        pytest.param([80, 99, 500, 500], [60, 60, 70, 79], 2, False, id="and not if they are one chip short"),
        # On the flop seat 0 checks, and seat 1 has less than a big blind left.
        pytest.param([500, 35, 500], [20, 10, 0, 0, 15], 2, True, id="a short first bet: who has not acted may"),
        pytest.param([500, 35, 500], [20, 10, 0, 0, 15, 15], 0, False, id="a short first bet does not reopen"),
        pytest.param([500, 40, 500], [20, 10, 0, 0, 20, 20], 0, True, id="a first bet of a big blind does"),
        # Before the flop seat 2 calls, and seat 3 raises all in by less than a big blind.
        pytest.param([500, 500, 500, 30], [20, 30, 20, 10], 2, False, id="a short first raise does not reopen"),
        pytest.param([500, 500, 500, 40], [20, 40, 30, 20], 2, True, id="a full first raise does"),
    ],
)  # fmt: skip
def test_who_may_raise_again(stacks, moves, seat, may_raise):
    """Who has acted on the street may raise only what is at least the last full bet or raise."""
    game, step = begun(stacks)
    state, _ = played(game, step, *moves)
    assert (Seat(seat),) == game.to_act(state)
    assert may_raise == (raises(state.hand, Seat(seat)) is not None)


def test_after_a_short_all_in_the_least_raise_stays():
    """A short all-in to 80 over a raise by 40 leaves the least raise at 40: to 120."""
    game, step = begun([80, 500, 500, 500])
    state, _ = played(game, step, 60, 60, 70)
    assert (100, 480) == raises(state.hand, Seat(1))


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        pytest.param(Bet(-5), "Bet: amount -5 is not 20; or amount -5 is not 40 to 500", id="negative"),
        pytest.param(Bet(501), "Bet: amount 501 is not 20; or amount 501 is not 40 to 500", id="too much"),
        pytest.param(Bet(19), "Bet: amount 19 is not 20; or amount 19 is not 40 to 500", id="below the call"),
        pytest.param(Bet(39), "Bet: amount 39 is not 20; or amount 39 is not 40 to 500", id="too small a raise"),
        pytest.param(Bet(0), "Bet: amount 0 is not 20; or amount 0 is not 40 to 500", id="a check of a bet"),
        pytest.param(WORST_TO_BEST, "Deal is not possible here; possible: Fold, Bet", id="a seat deals"),
    ],
)  # fmt: skip
def test_illegal_bets(move, reason):
    """The document's invalid bets are refused, and the reason says what would be right."""
    game, step = begun([500] * 3)
    assert reason == explain(game.options(step.state, Seat(2)), move)
    with pytest.raises(IllegalMove, match="seat 2: "):
        game.apply(step.state, {Seat(2): move})


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        pytest.param({Seat(0): Bet(10)}, "off turn", id="off turn"),
        pytest.param({Seat(2): F, Seat(0): F}, "two moves", id="two moves"),
        pytest.param({}, "no move", id="no move"),
    ],
)
def test_only_the_seat_on_turn_moves(moves, why):
    """One move, by the seat that is asked; the others have no options."""
    game, step = begun([500] * 3)
    assert game.options(step.state, Seat(0)) == (), why
    with pytest.raises(IllegalMove):
        game.apply(step.state, moves)


@pytest.mark.parametrize(
    "deal",
    [
        pytest.param(Deal(DECK[:51]), id="a card is missing"),
        pytest.param(Deal((*DECK[:51], DECK[0])), id="a card is there twice"),
        pytest.param(Deal((*DECK[:51], "1X")), id="no card"),
        pytest.param(Fold(), id="no deal"),
    ],
)
def test_impossible_deals_are_refused(deal):
    """A deal is the whole deck."""
    game = Holdem()
    with pytest.raises(IllegalMove, match="all 52 cards"):
        game.apply(game.start(2), {CHANCE: deal})


# Pots and who wins them.

TIE = "AS KS QS JS TS"
"""A board that nobody can beat: all who are in share."""


@pytest.mark.parametrize(
    ("stacks", "deal", "moves", "pots", "back"),
    [
        pytest.param(
            [25, 50, 100],
            WORST_TO_BEST,
            [100, 15, 30],
            [(75, {2: 75}), (50, {2: 50})],
            (2, 50),
            id="all-ins of 25, 50 and 100: pots of 75 and 50, 50 back",
        ),
        pytest.param(
            [25, 50, 100],
            stacked("2C 7D 9H JS 4C", "AS AD", "KS KD", "QS QD"),
            [100, 15, 30],
            [(75, {0: 75}), (50, {1: 50})],
            (2, 50),
            id="the best hand wins no more than it could match",
        ),
        pytest.param(
            [100, 100, 100],
            WORST_TO_BEST,
            [40, F, F],
            [(50, {2: 50})],
            (2, 20),
            id="all others fold: the uncalled part goes back, nothing is shown",
        ),
        pytest.param(
            [200, 200, 60],
            stacked("2C 7D 9H JS 4C", "AS AD", "KS KD", "QS QD"),
            [60, 50, 140, 100, 0, 40, F],
            [(180, {1: 180}), (200, {1: 200})],
            (1, 40),
            id="a folded seat's chips stay, and it never wins",
        ),
        pytest.param(
            [105, 105, 105, 105],
            stacked(TIE, "2C 3C", "2D 3D", "2H 3H", "4C 5C"),
            [105, F, 95, 85],
            [(315, {0: 105, 1: 105, 2: 105})],
            None,
            id="equal hands share",
        ),
        pytest.param(
            [500] * 4,
            stacked(TIE, "2C 3C", "2D 3D", "2H 3H", "4C 5C"),
            [40, 40, 30, 20, 25, 25, 25, 25, F, 0, 0, 0, 0, 0, 0],
            [(260, {1: 87, 2: 87, 3: 86})],
            None,
            id="odd chips go one each, clockwise from the first winner left of the button",
        ),
        pytest.param(
            [33, 33, 100, 100],
            stacked(TIE, "2C 3C", "2D 3D", "2H 3H", "4C 5C"),
            [100, 100, 23, 13],
            [(132, {0: 33, 1: 33, 2: 33, 3: 33}), (134, {2: 67, 3: 67})],
            None,
            id="each pot is shared by itself",
        ),
        pytest.param(
            [10, 500],
            stacked("2C 7D 9H JS 4C", "AS AD", "KS KD"),
            [],
            [(20, {0: 20})],
            (1, 10),
            id="nothing to decide: all in by the blind, and the cards run out",
        ),
        pytest.param(
            [500, 15],
            stacked("2C 7D 9H JS 4C", "AS AD", "KS KD"),
            [5],
            [(30, {0: 30})],
            None,
            id="a short big blind is matched, no more",
        ),
        pytest.param(
            [200, 200, 50, 50],
            stacked("2C 7D 9H JS 4C", "KS KD", "QS QD", "TS TD", "AS AD"),
            [50, 50, 40, 30, 0, 20, F],
            [(200, {3: 200})],
            (1, 20),
            id="a bet into a side pot that all fold to goes back; the main pot is shown down",
        ),
    ],
)
def test_pots(stacks, deal, moves, pots, back):
    """Side pots by contribution, an uncalled excess back, and no chip created or lost."""
    game, step = begun(stacks, deal)
    state, events = played(game, step, *moves)
    assert game.to_act(state) == ()
    won = [(pot.size, {int(seat): chips for seat, chips in pot.winners}) for pot in told(events, "pot")]
    assert pots == won
    given_back = [(int(uncalled.player), uncalled.amount) for uncalled in told(events, "uncalled")]
    assert ([] if back is None else [back]) == given_back
    assert sum(stacks) == sum(state.stacks)
    results = tuple(after - before for after, before in zip(state.stacks, stacks, strict=True))
    assert state.results == results
    assert results == tuple(dict(told(events, "hand_over")[0].won)[Seat(seat)] for seat in range(len(stacks)))


def test_all_who_are_in_at_a_showdown_show():
    """Losers too; who folded does not, and neither does who is left alone."""
    state, events = played(*begun([500] * 3), 20, F, 0, 0, 0, 0, 0, 0, 0)
    (showdown,) = told(events, "showdown")
    expected = ((1, ("6S", "8D"), "high card"), (2, ("TC", "QC"), "high card"))
    assert expected == showdown.hands
    assert [(1, 0), (2, 50)] == [(each.playerID, each.won) for each in state.last]
    assert [("6S", "8D"), ("TC", "QC")] == [each.hole for each in state.last]
    state, events = played(*begun([500] * 3), F, F)
    assert told(events, "showdown") == []
    assert [(1, 20, None, None)] == [attrs.astuple(each) for each in state.last]


# From hand to hand.


def test_stacks_begin_anew_and_results_add_up():
    """With `reset_stacks` each hand has full stacks, and returns are summed over hands."""
    game = Holdem(hands=2)
    step = game.apply(game.start(2), {CHANCE: WORST_TO_BEST})
    state, _ = played(game, step, F)
    assert (10_000, 10_000) == state.stacks
    assert (-10, 10) == state.results
    step = game.apply(state, {CHANCE: WORST_TO_BEST})
    assert ("deal", 2) == game.chance_key(state)
    state, events = played(game, step, 9_990, 9_980)
    assert game.to_act(state) == ()
    assert game.returns(state) == (-10_010.0, 10_010.0)
    assert game.ranks(state) == (2, 1)
    assert told(events, "eliminated") == []


def test_a_freeze_out_ends_when_one_has_all_chips():
    """Stacks go on from hand to hand, and the match is over before its last hand."""
    game, step = begun([500, 500], hands=50, stack=500)
    state, _ = played(game, step, F)
    assert (490, 510) == state.stacks
    step = game.apply(state, {CHANCE: WORST_TO_BEST})
    state, events = played(game, step, 500, 470)
    assert state.stacks == (0, 1000)
    assert [Seat(0)] == [out.seat for out in told(events, "eliminated")]
    assert game.to_act(state) == ()
    assert game.returns(state) == (-500.0, 500.0)
    assert told(events, "match_over")[0].ranks == ((0, 2), (1, 1))


@pytest.mark.parametrize(
    ("stacks", "ranks"),
    [
        pytest.param([100, 200, 300, 400], (4, 3, 2, 1), id="busting in one hand: by the stack before it"),
        pytest.param([200, 200, 300, 400], (3, 3, 2, 1), id="equal stacks share the place"),
    ],
)
def test_who_busts_ranks_by_the_stack_before(stacks, ranks):
    """All go all in, the last seat wins, and the bigger stacks of the others rank better."""
    deal = stacked("2C 7D 9H JS 4C", "3D 5H", "6S 8D", "TC QC", "AS KH")
    game, step = begun(stacks, deal, stack=250)
    state, _ = played(game, step, stacks[2], stacks[2], stacks[0] - 10, stacks[1] - 20)
    assert ranks == game.ranks(state)


def test_later_elimination_ranks_better():
    """Who busts in the first hand ranks behind who busts in the second, whatever their stacks were."""
    game, step = begun([400, 100, 500], stacked("2C 7D 9H JS 4C", "3D 5H", "6S 8D", "AS AD"), hands=5)
    state, _ = played(game, step, 400, 390, F)
    assert [0, 80, 920] == list(state.stacks)
    assert state.button == 1
    step = game.apply(state, {CHANCE: stacked("2C 7D 9H JS 4C", "3D 5H", "6S 8D", "AS AD")})
    state, _ = played(game, step, 70, 60)
    assert game.ranks(state) == (3, 2, 1)


def test_the_button_skips_who_is_out():
    """In a freeze-out the button goes to the next seat with chips, and blinds are posted left of it."""
    game = Holdem(hands=9, reset_stacks=False)
    state = attrs.evolve(game.start(4), stacks=(500, 0, 500, 500), button=Seat(0), hand_number=2)
    state = attrs.evolve(state, busts=((Seat(1), 1, 500),))
    step = game.apply(state, {CHANCE: WORST_TO_BEST})
    assert ((Seat(2), 10), (Seat(3), 20)) == told(step.events, "hand_started")[0].blinds
    state, _ = played(game, step, F, F)
    assert state.button == 2


# What is seen.


def test_an_observation_has_the_words_of_the_document():
    """The question of a big blind that faces an all-in for less and a raise, as it goes over the wire."""
    game, step = begun([500, 500, 70, 500], stacked("2C 7D 9H JS 4C", "3D 5H", "6S 8D", "TC QC", "AS KH"))
    state, _ = played(game, step, 70, 200, F)
    names = ("ann", "bob", "cat", "dan")
    seen = json.loads(Codec(game, names, Seat(1)).encode(game.observe(state, Seat(1))))
    rows = [
        ("ann", "folded", 490, 10, True),
        ("bob", "active", 480, 20, False),
        ("cat", "all_in", 0, 70, False),
        ("dan", "called", 300, 200, False),
    ]
    words = ("playerID", "state", "wealth", "bet_so_far", "small_blind")
    table = [dict(zip(words, row, strict=True)) | {"handle": row[0]} for row in rows]
    assert {
        "hand_number": 1,
        "button": "dan",
        "table": table,
        "turn": {"playerID": "bob", "bet_so_far": 20, "bet_to_player": 200, "minimum_raise": 130},
        "cards": {"hole": ["6S", "8D"], "flop": None, "turn": None, "river": None},
        "pots": [
            {"size": 170, "players": ["ann", "bob", "cat", "dan"]},
            {"size": 130, "players": ["dan"]},
        ],
        "last_winners": [],
    } == seen


def test_the_board_opens_street_by_street():
    """Three cards, one, and one more, each under its own name."""
    game, step = begun([500] * 2)
    state, _ = played(game, step, 10, 0)
    opened = []
    for _ in range(3):
        cards = game.observe(state, Seat(0)).cards
        opened.append((cards.flop, cards.turn, cards.river))
        state, _ = played(game, game.apply(state, {Seat(1): Bet(0)}), 0)
    assert [
        (("2C", "7D", "9H"), None, None),
        (("2C", "7D", "9H"), ("JS",), None),
        (("2C", "7D", "9H"), ("JS",), ("4C",)),
    ] == opened


def test_nobody_else_sees_hole_cards():
    """A spectator, and a seat that is out, sees no hole cards, the others their own."""
    game, step = begun([500, 0, 500])
    seen = [game.observe(step.state, seat).cards.hole for seat in (None, Seat(0), Seat(1), Seat(2))]
    assert [None, ("3D", "5H"), None, ("TC", "QC")] == seen


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(2, 10), st.randoms(use_true_random=False))
def test_the_least_raise_is_as_the_document_says(seats, rng):
    """`bet_to_player - bet_so_far + minimum_raise` is the least legal raise; 0 says that there is none."""
    game = Holdem(stack=rng.choice((30, 200, 10_000)), hands=3, reset_stacks=False)
    for _, step in random_match(game, seats, rng):
        for seat in game.to_act(step.state):
            if seat == CHANCE:
                continue
            turn = game.observe(step.state, seat).turn
            owed = turn.bet_to_player - turn.bet_so_far
            amounts = [option.fields["amount"] for option in game.options(step.state, seat)[1:]]
            least = amounts[1].low - owed if len(amounts) == 2 else 0
            assert seat == turn.playerID
            assert least == turn.minimum_raise


# House rules.


def test_a_number_too_long_to_print_is_refused_in_a_sentence():
    """Python refuses to write those of more than 4300 digits; TOML has them, in hexadecimal."""
    with pytest.raises(ConfigError, match=r"^House rule stack of holdem is a huge number, but must be "):
        Holdem(stack=1 << 20_000)


def test_stacks_are_for_all_seats():
    """A list that is too short or too long is refused where the number of seats is known."""
    game = Holdem(stacks=(500, 1000, 1), reset_stacks=False)
    assert (500, 1000, 1) == game.start(3).stacks
    for seats in (2, 4):
        with pytest.raises(ConfigError, match=f"stacks .* {seats} "):
            game.start(seats)


def test_stacks_need_nothing_of_the_rule_that_they_replace():
    """`stack` is as it is by default, and fits neither the blinds nor the stacks here."""
    assert (50_000, 3) == Holdem(stacks=(50_000, 3), big_blind=20_000, reset_stacks=False).start(2).stacks
    assert Holdem(stacks=(1, 1), small_blind=1, big_blind=1, stack=20_000, reset_stacks=False)


def test_a_stack_below_the_blinds_posts_what_it_has():
    """Heads-up seat 0 posts the small blind; who cannot call is all-in at once, and the rest goes back."""
    game = Holdem(stacks=(5, 1000), hands=1, reset_stacks=False)
    state, events = played(game, game.apply(game.start(2), {CHANCE: WORST_TO_BEST}))
    assert ((Seat(0), 5), (Seat(1), 20)) == told(events, "hand_started")[0].blinds
    assert (Seat(1), 15) == attrs.astuple(told(events, "uncalled")[0])
    assert (0, 1005) == state.stacks
    assert (-5.0, 5.0) == game.returns(state)


@pytest.mark.parametrize(
    ("stacks", "moves", "returns", "ranks"),
    [
        pytest.param(
            (100, 300, 1000), [300, 90, 280], (-100, -300, 400), (2, 3, 1), id="two are out: who lost less"
        ),
        pytest.param(
            (20, 1000, 1000),
            [500, 10, 480, *[0] * 6],
            (-20, -500, 520),
            (2, 3, 1),
            id="one is out, and lost less than another who is not",
        ),
    ],
)
def test_with_stacks_ranks_go_by_chips_won(stacks, moves, returns, ranks):
    """Relative to the seat's own start: neither what a seat has left nor how long it lasted counts."""
    deal = stacked("2C 7D 9H JS 4C", "3D 5H", "6S 8D", "AS KH")
    game = Holdem(stacks=stacks, hands=1, reset_stacks=False)
    state, _ = played(game, game.apply(game.start(3), {CHANCE: deal}), *moves)
    assert (returns, ranks) == (game.returns(state), game.ranks(state))


@pytest.mark.parametrize(
    ("rules", "unit"),
    [
        pytest.param({}, ("bb/100", 20.0), id="100 hands: a return of 20 chips is one"),
        pytest.param({"hands": 50}, ("bb/100", 10.0), id="half of the hands"),
        pytest.param({"big_blind": 100}, ("bb/100", 100.0), id="another big blind"),
        pytest.param({"reset_stacks": False}, ("stacks", 10_000.0), id="a freeze-out counts stacks"),
        pytest.param({"reset_stacks": False, "stacks": (50, 9)}, ("bb", 20.0), id="which may all differ"),
    ],
)
def test_returns_are_shown_as_big_blinds_per_100_hands(rules, unit):
    """The unit's name, and how many chips of a match's return one of it is."""
    assert unit == Holdem(**rules).returns_unit


# What holds in every match.

GAMES = st.builds(
    Holdem,
    stack=st.sampled_from((20, 45, 300, 10_000)),
    small_blind=st.integers(1, 20),
    big_blind=st.just(20),
    hands=st.integers(1, 6),
    reset_stacks=st.booleans(),
)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)  # whole matches: no fair judge of time on a busy machine
@given(GAMES, st.integers(2, 10), st.randoms(use_true_random=False))
def test_no_chip_is_created_or_lost(game, seats, rng):
    """At every step the chips are those of the start, in stacks and bets, and none is negative."""
    if not game.reset_stacks and rng.random() < 0.5:
        game = attrs.evolve(game, stacks=tuple(rng.choice((1, 19, 45, 300, 9999)) for _ in range(seats)))
    state = game.start(seats)
    start = game.stacks or (game.stack,) * seats
    everything = sum(start)
    for _, step in random_match(game, seats, rng):
        state = step.state
        if state.hand is not None:
            assert everything == sum(state.hand.stacks) + sum(state.hand.spent)
            assert min(state.hand.stacks) >= 0
            assert sum(state.hand.spent) == sum(pot.size for pot in game.observe(state, None).pots)
        assert everything == sum(state.stacks)
        assert sum(state.results) == 0
    assert sum(game.returns(state)) == 0
    if not game.reset_stacks:
        assert (
            tuple(after - before for after, before in zip(state.stacks, start, strict=True)) == state.results
        )


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(GAMES, st.integers(2, 10), st.randoms(use_true_random=False))
def test_turns_are_bounded(game, seats, rng):
    """A hand has no more turns than the module promises, even if all raise as little as they can."""
    bound = seats * (4 + seats + seats * game.stack // game.big_blind)
    state, turns = game.start(seats), 0
    while asked := game.to_act(state):
        if asked == (CHANCE,):
            move, turns = game.draw(state, rng), 0
        else:
            options, turns = game.options(state, asked[0]), turns + 1
            least = options[-1].fields["amount"].low
            move = Bet(least) if rng.random() < 0.9 else random_move(game, state, asked[0], rng)
        assert turns <= bound
        state = game.apply(state, {asked[0]: move}).state


@settings(max_examples=60, deadline=None)
@given(GAMES, st.integers(2, 6), st.integers(0, 2**32))
def test_nobody_gains_by_failing(game, seats, seed):
    """To fail is to fold, which is open to everybody at every turn: no state is reached by it alone."""
    rng = Random(seed)
    for _, step in random_match(game, seats, rng):
        for seat in game.to_act(step.state):
            if seat != CHANCE:
                move = game.default(step.state, seat)
                assert is_legal(game.options(step.state, seat), move)
                after = game.apply(step.state, {seat: move}).state
                if after.hand is not None:
                    assert not after.hand.live[seat]
                else:
                    assert step.state.hand.stacks[seat] == step.state.stacks[seat] + (
                        after.results[seat] - step.state.results[seat]
                    )


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 10), st.integers(0, 2**32), st.integers(0, 2**32), st.data())
def test_events_tell_nothing_of_hidden_cards(seats, luck, choices, data):
    """Other cards for the others and behind the board change nothing of what a seat is told or asked.

    Until the showdown, which shows them; and nothing of the deck that was never dealt is told after it.
    """
    game = Holdem(hands=1, stack=300)
    seat = Seat(data.draw(st.integers(0, seats - 1)))
    state = game.start(seats)
    deck = game.draw(state, Random(luck)).deck
    own = (2 * seat, 2 * seat + 1)
    opened = range(20, 25)
    one, other = (game.apply(state, {CHANCE: Deal(each)}) for each in (deck, _mixed(deck, {*own}, choices)))
    rng = Random(choices)
    while one.state.hand is not None:
        assert _told(one, seat) == _told(other, seat)
        assert game.to_act(one.state) == game.to_act(other.state)
        assert game.observe(one.state, seat) == game.observe(other.state, seat)
        (asked,) = game.to_act(one.state)
        assert game.options(one.state, asked) == game.options(other.state, asked)
        street, move = one.state.hand.street, random_move(game, one.state, asked, rng)
        after = game.apply(one.state, {asked: move})
        if after.state.hand is None or after.state.hand.street != street:
            break  # the board is told now, and here it differs
        one, other = after, game.apply(other.state, {asked: move})
    dealt = {*range(2 * seats), *opened}
    state = game.start(seats)
    steps = [game.apply(state, {CHANCE: Deal(each)}) for each in (deck, _mixed(deck, dealt, choices))]
    rng = Random(choices)
    while steps[0].state.hand is not None:
        assert _told(steps[0], seat) == _told(steps[1], seat)
        (asked,) = game.to_act(steps[0].state)
        move = random_move(game, steps[0].state, asked, rng)
        steps = [game.apply(step.state, {asked: move}) for step in steps]
    assert _told(steps[0], seat) == _told(steps[1], seat)


def _told(step, seat):
    return [(event.kind, event.seen_by(seat)) for event in step.events]


def _mixed(deck, kept, seed):
    """The deck with all cards in other places but those in the places kept."""
    places = [place for place in range(52) if place not in kept]
    cards = [deck[place] for place in places]
    Random(seed).shuffle(cards)
    mixed = list(deck)
    for place, card in zip(places, cards, strict=True):
        mixed[place] = card
    return tuple(mixed)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 9))
def test_luck_does_not_depend_on_play(seed, seats):
    """The cards of a hand come from its rng alone, and from no seat more or less."""
    game = Holdem(reset_stacks=False)
    state = game.start(seats)
    worn = attrs.evolve(state, stacks=(1, *state.stacks[1:-1], 0), button=Seat(0))
    assert game.draw(state, Random(seed)) == game.draw(worn, Random(seed))
    few, more = (
        game.apply(game.start(n), {CHANCE: game.draw(state, Random(seed))}) for n in (seats, seats + 1)
    )
    for seat in map(Seat, range(seats)):
        cards = [game.observe(step.state, seat).cards.hole for step in (few, more)]
        assert cards[0] == cards[1]


PUSH_OR_FOLD = Holdem(push_or_fold=True, stack=200, hands=1)


@pytest.mark.parametrize(
    ("moves", "returns"),
    [
        pytest.param([Fold()], (-10, 10), id="the small blind folds"),
        pytest.param([190, Fold()], (20, -20), id="the big blind folds"),
        pytest.param([190, 180], (-200, 200), id="both are all in"),
    ],
)
def test_all_chips_or_none(moves, returns):
    """Heads-up each seat is asked once at most, and all that it can put in is what it has."""
    state, _ = played(
        PUSH_OR_FOLD, PUSH_OR_FOLD.apply(PUSH_OR_FOLD.start(2), {CHANCE: WORST_TO_BEST}), *moves
    )
    assert returns == PUSH_OR_FOLD.returns(state)


def test_nothing_between_a_fold_and_all_chips():
    """Neither a call of the big blind nor a raise of less is legal, and a bot is told the least raise."""
    state = PUSH_OR_FOLD.apply(PUSH_OR_FOLD.start(2), {CHANCE: WORST_TO_BEST}).state
    for amount in (10, 30, 189, 191):
        with pytest.raises(IllegalMove, match=f"amount {amount} is not 190"):
            PUSH_OR_FOLD.apply(state, {Seat(0): Bet(amount)})
    turn = PUSH_OR_FOLD.observe(state, Seat(0)).turn
    assert 190 == turn.bet_to_player - turn.bet_so_far + turn.minimum_raise


def test_who_does_without_push_or_fold_is_told_nothing_of_it():
    """So a bot is told, and a folder holds, what it did before there was the rule."""
    assert "push_or_fold" not in rules_of(Holdem())
    assert rules_of(PUSH_OR_FOLD)["push_or_fold"] is True


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"stack": 39}, "stack .* 39, .* 40 to 300"),
        ({"stack": 301}, "stack .* 301, .* 40 to 300"),
        ({"stack": 200, "reset_stacks": False}, "reset_stacks"),
        ({"stacks": (200, 200), "reset_stacks": False}, "stacks .* push_or_fold"),
    ],
)
def test_push_or_fold_is_for_short_stacks_that_begin_anew(rules, said):
    with pytest.raises(ConfigError, match=said):
        Holdem(push_or_fold=True, **rules)


def test_push_or_fold_is_for_two():
    with pytest.raises(ConfigError, match=r"push_or_fold .* 2 seats, but 3"):
        PUSH_OR_FOLD.start(3)
