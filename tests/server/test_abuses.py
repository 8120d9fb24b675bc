"""Eleven abuses: others are served meanwhile, the server's memory is bounded, and it notes no bug.

The clients are raw sockets; the server is a process of its own, whose memory and processor time are measured.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import attrs
import pytest
import trio
from raw_http import (
    CLOSE,
    PING,
    TEXT,
    UPGRADE,
    Raw,
    answer_on,
    close_clients,
    connect,
    frame,
    json_of,
    request,
    said_by,
    status_of,
    until_closed,
    upgraded,
)

from arena.trials.torture.processes import peak_mb

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="measures the server in /proc"),
]

GROWTH_MB = 24.0
"""What an abuse may add to the highest use of memory: 1,000 connections take 15, and every other one less than 4."""
WITNESS_S = 1.5
"""The longest that a bystander may wait for one answer; the machine that runs the tests is busy with others."""


@attrs.define
class Server:
    process: subprocess.Popen[str]
    port: int

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mb(self) -> float:
        peak = peak_mb(self.process.pid)
        assert peak is not None, "the server is gone"
        return peak

    def notes(self) -> str:
        """What it has printed since: tracebacks."""
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        return os.read(descriptor, 1 << 16).decode() if select.select([descriptor], [], [], 0)[0] else ""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    command = [sys.executable, str(Path(__file__).with_name("abused.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            server = Server(process, int(process.stdout.readline()))
            trio.run(warm_up, server.port)
            yield server
            process.stdin.close()
            assert 0 == process.wait(30)
        finally:
            process.kill()


async def warm_up(port: int) -> None:
    """Everything has been imported and done once."""
    for _ in range(3):
        raw = await upgraded(port)
        await raw.text("hello")
        await raw.hear()
        await raw.stream.aclose()
        await said_by(port, request("GET", "/slow"))


@asynccontextmanager
async def bystanders(server: Server) -> AsyncIterator[None]:
    """One who polls, one with a WebSocket, and one who connects anew each time: all are served throughout."""
    before_mb, waited_s = server.peak_mb(), [0.0]

    async def poll() -> None:
        stream = await connect(server.port)
        while True:
            began = trio.current_time()
            await stream.send_all(request("GET", "/count", close=False))
            assert 200 == status_of(await answer_on(stream))
            waited_s.append(trio.current_time() - began)
            await trio.sleep(0.02)

    async def talk() -> None:
        raw = await upgraded(server.port)
        while True:
            began = trio.current_time()
            await raw.text("are you there?")
            while (await raw.hear())[0] != TEXT:
                pass
            waited_s.append(trio.current_time() - began)
            await trio.sleep(0.2)

    async def come_anew() -> None:
        while True:
            began = trio.current_time()
            assert 200 == status_of(await said_by(server.port, request("GET", "/count")))
            waited_s.append(trio.current_time() - began)
            await trio.sleep(0.05)

    try:
        with trio.fail_after(10):
            async with trio.open_nursery() as nursery:
                for bystander in (poll, talk, come_anew):
                    nursery.start_soon(bystander)
                yield
                await trio.sleep(0.1)
                nursery.cancel_scope.cancel()
    finally:
        close_clients()
    assert len(waited_s) > 3
    assert max(waited_s) < WITNESS_S
    assert server.peak_mb() - before_mb < GROWTH_MB
    assert "" == server.notes()
    assert server.process.poll() is None


def reset(stream: trio.SocketStream) -> None:
    """Closes with a reset."""
    stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.socket.close()


async def at_once(count: int, function: object, *arguments: object) -> None:
    async with trio.open_nursery() as nursery:
        for _ in range(count):
            nursery.start_soon(function, *arguments)  # type: ignore[arg-type]


async def forgotten(server: Server) -> None:
    """Waits until no WebSocket has an owner but the bystander's."""
    with trio.fail_after(4):
        while json_of(await said_by(server.port, request("GET", "/count"))) > 1:  # noqa: ASYNC110 -- another process
            await trio.sleep(0.05)


async def test_an_extra_byte_after_the_upgrade(server: Server) -> None:
    """It belongs to the first frame, if the path is one that upgrades; else the answer is that it does not."""

    async def add(path: str, after: bytes) -> None:
        async with await connect(server.port) as stream:
            await stream.send_all(UPGRADE % path.encode() + after)
            assert status_of(await stream.receive_some()) == (101 if path == "/ws" else 404)
            with suppress(trio.BrokenResourceError):
                await stream.send_all(b"\x81\x81\x81\x81")

    whole = frame(TEXT, b"early")
    async with bystanders(server):
        await at_once(40, add, "/ws", b"\x81")
        await at_once(40, add, "/nothing", b"\x81")
        raw = await upgraded(server.port, after=whole[:-1])
        await raw.send(whole[-1:])
        assert (TEXT, b"early") == await raw.hear()


async def test_a_reset_in_mid_frame(server: Server) -> None:
    """On either side: in a frame of theirs, and in one of ours."""

    async def break_off(path: str) -> None:
        raw = await upgraded(server.port, path)
        await raw.send(frame(TEXT, b"x" * 100)[:50])
        await trio.sleep(0.05)
        reset(raw.stream)

    async with bystanders(server):
        await at_once(40, break_off, "/ws")
        await at_once(40, break_off, "/flood")
        await forgotten(server)


