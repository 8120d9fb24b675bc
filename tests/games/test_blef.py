"""Blef: a row a rule, what follows for every match, the contract, and one match from start to end."""

import re
from itertools import product
from pathlib import Path
from random import Random

import attrs
import playthrough
import pytest
from daily import nightly
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import IllegalMove, MalformedAnswer
from arena.game import CHANCE, Seat, explain, is_legal, shared_returns
from arena.games.blef import Blef
from arena.games.blef.moves import Bet, Check, Deal, Forfeit
from arena.games.blef.sets import CARDS, TEXTS
from arena.games.blef.state import Action, Hand, LastRound, Player, State
from arena.players.codec import Codec
from arena.testing.games import Tiny, check_game, random_match

PLAYTHROUGH = Path(__file__).with_name("blef_playthrough.txt")
GAME = Blef()


def numbers(cards):
    """Card numbers of texts."""
    return [TEXTS.index(card) for card in cards.split()]


def deal(*hands, stretch=None):
    """A deck that deals these hands, one text for each seat."""
    stretch = stretch or GAME.max_cards(len(hands))
    first = [numbers(cards) for cards in hands]
    left = [number for number in range(24) if not any(number in hand for hand in first)]
    deck = []
    for hand in first:
        deck += [*hand, *(left.pop() for _ in range(stretch - len(hand)))]
    return Deal((*deck, *left))


def before(*n_cards, start=0, round_number=1):
    """The state in which the deal is due, with so many cards for each seat."""
    out = tuple(Seat(seat) for seat, count in enumerate(n_cards) if not count)
    return State(n_cards, (), round_number, Seat(start), (), None, out)


def dealt(*hands, start=0):
    """The first question of a round with these hands, one text for each seat; an empty one is out."""
    state = before(*(len(cards.split()) for cards in hands), start=start)
    return GAME.apply(state, {CHANCE: deal(*hands)}).state


def step(state, move):
    """What follows when the seat on turn does this."""
    return GAME.apply(state, {state.on_turn: move})


def played(state, *moves):
    for move in moves:
        state = step(state, move).state
    return state


# Checks.


@pytest.mark.parametrize(
    ("hands", "bet", "loser"),
    [
        pytest.param(("AS", "9C"), 5, 1, id="the bettor's own card is there: the checker loses"),
        pytest.param(("9C", "AS"), 5, 1, id="the checker's own card counts"),
        pytest.param(("9C", "9D"), 5, 0, id="not there: the bettor loses"),
        pytest.param(("AS", "AC"), 11, 1, id="hands are pooled: a pair out of two hands"),
        pytest.param(("AS", "9D"), 11, 0, id="one short"),
        pytest.param(("AS AC", "AD"), 11, 1, id="more than the bet is enough"),
        pytest.param(("9C TC", "JC", "QC KC AC"), 66, 1, id="the hands of third seats count"),
        pytest.param(("9C TC", "JC", "", "QC KC"), 76, 1, id="all active hands together make a set"),
    ],
)
def test_checks(hands, bet, loser):
    """Seat 0 bets, seat 1 checks; the loser has a card more and starts the next round."""
    state = dealt(*hands)
    after = played(state, Bet(bet), Check())
    assert Seat(loser) == after.last_round.loser == after.on_turn
    assert tuple(count + (seat == loser) for seat, count in enumerate(state.n_cards)) == after.n_cards
    assert (2, ()) == (after.round_number, after.hands)


def test_cards_that_are_not_dealt_do_not_count():
    """What lies in the deck beyond a hand's cards is nobody's."""
    state = GAME.apply(before(1, 1), {CHANCE: deal("9C AS AC AD AH", "TD")}).state
    assert Seat(0) == played(state, Bet(11), Check()).last_round.loser


# What is legal.


