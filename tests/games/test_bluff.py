"""Bluff: a row a rule, what follows for every match, and one match from start to end."""

import json
from itertools import chain, permutations
from pathlib import Path
from random import Random

import attrs
import playthrough
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import IllegalMove
from arena.game import CHANCE, Seat, explain, is_legal, shared_returns
from arena.games.bluff import Bluff
from arena.games.bluff.moves import Accuse, Deal, Pass, Play
from arena.games.bluff.state import State
from arena.games.cards import DECK, RANKS, SUITS, shuffled, sort_cards
from arena.players.codec import rules_json
from arena.testing import random_match
from arena.tournament.plan import Plan, identity

PLAYTHROUGH = Path(__file__).with_name("bluff_playthrough.txt")


def on_turn(*hands, current=0, pile="", plays=0):
    """A seat's turn, with these hands ("AC 2D") and cards on the pile; those not named do not exist."""
    held = tuple(tuple(hand.split()) for hand in hands)
    assert all(sort_cards(hand) == hand for hand in held)
    return State("play", Seat(current), held, pile=tuple(pile.split()), plays=plays)


def played(game, state, cards, claim=None):
    """The step after the current player put these cards down."""
    return game.apply(state, {state.current: Play(tuple(cards.split()), claim)})


def answered(game, state, *moves):
    """The step after one answer for each seat asked, in playing order."""
    return game.apply(state, dict(zip(game.to_act(state), moves, strict=True)))


# Verdicts.


@pytest.mark.parametrize(
    ("claims", "plays", "cards", "claim", "taker"),
    [
        pytest.param("sequence", 0, "AC", None, 1, id="one card as due: the accuser takes the pile"),
        pytest.param("sequence", 0, "AC", "A", 1, id="the due claim may be said"),
        pytest.param("sequence", 0, "AS AC", None, 1, id="all as claimed, in any order"),
        pytest.param("sequence", 0, "2C", None, 0, id="another rank: the player takes the pile"),
        pytest.param("sequence", 0, "AC 2C", None, 0, id="one of two is not as claimed"),
        pytest.param("sequence", 0, "2C AC", None, 0, id="whichever of them comes first"),
        pytest.param("sequence", 1, "2C", None, 1, id="the second play is of twos"),
        pytest.param("sequence", 12, "KS", None, 1, id="the thirteenth is of kings"),
        pytest.param("sequence", 13, "AC", None, 1, id="then of aces again"),
        pytest.param("free_rank", 5, "KS", "K", 1, id="a free rank that is true"),
        pytest.param("free_rank", 0, "AC", "K", 0, id="a free rank that is a lie"),
        pytest.param("free_suit", 5, "AC 2C", "C", 1, id="a free suit that is true"),
        pytest.param("free_suit", 0, "AC AS", "C", 0, id="a free suit that is a lie"),
    ],
)
def test_an_accused_play(claims, plays, cards, claim, taker):
    """Who was wrong takes the whole pile, and the cards just played are shown to all."""
    game = Bluff(claims)
    state = on_turn("AC AS 2C 9C KS", "7D", "8D", pile="3H 4H", plays=plays)
    state = played(game, state, cards, claim).state
    step = answered(game, state, Accuse(), Pass())
    taken = {"3H", "4H", *cards.split()}
    assert taken <= set(step.state.hands[taker])
    assert () == step.state.pile == step.state.played
    shown = step.events[0].public
    assert ("challenge", taker, len(taken)) == (step.events[0].kind, shown.taker, shown.pile_size)
    assert sort_cards(cards.split()) == shown.cards == step.state.last_challenge.cards
    assert (taker == 0) == shown.bluff == step.state.last_challenge.bluff
    assert (1, 0) == (shown.accuser, shown.player)


@pytest.mark.parametrize("cards", list(permutations(("AC", "AD", "AH"))))
@pytest.mark.parametrize("others", [(), ("2C",)])
def test_a_verdict_is_the_same_in_any_order(cards, others):
    """RULES.md, "Check against": all cards as claimed, whatever their order."""
    game = Bluff()
    state = played(game, on_turn("AC AD AH 2C 3C", "7D"), " ".join(others + cards)).state
    assert bool(others) == answered(game, state, Accuse()).state.last_challenge.bluff


