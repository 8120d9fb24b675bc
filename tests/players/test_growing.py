"""An observation that is encoded as it grows has the same bytes as one that is encoded as a whole."""

from __future__ import annotations

from random import Random

import pytest

from arena.games import GAMES
from arena.match.game import Seat
from arena.players import growing
from arena.players.codec import Codec
from arena.testing.games import random_match

NAMES = ("ann", "bob", "cyd", "dan", "eve", "fay")


@pytest.mark.parametrize("name", GAMES)
def test_the_bytes_are_those_of_the_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through two matches at two tables in turn, so that fields grow, shrink, and are those of another table."""
    monkeypatch.setattr(growing, "LONG", 1)
    game = GAMES[name]()
    seats = min(4, game.seats[-1])
    codec = Codec(game, NAMES[:seats], Seat(1))
    states = [game.start(seats), game.start(seats)]
    tables = [random_match(game, seats, Random(7)), random_match(game, seats, Random(8))]
    compared = 0
    for turn in range(150):
        moves_and_step = next(tables[turn % 2], None)
        if moves_and_step is None:
            break
        states[turn % 2] = game.apply(states[turn % 2], moves_and_step[0]).state
        for table in (turn % 2, 0):
            seen = game.observe(states[table], Seat(1))
            assert codec.encode(seen) == codec.observation(seen)
            compared += 1
    assert compared > 10


def test_items_that_are_not_the_same_are_encoded_anew() -> None:
    """Two rounds with as many bids each, one after the other."""
    encoder = growing.GrowingEncoder(Codec(GAMES["blef"](), NAMES[:2], None).encode)
    first, second = tuple(range(10)), tuple(range(10, 21))
    assert b"[0,1,2,3,4,5,6,7,8,9]" == encoder._list("history", first)
    assert b"[10,11,12,13,14,15,16,17,18,19,20]" == encoder._list("history", second)
    assert b"[10,11]" == encoder._list("history", second[:2])
    assert b"[10,11,12]" == encoder._list("history", second[:3])
