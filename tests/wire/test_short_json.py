"""A JSON value in few characters."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.wire.short_json import short_json

SCALARS = st.none() | st.booleans() | st.integers(-(2**900), 2**900) | st.floats() | st.text(max_size=50)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
)


def as_json(value):
    return msgspec.json.encode(value).decode()


@pytest.mark.slow
@given(VALUES, st.integers(1, 60))
def test_the_beginning_of_the_json_is_shown(value, length_max):
    """What is shown is the value's JSON if it is short enough, else its beginning and a mark."""
    text = as_json(value)
    expected = text if len(text) <= length_max else text[: length_max - 1] + "…"
    assert expected == short_json(value, length_max)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(10**4299, "a huge number", id="a number that takes long to write"),
        pytest.param({"bid": [6, -(10**4299)]}, '{"bid":[6,a huge number]}', id="within a value"),
        pytest.param("\ud800", "something of type str", id="half a surrogate pair"),
        pytest.param([object()], "something of type list", id="no JSON at all"),
    ],
)
def test_what_has_no_short_json(value, text):
    """What cannot be written, or not quickly, has words of its own."""
    assert text == short_json(value, 40)


def test_no_more_is_looked_at_than_is_shown():
    """The end of a list is not even read."""
    seen = []

    class Watched(list):
        def __iter__(self):
            for member in super().__iter__():
                seen.append(member)
                yield member

    assert "[0,1,2,3,…" == short_json(Watched(range(20_000)), 10)
    assert len(seen) <= 10