@pytest.mark.parametrize(
    ("answers", "accuser"),
    [
        pytest.param((Pass(), Pass(), Pass()), None, id="nobody accuses"),
        pytest.param((Accuse(), Pass(), Pass()), 2, id="the next seat"),
        pytest.param((Pass(), Pass(), Accuse()), 0, id="the seat before the player"),
        pytest.param((Accuse(), Accuse(), Accuse()), 2, id="of all the next one"),
        pytest.param((Pass(), Accuse(), Accuse()), 3, id="the nearer one, though its number is higher"),
    ],
)
def test_the_nearest_accuser_counts(answers, accuser):
    """All others are asked at once; of several accusers the one nearest clockwise after the player counts."""
    game = Bluff()
    state = played(game, on_turn("3C", "AC 2C", "4C", "5C", current=1), "AC").state
    assert (Seat(2), Seat(3), Seat(0)) == game.to_act(state)
    after = answered(game, state, *answers).state
    assert accuser == (after.last_challenge.accuser if after.last_challenge else None)
    assert ("play", Seat(2)) == (after.asked, after.current)
    assert (1 if accuser is None else 0) == len(after.pile)


def test_accusations_that_did_not_count_are_told_to_nobody():
    """An accusation behind a nearer one leaves no trace."""
    game = Bluff()
    state = played(game, on_turn("AC 2C", "4C", "5C"), "AC").state
    assert answered(game, state, Accuse(), Pass()) == answered(game, state, Accuse(), Accuse())


def test_an_unseen_play_stays_on_the_pile():
    """If nobody accuses the cards stay, nobody sees them, and the next seat plays the next rank."""
    game = Bluff()
    state = played(game, on_turn("3C 4C", "5C", pile="9S"), "4C").state
    assert ("9S", "4C") == state.pile
    step = answered(game, state, Pass())
    assert ("9S", "4C") == step.state.pile
    assert ["unchallenged"] == [event.kind for event in step.events]
    seen = game.observe(step.state, Seat(1))
    assert (2, "2", None) == (seen.pile_size, seen.claim_due, seen.last_challenge)


# What is legal.


@pytest.mark.parametrize(
    ("claims", "cards", "claim", "legal"),
    [
        pytest.param("sequence", "AC", None, True, id="one card"),
        pytest.param("sequence", "AC 9C KS", None, True, id="the whole hand"),
        pytest.param("sequence", "KS AC", None, True, id="in any order"),
        pytest.param("sequence", "AC", "2", True, id="the due claim, said"),
        pytest.param("sequence", "AC", "A", False, id="another claim than the due one, though true"),
        pytest.param("sequence", "AC", "C", False, id="a suit where a rank is due"),
        pytest.param("sequence", "", None, False, id="no card"),
        pytest.param("sequence", "AC AC", None, False, id="a card named twice"),
        pytest.param("sequence", "AD", None, False, id="a card of another hand"),
        pytest.param("sequence", "AC 7H", None, False, id="a card of the pile among others"),
        pytest.param("sequence", "1C", None, False, id="a card that is none"),
        pytest.param("free_rank", "AC", "A", True, id="a free rank"),
        pytest.param("free_rank", "AC", "K", True, id="a free rank that is a lie"),
        pytest.param("free_rank", "AC", None, False, id="no claim where it is free"),
        pytest.param("free_rank", "AC", "10", False, id="a rank that is none"),
        pytest.param("free_rank", "AC", "C", False, id="a suit where ranks are claimed"),
        pytest.param("free_suit", "AC", "S", True, id="a free suit that is a lie"),
        pytest.param("free_suit", "AC", None, False, id="no suit where it is free"),
        pytest.param("free_suit", "AC", "A", False, id="a rank where suits are claimed"),
    ],
)
def test_plays(claims, cards, claim, legal):
    """Options and apply agree on what may be played."""
    game = Bluff(claims)
    state = on_turn("AC 9C KS", "AD", pile="7H", plays=1)
    move = Play(tuple(cards.split()), claim)
    assert legal == is_legal(game.options(state, Seat(0)), move)
    if legal:
        assert set(cards.split()).isdisjoint(game.apply(state, {Seat(0): move}).state.hands[0])
    else:
        with pytest.raises(IllegalMove, match=r"seat 0: Play: (cards|claim) "):
            game.apply(state, {Seat(0): move})


@pytest.mark.parametrize("move", [Pass(), Accuse(), Deal(DECK)], ids=str)
def test_on_turn_there_is_only_playing(move):
    """Who is on turn must play."""
    game = Bluff()
    state = on_turn("AC", "AD")
    assert not is_legal(game.options(state, Seat(0)), move)
    with pytest.raises(IllegalMove, match="is not possible here; possible: Play"):
        game.apply(state, {Seat(0): move})


