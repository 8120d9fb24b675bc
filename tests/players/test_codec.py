"""What bots send means exactly one move or none; what they are sent has names where the rules have seats."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toys import Bet, Forfeit, Hut, Nothing, Pair, Play, Said, Seen, Shoot, Toy

from arena.errors import MalformedAnswer
from arena.games import GAMES
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Bid, Challenge, Pass
from arena.match.game import Option, Seat, is_legal
from arena.players.codec import Codec
from arena.sdk import choose, every
from arena.wire.short_json import LENGTH_MAX, short_json

NAMES = ("alice", "bob", "carol")
CODEC = Codec(Toy(), NAMES, Seat(0))
DICE = Codec(LiarsDice(), NAMES, Seat(0))
DEALT = Toy().apply(Toy().start(3), {Seat(-1): Toy().draw(Toy().start(3), Random(1))}).state


@pytest.mark.parametrize(
    ("value", "move"),
    [
        ("nothing", Nothing()),
        (88, Hut()),
        (88.0, Hut()),
        (3, Bet(3)),
        (3.0, Bet(3)),
        (-0.0, Bet(0)),
        (10**30, Bet(10**30)),
        ([6, 2], Pair(6, 2)),
        ([6.0, 2], Pair(6, 2)),
        ({"packet": "Shoot", "username": "bob"}, Shoot(Seat(1))),
        ({"packet": "Shoot", "username": "bob", "loud": True, "why": []}, Shoot(Seat(1), True)),
        ({"packet": "Shoot", "username": "yourself"}, Shoot(Seat(0))),
        ({"packet": "Shoot", "username": "alice"}, Shoot(Seat(0))),
        ({"packet": "Play", "play": ["AS", "TC"]}, Play(("AS", "TC"))),
        ({"packet": "Play", "play": [], "claim": "A"}, Play((), "A")),
        ({"packet": "Play", "play": ["AS"], "claim": None}, Play(("AS",))),
    ],
)
def test_what_means_a_move(value, move):
    """Every form reads; 3.0 is 3, unknown keys are ignored, what has a default may be left out."""
    found = CODEC.move(value)
    assert move == found
    assert type(move) is type(found)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("3", "is not a whole number"),
        (2.7, "is not a whole number"),
        (True, "is not a whole number"),
        (1e400, "is not a whole number"),
        ("88", "is not a whole number"),
        (None, "not a move of toy; its moves look like"),
        ([1], "expected [face, count]"),
        ([1, 2, 3], "expected [face, count]"),
        ([1, "2"], 'count "2" is not a whole number'),
        ([True, 2], "face true is not a whole number"),
        ([[], {}], "face [] is not a whole number"),
        ({}, "not a move of toy"),
        ({"packet": "shoot", "username": "bob"}, "not a move of toy"),
        ({"packet": []}, "not a move of toy"),
        ({"packet": {"packet": "Shoot"}}, "not a move of toy"),
        ({"packet": "Shoot"}, "username is missing"),
        ({"packet": "Shoot", "target": "bob"}, "username is missing"),
        (
            {"packet": "Shoot", "username": "dave"},
            '"dave" is not a player here; the players are alice, bob, carol',
        ),
        ({"packet": "Shoot", "username": 1}, "username 1 is not a player here"),
        ({"packet": "Shoot", "username": ["bob"]}, "is not a player here"),
        ({"packet": "Shoot", "username": "bob", "loud": 1}, "loud 1 is not true or false"),
        ({"packet": "Play", "play": "AS"}, 'play "AS" is not a list'),
        ({"packet": "Play", "play": ["AS", 1]}, "play 1 is not a string"),
        ({"packet": "Play", "play": ["AS"], "claim": 1}, "claim 1 is not a string"),
    ],
)
def test_what_means_none(value, says):
    """Reading is strict, and the reason names what was found and what is wanted."""
    with pytest.raises(MalformedAnswer) as raised:
        CODEC.move(value)
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("value", "move"),
    [("pass", Pass()), ("challenge", Challenge()), ([6, 2], Bid(6, 2)), ([6, 10**20], Bid(6, 10**20))],
)
def test_liars_dice(value, move):
    """The document's moves; whether a bid is possible is not a question of reading."""
    assert move == DICE.move(value)


@pytest.mark.parametrize("value", ["Pass", "call", ["challenge"], {"move": "pass"}, 1, [1, 2.5], ["1", "2"]])
def test_liars_dice_is_strict(value):
    """What resembles a move is none."""
    with pytest.raises(MalformedAnswer):
        DICE.move(value)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["Shoot", "Play", "bob", "nothing", "AS", "challenge", 88, 2**63, 2**64, -(2**64)])
)
KEYS = st.sampled_from(["packet", "username", "play", "claim", "loud", "type", "face"]) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
@example({"type": []})
@example({"packet": ["Shoot"]})
@example([float("nan")])
@example(float("inf"))
@example("\ud800")
def test_anything_else_is_malformed(value):
    """Whatever JSON comes, it is a move or MalformedAnswer, with a reason that can be shown."""
    for codec in (CODEC, DICE):
        try:
            move = codec.move(value)
        except MalformedAnswer as error:
            reason = str(error)
        else:
            reason = f"none, it is {move}"
            assert type(move).form is not None
        assert 0 < len(reason) < 1000


