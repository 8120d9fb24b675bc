"""What one connection may make the arena do: bounded from its first byte, in every step, and by its owner."""

from __future__ import annotations

import socket

import pytest
import trio
from trio.testing import memory_stream_pair

from arena.match.clock import Limit
from arena.players.allowance import BURST_BYTES, BYTES_PER_S, PIECE_BYTES, VALUE_BYTES, Allowance, Bucket
from arena.players.desk import Desk, Question
from arena.players.tcp import (
    ACCEPTED_PER_S,
    INTRODUCTION_BYTES_MAX,
    INTRODUCTION_PIECE_BYTES,
    accept_all,
    introduce,
    listen,
)
from arena.players.transport import StreamTransport
from arena.wire.connection import ArenaConnection

FLOODS = [b"{\n", b"{}", b"x{", b"[", b'{"a":[,', b'{"message_id":"","move":1}', b'{"a":"\\u0041', b"\xff"]


async def test_a_bucket_leaks(autojump_clock):
    """What is over is over for as long as it takes to leak."""
    bucket = Bucket(10.0)
    assert 30.0 == bucket.add(30.0)
    assert 2.5 == bucket.over_s(5.0)
    await trio.sleep(1.0)
    assert (20.0, 1.5) == (bucket.level(), bucket.over_s(5.0))
    await trio.sleep(10.0)
    assert (0.0, 0.0) == (bucket.level(), bucket.over_s(5.0))


async def test_values_and_pieces_are_charged_as_well_as_bytes(autojump_clock):
    """One byte a piece, or a value of two bytes, is not nearly free."""
    pieces, values, octets = Allowance(), Allowance(), Allowance()
    for _ in range(1000):
        pieces.charge(1, 0)
    values.charge(2000, 1000)
    octets.charge(2000, 0)
    levels = [allowance._bucket.level() for allowance in (pieces, values, octets)]
    assert [1000 * (PIECE_BYTES + 1), PIECE_BYTES + 2000 + 1000 * VALUE_BYTES, PIECE_BYTES + 2000] == levels


