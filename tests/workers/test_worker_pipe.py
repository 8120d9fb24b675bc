"""Messages between a run and its workers: bounded, whole or refused."""

from __future__ import annotations

import random

import msgspec
import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import RemoteProtocolError
from arena.tournament.workers.messages import (
    DropMatches,
    FromRun,
    FromWorker,
    MatchesDropped,
    MatchOrder,
    PlayMatches,
    WithdrawBot,
    WorkerBye,
    WorkerHello,
    encoded,
)
from arena.tournament.workers.pipe import CutOff, MessageTooLong, Pipe

HELLO = WorkerHello(1, "0.1.0", "3.11.7", 2)
SAID = (HELLO, MatchesDropped((1, 2)), WorkerBye(0.25))


def framed(octets, length=None):
    return (len(octets) if length is None else length).to_bytes(4, "big") + octets


async def received(octets, cuts=(), **options):
    """What a run's end makes of these bytes, in these pieces, and then the end; the last is None or an error."""
    ours, theirs = trio.testing.memory_stream_pair()
    pipe, found = Pipe[FromWorker](ours, FromWorker, **options), []

    async def feed():
        for start, end in zip((0, *cuts), (*cuts, len(octets)), strict=True):
            if start < end:
                await theirs.send_all(octets[start:end])
        await theirs.send_eof()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(feed)
        try:
            while not found or found[-1] is not None:
                found.append(await pipe.receive())
        except RemoteProtocolError as error:
            found.append(error)
        nursery.cancel_scope.cancel()
    return found


@settings(max_examples=30)
@given(cuts=st.lists(st.integers(0, 120), max_size=6))
def test_bytes_split_anywhere_give_the_same_messages(cuts):
    """A pipe has no borders between messages."""
    octets = b"".join(framed(encoded(message)) for message in SAID)
    cuts = sorted(min(cut, len(octets)) for cut in cuts)
    assert [*SAID, None] == trio.run(received, octets, tuple(cuts))


WHOLE = framed(encoded(HELLO))
BAD = {
    "cut off in its length": (WHOLE + WHOLE[:2], "the end came in the middle of a message"),
    "cut off": (WHOLE + WHOLE[:-1], "the end came in the middle of a message"),
    "too long": (WHOLE + framed(b"", 1 << 31), "a message of 2,147,483,648 bytes was announced"),
    "no MessagePack": (WHOLE + framed(b"\xc1\xc1"), "what came is no message that is expected here"),
    "nothing": (WHOLE + framed(b""), "what came is no message that is expected here"),
    "deeply nested": (WHOLE + framed(b"\x91" * 100_000), "what came is no message that is expected here"),
    "unknown": (WHOLE + framed(msgspec.msgpack.encode({"type": "Nobody"})), "Invalid value 'Nobody'"),
    "the other side's": (WHOLE + framed(encoded(WithdrawBot("ann"))), "Invalid value 'WithdrawBot'"),
    "another type": (
        WHOLE + framed(msgspec.msgpack.encode({"type": "WorkerBye", "lag_worst_s": "much"})),
        "Expected `float`, got `str`",
    ),
}


@pytest.mark.parametrize(("octets", "told"), BAD.values(), ids=BAD)
async def test_what_is_no_message_is_refused(octets, told):
    """In one sentence, after the messages before it, and before memory is taken for it."""
    hello, error = await received(octets)
    assert HELLO == hello
    assert told in str(error)
    assert isinstance(error, CutOff) == ("middle" in told)


@settings(max_examples=30)
@given(seed=st.integers(0, 1 << 32))
def test_no_bytes_break_the_pipe(seed):
    """Any garbage ends in messages, the end, or one sentence."""
    rng = random.Random(seed)
    octets = bytearray(b"".join(framed(encoded(message)) for message in SAID))
    for _ in range(rng.randint(1, 8)):
        octets[rng.randrange(len(octets))] = rng.randrange(256)
    last = trio.run(received, bytes(octets))[-1]
    assert last is None or isinstance(last, RemoteProtocolError)


async def test_a_message_that_is_too_long_is_not_sent():
    """Nothing of it is, nor of those said with it: the other end would have to give up the pipe."""
    ours, theirs = trio.testing.memory_stream_pair()
    pipe = Pipe[FromRun](ours, FromRun, bytes_max=200)
    with pytest.raises(MessageTooLong, match="at most 200 are allowed"):
        await pipe.send(DropMatches((1,)), WithdrawBot("a" * 300))
    order = MatchOrder(1, "a+b#0/0", ("a", "b"), b"\1" * 16, "a+b#0", 0, 0, ("b",))
    await pipe.send(PlayMatches((order,)), DropMatches((1,)))
    await ours.aclose()
    there = Pipe[FromRun](theirs, FromRun)
    assert [PlayMatches((order,)), DropMatches((1,)), None] == [await there.receive() for _ in range(3)]