@given(st.integers(0, 2**32), st.sampled_from([Seat(0), Seat(1), Seat(2)]))
def test_options_and_forms_agree(seed, seat):
    """A form filled from its options, as bots do it, is a legal move; and as often the one that was meant."""
    game, codec = Toy(), Codec(Toy(), NAMES, seat)
    options = game.options(DEALT, seat)
    move = codec.move(choose(msgspec.json.decode(codec.options(options)), Random(seed)))
    assert is_legal(options, move)


@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_a_written_move_reads_as_itself(seed):
    """`move_json` is the inverse of `move`, for every receiver."""
    rng = Random(seed)
    move = rng.choice(Toy().options(DEALT, Seat(1))).sample(rng)
    for seat in (Seat(0), Seat(1), Seat(2), None):
        codec = Codec(Toy(), NAMES, seat)
        assert move == codec.move(msgspec.json.decode(msgspec.json.encode(codec.move_json(move))))


def test_every_filled_form_is_legal():
    """All moves of all options of Liar's Dice, the whole table at one state."""
    game = LiarsDice(dice=2)
    state = game.apply(game.start(2), {Seat(-1): game.draw(game.start(2), Random(3))}).state
    options = game.options(state, Seat(0))
    moves = [DICE.move(value) for value in every(msgspec.json.decode(DICE.options(options)))]
    assert 6 * 4 == len(moves) == len(set(moves))  # six faces, counts 1 to 4
    assert all(is_legal(options, move) for move in moves)


def test_options_as_json():
    """Kind, form and domains, with names for seats."""
    options = Toy().options(DEALT, Seat(1))
    found = msgspec.json.decode(Codec(Toy(), NAMES, Seat(1)).options(options))
    assert {"kind": "Hut", "form": 88, "fields": {}} == found[1]
    assert {
        "kind": "Pair",
        "form": ["<face>", "<count>"],
        "fields": {"face": {"min": 1, "max": 6}, "count": {"min": 1, "max": 3}},
    } == found[2]
    assert {"kind": "Bet", "form": "<amount>", "fields": {"amount": {"min": 0, "max": 10}}} == found[3]
    assert {
        "kind": "Shoot",
        "form": {"packet": "Shoot", "username": "<target>", "loud": "<loud>"},
        "fields": {"target": {"one_of": ["alice", "carol"]}, "loud": {"one_of": [True, False]}},
    } == found[4]
    assert {"subset_of": ["AS", "TC", "9H"], "least": 1, "most": 2} == found[5]["fields"]["cards"]


def test_options_are_kept_apart_by_names():
    """The same options are other words to another receiver, and to another table."""
    options = Toy().options(DEALT, Seat(1))
    texts = [
        Codec(Toy(), names, seat).options(options)
        for names, seat in ((NAMES, Seat(0)), (NAMES, Seat(1)), (("x", "y", "z"), Seat(1)))
    ]
    assert [["yourself", "carol"], ["alice", "carol"], ["x", "z"]] == [
        msgspec.json.decode(text)[4]["fields"]["target"]["one_of"] for text in texts
    ]


def test_options_of_a_short_life():
    """Options that are made anew each time, at addresses used before, are never mixed up."""
    codec = Codec(Toy(), NAMES, Seat(0))
    for amount in range(3000):
        (found,) = msgspec.json.decode(codec.options((Option(Bet, {"amount": _exactly(amount)}),)))
        assert {"min": amount, "max": amount} == found["fields"]["amount"]


def _exactly(amount):
    from arena.match.game import Between

    return Between(amount, amount)


def test_observations_and_payloads():
    """Seats become names, the receiver's own the document's word; a count stays a number."""
    seen = Seen(turn=1, secret=2, seats=(Seat(1), Seat(2), Seat(0)))
    words = {
        Seat(0): ["bob", "carol", "yourself"],
        Seat(2): ["bob", "yourself", "alice"],
        None: ["bob", "carol", "alice"],
    }
    for seat, seats in words.items():
        found = msgspec.json.decode(Codec(Toy(), NAMES, seat).encode(seen))
        assert {"turn": 1, "secret": 2, "seats": seats} == found
    assert {"turn": 0, "forfeited": ["bob"]} == msgspec.json.decode(CODEC.encode(Said(0, (Seat(1),))))


def test_what_bots_cannot_send_can_still_be_shown():
    """A default move without a form is its class; one with fields is an object."""
    assert "Forfeit" == CODEC.move_json(Forfeit())
    deal = Toy().draw(Toy().start(2), Random(1))
    assert {"kind": "Deal", "secrets": list(deal.secrets)} == msgspec.json.decode(
        msgspec.json.encode(CODEC.move_json(deal))
    )


def test_what_cannot_be_told():
    """An object without fields in a payload is a bug of the game, and travels."""
    with pytest.raises(TypeError, match="object cannot be sent to a bot"):
        CODEC.encode({"a": object()})


@given(VALUES)
def test_shown_is_short(value):
    """A wrong value is repeated in few characters, whatever it is."""
    assert len(short_json(value)) <= LENGTH_MAX


def test_a_tag_that_is_not_one_is_told_as_before():
    """Among moves that one key tells apart, a value of another type names none of them."""
    poker = Codec(GAMES["holdem"](), NAMES[:2], Seat(0))
    assert {"action": 1, "betAmount": 20} == poker.move_json(poker.move({"action": 1.0, "betAmount": 20}))
    for tag in (True, "1", 2, 1.5, [1], None):
        with pytest.raises(MalformedAnswer, match="is not a move of holdem"):
            poker.move({"action": tag, "betAmount": 20})
