"""The moves of a match survive being stored."""

import zlib
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar, Literal

import attrs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Bid, Challenge, Forfeit, Pass, Roll
from arena.match.game import CHANCE, Seat
from arena.match.record import pack, unpack
from arena.testing.games import random_match

LIARS = LiarsDice()


@attrs.frozen
class Everything:
    """A move with a field of each sort that games use."""

    number: int
    word: str
    flag: bool
    target: Seat
    nobody: Seat | None
    perhaps: str | None
    side: Literal["live", "blank"]
    rows: tuple[tuple[int, str], ...]
    pair: tuple[Seat, int]
    cards: tuple[str, ...] = ()
    chips: Mapping[str, int] = attrs.field(factory=dict)


@attrs.frozen
class Nothing:
    """A move without fields."""


@attrs.frozen
class One:
    """A move with a single field, a tuple."""

    seats: tuple[Seat, ...]


class Odd(LiarsDice):
    """A game for the sake of its moves."""

    moves: ClassVar[Any] = (Everything, Nothing, One)


SEATS = st.integers(0, 9).map(Seat)
MOVES = st.one_of(
    st.builds(
        Everything,
        number=st.integers(-(2**63), 2**63),
        word=st.text(),
        flag=st.booleans(),
        target=SEATS,
        nobody=st.none() | SEATS,
        perhaps=st.none() | st.text(),
        side=st.sampled_from(("live", "blank")),
        rows=st.lists(st.tuples(st.integers(-9, 9), st.text(max_size=3)), max_size=3).map(tuple),
        pair=st.tuples(SEATS, st.integers(0, 9)),
        cards=st.lists(st.text(max_size=3), max_size=3).map(tuple),
        chips=st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=3),
    ),
    st.just(Nothing()),
    st.lists(SEATS, max_size=3).map(lambda seats: One(tuple(seats))),
)
TURNS = st.lists(st.dictionaries(st.just(CHANCE) | SEATS, MOVES, max_size=3), max_size=4).map(tuple)


def types_in(value):
    """The value with every part's exact type, so that a Seat is told from its number."""
    if isinstance(value, tuple):
        return [types_in(item) for item in value]
    if isinstance(value, dict):
        return [(types_in(key), types_in(item)) for key, item in value.items()]
    if attrs.has(type(value)):
        return type(value), [types_in(getattr(value, name)) for name in attrs.fields_dict(type(value))]
    return type(value), value


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(TURNS)
def test_any_moves_come_back(turns):
    """Whatever fields moves have, they come back with values and types, seats as Seats, in their order."""
    assert types_in(turns) == types_in(unpack(Odd(), pack(Odd(), turns)))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 5))
def test_matches_come_back(seed, seats):
    """The moves of any random match come back."""
    turns = tuple(moves for moves, _ in random_match(LIARS, seats, Random(seed)))
    assert types_in(turns) == types_in(unpack(LIARS, pack(LIARS, turns)))


def test_every_move_of_liars_dice_has_its_row():
    """The written form is a list of [seat, index in moves, *fields] a turn: stores depend on it."""
    turns = (
        {CHANCE: Roll(((1, 2), (3, 4)))},
        {Seat(0): Bid(3, 1), Seat(1): Pass()},
        {Seat(1): Challenge(), Seat(0): Forfeit()},
    )
    rows = [[[-1, 0, [[1, 2], [3, 4]]]], [[0, 1, 3, 1], [1, 3]], [[1, 2], [0, 4]]]
    assert rows == msgspec.json.decode(zlib.decompress(pack(LIARS, turns)))


def test_sixty_turns_take_few_bytes():
    """A match of 60 turns at two seats takes less than 500 bytes, where plain JSON takes over a thousand."""
    rng, turns = Random(1), []
    while len(turns) < 60:
        turns += [moves for moves, _ in random_match(LIARS, 2, rng)]
    packed = pack(LIARS, turns[:60])
    assert len(packed) < 500
    assert len(zlib.decompress(packed)) > 1000


def packed(rows):
    """Rows as `pack` would write them."""
    return zlib.compress(msgspec.json.encode(rows))


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[[[0,1,3,1]]]", id="not deflated"),
        pytest.param(pack(LIARS, [{Seat(0): Bid(3, 1)}])[:-3], id="cut off"),
        pytest.param(zlib.compress(b"[[[0,1,3"), id="no JSON"),
        pytest.param(packed({}), id="no list"),
        pytest.param(packed([[[]]]), id="an empty row"),
        pytest.param(packed([[[0]]]), id="no kind of move"),
        pytest.param(packed([[[0, 9]]]), id="a kind that the game does not have"),
        pytest.param(packed([[[0, -1]]]), id="a negative kind"),
        pytest.param(packed([[[0, [1], 3, 1]]]), id="a kind that is no number"),
        pytest.param(packed([[[0, 1, 3]]]), id="a field missing"),
        pytest.param(packed([[[0, 1, 3, 1, 1]]]), id="a field too many"),
        pytest.param(packed([[[0, 1, "3", 1]]]), id="text for a number"),
        pytest.param(packed([[[0, 1, True, 1]]]), id="true for a number"),
        pytest.param(packed([[[0, 1, 3.5, 1]]]), id="a fraction for a number"),
        pytest.param(packed([[["0", 1, 3, 1]]]), id="text for a seat"),
        pytest.param(packed([[[-2, 1, 3, 1]]]), id="a seat below chance"),
    ],
)
def test_what_was_not_packed_is_refused(broken):
    """Bytes of another origin raise a ValueError that names the game, and never give wrong moves."""
    with pytest.raises(ValueError, match="not packed moves of liars-dice"):
        unpack(LIARS, broken)
