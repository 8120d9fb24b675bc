"""What people are told of the five games: a row for each kind of sentence that has a turn of its own."""

from __future__ import annotations

import re
from random import Random

import pytest

from arena.game import CHANCE, Seat
from arena.games.blef import Blef
from arena.games.blef import events as blef
from arena.games.blef.moves import Bet as BlefBet
from arena.games.blef.sets import SETS
from arena.games.bluff import Bluff
from arena.games.bluff import events as bluff
from arena.games.chamber import Chamber
from arena.games.chamber import events as chamber
from arena.games.chamber import moves as chamber_moves
from arena.games.holdem import Holdem
from arena.games.holdem import events as holdem
from arena.games.holdem.moves import Bet, Deal
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice import events as dice
from arena.games.liars_dice.moves import Bid, Roll

ANN, BOB, CAT = map(Seat, range(3))
NAMES = ("ann", "bob", "cat")
HANDS = ((ANN, ("9C",)), (BOB, ("KD", "AS")))
WON, SHARED = ((ANN, 1), (BOB, 2)), ((ANN, 1), (BOB, 1), (CAT, 3))

MOVES = [
    (LiarsDice, CHANCE, Roll(((1, 2), (3, 4))), "the dice are rolled"),
    (LiarsDice, BOB, Bid(3, 5), "bob bids five 3s"),
    (LiarsDice, BOB, Bid(3, 1), "bob bids one 3"),
    (LiarsDice, BOB, Bid(6, 13), "bob bids 13 6s"),
    (Blef, ANN, BlefBet(5), "ann bets an ace"),
    (Blef, ANN, BlefBet(6), "ann bets a pair of nines"),
    (Blef, ANN, BlefBet(12), "ann bets two pair, tens and nines"),
    (Holdem, CHANCE, Deal(("AS", "KD")), "the cards are dealt"),
    (Holdem, ANN, Bet(0), "ann checks"),
    (Holdem, ANN, Bet(12000), "ann puts in 12,000"),
    (Chamber, ANN, chamber_moves.ShootPlayer(ANN), "ann shoots themselves"),
    (Chamber, ANN, chamber_moves.UseAddLifeItem(), "ann uses Add Life"),
    (
        Chamber,
        ANN,
        chamber_moves.UseStealItem(BOB, "Skip", CAT),
        "ann steals Skip from bob and uses it on cat",
    ),
]
EVENTS = [
    (
        LiarsDice,
        "round_started",
        dice.RoundStarted(2, ((BOB, 2), (ANN, 1))),
        "round 2: bob has two dice, ann one",
    ),
    (
        LiarsDice,
        "round_started",
        dice.RoundStarted(1, ((ANN, 5), (BOB, 5))),
        "round 1: ann and bob have five dice each",
    ),
    (
        LiarsDice,
        "challenge",
        dice.Showdown(BOB, ANN, (6, 2), ((ANN, (1, 2)), (BOB, (3, 3))), 0, ANN),
        "bob challenges ann's bid of two 6s: there are none (ann 1 2, bob 3 3), so ann loses a die",
    ),
    (
        LiarsDice,
        "match_over",
        dice.MatchOver(SHARED, True),
        "the limit on turns is reached: ann and bob share first place",
    ),
    (
        Blef,
        "check",
        blef.Showdown(BOB, ANN, 6, SETS[6].name, HANDS, False, ANN),
        "bob checks ann's bet of a pair of nines: it is false (ann 9C, bob KD AS), so ann loses the round",
    ),
    (
        Blef,
        "round_lost",
        blef.RoundLost(ANN, HANDS),
        "ann forfeits the round (ann 9C, bob KD AS)",
    ),
    (Bluff, "play", bluff.Played(ANN, 2, "K", 1), "ann claims two kings, with one card left"),
    (Bluff, "play", bluff.Played(ANN, 1, "7", 0), "ann claims one 7, with no cards left"),
    (
        Bluff,
        "challenge",
        bluff.Challenged(BOB, ANN, "H", ("2H", "3H"), False, BOB, 9),
        "bob accuses ann: the two hearts are 2H 3H, as claimed, so bob takes the pile of nine cards",
    ),
    (Holdem, "raise", holdem.Paid(ANN, 90, 100, False), "ann raises to 100"),
    (Holdem, "call", holdem.Paid(ANN, 90, 100, True), "ann calls 90 and is all in"),
    (Holdem, "pot", holdem.PotWon(121, ((BOB, 61), (ANN, 60))), "the pot of 121 is shared: bob 61, ann 60"),
    (
        Holdem,
        "hand_over",
        holdem.HandOver(((ANN, 1500), (BOB, -1500))),
        "the hand ends: ann +1,500, bob −1,500",
    ),
    (
        Holdem,
        "hand_started",
        holdem.HandStarted(3, BOB, ((ANN, 90), (BOB, 110)), ((BOB, 10), (ANN, 20))),
        "hand 3: bob has the button, bob posts 10, ann posts 20 (ann 90, bob 110)",
    ),
    (
        Chamber,
        "round_started",
        chamber.RoundStarted(1, ((ANN, 5), (BOB, 5)), ((ANN, ("Skip", "Skip")), (BOB, ("Steal",))), 1, 1),
        "round 1: ann and bob have five lives each; one live and one blank shell in the chamber; "
        "ann gets Skip ×2; bob gets Steal",
    ),
    (
        Chamber,
        "shoot_player",
        chamber.Shot(ANN, BOB, "live", 1),
        "ann shoots bob: live, leaving bob with one life",
    ),
    (Chamber, "shoot_player", chamber.Shot(ANN, ANN, "blank", 3), "ann shoots themselves: blank"),
    (
        Chamber,
        "eliminated",
        chamber.Eliminated(BOB, ANN, ("Skip", "Skip", "Steal")),
        "bob is out; ann takes Skip ×2, Steal",
    ),
    (Chamber, "eliminated", chamber.Eliminated(BOB, None, ()), "bob is out"),
    (
        Chamber,
        "rebalanced",
        chamber.Rebalanced(((ANN, 3),), 4, 2),
        "ann adds three: the chamber now holds four live and two blank shells",
    ),
    (Chamber, "match_over", chamber.MatchOver(WON), "ann wins the match"),
]


