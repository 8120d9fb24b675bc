"""Durations and addresses as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.reading.units import Address, format_duration, parse_address, parse_duration, shown

RIGHT = [
    ("500ms", 0.5),
    ("2s", 2.0),
    ("20m", 1200.0),
    ("1h", 3600.0),
    ("1.5s", 1.5),
    (".5s", 0.5),
    ("2 s", 2.0),
    ("3", 3.0),
    (3, 3.0),
    (0.25, 0.25),
    (0, 0.0),
    ("0.1ms", 0.0001),
]
WRONG = [
    "",
    "s",
    "-1s",
    "1s2",
    "1m30s",
    "1 week",
    "1e3",
    "１s",
    "1S",
    "nan",
    "inf",
    " 1s",
    "1s\n",
    "1.s",
    "9" * 400,
]
WRONG += [True, False, None, -1, -0.5, float("nan"), float("inf"), 10**400, [], {}, ["1s"]]


@pytest.mark.parametrize(("written", "expected"), RIGHT)
def test_durations(written, expected):
    """A number and a unit, or a bare number of seconds."""
    assert expected == parse_duration(written)


@pytest.mark.parametrize("written", WRONG, ids=lambda value: repr(value)[:20])
def test_what_is_no_duration(written):
    """Anything else is refused, with what was found and what is expected."""
    with pytest.raises(ConfigError, match=r"^found .*, expected a duration such as 500ms, 2s, 20m or 1h"):
        parse_duration(written)


@given(st.one_of(st.floats(0, 1e9), st.integers(0, 10**7), st.integers(0, 10**6).map(lambda ms: ms / 1000)))
def test_durations_are_read_back(seconds):
    """What `format_duration` writes is read back as the very same number."""
    assert seconds == parse_duration(format_duration(seconds))


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0s"),
        (0.2, "200ms"),
        (1, "1s"),
        (1.5, "1500ms"),
        (90, "90s"),
        (60, "1m"),
        (1200, "20m"),
        (7200, "2h"),
    ],
)
def test_durations_read_well(seconds, expected):
    """Durations are written in the unit that people would use."""
    assert expected.replace("1500ms", "1.5s") == format_duration(seconds)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("127.0.0.1:8888", Address("127.0.0.1", 8888)),
        ("localhost:0", Address("localhost", 0)),
        ("[::1]:8888", Address("::1", 8888)),
        ("[fe80::1%eth0]:1", Address("fe80::1%eth0", 1)),
    ],
)
def test_addresses(written, expected):
    """Host and port, IPv6 in brackets; an address prints as it was written."""
    assert expected == parse_address(written)
    assert written == str(parse_address(written))


@pytest.mark.parametrize(
    "written",
    ["8888", ":8888", "localhost", "localhost:", "::1:8888", "a:65536", "a:-1", "a b:1", "[]:1", 8888, None],
)
def test_what_is_no_address(written):
    """Anything else is refused, with what was found and what is expected."""
    with pytest.raises(ConfigError, match=r"^found .*, expected HOST:PORT such as 127\.0\.0\.1:8888"):
        parse_address(written)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("ten", '"ten"'),
        ('a"b\n', r'"a\"b\n"'),
        ("é", '"é"'),
        (True, "true"),
        (2.5, "2.5"),
        ([1, "a"], '[1, "a"]'),
        ({"a": 1}, "a table"),
        (None, "nothing"),
        (10**5000, "a huge number"),
        ("x" * 100, '"' + "x" * 56 + '…"'),
    ],
    ids=lambda value: repr(value)[:12] if not isinstance(value, int) else "int",
)
def test_values_are_shown_as_they_were_written(value, expected):
    """A value in a message looks as in the file, and is never long."""
    assert expected == shown(value)
