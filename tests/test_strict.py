"""Reading TOML strictly: what the readers of plans and of bot.toml are made of."""

import os
from pathlib import Path
from typing import Annotated, Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.reading.strict import (
    MISTAKES_MAX,
    did_you_mean,
    duration,
    flag,
    many,
    one_of,
    open_within,
    optional,
    place,
    read_table,
    read_toml,
    readers_of,
    text,
    whole,
)

READERS = {"seats": whole(2, 10), "strict": flag, "names": many(text, "a list of names")}


def test_a_table_is_read_key_by_key():
    """Keys that are there are read; those that are not are left to the caller's defaults."""
    assert read_table({"seats": 3, "names": ["a"]}, READERS, where="x") == {"seats": 3, "names": ("a",)}


def test_every_mistake_is_told_with_its_key():
    """All mistakes come in one error, a line each, or joined as the caller wants."""
    with pytest.raises(ConfigError) as caught:
        read_table({"seats": 1, "strict": 0, "sets": 1}, READERS, where="x.toml")
    expected = [
        "x.toml: seats: found 1, expected a whole number from 2 to 10",
        "x.toml: strict: found 0, expected true or false",
        "x.toml: sets: no such key (did you mean seats?); accepted: seats, strict, names",
    ]
    assert expected == str(caught.value).splitlines()
    with pytest.raises(ConfigError, match=r"^seats: found 1, .*; strict: found 0"):
        read_table({"seats": 1, "strict": 0}, READERS, where="", joint="; ")


def test_a_mistake_in_a_list_tells_the_item():
    """Items are counted from 1."""
    with pytest.raises(ConfigError, match=r"^names: item 2: found 3, expected some printable text"):
        read_table({"names": ["a", 3]}, READERS, where="")


@attrs.frozen
class Annotations:
    """Fields of all types that have readers, and of some that have none."""

    number: int
    wait: float
    name: str
    is_on: bool
    word: Literal["odds", "evens"]
    seats: Annotated[int, whole(2)] | None
    octets: bytes
    path: Path
    items: tuple[int, ...]


ANNOTATED = readers_of(Annotations)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("number", -3, -3),
        ("wait", "500ms", 0.5),
        ("name", "a", "a"),
        ("is_on", False, False),
        ("word", "odds", "odds"),
        ("seats", 2, 2),
        ("seats", None, None),
    ],
)
def test_an_annotation_is_a_reader(field, value, expected):
    """`Annotated` brings a reader, and None is read where the annotation allows it."""
    assert expected == ANNOTATED[field](value)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        *[("number", value, "a whole number") for value in ("3", 2.7, 3.0, True, None)],
        ("wait", True, "a duration"),
        *[("name", value, "some printable text in quotes") for value in (3, None, ["a"])],
        *[("is_on", value, "true or false") for value in (1, "true", None)],
        *[("word", value, "odds or evens") for value in (0, "Odds?", None)],
        *[("seats", value, "a whole number from 2") for value in (1, "2", 2.0, True)],
    ],
)
def test_an_annotation_coerces_nothing(field, value, expected):
    """cattrs by itself makes numbers of texts, texts of numbers and truth of anything."""
    with pytest.raises(ConfigError, match=rf"^found .*, expected {expected}"):
        ANNOTATED[field](value)


@pytest.mark.parametrize(("field", "value"), [("octets", 3), ("path", "a"), ("items", "12"), ("items", [1])])
def test_an_annotation_without_a_reader_is_our_mistake(field, value):
    """What cattrs would do with it is not strict, so that it must be said how it is read."""
    with pytest.raises(TypeError, match="no reader for"):
        ANNOTATED[field](value)


@pytest.mark.parametrize(
    ("reader", "value"),
    [
        (whole(0), True),
        (whole(0), 2.0),
        (whole(0), "2"),
        (flag, 0),
        (flag, "true"),
        (text, ""),
        (text, "  "),
        (text, "a\nb"),
        (text, 3),
        (one_of("a", "b"), "A"),
        (one_of("a", "b"), ["a"]),
        (duration(1.0), "999ms"),
        (duration(beyond=True), 0),
        (many(flag, "truths"), "true"),
        (optional(flag), 0),
    ],
)
def test_nothing_is_bent_into_shape(reader, value):
    """What merely looks like the right value is refused."""
    with pytest.raises(ConfigError, match=r"^found "):
        reader(value)