@pytest.mark.parametrize(("game", "seat", "move", "sentence"), MOVES, ids=[row[3] for row in MOVES])
def test_a_move_is_told(game, seat, move, sentence):
    """By who made it; of chance nothing that was drawn."""
    assert sentence == game().tell_move(seat, move, NAMES.__getitem__)


@pytest.mark.parametrize(("game", "kind", "payload", "sentence"), EVENTS, ids=[row[3] for row in EVENTS])
def test_an_event_is_told(game, kind, payload, sentence):
    """To all, from what all may know."""
    assert sentence == game().tell_event(kind, payload, None, NAMES.__getitem__)


@pytest.mark.parametrize(
    ("game", "payload", "sentence"),
    [
        (LiarsDice, dice.Hand((1, 6)), "bob rolls 1 6"),
        (Blef, blef.OwnHand(("9C",)), "bob is dealt 9C"),
        (Bluff, bluff.Hand(("AS", "TC")), "bob holds AS TC"),
        (Holdem, holdem.Hole(("AS", "KD")), "bob is dealt AS KD"),
        (Chamber, chamber.Checked("live"), "bob learns that the next shell is live"),
    ],
)
def test_a_secret_is_told_with_whose_it_is(game, payload, sentence):
    """In a story of somebody who sees everything there are several."""
    assert sentence == game().tell_event("hand", payload, BOB, NAMES.__getitem__)


# What is seen.


def seen_of(game, seat, moves=()):
    """The lines for a seat after the luck of seed 1 and these moves."""
    state = game.start(2)
    for move in (None, *moves):
        (who, *_) = game.to_act(state)
        moved = {CHANCE: game.draw(state, Random(1))} if who == CHANCE else {who: move}
        state = game.apply(state, moved).state
    return game.tell_seen(game.observe(state, seat), seat, NAMES.__getitem__)


@pytest.mark.parametrize(
    ("game", "seat", "moves", "lines"),
    [
        (
            LiarsDice(challenge="next"),
            ANN,
            [],
            [
                r"your dice are (\[[1-6]\] ?){5}",
                "nobody has bid yet",
                "ann and bob have five dice each, ten in all",
            ],
        ),
        (
            LiarsDice(challenge="next"),
            None,
            [Bid(3, 5)],
            ["ann's bid of five 3s is on the table", "bob and ann have five dice each, ten in all"],
        ),
        (
            Blef(),
            BOB,
            [BlefBet(6)],
            [
                r"your cards are \[[9TJQKA][CDHS]\]",
                "ann has bet a pair of nines",
                "ann and bob have one card each; whoever loses a round with eleven cards is out",
            ],
        ),
        (
            Bluff(),
            ANN,
            [],
            [
                r"your cards are (\[[2-9TJQKA][CDHS]\] ?){26}",
                "ann and bob have 26 cards each",
                "the pile is empty",
                "the next claim must be aces",
            ],
        ),
        (
            Holdem(),
            ANN,
            [],
            [
                r"your cards are \[..\] \[..\]",
                "there is no board yet, and the pot is 30",
                "a call costs 10, a raise at least 30",
                r"ann has 9,990 left and has bet 10 \(button\); bob has 9,980 left and has bet 20",
            ],
        ),
        (
            Holdem(),
            BOB,
            [Bet(10), Bet(0)],
            [
                r"your cards are \[..\] \[..\]",
                r"the board is \[..\] \[..\] \[..\], and the pot is 40",
                "a check is free, a bet at least 20",
                r"ann has 9,980 \(button\); bob has 9,980",
            ],
        ),
        (
            Holdem(push_or_fold=True, stack=200),
            ANN,
            [],
            [
                r"your cards are \[..\] \[..\]",
                "there is no board yet, and the pot is 30",
                "all in costs 190; the only other move is a fold",
                r"ann has 190 left and has bet 10 \(button\); bob has 180 left and has bet 20",
            ],
        ),
        (
            Holdem(push_or_fold=True, stack=200),
            BOB,
            [Bet(190)],
            [
                r"your cards are \[..\] \[..\]",
                "there is no board yet, and the pot is 220",
                "a call costs 180, and you cannot raise",
                r"ann has 0 left and has bet 200 \(all in, button\); bob has 180 left and has bet 20",
            ],
        ),
        (
            Chamber(items_per_round=0),
            BOB,
            [],
            [
                "bob has five lives and holds no items",
                "ann has five lives and holds no items",
                r"the chamber holds \w+ live and \w+ blank shells?",
                "it is ann's turn",
            ],
        ),
    ],
)
def test_what_a_seat_sees_is_told_in_a_few_lines(game, seat, moves, lines):
    """What it holds, in brackets; what lies on the table; what the others have."""
    told = seen_of(game, seat, moves)
    assert len(lines) == len(told)
    for line, said in zip(lines, told, strict=True):
        assert re.fullmatch(line, said), said