async def test_a_client_that_never_reads(server: Server) -> None:
    """It is dropped, its connection too, and what waited for it is forgotten."""
    async with bystanders(server):
        lazy = [await upgraded(server.port, "/flood", window_bytes=4096) for _ in range(20)]
        await forgotten(server)
        for raw in lazy:
            with pytest.raises((trio.BrokenResourceError, trio.ClosedResourceError)):  # noqa: PT012
                while True:
                    await raw.send(frame(TEXT, b"x"))
                    await trio.sleep(0.001)


async def test_half_closed_connections(server: Server) -> None:
    """A request is answered to whoever says no more; a WebSocket ends."""

    async def ask() -> None:
        async with await connect(server.port) as stream:
            await stream.send_all(request("GET", "/slow", close=False))
            await stream.send_eof()
            assert b'"at last"' in await until_closed(stream)

    async def listen() -> None:
        raw = await upgraded(server.port)
        await raw.stream.send_eof()
        while (await raw.hear())[0]:
            pass

    async with bystanders(server):
        await at_once(40, ask)
        await at_once(40, listen)
        await forgotten(server)


async def test_a_header_of_two_megabytes(server: Server) -> None:
    """Refused once 16 KiB of it have come."""

    async def tell() -> None:
        async with await connect(server.port) as stream:
            with suppress(trio.BrokenResourceError):
                await stream.send_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 2_000_000)
            assert status_of(await until_closed(stream)) in (431, 0)

    async with bystanders(server):
        assert 431 == status_of(
            await said_by(server.port, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 40_000)
        )
        await at_once(20, tell)


async def test_a_slow_header(server: Server) -> None:
    """Bytes that trickle in do not keep a connection."""

    async def trickle() -> None:
        async with await connect(server.port) as stream:
            await stream.send_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
            with suppress(trio.BrokenResourceError):
                while True:
                    await stream.send_all(b"x")
                    await trio.sleep(0.05)

    async with bystanders(server):
        with trio.fail_after(4):
            await at_once(40, trickle)


async def test_an_oversized_frame(server: Server) -> None:
    """Told by its size as soon as too much of it has come, and so are fragments without end; none of it is kept."""

    async def insist(begin: bytes, more: bytes) -> None:
        raw = await upgraded(server.port)
        code: list[int] = []

        async def hear() -> None:
            code.append((await raw.goodbye())[0])

        async with trio.open_nursery() as nursery:
            nursery.start_soon(hear)
            with suppress(trio.BrokenResourceError):
                await raw.send(begin)
                for _ in range(60):
                    await raw.send(more)
        assert code in ([1009], [0])  # a reset can overtake the goodbye

    async with bystanders(server):
        raw = await upgraded(server.port)
        await raw.send(frame(TEXT, b"x" * 17_000))
        assert 1009 == (await raw.goodbye())[0]
        raw = await upgraded(server.port)
        await raw.send(frame(TEXT, b"x" * 16_000))
        assert 16_000 == len((await raw.hear())[1])
        await at_once(8, insist, frame(TEXT, b"", length=1 << 30, mask=bytes(4)), b"x" * (1 << 16))
        await at_once(
            8, insist, frame(TEXT, b"x", is_final=False), frame(0, b"x" * (1 << 16), is_final=False)
        )


async def test_a_frame_of_invalid_utf8(server: Server) -> None:
    """Closed with its code; so is a binary one, with its own, and a frame that is none."""

    async def code_for(octets: bytes) -> int:
        raw = await upgraded(server.port)
        await raw.send(octets)
        return (await raw.goodbye())[0]

    async with bystanders(server):
        for _ in range(10):
            assert 1007 == await code_for(frame(TEXT, b"\xff\xfe"))
            assert 1003 == await code_for(frame(2, b"x"))
            assert 1002 == await code_for(b"\x81\x01x")  # without a mask
            assert 1000 == await code_for(frame(CLOSE, struct.pack(">H", 1000)))


async def test_a_flood_of_pings(server: Server) -> None:
    """It costs its sender's time: what is beyond the allowance is not read."""

    async def ping(raw: Raw) -> None:
        pings = frame(PING) * 2000
        with trio.move_on_after(1.5), suppress(trio.BrokenResourceError):
            while True:
                await raw.send(pings)

    async def hear(raw: Raw) -> None:
        with trio.move_on_after(1.5):
            while (await raw.hear())[0]:
                pass

    async with bystanders(server):
        before_s = server.cpu_s()
        async with trio.open_nursery() as nursery:
            for raw in [await upgraded(server.port) for _ in range(4)]:
                nursery.start_soon(ping, raw)
                nursery.start_soon(hear, raw)
        assert server.cpu_s() - before_s < 0.9


async def test_a_thousand_idle_sockets(server: Server) -> None:
    """Whoever has something to ask takes the place of one that is idle."""
    async with bystanders(server):
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(1100)]
        for _ in range(10):
            assert 200 == status_of(await said_by(server.port, request("GET", "/count")))
        for sock in idle:
            sock.close()


async def test_a_storm_of_upgrades(server: Server) -> None:
    """Each is abandoned once it is open, or before."""

    async def storm() -> None:
        for number in range(15):
            stream = await connect(server.port)
            await stream.send_all(UPGRADE % b"/ws")
            if number % 2:
                await stream.receive_some()
            reset(stream)

    async with bystanders(server):
        await at_once(20, storm)
        await forgotten(server)
