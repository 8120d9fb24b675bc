"""Time per byte is flat: 64 kB of anything cost no more a byte than 1 kB of it do, but for a small factor."""

from __future__ import annotations

import os
from time import process_time

import pytest
from daily import NIGHTLY

from arena.errors import ConfigError
from arena.tournament.bots.entrants import resolve
from arena.tournament.plan import check, load_plan
from arena.wire.connection import ArenaConnection
from arena.wire.json_stream import JsonStream

from .files import scratch

FACTOR_MAX = 4.0
"""Measured: at most 1; what goes with the square is 64."""
PIECE_BYTES = 4096


def in_stream(flood: bytes) -> None:
    stream = JsonStream(bytes_max=1 << 20)
    stream.feed(flood)
    stream.close()


def in_connection(flood: bytes) -> None:
    """In pieces, as they come from a socket, to a bot that is asked."""
    arena = ArenaConnection()
    arena.enter()
    for begin in range(0, len(flood), PIECE_BYTES):
        arena.receive(flood[begin : begin + PIECE_BYTES])
        while arena.has_more:
            arena.read_on()


def in_plan(flood: bytes) -> None:
    path = scratch() / "plan.toml"
    path.write_bytes(flood)
    try:
        check(load_plan(path), where="plan")
    except ConfigError as error:
        str(error)


def in_bot(flood: bytes) -> None:
    (folder := scratch() / "bot").mkdir(exist_ok=True)
    (folder / "bot.toml").write_bytes(flood)
    try:
        resolve(os.fspath(folder), base=scratch())
    except ConfigError as error:
        str(error)


JSON = [
    (before, unit)
    for before in (b"", b'{"a":', b'{"a":"', b'{"a":[')
    for unit in (
        b"{",
        b"{}",
        b"{\n",
        b"x{",
        b"[",
        b"[]",
        b'"',
        b"\\",
        b"1",
        b"1,",
        b"x",
        b'""',
        b"\xff",
        b'{"":',
    )
]
JSON += [
    (b"", b'{"a":1}\n'),
    (b"", b'{"message_id":"1","move":1}'),
    (b"", b'{"a":"\\ud800"}'),
    (b"{", b'"a":1,'),
]
PLAN = [
    (b'listen = "a:1"\nremote = [', b'"a%05d",'),
    (b'listen = "a:1"\nremote = [', b'" a%05d",'),
    (b'listen = "a:1"\nremote = [', b'"ann",'),
    (b"bots = [", b'"odds",'),
    (b"bots = [", b"{x=1},"),
    (b"", b"k%05d=1\n"),
    (b"", b"series%05d=1\n"),
    (b"[rules]\n", b"k%05d=1\n"),
    (b"x", b".a"),
    (b"[x", b' . "a b"'),
    (b"a=", b"["),
    (b"a={", b"b%05d.c=1,"),
    (b'name="', b"x"),
    (b'name="', b'\\"'),
    (b'until="top ', b"9"),
    (b'move_time="', b"9"),
    (b"", b'"'),
    (b"", b"#"),
    (b"", b"[[t]]\n"),
    (b"", b"[t%05d]\n"),
]
BOT = [
    (b'run="x"\ngames=[', b'"a",'),
    (b"run=[", b'"a",'),
    (b'run="', b"a "),
    (b'run="', b"'a' "),
    (b'run="', b"\\\\ "),
    (b"", b"k%05d=1\n"),
]
FLOODS = [
    pytest.param(
        read,
        *flood,
        id=f"{read.__name__}-{number}",
        marks=NIGHTLY if read is in_connection and flood[0] else (),
    )
    for read, floods in ((in_stream, JSON), (in_connection, JSON), (in_plan, PLAN), (in_bot, BOT))
    for number, flood in enumerate(floods)
]
"""What has begun a value goes through the stream; a connection has the same one, and is given the rest in pieces."""
_ENDS = {b"[": b"]", b"{": b"}", b'"': b'"', b".a": b"=1", b' . "a b"': b"]"}


def flooded(before: bytes, unit: bytes, size: int) -> bytes:
    """About so many bytes: `before`, and then again and again the unit, numbered if it wants to be."""
    count = size // len(unit)
    units = b"".join(unit % number for number in range(count)) if b"%" in unit else unit * count
    return before + units + _ENDS.get(unit, _ENDS.get(before[-1:], b""))


@pytest.mark.slow
@pytest.mark.parametrize(("read", "before", "unit"), FLOODS)
def test_time_per_byte_is_flat(read, before, unit):
    """In processor time, the best of three, of small floods and a large one."""

    def seconds(flood: bytes, times: int) -> float:
        begin_s = process_time()
        for _ in range(times):
            read(flood)
        return process_time() - begin_s

    small, large = (flooded(before, unit, size) for size in (1_000, 64_000))
    small_s = min(seconds(small, 16) for _ in range(3)) * 4
    # The least of three times, but for those that need not be measured any more.
    assert any(seconds(large, 1) < FACTOR_MAX * small_s + 0.001 for _ in range(3))


@pytest.mark.parametrize(
    "number", [b"5e-324", b"1e300", b"1.7976931348623158e308", b"2.2250738585072011e-308"]
)
def test_no_number_costs_much_more_than_another(number):
    """64 kB of the numbers that are hardest to read, in one value, take about as long as of plain ones."""
    hard, plain = (min(_decoding_s(each) for _ in range(5)) for each in (number, b"1.5"))
    assert hard <= 10 * plain  # measured: 0.5 to 1.9; by msgspec's own reader 80 to 350


def _decoding_s(number: bytes) -> float:
    value = b'{"a":[' + b",".join([number] * (60_000 // (len(number) + 1))) + b"]}"
    stream = JsonStream()
    began = process_time()
    assert 1 == len(stream.feed(value))
    return process_time() - began