@pytest.mark.parametrize(
    ("last", "move", "legal"),
    [
        pytest.param(None, Bet(0), True, id="first: the lowest bet"),
        pytest.param(None, Bet(87), True, id="first: the highest bet"),
        pytest.param(None, Check(), False, id="first: there is nothing to check"),
        pytest.param(None, Bet(-1), False, id="first: a negative number"),
        pytest.param(30, Bet(31), True, id="the next higher bet"),
        pytest.param(30, Bet(87), True, id="any higher bet"),
        pytest.param(30, Check(), True, id="a check"),
        pytest.param(30, Bet(30), False, id="the same bet"),
        pytest.param(30, Bet(29), False, id="a lower bet"),
        pytest.param(30, Bet(88), False, id="88 is no bet"),
        pytest.param(30, Bet(89), False, id="89 stands in histories only"),
        pytest.param(30, Deal(tuple(range(24))), False, id="a seat deals"),
        pytest.param(86, Bet(87), True, id="the highest bet above the one below"),
        pytest.param(87, Check(), True, id="after the highest bet: a check"),
        pytest.param(87, Bet(87), False, id="after the highest bet: nothing else"),
    ],
)
def test_legal_moves(last, move, legal):
    """Options and apply agree on what is legal."""
    state = dealt("9C", "TC", "JC")
    state = state if last is None else played(state, Bet(last))
    assert legal == is_legal(GAME.options(state, state.on_turn), move)
    if legal:
        step(state, move)
    else:
        with pytest.raises(IllegalMove, match=f"seat {int(state.on_turn)}: "):
            step(state, move)


def test_only_the_seat_on_turn_may_move():
    """The others are not asked, have no options, and their moves are refused."""
    state = dealt("9C", "TC", "JC")
    assert (Seat(0),) == GAME.to_act(state)
    assert ((), ()) == (GAME.options(state, Seat(1)), GAME.options(state, Seat(2)))
    for moves in (
        {Seat(1): Bet(3)},
        {Seat(0): Bet(3), Seat(1): Check()},
        {},
        {CHANCE: deal("9C", "TC", "JC")},
    ):
        with pytest.raises(IllegalMove):
            GAME.apply(state, moves)


@pytest.mark.parametrize(
    "move",
    [
        pytest.param(Deal(tuple(range(23))), id="a card missing"),
        pytest.param(Deal((*range(23), 22)), id="a card twice"),
        pytest.param(Deal((*range(23), 24)), id="a card that there is not"),
        pytest.param(Bet(3), id="no deal"),
    ],
)
def test_impossible_deals_are_refused(move):
    """Chance deals a deck of 24 different cards."""
    with pytest.raises(IllegalMove):
        GAME.apply(GAME.start(2), {CHANCE: move})


@pytest.mark.parametrize(
    ("last", "answer", "reason"),
    [
        (30, 12, "Bet: action_id 12 is not 31 to 87"),
        (30, 89, "Bet: action_id 89 is not 31 to 87"),
        (86, 3, "Bet: action_id 3 is not 87"),
        (None, 88, "Check is not possible here; possible: Bet"),
        (87, 87, "Bet is not possible here; possible: Check"),
    ],
)
def test_reasons_of_illegal_answers(last, answer, reason):
    """A number that is not legal is told with those that are."""
    state = dealt("9C", "TC")
    state = state if last is None else played(state, Bet(last))
    options = GAME.options(state, state.on_turn)
    move = Codec(GAME, ("ann", "bob"), state.on_turn).move(answer)
    assert not is_legal(options, move)
    assert explain(options, move).startswith(reason)


@pytest.mark.parametrize("answer", ["88", "check", [3], {"action_id": 3}, 2.5, True, None])
def test_malformed_answers(answer):
    """A move is a whole number and nothing else."""
    with pytest.raises(MalformedAnswer):
        Codec(GAME, ("ann", "bob"), Seat(0)).move(answer)


def test_moves_are_bare_numbers():
    """0 to 87 are bets, 88 is the check; 3.0 is 3."""
    read = Codec(GAME, ("ann", "bob"), Seat(0)).move
    assert [Bet(0), Bet(87), Check(), Bet(3)] == [read(0), read(87), read(88), read(3.0)]


# Who starts, who is out.

FULL = "9C 9D 9H 9S TC TD TH TS"  # eight cards, the most at three seats
TWO = ("JC", "JD")


