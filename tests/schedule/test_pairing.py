"""Ids and seeds: no two plans share one by accident, and nothing about one tells of another."""

from hashlib import blake2b
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule import bot_seed, derive_seed, match_id, series_id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["a+b", "c"], ["a", "b+c"]),
        (["a%2Bb", "c"], ["a+b", "c"]),
        (["a", "b#1"], ["a", "b"]),
        (["a", "b/0"], ["a", "b"]),
    ],
)
def test_names_with_marks_of_ids_stay_apart(one, other):
    """Names made of the marks that ids are built with give other ids all the same."""
    assert series_id(one, 1) != series_id(other, 1)


def test_plain_names_read_as_they_are():
    """An id of plain names is readable, whatever their order."""
    assert series_id(["random", "odds"], 3) == "odds+random#3"


REPETITIONS = {3: 12, "2.3": 16}
"""What comes after the names in the id of a series, in a ladder too -> the digits of its matches' ids."""


@given(
    st.integers(0, 2**128 - 1),
    st.lists(st.text(max_size=9)),
    st.sampled_from([*REPETITIONS]),
    st.integers(0, 9),
)
def test_match_ids_and_bot_seeds_have_their_size(seed, names, repetition, seat):
    """A match id is 12 hexadecimal digits, in a ladder 16, whatever bots are called; a bot's seed fits 63 bits and differs by seat."""
    match = match_id(seed, f"{series_id(names, repetition)}/1")
    assert REPETITIONS[repetition] == len(match) == len(f"{int(match, 16):0{len(match)}x}")
    own = bot_seed(seed, match, seat)
    assert 0 <= own < 2**63
    assert own != bot_seed(seed, match, seat + 1)


@given(st.integers(0, 2**512 - 1), st.text(max_size=20))
def test_match_ids_are_seeds_that_are_derived(seed, pairing):
    """The short way to a match id gives the beginning of the seed that its key names."""
    assert f"{derive_seed(seed, 'match', pairing):032x}".startswith(match_id(seed, pairing))


@given(st.integers(0, 2**512 - 1))
def test_derived_seeds_depend_on_every_part_of_the_key(seed):
    """Another part, another kind of part or another order gives another seed of 128 bits."""
    seeds = {
        derive_seed(seed, *key) for key in [(), ("a",), ("a", "b"), ("b", "a"), ("1",), (1,), (1, 1), (11,)]
    }
    assert len(seeds) == 8
    assert all(0 <= each < 2**128 for each in seeds)


def test_seeds_are_keyed_hashes_whatever_was_derived_before():
    """BLAKE2b of the key's parts, each with the letter of its type: two seeds in turn, texts and numbers."""
    for seed, key in product(
        (0, 2**100, 2**512 - 1), (("deals", "a+b#0"), ("deals", "a+b#0", 1), ("a", "1"))
    ):
        text = "\x1f".join(f"{type(part).__name__[0]}{part}" for part in key)
        expected = blake2b(text.encode(), key=seed.to_bytes(64, "big"), digest_size=16).digest()
        assert int.from_bytes(expected, "big") == derive_seed(seed, *key)
