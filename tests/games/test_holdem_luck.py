"""Luck in Hold'em: hands that are all in before the river, against an evaluator that is not ours."""

from collections import Counter
from itertools import combinations
from random import Random
from statistics import mean, stdev, variance

import attrs
import pytest
from phevaluator import evaluate_cards

from arena.game import CHANCE, Seat
from arena.games import GAMES
from arena.games.cards import DECK, shuffled
from arena.games.holdem import Holdem
from arena.games.holdem.betting import BOARD_AT, board, called, dealt, hole, next_street, paid, to_call
from arena.games.holdem.luck import BOARDS, luck_of
from arena.games.holdem.moves import Bet, Deal, Fold
from arena.match.rulings import less_luck, lucks_of
from arena.testing import check_game


def all_in(deck, stacks, street):
    """A hand in which all check until this street, and then put all their chips in, one after the other."""
    hand = dealt(deck, Seat(0), stacks, 10, 20)
    while hand.street < street or hand.waiting:
        while hand.waiting:
            seat = hand.waiting[0]
            stays = min(to_call(hand, seat), hand.stacks[seat])
            hand = paid(hand, stays if hand.street < street else hand.stacks[seat])
        hand, _, _ = called(hand)
        if hand.street < street:
            hand = next_street(hand, 20)
    return hand


def strongest(hand, cards):
    """How strong each live seat is with this board, by an evaluator in which less is better."""
    return {
        seat: -evaluate_cards(*(card[0] + card[1].lower() for card in (*hole(hand, seat), *cards)))
        for seat, is_live in enumerate(hand.live)
        if is_live
    }


def chips(hand, cards):
    """What each seat gets with this board: chip by chip in layers of what was put in."""
    strong, got = strongest(hand, cards), [0.0] * len(hand.live)
    levels = sorted(set(hand.spent))
    for low, high in zip([0, *levels], levels, strict=False):
        size = sum(min(spent, high) - min(spent, low) for spent in hand.spent)
        best = max(strength for seat, strength in strong.items() if hand.spent[seat] >= high)
        winners = [s for s, strength in strong.items() if strength == best and hand.spent[s] >= high]
        for seat in winners:
            got[seat] += size / len(winners)
    return got


@pytest.mark.slow
@pytest.mark.parametrize("street", [1, 2])
@pytest.mark.parametrize(
    "stacks", [(1000, 1000), (990, 360, 600), (300, 300, 900, 600)], ids=lambda stacks: f"{len(stacks)} seats"
)
def test_luck_is_what_another_evaluator_says(stacks, street):
    """Of all boards that may come, with main and side pots; ties share by fractions there, so chips are even."""
    for number in range(3):
        hand = all_in(shuffled(Random(f"{stacks}/{street}/{number}")), stacks, street)
        known = {*board(hand), *hand.deck[: 2 * len(stacks)]}
        boards = [*combinations([card for card in DECK if card not in known], 5 - len(board(hand)))]
        assert 37 <= len(boards) <= 990
        sums = [
            sum(each) for each in zip(*(chips(hand, (*board(hand), *more)) for more in boards), strict=True)
        ]
        dealt_chips = chips(hand, hand.deck[BOARD_AT : BOARD_AT + 5])
        expected = [got - sum / len(boards) for got, sum in zip(dealt_chips, sums, strict=True)]
        assert expected == pytest.approx(luck_of(hand, Random()), abs=3), "an odd chip for each pot at most"


def test_a_folded_seats_cards_do_not_come():
    """Seat 2 has folded the only two aces that are left: who needs one to win has no chance at all."""
    places = {0: "KC", 1: "KD", 2: "AC", 3: "AD", 4: "AH", 5: "AS"}
    places |= dict(enumerate(("2C", "7D", "9H", "4S", "3H"), BOARD_AT))
    rest = iter([card for card in DECK if card not in places.values()])
    hand = all_in(tuple(places.get(place) or next(rest) for place in range(52)), (900, 900, 900), 2)
    without = attrs.evolve(hand, live=(True, True, False))
    worse = attrs.evolve(without, deck=("QC", "QD", "KC", "KH", *hand.deck[4:]))
    # Before the river queens lose to kings unless one of two queens comes, of the 52 - 6 - 4 cards left.
    assert luck_of(worse, Random())[0] == pytest.approx(-2700 * 2 / 42)


ACES = (1_388_072 + 6_538 / 2) / 1_712_304
"""What two aces win of two kings that share no suit with them, counted over all boards."""


def before_the_flop(*cards, last=0):
    """Two seats all in before the flop with these cards; `last` deals another board."""
    rest = [card for card in DECK if card not in cards]
    return all_in((*cards, *shuffled(Random(last), rest)), (1000, 1000), 0)


def test_before_the_flop_the_mean_does_not_depend_on_the_deck():
    """The same boards are drawn for the same hole cards, and what is expected is the same, whatever was dealt."""
    expected = set()
    for last in range(20):
        hand = before_the_flop("AS", "AH", "KD", "KC", last=last)
        got = chips(hand, hand.deck[BOARD_AT : BOARD_AT + 5])
        expected.add(round(got[0] - luck_of(hand, Random(5))[0], 6))
    assert 1 == len(expected)
    assert abs(expected.pop() / 2000 - ACES) < 4 * (ACES * (1 - ACES) / BOARDS) ** 0.5


