"""Hold'em keeps the contract of a game, leaks nothing, and plays a match that was written out by hand."""

from pathlib import Path

import attrs
import playthrough
import pytest
from daily import NIGHTLY

from arena.game import Seat
from arena.games.cards import DECK
from arena.games.holdem import Holdem
from arena.games.holdem.betting import BOARD_AT, raises, to_call
from arena.games.holdem.moves import Bet, Deal, Fold
from arena.testing.games import Tiny, check_game

PLAYTHROUGH = Path(__file__).with_name("holdem_playthrough.txt")


def swapped(*pairs):
    """A deal with the cards of these places exchanged."""
    deck = list(DECK)
    for one, other in pairs:
        deck[one], deck[other] = deck[other], deck[one]
    return Deal(tuple(deck))


def few_deals(state):
    """Deals that differ from one another in one thing hidden: a hand, a card to come, or the rest of the deck."""
    own, others = (0, 30), (2, 31)
    flop, turn, river = ((BOARD_AT + place, 40 + place) for place in (0, 3, 4))
    rest = (45, 46)
    return [
        swapped(*pairs) for pairs in ([], [own], [others], [own, others], [flop], [turn], [river], [rest])
    ]


TINY = Tiny(Holdem(stack=2, small_blind=1, big_blind=2, hands=1), luck=few_deals, histories_max=50)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "seats"),
    [
        pytest.param(rules, seats, id=f"{rules}-{seats}", marks=() if (x + y) % 2 == 0 else NIGHTLY)
        for x, rules in enumerate(
            [
                {},
                {"reset_stacks": False},
                {"stack": 45},
                {"stack": 60, "small_blind": 20, "reset_stacks": False},
            ]
        )
        for y, seats in enumerate([2, 3, 6, 10])
    ],
)
def test_holdem_keeps_the_contract(rules, seats):
    """Random matches with short and deep stacks, at the smallest and the largest table."""
    check_game(Holdem(hands=3, **rules), seats=seats, matches=1, tiny=TINY)


@pytest.mark.slow
@pytest.mark.parametrize("stacks", [(1, 300), (45, 9999, 19), (5, 20, 60, 400, 20, 1)], ids=str)
def test_holdem_keeps_the_contract_with_stacks_of_their_own(stacks):
    """Ranks and returns agree whoever busts, and what a seat has at the start tells nothing of its cards."""
    tiny = Tiny(
        Holdem(stacks=(2, 3), small_blind=1, big_blind=2, hands=2, reset_stacks=False),
        luck=few_deals,
        histories_max=50,
    )
    game = Holdem(hands=4, stacks=stacks, reset_stacks=False)
    check_game(game, seats=len(stacks), matches=8, tiny=tiny)


@pytest.mark.slow
@pytest.mark.parametrize("stack", [40, 300])
def test_push_or_fold_keeps_the_contract(stack):
    tiny = Tiny(
        Holdem(stack=4, small_blind=1, big_blind=2, hands=2, push_or_fold=True),
        luck=few_deals,
        histories_max=4_000,
    )
    check_game(Holdem(hands=4, stack=stack, push_or_fold=True), seats=2, matches=4, tiny=tiny)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "seats", "histories_max"),
    [
        pytest.param({"stack": 4}, 2, 20_000, id="every history of one hand with two big blinds each"),
        pytest.param({"stack": 3, "hands": 2}, 2, 4_000, id="a second hand, after a showdown or a fold"),
        pytest.param({"stack": 2, "hands": 2, "reset_stacks": False}, 2, 4_000, id="a freeze-out"),
        pytest.param({"stack": 3}, 3, 4_000, id="three seats, one of which may only listen"),
    ],
)
def test_nothing_of_the_deck_gets_out(rules, seats, histories_max):
    """Who was told the same sees, may do, and is asked the same, whatever is hidden in the deck."""
    game = Holdem(small_blind=1, big_blind=2, **{"hands": 1, **rules})
    tiny = Tiny(game, seats=seats, luck=few_deals, histories_max=histories_max)
    check_game(Holdem(hands=1), seats=2, matches=1, tiny=tiny)


class ShowsTheRiver(Holdem):
    """With a planted leak: the river is seen from the flop on."""

    def observe(self, state, seat):
        seen = super().observe(state, seat)
        if seen.cards.flop is None:
            return seen
        river = (state.hand.deck[BOARD_AT + 4],)
        return attrs.evolve(seen, cards=attrs.evolve(seen.cards, river=river))


class OptionsByCards(Holdem):
    """With a planted leak: against the eight of spades nobody may do more than fold."""

    def options(self, state, seat):
        options = super().options(state, seat)
        return options[:1] if state.hand and state.hand.deck[2] == DECK[31] else options


@pytest.mark.slow
@pytest.mark.parametrize("leaky", [ShowsTheRiver, OptionsByCards])
def test_the_leak_test_finds_planted_leaks(leaky):
    """A card shown too early, or options that depend on another's hand, are found by these deals."""
    tiny = Tiny(leaky(stack=4, small_blind=1, big_blind=2, hands=1), luck=few_deals, histories_max=20_000)
    with pytest.raises(AssertionError, match=r"tells (a spectator|seat \d) more than it was told"):
        check_game(Holdem(hands=1), seats=2, matches=1, tiny=tiny)


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(Holdem.reveals))
def test_what_it_reveals_must_be_declared(kind, monkeypatch):
    """Where all are all-in each of these events tells what is never observed: none is declared without need."""
    monkeypatch.setattr(Holdem, "reveals", Holdem.reveals - {kind})
    game = Holdem(stack=3, small_blind=1, big_blind=2, hands=1)
    with pytest.raises(AssertionError, match=f"the event {kind} tells .* what no observation says"):
        check_game(Holdem(hands=1), seats=2, matches=0, tiny=Tiny(game, luck=few_deals, histories_max=8000))


# One match from start to end.


def seen(value):
    """A value as the playthrough writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, tuple):
        return str(int(value)) if isinstance(value, Seat) else str(value)
    if isinstance(value[0], tuple):
        return "/".join(map(seen, value))
    return (":" if isinstance(value[0], Seat) else ",").join(map(seen, value))


def asked(game, state):
    """The question as the playthrough writes it."""
    (seat,) = game.to_act(state)
    raising = raises(state.hand, seat)
    call = min(to_call(state.hand, seat), state.hand.stacks[seat])
    return f"{int(seat)} {call} " + ("-" if raising is None else "{}-{}".format(*raising))


def dealt(text):
    """The deal of `AS AD | … | 2C 7D 9H JS 4C`."""
    *holes, board = (part.split() for part in text.split("|"))
    cards = [card for hole in holes for card in hole]
    rest = [card for card in DECK if card not in {*cards, *board}]
    behind = BOARD_AT - len(cards)
    return Deal((*cards, *rest[:behind], *board, *rest[behind:]))


def read_move(text, default):
    """The move of `fold`, `failed` or how many chips."""
    by_word = {"fold": Fold(), "failed": default}
    return by_word[text] if text in by_word else Bet(int(text))


def test_playthrough():
    """A whole match by hand: who is asked for what, what each move leads to, and what everyone is told."""
    game = Holdem(stack=100, hands=3, reset_stacks=False)
    facts = {"ask": asked, "stacks": lambda _, state: f"{seen(state.stacks)} button {int(state.button)}"}
    state = playthrough.played(
        PLAYTHROUGH, game, 3, write=seen, read_move=read_move, chance={"deal": dealt}, facts=facts
    )
    assert game.ranks(state) == (1, 3, 2)
    assert game.returns(state) == (90, -100, 10)