@pytest.mark.parametrize("unit", FLOODS)
async def test_a_stranger_that_floods_is_refused(unit, autojump_clock):
    """Whatever it floods with, soon nothing more of it is read: it has said much and not who it is."""
    ours, theirs = memory_stream_pair()
    transport, connection, allowance = StreamTransport(ours), ArenaConnection(), Allowance()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(theirs.send_all, unit * (1_000_000 // len(unit)))
        with trio.fail_after(30):
            refusal = await introduce(transport, connection, 60.0, allowance)
        nursery.cancel_scope.cancel()
    names_nobody = unit in (b"{}", b'{"message_id":"","move":1}')  # a plain bot without a name
    assert (None if names_nobody else "it said a lot, but not who it is") == refusal
    assert allowance._bucket.level() < INTRODUCTION_BYTES_MAX + 40 * (PIECE_BYTES + VALUE_BYTES)


async def test_a_hundred_strangers_that_flood_share_one_allowance(autojump_clock):
    """They are read no faster than one; who says a name meanwhile is heard at once."""
    allowance, refused_at = Allowance(), []

    async def flood():
        ours, theirs = memory_stream_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(theirs.send_all, b" " * 100_000)
            assert await introduce(StreamTransport(ours), ArenaConnection(), 60.0, allowance) is not None
            refused_at.append(trio.current_time())
            nursery.cancel_scope.cancel()

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        for _ in range(100):
            nursery.start_soon(flood)
        await trio.sleep(0.01)
        ours, theirs = memory_stream_pair()
        await theirs.send_all(b'{"name":"alice"}')
        assert await introduce(StreamTransport(ours), ArenaConnection(), 60.0, allowance) is None
        assert trio.current_time() - began < 0.02
    a_stranger = INTRODUCTION_BYTES_MAX * (1 + PIECE_BYTES / INTRODUCTION_PIECE_BYTES)
    assert refused_at[-1] - began >= (100 * a_stranger - BURST_BYTES) / BYTES_PER_S


def told(received):
    """What was heard, without how junk began: as far as that came with its first byte it is shown to people."""
    return [(type(one), one.reason.partition("object:")[0]) for one in received]


@pytest.mark.parametrize("unit", FLOODS)
def test_no_step_reads_much(unit):
    """Of 4 kB at most 32 values are read in one step; all of them are, in the end."""
    connection = ArenaConnection()
    connection.enter()
    heard = [connection.receive((unit * 4096)[:4096])]
    while connection.has_more:
        heard.append(connection.read_on())
    assert max(map(len, heard)) <= 32
    whole = ArenaConnection()
    whole.enter()
    dripped = [one for octet in (unit * 4096)[:4096] for one in whole.receive(bytes([octet]))]
    assert told(dripped) == told(one for step in heard for one in step)


async def test_what_serving_a_connection_raises_costs_that_connection_alone():
    """The traceback is told, the connection closed, and the next one is served."""
    bugs, served = [], []

    async def serve(transport):
        served.append(transport)
        raise KeyError("a bug")

    listener = listen("127.0.0.1", 0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_all, listener, serve, 16, bugs.append)
        for _ in range(2):
            async with await trio.open_tcp_stream(*listener.getsockname()) as stream:
                with trio.fail_after(5):
                    assert b"" == await stream.receive_some(1)
        nursery.cancel_scope.cancel()
    assert 2 == len(served)
    assert ["KeyError: 'a bug'"] * 2 == [bug.strip().splitlines()[-1] for bug in bugs]


async def accepted(serve, served):
    """When each of 24 connections that come at once was taken on, in seconds from the first moment."""
    listener = listen("127.0.0.1", 0)
    opened = [socket.create_connection(listener.getsockname()) for _ in range(24)]
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_all, listener, serve, 64)
        while len(served) < 24:  # noqa: ASYNC110 - the kernel's connections are no part of virtual time
            await trio.sleep(0.001)
        nursery.cancel_scope.cancel()
    for sock in opened:
        sock.close()
    return [at - began for at in served]


async def test_connections_are_taken_on_at_a_pace(autojump_clock, monkeypatch):
    """Who opens connections as fast as it can is taken on as fast as that is bearable."""
    monkeypatch.setattr("arena.players.tcp.ACCEPTED_AT_ONCE", 4)
    served = []

    async def serve(transport):
        served.append(trio.current_time())

    taken_s = await accepted(serve, served)
    assert taken_s[4] < 0.01
    assert taken_s[-1] >= (24 - 6) / ACCEPTED_PER_S


@pytest.mark.parametrize("stays", [True, False])
async def test_connections_that_get_a_place_are_not_waited_for(stays, autojump_clock, monkeypatch):
    """Any number is taken on at once, unless they leave as soon as they have got it."""
    monkeypatch.setattr("arena.players.tcp.ACCEPTED_AT_ONCE", 4)
    served = []

    async def serve(transport):
        transport.let_in()
        served.append(trio.current_time())
        if stays:
            await trio.sleep_forever()

    taken_s = await accepted(serve, served)
    assert stays == (taken_s[-1] < 0.1)


@pytest.mark.parametrize(("stuck_for_s", "is_sent"), [(None, True), (0.9, True), (1.1, False)])
async def test_taken_whole_by_the_kernel_is_sent(stuck_for_s, is_sent, autojump_clock):
    """Whenever the arena gets round to noting it: it may have been stopped itself in between."""
    asked_at = trio.current_time()
    slot = Desk().slot(Question(None, (), Limit(1.0, 0.0), None), asked_at)
    await trio.sleep(5)
    slot.note_sent(trio.current_time(), None if stuck_for_s is None else asked_at + stuck_for_s)
    assert is_sent == (slot.sent_at is not None)
    assert (asked_at + 6 if is_sent else asked_at + 1) == pytest.approx(slot.deadline)
