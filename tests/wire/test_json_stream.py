"""The reader of JSON objects: the same list however the bytes were split."""

from __future__ import annotations

import json
from itertools import pairwise
from time import process_time
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.wire.json_stream import Broken, JsonStream

Found = list[dict[str, Any] | Broken]


def read(chunks: list[bytes], **limits: int) -> Found:
    """Everything a stream finds in the chunks and in their end, but how junk began, which the split decides."""
    stream = JsonStream(**limits)
    found = [value for chunk in chunks for value in stream.feed(chunk)]
    found = [Broken(value.reason) if isinstance(value, Broken) else value for value in found]
    last = stream.close()
    return [*found, last] if last else found


def drip(data: bytes) -> list[bytes]:
    return [data[index : index + 1] for index in range(len(data))]


B = "broken"  # stands for a Broken with any reason

CASES: list[tuple[str, bytes, list[Any]]] = [
    ("nothing", b"", []),
    ("white space is nothing", b" \r\n\t ", []),
    ("one object", b'{"a":1}', [{"a": 1}]),
    ("one object and a newline", b'{"a":1}\n', [{"a": 1}]),
    ("objects without space between them", b'{"a":1}{"b":2}', [{"a": 1}, {"b": 2}]),
    ("objects with space between them", b' {"a":1} \n\n {"b":2} ', [{"a": 1}, {"b": 2}]),
    ("an object over several lines", b'{\n  "a": [1,\n 2]\n}\n', [{"a": [1, 2]}]),
    ("the empty object", b"{}{ }", [{}, {}]),
    ("all kinds of values", b'{"a":[true,false,null,-1.5e+3,0,"x"],"b":{}}',
     [{"a": [True, False, None, -1500.0, 0, "x"], "b": {}}]),
    ("brackets and quotes within strings", rb'{"a":"}{][\"\\"}{"b":"\u00e9\ud83d\ude00"}',
     [{"a": '}{][\"\\'}, {"b": "é😀"}]),
    ("of duplicate keys the last counts", b'{"a":1,"a":2}', [{"a": 2}]),
    ("junk between objects is one broken value", b'{"a":1}hello, world{"b":2}', [{"a": 1}, B, {"b": 2}]),
    ("junk with newlines is one broken value", b'hello\nworld\n{"b":2}', [B, {"b": 2}]),
    ("a list is no object", b"[1,2]\n", [B]),
    ("a list of objects is junk around objects", b'[{"a":1}]', [B, {"a": 1}, B]),
    ("a string, a number, null are no objects", b'"a" 1 null\n{}', [B, {}]),
    ("a byte order mark is junk", b'\xef\xbb\xbf{"a":1}', [B, {"a": 1}]),
    ("single quotes", b"{'message_id': 1}\n{\"a\":1}", [B, {"a": 1}]),
    ("NaN", b'{"a":NaN}{"b":2}', [B, {"b": 2}]),
    ("Infinity", b'{"a":Infinity}{"b":2}', [B, {"b": 2}]),
    ("a number out of range", b'{"a":1e999}{"b":2}', [B, {"b": 2}]),
    ("five thousand digits", b'{"a":' + b"9" * 5000 + b'}{"b":2}', [B, {"b": 2}]),
    ("a leading zero", b'{"a":01}{"b":2}', [B, {"b": 2}]),
    ("a trailing comma", b'{"a":1,}{"b":2}', [B, {"b": 2}]),
    ("a trailing comma in a list", b'{"a":[1,]}{"b":2}', [B, {"b": 2}]),
    ("brackets that do not match", b'{"a":[1}{"b":2}', [B, {"b": 2}]),
    ("a misspelt word", b'{"a":nope}{"b":2}', [B, {"b": 2}]),
    ("invalid UTF-8 in a string", b'{"a":"\xff"}{"b":2}', [B, {"b": 2}]),
    ("an encoded surrogate", b'{"a":"\xed\xa0\x80"}{"b":2}', [B, {"b": 2}]),
    ("half a surrogate pair", rb'{"a":"\ud800"}{"b":2}', [B, {"b": 2}]),
    ("invalid UTF-8 outside of strings", b'\xff\xfe{"b":2}', [B, {"b": 2}]),
    ("a control character in a string", b'{"a":"\x01"}{"b":2}', [B, {"b": 2}]),
    ("a string without its end is broken by the newline", b'{"a":"pass}\n{"b":2}', [B, {"b": 2}]),
    ("half an object costs itself only", b'{"a":1,\n{"b":2}', [B, {"b": 2}]),
    ("half a key costs itself only", b'{"a":1,"mo{"b":2}{"c":3}', [B, {"c": 3}]),
    ("junk behind a broken value belongs to it", b'{"a":nope} what is this? {"b":2}', [B, {"b": 2}]),
    ("junk behind a value broken at its end, too", b'{"a":1e999} what is this? {"b":2}', [B, {"b": 2}]),
    ("an object within a broken one counts", b'{"a":nope,"b":{"c":3}}', [B, {"c": 3}, B]),
    ("braces only", b"{{{", [B, B, B]),
    ("half a value at the end", b'{"a":1}{"b":', [{"a": 1}, B]),
    ("a brace at the end", b"{", [B]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_found(data: bytes, expected: list[Any]) -> None:
    """Every row: these bytes, whole or dripping, hold exactly these values."""
    whole = read([data])
    assert expected == [B if isinstance(value, Broken) else value for value in whole]
    assert whole == read(drip(data))


NESTED = b'{"a":' + b"[" * 9 + b"]" * 9 + b"}"  # ten brackets inside each other

LIMITS: list[tuple[str, bytes, dict[str, int], list[Any]]] = [
    ("as deep as allowed", NESTED, {"depth_max": 10}, [{"a": [[[[[[[[[]]]]]]]]]}]),
    ("one too deep", NESTED + b"{}", {"depth_max": 9}, [B, {}]),
    ("sixty thousand brackets", b'{"a":' + b"[" * 60000 + b"\n{}", {}, [B, {}]),
    ("brackets in strings are not deep", b'{"a":"' + b"[" * 99 + b'"}', {}, [{"a": "[" * 99}]),
    ("brackets side by side are not deep", b'{"a":[' + b"[]," * 99 + b"0]}", {}, [{"a": [[]] * 99 + [0]}]),
    ("as long as allowed", b'{"a":123}\n{}', {"bytes_max": 9}, [{"a": 123}, {}]),
    ("one byte too long", b'{"a":1234}\n{}', {"bytes_max": 9}, [B, {}]),
    ("too long goes to the newline", b'{"a":1234}{"lost":1}\n{"b":2}', {"bytes_max": 9}, [B, {"b": 2}]),
    ("behind the newline to the brace", b'{"a":[\n1234,\n"b"]}{"c":3}', {"bytes_max": 9}, [B, {"c": 3}]),
    ("too long is told at once", b'{"a":"' + b"x" * 9, {"bytes_max": 9}, [B]),
    ("ten megabytes", b'{"a":"' + b"x" * 10_000_000 + b'"}\n{}', {}, [B, {}]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "limits", "expected"), [case[1:] for case in LIMITS], ids=[case[0] for case in LIMITS]
)
def test_limits(data: bytes, limits: dict[str, int], expected: list[Any]) -> None:
    """Every row: a value over a limit is broken, and what follows it is read again."""
    halves = [data[: len(data) // 2], data[len(data) // 2 :]]
    for chunks in ([data], halves, drip(data) if len(data) < 100 else [data]):
        assert expected == [B if isinstance(v, Broken) else v for v in read(chunks, **limits)]


def test_an_object_counts_at_its_closing_brace() -> None:
    """No newline is waited for."""
    stream = JsonStream()
    assert not stream.feed(b'{"a":[1,{}]')
    expected = [{"a": [1, {}]}]
    assert expected == stream.feed(b"}")


def test_broken_counts_at_the_first_wrong_byte() -> None:
    """The open question is settled then, not when the bot ends its line."""
    stream = JsonStream()
    assert not stream.feed(b'{"a":n')
    expected = [Broken("broken JSON: unexpected 'o'")]
    assert expected == stream.feed(b"o")


def test_junk_says_how_it_began() -> None:
    """Its first line, as far as it came with the first byte, without the object behind it."""
    expected = [Broken("not a JSON object", b"PASS"), {"a": 1}, Broken("not a JSON object", b"x" * 60)]
    assert expected == JsonStream().feed(b' PASS \nI said\n{"a":1}' + b"x" * 99)
    cut = [Broken("not a JSON object", b"PA")]
    assert cut == JsonStream().feed(b"PA")


def test_junk_that_is_ended_may_begin_again() -> None:
    """Only junk is ended, not half an object."""
    stream = JsonStream()
    stream.feed(b"hello\n")
    assert not stream.feed(b"PASS\n")
    stream.end_junk()
    expected = [Broken("not a JSON object", b"PASS")]
    assert expected == stream.feed(b"PASS\n")
    assert stream.is_skipping
    stream.feed(b'{"a":')
    stream.end_junk()
    assert [{"a": 1}] == stream.feed(b"1}")


def test_an_endless_value_is_skipped_in_constant_memory() -> None:
    """Nothing is kept of a value that is too long."""
    stream = JsonStream(bytes_max=100)
    expected = [Broken("a value of more than 100 bytes")]
    assert expected == stream.feed(b'{"a":"' + b"x" * 1000)
    for _ in range(10):
        assert not stream.feed(b"x" * 1000)
        assert not stream._value
    found = {"b": 2}
    assert [found] == stream.feed(b'\n{"b":2}')


def test_no_more_values_come_at_once_than_asked_for() -> None:
    """What is behind them waits, also where junk and an object begin in one place."""
    stream, found = JsonStream(values_max=1), []
    found.append(stream.feed(b'junk {"a":1} {"b":2} more'))
    while stream.rest:
        found.append(stream.feed(b""))
    kinds = [[B if isinstance(value, Broken) else value for value in values] for values in found]
    expected: list[list[Any]] = [[B], [{"a": 1}], [{"b": 2}], [B], []]
    assert expected == kinds


# Properties.

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)
json_objects = st.dictionaries(st.text(max_size=4), json_values, max_size=4)
encoded = st.builds(
    lambda value, indent, ascii_only: json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode(
        "utf-8", "surrogatepass"
    ),
    json_objects,
    st.sampled_from([None, 1]),
    st.booleans(),
)
junk = st.binary(max_size=12) | st.text(
    alphabet='{}[]",:\\ \n\r\ttruefalsn01.-+eEu9x/', max_size=16
).map(str.encode)  # fmt: skip
mutilated = st.builds(
    lambda data, at, junk: data[: at % (len(data) + 1)] + junk + data[at % (len(data) + 1) :],
    encoded,
    st.integers(0, 1000),
    junk,
)
deep = st.integers(0, 40).map(lambda depth: b'{"a":' * depth + b"1" + b"}" * depth)
long = st.integers(0, 90).map(lambda size: b'{"a":"' + b"x" * size + b'"}')
floods = st.lists(
    encoded | mutilated | junk | deep | long | st.sampled_from([b"\n", b" ", b"{", b"}", b"{}"]), max_size=8
)


@pytest.mark.slow
@given(st.data(), floods, st.sampled_from([20, 60, 65536]), st.sampled_from([1, 3, 8, 64]))
def test_any_split_gives_the_same_list(data: Any, parts: list[bytes], bytes_max: int, depth_max: int) -> None:
    """Whole, dripping or split anywhere: the same values in the same order."""
    flood = b"".join(parts)
    limits = {"bytes_max": bytes_max, "depth_max": depth_max}
    cuts = sorted(data.draw(st.lists(st.integers(0, len(flood)), max_size=6)))
    bounds = [0, *cuts, len(flood)]
    split = [flood[begin:end] for begin, end in pairwise(bounds)]
    whole = read([flood], **limits)
    assert whole == read(drip(flood), **limits)
    assert whole == read(split, **limits)
    assert whole == read(parts, **limits)


@pytest.mark.slow
@given(st.lists(st.tuples(encoded, st.sampled_from([b"", b" ", b"\n", b"\r\n"]))))
def test_all_objects_come_through(objects: list[tuple[bytes, bytes]]) -> None:
    """What another JSON library wrote is read as that library reads it."""
    expected = []
    for text, _ in objects:
        try:
            text.decode()
        except UnicodeDecodeError:
            expected.append(B)
        else:
            halves = any(
                "\ud800" <= symbol <= "\udfff" for symbol in json.dumps(json.loads(text), ensure_ascii=False)
            )
            expected.append(B if halves else json.loads(text))
    found = read(drip(b"".join(text + space for text, space in objects)))
    assert expected == [B if isinstance(value, Broken) else value for value in found]


@pytest.mark.slow
@given(mutilated | deep)
@example(b'{"a":"\\ud83d\\ude00"}')
def test_a_lone_object_is_judged_as_the_decoder_judges_it(text: bytes) -> None:
    """The scanner's grammar and the decoder of the fast path accept the same texts."""
    try:
        value = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        accepted = False
    else:
        accepted = isinstance(value, dict)
    found = read(drip(text))
    assert accepted == (len(found) == 1 and not isinstance(found[0], Broken))
    if accepted:
        assert [value] == found


@given(st.binary())
def test_no_bytes_raise(data: bytes) -> None:
    """Whatever comes is a value or Broken."""
    assert all(isinstance(value, dict | Broken) for value in read(drip(data)))


@pytest.mark.slow
def test_dripping_takes_linear_time() -> None:
    """Ten times the bytes, one at a time, take about ten times as long, not a hundred times."""

    def seconds(size: int) -> float:
        chunks = drip(b'{"a":[' + b"1," * size + b'0],"b":"' + b"x" * size + b'"}')
        begin = process_time()
        read(chunks, bytes_max=10 * size)
        return process_time() - begin

    small = min(seconds(1_000) for _ in range(5))
    large = min(seconds(10_000) for _ in range(3))
    assert large < 40 * small


@pytest.mark.slow
@pytest.mark.parametrize("unit", [b"{}", b"{", b'{"a":1}\n', b"{\n", b"{]"])
def test_a_flood_in_one_chunk_takes_linear_time(unit: bytes) -> None:
    """Forty thousand values on one line do not cost forty thousand looks at the whole line."""

    def seconds(count: int) -> float:
        flood = unit * count
        begin = process_time()
        read([flood], bytes_max=10**7)
        return process_time() - begin

    small = min(seconds(1_000) for _ in range(5))
    large = min(seconds(40_000) for _ in range(3))
    assert large < 80 * small  # 40 times as many; with a look at all that follows for each, 1,600 times