@pytest.mark.parametrize(
    ("hands", "start", "moves", "n_cards", "next_start"),
    [
        pytest.param(("9C", "9D", "9H"), 0, (Bet(11), Check()), (2, 1, 1), 0, id="a bettor that stays"),
        pytest.param(("9C", "9D", "9H"), 0, (Bet(0), Check()), (1, 2, 1), 1, id="a checker that stays"),
        pytest.param(("9C", "9D", "9H"), 1, (Forfeit(),), (1, 2, 1), 1, id="who fails and stays"),
        pytest.param((FULL, *TWO), 0, (Bet(11), Check()), (0, 1, 1), 1, id="bettor out: the checker starts"),
        pytest.param(
            (TWO[0], FULL, TWO[1]),
            0,
            (Bet(0), Check()),
            (1, 0, 1),
            2,
            id="checker out: the next after it starts",
        ),
        pytest.param(
            (FULL, *TWO), 2, (Bet(2), Check()), (0, 1, 1), 1, id="checker out: the next one round the table"
        ),
        pytest.param(
            (TWO[0], TWO[1], FULL), 2, (Forfeit(),), (1, 1, 0), 0, id="out by a failure: the next after it"
        ),
        pytest.param(
            (TWO[0], "", FULL, TWO[1]), 2, (Bet(11), Check()), (1, 0, 0, 1), 3, id="a gap at the table"
        ),
        pytest.param(
            (FULL, *TWO), 1, (Bet(0), Bet(1), Forfeit()), (0, 1, 1), 1, id="out by a failure to answer a bet"
        ),
    ],
)
def test_the_next_round(hands, start, moves, n_cards, next_start):
    """Who loses starts; who is out is followed by the checker of its bet, or by the next active seat."""
    most = GAME.max_cards(len(hands))
    hands = [" ".join(cards.split()[:most]) for cards in hands]
    after = played(dealt(*hands, start=start), *moves)
    assert (n_cards, Seat(next_start)) == (after.n_cards, after.on_turn)


def test_turns_go_round_the_active_seats():
    """Who is out is passed over."""
    state = dealt("9C", "", "9D", "", "9H", start=2)
    turns = []
    for action_id in range(6):
        turns.append(int(state.on_turn))
        state = played(state, Bet(action_id))
    assert [2, 4, 0, 2, 4, 0] == turns


@pytest.mark.parametrize(("seats", "most"), [(2, 11), (3, 8), (4, 6), (5, 4), (6, 4), (7, 3), (8, 3)])
def test_max_cards(seats, most):
    """11 for two seats, else the 24 cards shared out; with so many a lost round is the end."""
    assert most == GAME.observe(GAME.start(seats), None).max_cards
    state = GAME.apply(before(most - 1, *[1] * (seats - 1)), {CHANCE: Deal(tuple(range(24)))}).state
    assert most == played(state, Forfeit()).n_cards[0]
    state = GAME.apply(before(most, *[1] * (seats - 1)), {CHANCE: Deal(tuple(range(24)))}).state
    assert 0 == played(state, Forfeit()).n_cards[0]


def test_it_has_no_house_rules():
    """There is nothing to set."""
    assert () == attrs.fields(Blef)


# The end.


def test_the_last_active_seat_wins():
    """Later eliminated ranks better, nothing is dealt any more, nobody is asked, no move is taken."""
    state = State((0, 6, 0, 2), (), 20, Seat(1), out=(Seat(2), Seat(0)))
    state = GAME.apply(state, {CHANCE: Deal(tuple(range(24)))}).state
    last = step(state, Forfeit())
    over = last.state
    assert ((), ()) == (GAME.to_act(over), GAME.options(over, Seat(3)))
    assert (3, 2, 4, 1) == GAME.ranks(over)
    assert shared_returns((3, 2, 4, 1)) == GAME.returns(over)
    assert ["round_lost", "eliminated", "match_over"] == [event.kind for event in last.events]
    for moves in ({CHANCE: Deal(tuple(range(24)))}, {Seat(3): Bet(3)}, {}):
        with pytest.raises(IllegalMove):
            GAME.apply(over, moves)
    seen = GAME.observe(over, Seat(3))
    assert ("Finished", None, 20, ()) == (seen.status, seen.cp_nickname, seen.round_number, seen.hands)


# What is seen.


