"""HTTPS: the same server over TLS, and what somebody may do to a connection that is to be encrypted."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import trio
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from arena.server.http.clients import Caps
from arena.server.http.connection import Patience
from arena.server.http.http import HttpOptions
from arena.server.http.routing import Routing
from arena.server.http.sockets import SocketLimits, SocketOwner
from arena.server.http.tls import SILENT_BYTES_MAX
from tests.server.certificates import certificate_in, trusting
from tests.server.raw_http import (
    TEXT,
    answer_on,
    connect,
    frame,
    json_of,
    request,
    said_by,
    served,
    status_of,
    until_closed,
    upgraded_on,
)

NUMBERS = 400
LONG = "".join(f"{number:9}" for number in range(1 << 18))
"""2.4 MB, more than the kernel takes of one connection."""

heard: list[bytes] = []
"""The bodies that came."""


async def asked(request: Request) -> JSONResponse:
    return JSONResponse({"scheme": request.url.scheme})


async def said(request: Request) -> JSONResponse:
    heard.append(await request.body())
    return JSONResponse(len(heard[-1]))


async def long(request: Request) -> Response:
    return Response(LONG)


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    owner = SocketOwner(websocket)
    await owner.run(owner.put)


async def count(websocket: WebSocket) -> None:
    """Sends many numbers at once, each with a kilobyte."""
    await websocket.accept()
    owner = SocketOwner(websocket, SocketLimits(frames_max=NUMBERS, bytes_max=1 << 20))
    for number in range(NUMBERS):
        owner.put(f"{number:1024}")
    await owner.run(owner.put)


APP = Routing(
    [
        Route("/", asked),
        Route("/said", said, methods=["POST"]),
        Route("/long", long),
        WebSocketRoute("/ws", echo),
        WebSocketRoute("/count", count),
    ]
)
QUICK = Patience(handshake_s=0.4)


@asynccontextmanager
async def encrypted(folder: Path, options: HttpOptions | None = None) -> AsyncIterator[int]:
    async with served(APP, options, certificate=certificate_in(folder)) as port:
        with trio.fail_after(60):
            yield port


async def dial(port: int, window_bytes: int | None = None, **how: Any) -> trio.SSLStream[trio.SocketStream]:
    """An encrypted connection, which insists on an orderly end."""
    below = await connect(port, window_bytes)
    stream = trio.SSLStream(below, trusting(), server_hostname="localhost", https_compatible=False, **how)
    await stream.do_handshake()
    return stream


async def answer(port: int, octets: bytes) -> bytes:
    """All that is said to these bytes until the connection is closed in an orderly way."""
    stream, said = await dial(port), b""
    await stream.send_all(octets)
    while piece := await stream.receive_some():
        said += piece
    return said


async def test_a_request_is_answered_and_the_end_is_said(tmp_path: Path) -> None:
    """The application sees `https`, pages of the same address may ask, those of http:// not."""
    async with encrypted(tmp_path) as port:
        assert {"scheme": "https"} == json_of(await answer(port, request("GET", "/")))
        for scheme, status in (("https", 200), ("http", 403)):
            post = request(
                "POST", "/said", f"Origin: {scheme}://localhost", "Content-Type: application/json", body=b"1"
            )
            assert status == status_of(await answer(port, post))


async def test_one_connection_takes_many_requests(tmp_path: Path) -> None:
    """Also two in one piece, and one in bytes that come one by one."""
    async with encrypted(tmp_path) as port:
        stream, ask = await dial(port), request("GET", "/", close=False)
        await stream.send_all(ask + ask)
        said = b""
        while said.count(b'{"scheme":"https"}') < 2:
            said += await stream.receive_some()
        for place in range(len(ask)):
            await stream.send_all(ask[place : place + 1])
        assert 200 == status_of(await answer_on(stream))


async def test_a_long_answer_arrives_whole(tmp_path: Path) -> None:
    async with encrypted(tmp_path) as port:
        said = await answer(port, request("GET", "/long"))
        assert LONG == said.partition(b"\r\n\r\n")[2].decode()