def test_off_turn_there_is_no_playing():
    """Who is asked to accuse cannot play, and nobody else is asked anything."""
    game = Bluff()
    state = on_turn("AC 2C", "AD", "AH")
    assert () == game.options(state, Seat(1))
    asked = played(game, state, "AC").state
    assert () == game.options(asked, Seat(0))
    for moves in ((Play(("AD",)), Pass()), (Accuse(), Play(("AH",)))):
        with pytest.raises(IllegalMove, match="Play is not possible here; possible: Pass, Accuse"):
            answered(game, asked, *moves)
    with pytest.raises(IllegalMove, match="2 seats were asked, but 1 moves were given"):
        game.apply(asked, {Seat(1): Pass()})


def test_reasons_name_field_and_accepted_values():
    """What is told of an illegal play says which field is wrong, and what it accepts."""
    game = Bluff()
    options = game.options(on_turn("AC KS", "AD", plays=9), Seat(0))
    reason = explain(options, Play(("AC", "AD")))
    assert all(word in reason for word in ("cards", "AD", "1 to 2", "AC, KS"))
    assert "claim" not in reason
    reason = explain(options, Play(("AC",), "J"))
    assert all(word in reason for word in ("claim", "J", "T"))
    assert "cards" not in reason


@pytest.mark.parametrize(
    "move",
    [
        pytest.param(Deal(DECK[1:]), id="a card missing"),
        pytest.param(Deal((*DECK[1:], DECK[1])), id="a card twice"),
        pytest.param(Pass(), id="no deal"),
    ],
)
def test_impossible_deals_are_refused(move):
    """Chance deals every card once."""
    game = Bluff()
    with pytest.raises(IllegalMove, match="52 cards"):
        game.apply(game.start(3), {CHANCE: move})


@pytest.mark.parametrize(
    ("claims", "state", "default"),
    [
        pytest.param("sequence", on_turn("3C 3D", "AC"), Play(("3C",)), id="the first card, as due"),
        pytest.param("free_rank", on_turn("3C 3D", "AC"), Play(("3C",), "3"), id="as the rank it is"),
        pytest.param("free_suit", on_turn("3C 3D", "AC"), Play(("3C",), "C"), id="as the suit it is"),
    ],
)
def test_the_default_play(claims, state, default):
    """A seat that fails on turn plays the first card of its hand as it is shown, honestly where it can be."""
    game = Bluff(claims)
    assert default == game.default(state, Seat(0))
    assert Pass() == game.default(game.apply(state, {Seat(0): default}).state, Seat(1))


# The end.


@pytest.mark.parametrize(
    ("cards", "answers", "ranks"),
    [
        pytest.param("AC", (Pass(), Pass()), (1, 2, 3), id="nobody accuses: won"),
        pytest.param("AC", (Pass(), Accuse()), (1, 2, 3), id="accused of the truth: won"),
        pytest.param("AC", (Accuse(), Pass()), (1, 3, 2), id="the accuser's new cards count for its rank"),
        pytest.param("KC", (Pass(), Pass()), (1, 2, 3), id="a lie that nobody accuses wins too"),
        pytest.param("KC", (Accuse(), Pass()), None, id="rightly accused: the match goes on"),
    ],
)
def test_the_last_card(cards, answers, ranks):
    """A seat without cards that was not rightly accused has won; the others rank by fewest cards."""
    game = Bluff()
    state = played(game, on_turn(cards, "2C 3C", "4C 5C 6C", pile="7C 8C"), cards).state
    step = answered(game, state, *answers)
    if ranks is None:
        assert (Seat(1),) == game.to_act(step.state)
        assert 3 == len(step.state.hands[0])
        return
    assert () == game.to_act(step.state)
    assert ranks == game.ranks(step.state)
    assert shared_returns(ranks) == game.returns(step.state)
    over = step.events[-1]
    assert ("match_over", False) == (over.kind, over.public.plays_max_reached)
    assert tuple(enumerate(ranks)) == over.public.ranks


def test_plays_max_ends_a_match():
    """At the bound, after its last play may have been accused, seats rank by fewest cards and ties share."""
    game = Bluff(plays_max=5)
    state = on_turn("5C 6C", "2C", "3C 4C", plays=4)
    state = played(game, state, "6C").state
    assert (Seat(1), Seat(2)) == game.to_act(state)
    passed = answered(game, state, Pass(), Pass())
    assert (1, 1, 3) == game.ranks(passed.state)
    assert passed.events[-1].public.plays_max_reached
    accused = answered(game, state, Pass(), Accuse())
    assert (2, 1, 2) == game.ranks(accused.state)