@pytest.mark.parametrize(
    ("reader", "value", "expected"),
    [
        (whole(0), 0, 0),
        (flag, False, False),
        (text, "é", "é"),
        (one_of("a", "b"), "b", "b"),
        (duration(1.0), "1s", 1.0),
        (duration(beyond=True), "1ms", 0.001),
        (many(flag, "truths"), [], ()),
        (optional(flag), None, None),
        (optional(flag), True, True),
        (place, "a/b", Path("a/b")),
        (place, "~", Path.home()),
    ],
)
def test_right_values_are_read(reader, value, expected):
    """What is right is read to its value."""
    assert expected == reader(value)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("dice", "dice"),
        ("two words", "two words"),
        ("é", "é"),
        ("\x1b[2J", r'"\x1b[2J"'),
        ("two\nlines", r'"two\nlines"'),
        ("", '""'),
        ("k" * 99, '"' + "k" * 56 + '…"'),
    ],
)
def test_odd_keys_are_told_escaped(key, said):
    """A key stands in a message as it was written, or in quotes where a terminal would not show it so."""
    with pytest.raises(ConfigError) as raised:
        read_table({key: 1}, {}, where="plan.toml")
    assert f"plan.toml: {said}: no such key; accepted: none" == str(raised.value)


def test_so_many_mistakes_are_told_and_no_more():
    """A table that is all wrong has a message of some lines, not of as many as it has keys."""
    with pytest.raises(ConfigError) as raised:
        read_table({f"key{number}": 1 for number in range(10_000)}, {}, where="plan.toml")
    *told, last = str(raised.value).split("\n")
    assert [f"plan.toml: key{number}: no such key; accepted: none" for number in range(MISTAKES_MAX)] == told
    assert "plan.toml: the rest was not checked: fix these first" == last


def test_a_file_from_windows_is_read(tmp_path):
    """Its line ends, and the mark that some editors put before the first letter."""
    (path := tmp_path / "plan.toml").write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 'c'\r\n")
    assert {"a": 1, "b": "c"} == read_toml(path, where="plan.toml")


@pytest.mark.parametrize("part", ["a", '"a b"', "'a'", "a "])
def test_a_key_of_many_parts_is_refused(part, tmp_path):
    """`a.a.a.a`: at once, though it takes the parser minutes."""
    path = tmp_path / "plan.toml"
    path.write_text(".".join([part] * 200_000)[:1_000_000] + "=1")
    with pytest.raises(ConfigError, match=r"^plan: nested too deeply$"):
        read_toml(path, where="plan")
    path.write_text(".".join([part] * 60) + "=1\nb = 1.5\n" + "# ..." * 99)
    assert 1.5 == read_toml(path, where="plan")["b"]


@given(st.text(max_size=30))
def test_any_word_gets_an_answer(word):
    """Whatever was written, the nearest word is one of those there are, or none is named."""
    near = did_you_mean(word, ["odds", "random"])
    assert near in ("", " (did you mean odds?)", " (did you mean random?)")


def test_no_link_on_the_way_is_followed(tmp_path: Path) -> None:
    """Neither in place of the file nor of a folder above it, up to the one that is trusted."""
    inner, secret = tmp_path / "top" / "inner", tmp_path / "secret"
    inner.mkdir(parents=True)
    for file in (inner / "file", secret):
        file.write_text("here")
    with open_within(tmp_path, inner / "file") as opened:
        assert b"here" == opened.read()
    (inner / "link").symlink_to(secret)
    (tmp_path / "aside").symlink_to(inner)
    os.mkfifo(inner / "pipe")
    open_ones = len(os.listdir("/proc/self/fd"))
    for path in (inner / "link", tmp_path / "aside" / "file", inner / "pipe", inner, inner / "missing"):
        with pytest.raises(OSError):
            open_within(tmp_path, path)
    assert open_ones == len(os.listdir("/proc/self/fd"))