async def test_a_websocket_speaks(tmp_path: Path) -> None:
    """Frames of both sizes of a head, and several in one piece."""
    async with encrypted(tmp_path) as port:
        raw = await upgraded_on(await dial(port))
        texts = ["short", "long" * 3000, "last"]
        await raw.send(*(frame(TEXT, text.encode()) for text in texts))
        assert texts == [(await raw.hear())[1].decode() for _ in texts]


async def test_frames_keep_their_order_for_one_that_reads_late(tmp_path: Path) -> None:
    """What the kernel does not take at once is encrypted already, and must be the next to be sent."""
    async with encrypted(tmp_path) as port:
        raw = await upgraded_on(await dial(port, window_bytes=4096), "/count")
        await trio.testing.wait_all_tasks_blocked(0.05)
        numbers = [int((await raw.hear())[1]) for _ in range(NUMBERS)]
        assert list(range(NUMBERS)) == numbers


# What may go wrong, and what somebody may do.


async def witness(port: int) -> None:
    """Somebody else is served."""
    assert 200 == status_of(await answer(port, request("GET", "/")))


async def test_plain_http_is_told_so(tmp_path: Path) -> None:
    async with encrypted(tmp_path) as port:
        said = await said_by(port, request("GET", "/"))
        assert 400 == status_of(said)
        assert "this server speaks HTTPS: ask for https://" == json_of(said)["message"]


@pytest.mark.parametrize(
    "octets", [b"\0" * 5000, b"\x16\x03\x01\x40\x00" + bytes(20_000), b'{"name": "ann"}\n', b"\x16"]
)
async def test_what_is_not_tls_ends_its_connection(octets: bytes, tmp_path: Path) -> None:
    """Without a word in the log (`served` looks), and with nothing but an alert to the client."""
    async with encrypted(tmp_path, HttpOptions(patience=QUICK)) as port:
        assert len(await said_by(port, octets)) < 20
        await witness(port)


async def test_a_slow_handshake_has_a_limit(tmp_path: Path) -> None:
    """In all, however steadily its bytes come; others are served meanwhile."""
    async with encrypted(tmp_path, HttpOptions(patience=QUICK)) as port:
        hello, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
        with pytest.raises(ssl.SSLWantReadError):
            trusting().wrap_bio(to_client, hello, server_hostname="localhost").do_handshake()
        began, stream = trio.current_time(), await connect(port)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(witness, port)
            nursery.start_soon(drip, stream, hello.read())
            assert b"" == await until_closed(stream)
            nursery.cancel_scope.cancel()
        assert 0.3 < trio.current_time() - began < 5.0


async def drip(stream: trio.SocketStream, octets: bytes) -> None:
    for place in range(len(octets)):
        try:
            await stream.send_all(octets[place : place + 1])
        except trio.BrokenResourceError:
            return
        await trio.sleep(0.05)


async def test_a_browser_may_connect_before_it_asks(tmp_path: Path) -> None:
    """The limit of the handshake ends with the handshake."""
    async with encrypted(tmp_path, HttpOptions(patience=QUICK)) as port:
        stream = await dial(port)
        await trio.sleep(2 * QUICK.handshake_s)
        await stream.send_all(request("GET", "/", close=False))
        assert 200 == status_of(await answer_on(stream))


async def test_connections_without_a_handshake_count(tmp_path: Path) -> None:
    """The oldest makes room for who comes next."""
    async with encrypted(tmp_path, HttpOptions(caps=Caps(per_near_address=3))) as port:
        silent = [await connect(port) for _ in range(3)]
        await trio.testing.wait_all_tasks_blocked()
        await witness(port)
        assert b"" == await until_closed(silent[0])
        with trio.move_on_after(0.05) as scope:
            await until_closed(silent[2])
        assert scope.cancelled_caught


async def test_a_connection_too_many_is_closed_without_a_word(tmp_path: Path) -> None:
    """While all others serve: it would have to shake hands first."""
    async with encrypted(tmp_path, HttpOptions(caps=Caps(per_near_address=1))) as port:
        raw = await upgraded_on(await dial(port))
        assert b"" == await until_closed(await connect(port))
        await raw.text("still here")
        assert b"still here" == (await raw.hear())[1]