def test_what_a_seat_sees():
    """The own hand, everybody's number of cards, and all of the round before."""
    ann, bob, cem = map(Seat, range(3))
    first = played(dealt("AS", "9C", "TD"), Bet(5), Bet(11), Check())
    state = GAME.apply(first, {CHANCE: deal("JC", "QC JD", "KH")}).state
    state = played(state, Bet(7))
    seen = GAME.observe(state, bob)
    assert ("Running", 2, 8, cem) == (seen.status, seen.round_number, seen.max_cards, seen.cp_nickname)
    assert (Player(ann, 1), Player(bob, 2), Player(cem, 1)) == seen.players
    queen, jack, ace, nine, ten = (CARDS[number] for number in numbers("QC JD AS 9C TD"))
    assert (Hand(bob, (jack, queen)),) == seen.hands  # sorted
    assert (Action(bob, 7),) == seen.history
    assert seen.last_round == LastRound(
        (Action(ann, 5), Action(bob, 11), Action(cem, 88), Action(bob, 89)),
        (Hand(ann, (ace,)), Hand(bob, (nine,)), Hand(cem, (ten,))),
        bob,
    )


def test_what_is_seen_of_a_round_lost_by_failing():
    """The history ends with 89 and no check; the hands are shown as after a check."""
    last = played(dealt("AS", "9C"), Bet(5), Forfeit()).last_round
    assert ((Action(Seat(0), 5), Action(Seat(1), 89)), Seat(1)) == (last.history, last.loser)
    assert [Seat(0), Seat(1)] == [hand.nickname for hand in last.hands]


@pytest.mark.parametrize(
    ("seat", "what"),
    [
        pytest.param(None, (), id="a spectator sees no hand"),
        pytest.param(Seat(1), (), id="who is out sees no hand"),
        pytest.param(Seat(2), (Hand(Seat(2), (CARDS[4],)),), id="who plays sees its own"),
    ],
)
def test_whose_hands_are_seen(seat, what):
    """While a round runs."""
    assert what == GAME.observe(dealt("9C", "", "TC"), seat).hands


def test_between_rounds_no_hand_is_seen():
    """The round before is told in `last_round`; before the first deal there is none."""
    seen = GAME.observe(played(dealt("9C", "TC"), Forfeit()), Seat(0))
    assert ((), (), 2, "Running", Seat(0)) == (
        seen.hands,
        seen.history,
        seen.round_number,
        seen.status,
        seen.cp_nickname,
    )
    first = GAME.observe(GAME.start(2), Seat(0))
    assert ((), None, 1) == (first.hands, first.last_round, first.round_number)


def test_observations_have_the_words_of_the_document():
    """Fields in the order of RULES.md, cards as value and colour, names for seats, null for nobody."""
    state = GAME.apply(played(dealt("AS", "9C"), Bet(11), Check()), {CHANCE: deal("9C TC", "JD")}).state
    told = Codec(GAME, ("ann", "bob"), Seat(0)).encode(GAME.observe(state, Seat(0)))
    assert told.decode() == (
        '{"status":"Running","round_number":2,"max_cards":11,'
        '"players":[{"nickname":"ann","n_cards":2},{"nickname":"bob","n_cards":1}],'
        '"hands":[{"nickname":"ann","hand":[{"value":0,"colour":0},{"value":1,"colour":0}]}],'
        '"cp_nickname":"ann","history":[],'
        '"last_round":{"history":[{"player":"ann","action_id":11},{"player":"bob","action_id":88},'
        '{"player":"ann","action_id":89}],'
        '"hands":[{"nickname":"ann","hand":[{"value":5,"colour":3}]},'
        '{"nickname":"bob","hand":[{"value":0,"colour":0}]}],"loser":"ann"}}'
    )


# The contract.


class Short(Blef):
    """Blef to two cards, so that its matches are short enough to be walked."""

    def max_cards(self, seats):
        return 2


def few_deals(state):
    """A deal, and others that differ from it in one seat's first card (or in nobody's)."""
    deck = list(GAME.draw(state, Random(state.round_number)).deck)
    yield Deal(tuple(deck))
    for one, other in product((0, 2, 4), range(20, 24)):
        swapped = list(deck)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        yield Deal(tuple(swapped))


@pytest.mark.slow
@pytest.mark.parametrize("seats", [8, *nightly(2, 3)])
def test_it_keeps_the_contract(seats):
    """Random matches end within the bound and replay; equal information shows equal things.

    At every change `test_every_game_keeps_the_contract` walks for two seats far enough to find the leaks that are planted below.
    """
    # With eight seats it is the walk of three: once is enough.
    tiny = Tiny(Short(), seats=min(seats, 3), luck=few_deals, histories_max=500 if seats <= 3 else 50)
    rounds_max = seats * GAME.max_cards(seats) - 1
    check_game(GAME, seats=seats, matches=2, tiny=tiny, turns_max=89 * rounds_max)


