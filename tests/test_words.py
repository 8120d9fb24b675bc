"""Words for people: counts, lists, names, and texts of bots that command nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.words import (
    chance,
    clipped,
    counted,
    listed,
    measured,
    number,
    number_word,
    percent,
    plural_verb,
    printable,
    sized,
    spaced,
    width,
    with_half,
    with_range,
)

TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cf"]), min_size=1, max_size=64)

COUNTS = [
    (1, "match", "1 match"),
    (2000, "match", "2,000 matches"),
    (0, "bot", "0 bots"),
    (1, "series", "1 series"),
    (5, "series", "5 series"),
]


@pytest.mark.parametrize(("amount", "noun", "expected"), COUNTS)
def test_counts(amount, noun, expected):
    """One of a thing, and many."""
    assert expected == counted(amount, noun)


@pytest.mark.parametrize(
    ("octets", "said"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1 kB"),
        (1500, "1.5 kB"),
        (300 << 10, "300 kB"),
        (1023 << 10, "1 MB"),
        (14_500_000, "14 MB"),
        (2048 << 20, "2 GB"),
        (5 << 50, "5120 TB"),
    ],
)
def test_sizes(octets, said):
    """In the largest unit of which there is one: 300 kB are not 0 MB."""
    assert said == sized(octets)


@pytest.mark.parametrize(
    ("share", "said"), [(0.0, "0%"), (0.004, "<1%"), (0.58, "58%"), (0.996, ">99%"), (1.0, "100%")]
)
def test_shares(share, said):
    """Only what is all is 100 %, and only nothing 0 %."""
    assert said == percent(share)


@pytest.mark.parametrize(("probability", "said"), [(0.0, "<1%"), (0.5, "50%"), (0.97, "97%"), (1.0, ">99%")])
def test_chances(probability, said):
    """No probability is called certain."""
    assert said == chance(probability)


@pytest.mark.parametrize(
    ("time_s", "said"),
    [
        (0.0, "0 µs"),
        (0.000008, "8 µs"),
        (0.00012, "0.12 ms"),
        (0.00996, "10 ms"),
        (0.045, "45 ms"),
        (0.9996, "1.0 s"),
        (12.34, "12.3 s"),
    ],
)
def test_times(time_s, said):
    """Times in the unit that leaves few digits."""
    assert said == measured(time_s)


NUMBERS = [
    ((1612.4,), "1612"),
    ((16120.0,), "16,120"),
    ((-12.5, 1, "+"), "−12.5"),
    ((12.5, 1, "+"), "+12.5"),
    ((-0.0001, 2), "0.00"),
    ((1_234_567.0,), "1.2M"),
    ((0.12345, 3), "0.123"),
]


@pytest.mark.parametrize(("words", "said"), NUMBERS)
def test_numbers(words, said):
    """No minus zero, no more digits than asked for, large numbers short."""
    assert said == number(*words)


HALVES = [
    ((2944.4, 581.6), "+2944 ± 582"),
    ((-2.94, 0.5), "−2.94 ± 0.50"),
    ((1612.4, 45.0, ""), "1612 ± 45"),
    ((1612.4, 4.5, ""), "1612.4 ± 4.5"),
    ((0.0, 0.0, ""), "0.000 ± 0.000"),
    ((16120.0, 12345.6), "+16,120 ± 12,346"),
]


@pytest.mark.parametrize(("words", "said"), HALVES)
def test_numbers_with_their_uncertainty(words, said):
    """No digit that the uncertainty drowns."""
    assert said == with_half(*words)


def test_a_share_has_its_interval():
    """The share to a tenth of a percent, its interval in whole percent."""
    assert "58.0% (52–64)" == with_range(0.58, 0.52, 0.64)


LISTS = [
    ("nobody", {}, "nobody"),
    ("a", {}, "a"),
    ("ab", {}, "a and b"),
    ("abc", {}, "a, b and c"),
    ("abc", {"joint": "or"}, "a, b or c"),
    ("abc", {"most": 3}, "a, b and c"),
    ("abcd", {"most": 2}, "a, b and 2 more"),
]


@pytest.mark.parametrize(("names", "how", "expected"), LISTS)
def test_lists(names, how, expected):
    """Names are listed as people do."""
    assert expected == listed([] if names == "nobody" else list(names), **how)


NAMES = [
    ("RaiseTo", "raise to"),
    ("raise_to", "raise to"),
    ("isSkipped", "is skipped"),
    ("playerID", "player id"),
]


@pytest.mark.parametrize(("name", "expected"), NAMES)
def test_names_are_spaced(name, expected):
    """Names of fields and classes as people would write them."""
    assert expected == spaced(name)


@given(text=TEXT, most=st.integers(2, 70))
def test_a_clipped_text_fits(text, most):
    """What is too long ends in an ellipsis; what fits stays."""
    short = clipped(text, most)
    assert width(short) <= most
    assert (short == text) == (width(text) <= most)
    assert short == text or text.startswith(short[:-1])


@given(text=st.text())
def test_what_bots_say_cannot_command_a_terminal(text):
    """Control characters are shown, never sent; plain text stays as it is."""
    assert printable(text).isprintable()
    assert not text.isprintable() or printable(text) == text


def test_line_breaks_may_be_kept():
    """A traceback has lines; a NUL and half a surrogate pair go nowhere."""
    assert "one\n\\x00\\ud800" == printable("one\n\0\ud800", keep="\n")


def test_small_numbers_are_words():
    """`no` for none; from 13 on digits."""
    assert ["no", "one", "twelve", "13", "1,000"] == [number_word(each) for each in (0, 1, 12, 13, 1000)]


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("passes", "pass"),
        ("folds", "fold"),
        ("accuses", "accuse"),
        ("checks", "check"),
        ("watches x", "watch x"),
    ],
)
def test_what_several_do(one, several):
    """The verb alone changes."""
    assert several == plural_verb(one)