async def test_garbage_after_the_handshake_ends_its_connection(tmp_path: Path) -> None:
    async with encrypted(tmp_path) as port:
        for garbage in (
            b"\x17\x03\x03\x00\x20" + bytes(32),
            b"GET / HTTP/1.1\r\n\r\n",
            b"\x16\x03\x03\x00\x04\0\0\0\0",
        ):
            stream = await dial(port)
            await stream.transport_stream.send_all(garbage)
            with pytest.raises(trio.BrokenResourceError):
                await stream.receive_some()
        await witness(port)


@pytest.mark.parametrize("is_orderly", [True, False])
async def test_half_a_request_is_none_however_it_ends(is_orderly: bool, tmp_path: Path) -> None:
    """Who cuts a connection, which needs no key, makes nobody say less than they wanted."""
    heard.clear()
    async with encrypted(tmp_path) as port:
        stream = await dial(port)
        whole = request("POST", "/said", "Content-Type: application/json", body=b'"something to say"')
        await stream.send_all(whole[:-5])
        if is_orderly:
            await stream.aclose()
        else:
            await stream.transport_stream.send_eof()
            await until_closed(stream.transport_stream)
        await witness(port)
        assert [] == heard


async def test_a_client_that_says_goodbye_gets_its_answer(tmp_path: Path) -> None:
    async with encrypted(tmp_path) as port:
        below = await connect(port)
        to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = trusting().wrap_bio(to_client, to_server, server_hostname="localhost")
        step = partial(_step, below, to_server, to_client)
        await step(client.do_handshake)
        client.write(request("GET", "/long"))
        with pytest.raises(ssl.SSLWantReadError):
            client.unwrap()
        said = b""
        await below.send_all(to_server.read())
        while piece := await below.receive_some():
            said += piece
        assert len(said) > len(LONG)


async def _step(
    below: trio.SocketStream, to_server: ssl.MemoryBIO, to_client: ssl.MemoryBIO, act: Any
) -> Any:
    while True:
        try:
            return act()
        except ssl.SSLWantReadError:
            await below.send_all(to_server.read())
            to_client.write(await below.receive_some())


async def test_who_has_new_keys_made_again_and_again_is_hung_up_on(tmp_path: Path) -> None:
    """Each costs the client 27 bytes, says nothing, and is answered."""
    async with encrypted(tmp_path) as port:
        client = trusting()
        client.keylog_filename = str(tmp_path / "keys")
        stream = trio.SSLStream(await connect(port), client, server_hostname="localhost")
        await stream.do_handshake()
        with suppress(trio.BrokenResourceError), trio.fail_after(10):
            for record in islice(new_keys(tmp_path / "keys"), SILENT_BYTES_MAX // 20):
                await stream.transport_stream.send_all(record)
            await until_closed(stream.transport_stream)
        await witness(port)


def new_keys(log: Path) -> Iterator[bytes]:
    """Records with which a client of TLS 1.3 changes its keys and asks for other ones (RFC 8446, 4.6.3)."""
    (line,) = (line for line in log.read_text().splitlines() if line.startswith("CLIENT_TRAFFIC_SECRET_0"))
    secret = bytes.fromhex(line.split()[2])
    hashed: hashes.HashAlgorithm = {32: hashes.SHA256(), 48: hashes.SHA384()}[len(secret)]

    def expanded(label: bytes, length: int) -> bytes:
        label = b"tls13 " + label
        info = length.to_bytes(2, "big") + bytes([len(label)]) + label + b"\0"
        return HKDFExpand(hashed, length, info).derive(secret)

    while True:
        key = AESGCM(expanded(b"key", 32 if len(secret) == 48 else 16))
        head = b"\x17\x03\x03\x00\x16"
        yield head + key.encrypt(expanded(b"iv", 12), b"\x18\x00\x00\x01\x01" + b"\x16", head)
        secret = expanded(b"traffic upd", len(secret))