class PeekingHands(Short):
    """Shows everybody all hands."""

    def observe(self, state, seat):
        shown = super().observe(state, seat)
        return attrs.evolve(shown, hands=tuple(Hand(Seat(n), hand) for n, hand in enumerate(state.hands)))


class PeekingOptions(Short):
    """Lets nobody check what is there."""

    def options(self, state, seat):
        options = super().options(state, seat)
        ace_is_there = any(card.value == 5 for hand in state.hands for card in hand)
        return options[:1] if ace_is_there else options


class PeekingTurns(Short):
    """Asks only who holds something."""

    def to_act(self, state):
        asked = super().to_act(state)
        others = [Seat(n) for n, hand in enumerate(state.hands) if any(card.value > 2 for card in hand)]
        return (others[0],) if others and asked else asked


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (PeekingHands, "observe tells (seat|a spectator)"),
        (PeekingOptions, "options tells seat"),
        (PeekingTurns, "to_act tells a spectator"),
    ],
)
def test_planted_leaks_are_caught(kind, sentence):
    """The tiny configuration of the contract test is one in which leaks are seen."""
    tiny = Tiny(kind(), seats=2, luck=few_deals, histories_max=500)
    with pytest.raises(AssertionError, match=sentence):
        check_game(GAME, seats=2, matches=0, tiny=tiny)


# What holds in every match.

SEATS = st.integers(2, 8)
RANDOMS = st.builds(Random, st.integers(0, 2**32))


@settings(max_examples=40, deadline=None)  # whole matches: no fair judge of time on a busy machine
@given(SEATS, RANDOMS)
def test_cards_and_rounds(seats, rng):
    """A round costs its loser a card; there are (n−1)·m to n·m−1 rounds; hands are distinct cards."""
    most = GAME.max_cards(seats)
    lost, n_cards = 0, (1,) * seats
    for moves, after in random_match(GAME, seats, rng):
        state = after.state
        held = [card for hand in state.hands for card in hand]
        assert len(set(held)) == len(held) <= 24
        assert not held or tuple(map(len, state.hands)) == state.n_cards
        if any(event.kind in ("check", "round_lost") for event in after.events):
            lost += 1
            loser = state.last_round.loser
            grown = 0 if n_cards[loser] == most else n_cards[loser] + 1
            assert (*n_cards[:loser], grown, *n_cards[loser + 1 :]) == state.n_cards
            n_cards = state.n_cards
        else:
            assert CHANCE in moves or state.n_cards == n_cards
    assert (seats - 1) * most <= lost <= seats * most - 1
    assert lost == state.round_number
    assert 1 == sum(map(bool, state.n_cards))


@settings(max_examples=25, deadline=None)
@given(SEATS, RANDOMS)
def test_bets_rise_within_a_round(seats, rng):
    """In every history the bets rise strictly, a check comes after a bet, 89 is the loser's and the last."""
    for _, each in random_match(GAME, seats, rng):
        last = each.state.last_round
        if last is not None:
            ids = [action.action_id for action in last.history]
            assert sorted(set(ids)) == ids
            assert (89, last.loser) == (ids[-1], last.history[-1].player)
            assert ids[0] != 88


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(SEATS, RANDOMS, st.integers(0, 400))
def test_nobody_gains_by_failing(seats, rng, turn):
    """At any turn no legal move costs a seat more than failing does, or leaves it worse placed."""
    state = GAME.start(seats)
    for number, (_, each) in enumerate(random_match(GAME, seats, rng)):
        if number > turn and state.hands:
            break
        state = each.state
    while not state.hands:
        state = GAME.apply(before(*[1] * seats), {CHANCE: GAME.draw(state, rng)}).state
    seat, most = state.on_turn, GAME.max_cards(seats)
    failed = played(state, Forfeit())
    assert (0 if state.n_cards[seat] == most else state.n_cards[seat] + 1) == failed.n_cards[seat]
    for option in GAME.options(state, seat):
        other = played(state, option.sample(rng))
        kept = other.n_cards[seat]
        assert kept in (state.n_cards[seat], failed.n_cards[seat])
        if kept == failed.n_cards[seat]:  # it checked, and the set was there: the same in all but the history
            assert (other.n_cards, other.on_turn, other.out) == (failed.n_cards, failed.on_turn, failed.out)