def test_drawn_boards_are_any_boards_alike():
    """Over many rngs the mean is that of all boards: no card of those left comes more often than another."""
    found = [luck_of(before_the_flop("AS", "AH", "KD", "KC"), Random(number))[0] for number in range(100)]
    won = 2000.0 if found[0] > 0 else 0.0
    assert abs(won - mean(found) - 2000 * ACES) < 4 * stdev(found) / 10


SHOVES = "shoves"
"""All its chips, for which a row says how many."""
SITUATIONS = [
    pytest.param({}, [SHOVES, SHOVES], [0], id="before the flop: its three streets are luck"),
    pytest.param({}, [10, 0, SHOVES, SHOVES], [3], id="on the flop"),
    pytest.param({}, [10, 0, 0, 0, 0, 0, SHOVES, SHOVES], [], id="on the river nothing is left to chance"),
    pytest.param({}, [10, 0, 0, 0, 0, 0, 0, 0], [], id="nobody is all in"),
    pytest.param({}, [SHOVES, "folds"], [], id="nobody calls"),
    pytest.param({"stack": 20, "small_blind": 20}, [], [0], id="by the blinds: not even a question is asked"),
    pytest.param({"reset_stacks": False}, [SHOVES, SHOVES], [], id="a freeze-out declares none"),
]


@pytest.mark.parametrize(("rules", "moves", "opened"), SITUATIONS)
def test_which_hands_are_luck(rules, moves, opened):
    """A hand counts by its mean from its last decision on: how many cards were open then."""
    game = Holdem(hands=1, **rules)
    state = game.apply(game.start(2), {CHANCE: Deal(shuffled(Random(1)))}).state
    for move in moves:
        (seat,) = game.to_act(state)
        amount = state.hand.stacks[seat] if move == SHOVES else move
        state = game.apply(state, {seat: Fold() if move == "folds" else Bet(amount)}).state
    assert not game.to_act(state)
    assert opened == [len(board(hand)) for _, hand in state.run_outs]
    assert len(opened) == len([*lucks_of(game, state, 1)])
    if not opened:
        assert game.returns(state) == less_luck(game.returns(state), lucks_of(game, state, 1))


def match_of(game, seats, number):
    """Everybody shoves with a pair or an ace, and calls a shove with a king at least; else they fold."""
    state = game.start(seats)
    while asked := game.to_act(state):
        if asked == (CHANCE,):
            move = game.draw(state, Random(f"{number}/{state.hand_number}"))
        else:
            (seat,) = asked
            ranks = [card[0] for card in hole(state.hand, seat)]
            is_good = ranks[0] == ranks[1] or {*ranks} & {*("A" if max(state.hand.bets) < 100 else "AK")}
            move = Bet(state.hand.stacks[seat]) if is_good else Fold()
        state = game.apply(state, {asked[0]: move}).state
    return game.returns(state), less_luck(game.returns(state), lucks_of(game, state, number))


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3])
def test_luck_is_nothing_on_average(seats):
    """Of bots that fold certain cards: seeded, within three errors, and returns vary several times less."""
    game = Holdem(hands=20, stack=1000)
    matches = [match_of(game, seats, number) for number in range(150)]
    for _, adjusted in matches:
        assert abs(sum(adjusted)) < 1e-6
    first = [(as_played[0], adjusted[0]) for as_played, adjusted in matches]
    lucks = [one - other for one, other in first]
    assert len(lucks) > 3 * Counter(lucks)[0]
    assert abs(mean(lucks)) < 3 * stdev(lucks) / len(lucks) ** 0.5
    played, without = (variance(each) for each in zip(*first, strict=True))
    assert without < played / 2


def test_only_games_where_it_is_cheap_declare_it():
    """No other built-in game is rated by returns, which is all that luck is taken out of."""
    assert {"holdem"} == {name for name, game in GAMES.items() if game().adjusts_luck}
    with pytest.raises(NotImplementedError, match="does not adjust returns"):
        GAMES["blef"]().luck(None, Random)


@attrs.frozen
class Generous(Holdem):
    """Takes the stakes for luck, as if nobody had won them."""

    def luck(self, state, rng_of):
        return ((1.0,) * len(state.results) for _ in state.run_outs)


@attrs.frozen
class Fickle(Holdem):
    """Draws boards with whatever rng is at hand."""

    def luck(self, state, rng_of):
        rng = Random()
        return ((each := rng.random(), -each) for _ in state.run_outs)


@attrs.frozen
class Wild(Holdem):
    """Finds luck beyond all chips."""

    def luck(self, state, rng_of):
        return ((1e6, -1e6) for _ in state.run_outs)


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (Generous, "luck gives .*, which seats have not won of each other"),
        (Fickle, "luck returns two answers to one question"),
        (Wild, "returns without luck are .*, beyond the .* of returns_bounds"),
    ],
    ids=lambda what: what.__name__ if isinstance(what, type) else "",
)
def test_check_game_finds_luck_that_is_none(game, said):
    with pytest.raises(AssertionError, match=said):
        check_game(game(hands=3, stack=20), seats=2, matches=5)
