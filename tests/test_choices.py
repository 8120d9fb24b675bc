"""Words as moves: names and their beginnings, fields, numbers as shown, and what is said of other words."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from arena.errors import ConfigError
from arena.games import GAMES
from arena.games.holdem.moves import Bet
from arena.match.game import CHANCE, Seat, is_legal
from arena.players.codec import Codec
from arena.telling.choices import LISTED_MAX, forms, move_of, read_choices, with_numbers
from arena.telling.spoken import move_said, spoken_amounts, spoken_moves

HAND = ["AS", "2D", "7D", "TC", "KH"]


def option(kind: str, form: Any, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "form": form, "fields": fields}


def cards(claims: list[str | None]) -> dict[str, Any]:
    return option(
        "Play",
        {"play": "<cards>", "claim": "<claim>"},
        cards={"subset_of": HAND, "least": 1, "most": 5},
        claim={"one_of": claims},
    )


SEQUENCE = [cards(["7", None])]
SUITS = [cards(["C", "D", "H", "S"])]
RANKS = [cards(list("A23456789TJQK"))]
ACCUSE = [option("Pass", "pass"), option("Accuse", "bluff")]
BIDS = [
    option("Bid", ["<face>", "<count>"], face={"min": 5, "max": 6}, count={"min": 3, "max": 3}),
    option("Bid", ["<face>", "<count>"], face={"min": 1, "max": 6}, count={"min": 4, "max": 90}),
    option("Challenge", "challenge"),
]
SHOTS = [
    option(
        "ShootPlayer", {"packet": "ShootPlayer", "username": "<target>"}, target={"one_of": ["ann", "Ace"]}
    ),
    option("UseSkipItem", {"packet": "UseSkipItem", "target": "<target>"}, target={"one_of": ["ann"]}),
    option("UseQuickshotItem", {"packet": "UseQuickshotItem"}),
]
CHIPS = [
    option("Fold", {"action": 0}),
    option("Bet", {"action": 1, "betAmount": "<amount>"}, amount={"min": 20, "max": 20}),
    option("Bet", {"action": 1, "betAmount": "<amount>"}, amount={"min": 40, "max": 9990}),
]


@pytest.mark.parametrize(
    ("options", "words", "move"),
    [
        (SEQUENCE, "play 1 2 5", {"play": ["AS", "2D", "KH"], "claim": None}),
        (SEQUENCE, "play 1 3", {"play": ["AS", "7D"], "claim": None}),
        (SEQUENCE, "play 3 7", {"play": ["7D"], "claim": "7"}),
        (SEQUENCE, "play 3 sevens", {"play": ["7D"], "claim": "7"}),
        (SEQUENCE, "play tc KH", {"play": ["TC", "KH"], "claim": None}),
        (SUITS, "play 1 2 5 Diamonds", {"play": ["AS", "2D", "KH"], "claim": "D"}),
        (SUITS, "pl 1 d", {"play": ["AS"], "claim": "D"}),
        (RANKS, "play 1 2 3", {"play": ["AS", "2D"], "claim": "3"}),
        (RANKS, "play 1 tens", {"play": ["AS"], "claim": "T"}),
        (RANKS, "play 1 10", {"play": ["AS"], "claim": "T"}),
        (RANKS, "play 1 queen", {"play": ["AS"], "claim": "Q"}),
        (ACCUSE, "bluff", "bluff"),
        (ACCUSE, "accuse", "bluff"),
        (ACCUSE, "p", "pass"),
        (ACCUSE, "2", "bluff"),
        (ACCUSE, "play pass", "pass"),
        (BIDS, "bid 5 3", [5, 3]),
        (BIDS, "bid 1 4", [1, 4]),
        (BIDS, "B 6 90", [6, 90]),
        (BIDS, "b 4 5", [4, 5]),
        (BIDS, "c", "challenge"),
        (BIDS, "3", "challenge"),
        (BIDS, "[3, 7]", [3, 7]),
        (SHOTS, "shoot ann", {"packet": "ShootPlayer", "username": "ann"}),
        (SHOTS, "shoot ace", {"packet": "ShootPlayer", "username": "Ace"}),
        (SHOTS, "skip a", {"packet": "UseSkipItem", "target": "ann"}),
        (SHOTS, "use-quickshot-item", {"packet": "UseQuickshotItem"}),
        (SHOTS, '{"packet": "Pass"}', {"packet": "Pass"}),
        (CHIPS, "bet 20", {"action": 1, "betAmount": 20}),
        (CHIPS, "bet 9990", {"action": 1, "betAmount": 9990}),
        (CHIPS, "2", {"action": 1, "betAmount": 20}),
    ],
)
def test_words_are_moves(options: list[dict[str, Any]], words: str, move: Any) -> None:
    assert move == move_of(read_choices(options), words.split())


@pytest.mark.parametrize("name", GAMES)
def test_every_number_is_a_legal_move_and_every_small_family_has_them(name: str) -> None:
    """In random matches of each game."""
    game, names, luck = GAMES[name](), ("ann", "bob", "eve"), Random(1)
    state, steps = game.start(3), 0
    while (seats := game.to_act(state)) and steps < 60:
        steps += 1
        moves = {}
        for seat in seats:
            if seat == CHANCE:
                moves[seat] = game.draw(state, luck)
                continue
            codec, legal = Codec(game, names, seat), game.options(state, seat)
            options = read_choices(msgspec.json.decode(codec.options(legal)))
            found, others = with_numbers(options)
            assert found or others
            assert len(found) <= LISTED_MAX * len(options)
            for move in luck.sample(found, min(5, len(found))):
                assert is_legal(legal, codec.move(move))
            assert set(others) <= set(forms(options))
            moves[seat] = codec.move(luck.choice(found)) if found else game.default(state, seat)
        state = game.apply(state, moves).state


def spoken(game: str, options: list[dict[str, Any]], seat: int = 0) -> list[tuple[Any, str]]:
    return spoken_moves(options, GAMES[game](), ("ann", "bob"), Seat(seat))


def test_the_numbered_moves_are_said_in_the_words_of_the_game() -> None:
    """Without who moves; a family that is too large has no numbers, and none of its moves is among them."""
    assert [([5, 3], "bids three 5s"), ([6, 3], "bids three 6s"), ("challenge", "challenges")] == spoken(
        "liars-dice", BIDS
    )
    assert [({"action": 0}, "folds"), ({"action": 1, "betAmount": 20}, "puts in 20")] == spoken(
        "holdem", CHIPS, seat=1
    )


def test_a_move_that_the_game_does_not_know_is_said_as_it_is_sent() -> None:
    assert [("juggle", '"juggle"')] == spoken("liars-dice", [option("Juggle", "juggle")])


def test_the_moves_of_a_game_without_sentences_are_said_by_their_names(monkeypatch: Any) -> None:
    monkeypatch.setattr(GAMES["liars-dice"], "tell_move", lambda *_: None)
    assert ["bid 5 3", "bid 6 3", "challenge"] == [words for _, words in spoken("liars-dice", BIDS)]


# Hold'em: what a move would be depends on what lies there.

HOLDEM = GAMES["holdem"]()


def poker(*amounts: int) -> tuple[list[dict[str, Any]], Seat, Any]:
    """The options of the seat on turn after these bets, the seat, and what it sees."""
    state = HOLDEM.start(2)
    for amount in (None, *amounts):
        (seat,) = HOLDEM.to_act(state)
        move = HOLDEM.draw(state, Random(1)) if amount is None else Bet(amount)
        state = HOLDEM.apply(state, {seat: move}).state
    (seat,) = HOLDEM.to_act(state)
    options = Codec(HOLDEM, ("ann", "bob"), seat).options(HOLDEM.options(state, seat))
    return msgspec.json.decode(options), seat, HOLDEM.observe(state, seat)


@pytest.mark.parametrize(
    ("bets", "clauses", "forms_told"),
    [
        ((), ["folds", "calls 10"], ["raise to N (N: 40 to 10000), or bet N more (N: 30 to 9990)"]),
        ((10,), ["folds", "checks"], ["raise to N (N: 40 to 10000), or bet N more (N: 20 to 9980)"]),
        ((10, 0), ["folds", "checks"], []),
        ((10, 0, 50), ["folds", "calls 50"], ["raise to N (N: 100 to 9980), or bet N more (N: 100 to 9980)"]),
    ],
)
def test_a_call_is_called_so_and_a_raise_says_to_how_much(
    bets: tuple[int, ...], clauses: list[str], forms_told: list[str]
) -> None:
    """Where what is said and what is sent are the same number there is one form."""
    options, seat, seen = poker(*bets)
    names = ("ann", "bob")
    assert clauses == [told for _, told in spoken_moves(options, HOLDEM, names, seat, seen)]
    assert forms_told == [each.form for each in spoken_amounts(options, HOLDEM, names, seat, seen)]


@pytest.mark.parametrize(
    ("bets", "words", "amount"),
    [
        ((), "call", 10),
        ((), "call 10", 10),
        ((), "calls 10", 10),
        ((), "raise 100", 90),
        ((), "Raise to 100", 90),
        ((), "bet 100", 100),
        ((), "2", 10),
        ((10,), "check", 0),
        ((10,), "raise 100", 80),
        ((10, 0), "bet 40", 40),
        ((10, 0, 50), "raise 150", 150),
    ],
)
def test_the_words_of_poker_are_understood(bets: tuple[int, ...], words: str, amount: int) -> None:
    options, seat, seen = poker(*bets)
    move = move_said(options, HOLDEM, ("ann", "bob"), seat, seen, words.split())
    assert {"action": 1, "betAmount": amount} == move


@pytest.mark.parametrize("words", ["raise", "raise to", "raise 39", "raise 10001", "raise to all"])
def test_a_raise_without_a_fitting_number_is_told_the_numbers(words: str) -> None:
    options, seat, seen = poker()
    with pytest.raises(ConfigError, match=r"is not a legal move now: raise to N \(N: 40 to 10000"):
        move_said(options, HOLDEM, ("ann", "bob"), seat, seen, words.split())


@pytest.mark.parametrize("words", ["check", "10", "call 20"])
def test_words_of_poker_that_do_not_fit_are_refused(words: str) -> None:
    """A number alone is that of a move in the list."""
    options, seat, seen = poker()
    with pytest.raises(ConfigError):
        move_said(options, HOLDEM, ("ann", "bob"), seat, seen, words.split())