def test_a_round_failed_by_all_goes_on():
    """A table of seats that never answer plays to its end, and the first to start is the first to go."""
    state, turns = GAME.start(4), 0
    while asked := GAME.to_act(state):
        move = GAME.draw(state, Random(turns)) if asked == (CHANCE,) else GAME.default(state, asked[0])
        state, turns = GAME.apply(state, {asked[0]: move}).state, turns + 1
    assert (4, 3, 2, 1) == GAME.ranks(state)
    assert 2 * 3 * 6 == turns


@given(SEATS, st.integers(0, 2**32), st.integers(0, 2**32))
def test_events_tell_nothing_of_other_hands(seats, luck, choices):
    """Other hands for the others change nothing of what seat 0 is told and sees, until a check shows them."""
    stretch, start = GAME.max_cards(seats), GAME.start(seats)
    deck = GAME.draw(start, Random(luck)).deck
    rest = list(deck[1:stretch] + deck[stretch:])
    Random(choices).shuffle(rest)
    one, same = (GAME.apply(start, {CHANCE: Deal(each)}) for each in (deck, (deck[0], *rest)))
    rng = Random(choices)
    while one.state.hands:
        told = [[(event.kind, event.seen_by(Seat(0))) for event in each.events] for each in (one, same)]
        assert told[0] == told[1]
        for seat in (Seat(0), None):
            assert GAME.observe(one.state, seat) == GAME.observe(same.state, seat)
        asked = GAME.to_act(one.state)
        assert GAME.to_act(same.state) == asked
        move = rng.choice(GAME.options(one.state, asked[0])).sample(rng)
        one, same = step(one.state, move), step(same.state, move)


@given(st.integers(0, 2**32), SEATS)
def test_luck_does_not_depend_on_play(seed, seats):
    """A hand is the first so many cards of its seat's own stretch, whatever the others lost."""
    start, most = GAME.start(seats), GAME.max_cards(seats)
    worn = before(*[most] * (seats - 1), 1)
    drawn = GAME.draw(start, Random(seed))
    assert drawn == GAME.draw(worn, Random(seed))
    one, other = (GAME.apply(state, {CHANCE: drawn}).state for state in (start, worn))
    assert one.hands[-1] == other.hands[-1]
    assert all(set(few) <= set(many) for few, many in zip(one.hands, other.hands, strict=True))


def test_deals_are_fair():
    """Of 24,000 decks every card is first in its 24th, as chance lets it; rounds have keys of their own."""
    rng, state = Random(1), GAME.start(2)
    firsts = [GAME.draw(state, rng).deck[0] for _ in range(24_000)]
    for number in range(24):
        assert abs(firsts.count(number) - 1000) < 160  # standard deviation 31
    assert ("deal", 1) == GAME.chance_key(state)
    assert ("deal", 7) == GAME.chance_key(before(1, 1, round_number=7))


# One match from start to end.


def shown(value):
    """A value as the playthrough writes it."""
    if attrs.has(type(value)):
        return f"({' '.join(shown(getattr(value, name)) for name in attrs.fields_dict(type(value)))})"
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return "/".join(":".join(map(shown, pair)) for pair in value)
        return ",".join(map(shown, value)) or "-"
    return str(int(value)) if isinstance(value, Seat) else str(value).replace(" ", "_")


def read_move(text, _default):
    """The move of `30`, `88` or `fail`."""
    return Forfeit() if text == "fail" else Codec(GAME, ("a", "b", "c", "d"), Seat(0)).move(int(text))


def read_deal(text):
    """The deal of `9C|AS`: the hands by seat."""
    return deal(*text.split("|"))


def test_playthrough():
    """A whole match: who is asked, what each move leads to, and what everyone is told."""
    state = playthrough.played(
        PLAYTHROUGH, GAME, 2, write=shown, read_move=read_move, chance={"deal": read_deal}, header=2
    )
    assert (2, 1) == GAME.ranks(state)
    assert not re.search(r"^\w+  ", PLAYTHROUGH.read_text(), re.MULTILINE)  # nothing is aligned in this file