@pytest.mark.parametrize(("plays_max", "seats", "plays"), [(0, 2, 200), (0, 3, 300), (250, 3, 250)])
def test_the_bound_is_100_plays_a_seat_if_not_said(plays_max, seats, plays):
    """Seats that accuse every lie, and always lie, play on until the bound."""
    game = Bluff(plays_max=plays_max)
    state = game.apply(game.start(seats), {CHANCE: Deal(DECK)}).state
    while asked := game.to_act(state):
        if state.asked == "play":
            due = game.observe(state, None).claim_due
            lie = next(card for card in state.hands[asked[0]] if card[0] != due)
            moves = {asked[0]: Play((lie,))}
        else:
            moves = dict.fromkeys(asked, Accuse())
        state = game.apply(state, moves).state
    assert plays == state.plays == json.loads(rules_json(game, seats))["plays_max"]


def test_a_folder_that_left_the_bound_open_goes_on():
    """Bots are told the number; what a folder compares on resume is what its user wrote."""
    assert {"claims": "sequence", "plays_max": 0} == identity(Plan(game="bluff"), Bluff())["rules"]


def test_a_finished_match_takes_no_more_moves():
    """Nobody is asked, chance neither, and no move is taken."""
    game = Bluff()
    state = answered(game, played(game, on_turn("AC", "AD"), "AC").state, Pass()).state
    assert () == game.to_act(state)
    for moves in ({}, {CHANCE: Deal(DECK)}, {Seat(1): Play(("AD",))}):
        with pytest.raises(IllegalMove):
            game.apply(state, moves)


# What holds in every match.

GAMES = st.builds(
    Bluff,
    claims=st.sampled_from(("sequence", "free_rank", "free_suit")),
    plays_max=st.sampled_from((1, 7, 60)),  # the default bound is reached in a test of its own
)
RANDOMS = st.randoms(use_true_random=False)


@pytest.mark.slow
@settings(max_examples=40)
@given(GAMES, st.integers(2, 10), RANDOMS)
def test_no_card_is_lost(game, seats, rng):
    """RULES.md, "Check against": hands and pile are the 52 cards after every event, and all know how many."""
    state = game.start(seats)
    for _, step in random_match(game, seats, rng):
        state = step.state
        assert DECK == sort_cards([*chain(*state.hands), *state.pile])
        assert all(sort_cards(hand) == hand for hand in state.hands)
        seen = game.observe(state, None)
        assert 52 == seen.pile_size + sum(count for _, count in seen.hand_sizes)
        assert set(state.played) <= set(state.pile)
    assert state.plays == game.plays_max or min(map(len, state.hands)) == 0
    assert state.plays <= game.plays_max
    assert abs(sum(game.returns(state))) < 1e-9


@pytest.mark.parametrize("seats", range(2, 11))
def test_the_deal_is_even(seats):
    """RULES.md, "Check against": one card at a time, sizes differ by at most one, seat 0 first."""
    game = Bluff()
    step = game.apply(game.start(seats), {CHANCE: Deal(DECK)})
    sizes = [len(hand) for hand in step.state.hands]
    assert sorted(sizes, reverse=True) == sizes
    assert sizes[0] - sizes[-1] == (0 if 52 % seats == 0 else 1)
    assert [DECK[seat] for seat in range(seats)] == [hand[0] for hand in step.state.hands]


@pytest.mark.slow
@settings(max_examples=40)
@given(GAMES, st.integers(2, 10), RANDOMS)
def test_nobody_gains_by_failing(game, seats, rng):
    """What is played for a seat that failed is always a move that it could have made."""
    state = game.start(seats)
    for _, step in random_match(game, seats, rng):
        state = step.state
        for seat in game.to_act(state):
            assert is_legal(game.options(state, seat), game.default(state, seat))


def told(step, seat):
    return [(event.kind, event.seen_by(seat)) for event in step.events]


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(3, 6), RANDOMS)
def test_events_tell_nothing_of_other_hands(seats, rng):
    """Other hands for the others change nothing of what seat 0 and spectators are told: none accuses."""
    game = Bluff("free_rank")
    cards = shuffled(rng)
    mine = set(cards[::seats])
    swapped = iter(shuffled(rng, [card for card in cards if card not in mine]))
    other = [card if card in mine else next(swapped) for card in cards]
    one, same = (game.apply(game.start(seats), {CHANCE: Deal(tuple(each))}) for each in (cards, other))
    for _ in range(2 * seats):
        asked = game.to_act(one.state)
        assert game.to_act(same.state) == asked
        for seat in (Seat(0), None):
            assert told(one, seat) == told(same, seat)
            assert game.observe(one.state, seat) == game.observe(same.state, seat)
        if one.state.asked == "play":
            count = rng.randint(1, 3)
            moves = [{asked[0]: Play(step.state.hands[asked[0]][:count], "K")} for step in (one, same)]
        else:
            moves = [dict.fromkeys(asked, Pass())] * 2
        one, same = (game.apply(step.state, each) for step, each in zip((one, same), moves, strict=True))


def test_who_takes_the_pile_is_alone_to_see_it():
    """The pile goes to one hand, which is told to its seat only; the others see the cards just played."""
    game = Bluff()
    state = played(game, on_turn("2C 3C", "7D", "8D", pile="4H 5H"), "3C").state
    step = answered(game, state, Accuse(), Pass())
    assert ("2C", "3C", "4H", "5H") == step.events[1].seen_by(Seat(0)).cards
    for seat in (Seat(1), Seat(2), None):
        assert step.events[1].seen_by(seat) is None
        seen = repr((game.observe(step.state, seat), step.events[0].seen_by(seat)))
        assert "3C" in seen
        assert not {card for card in ("2C", "4H", "5H") if card in seen}


def test_the_order_of_the_pile_is_lost():
    """Cards that were laid in another order make the same hand, and are shown in the same order."""
    game = Bluff()
    state = on_turn("2C 3C 4C", "7D")
    after = [answered(game, played(game, state, cards).state, Accuse()) for cards in ("4C 2C", "2C 4C")]
    assert after[0] == after[1]


@given(st.integers(0, 2**32), st.integers(2, 10))
def test_luck_does_not_depend_on_play(seed, seats):
    """There is one deal in a match, drawn from its rng alone, the same for any house rules and table."""
    game = Bluff()
    assert game.draw(game.start(seats), Random(seed)) == Bluff("free_suit").draw(game.start(2), Random(seed))
    assert ("deal",) == game.chance_key(game.start(seats))


# Cards.


def test_the_deck():
    """52 cards, by rank from the ace, then clubs, diamonds, hearts, spades."""
    assert ("AC", "AD", "AH", "AS", "2C") == DECK[:5]
    assert ("TC", "KH", "KS") == (DECK[36], *DECK[-2:])
    assert 52 == len(set(DECK)) == len(RANKS) * len(SUITS)
    assert ("AS", "2C", "TD", "KC") == sort_cards(["KC", "TD", "2C", "AS"])


def test_shuffling_is_fair():
    """Each of 24 orders of four cards comes up as often, as far as chance lets it."""
    rng = Random(1)
    orders = [shuffled(rng, "ABCD") for _ in range(24_000)]
    for order in permutations("ABCD"):
        assert abs(orders.count(order) - 1000) < 150  # standard deviation 31


# One match from start to end.


def seen(value):
    """A value as the playthrough writes it."""
    if value is None:
        return "-"
    if attrs.has(type(value)):
        return f"({playthrough.fields(value, seen)})"
    if isinstance(value, tuple):
        pairs = bool(value) and isinstance(value[0], tuple)
        return ",".join(f"{seen(seat)}:{seen(item)}" for seat, item in value) if pairs else ",".join(value)
    return str(int(value)) if isinstance(value, Seat) else str(value)


def read_move(text, default):
    """The move of `AC 2C`, `AC as A`, `pass`, `bluff` or `default`."""
    if text in ("pass", "bluff", "default"):
        return {"pass": Pass(), "bluff": Accuse(), "default": default}[text]
    cards, _, claim = text.partition(" as ")
    return Play(tuple(cards.split()), claim or None)


def read_deal(text):
    """All cards in their order."""
    return Deal(tuple(text.split()))


def test_playthrough():
    """A whole match by hand: who is asked, what each move leads to, and what everyone is told."""
    game = Bluff()
    state = playthrough.played(
        PLAYTHROUGH, game, 4, write=seen, read_move=read_move, chance={"deal": read_deal}
    )
    assert (3, 4, 1, 2) == game.ranks(state)
