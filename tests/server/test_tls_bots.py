"""Bots that come over TLS: they play as ever, and without a handshake nobody is a guest."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import trio
from trio.testing import MockClock

from arena.errors import ArenaError
from arena.players.transport import SocketTransport
from arena.server.http.tls import HANDSHAKE_S, TlsTransport
from arena.server.tables.tcp_door import TLS_ALONE
from arena.terminal.link import ServerLink, check_table, read_url
from tests.server.certificates import authority, certificate_in, files_in, trusting
from tests.server.served import a_server
from tests.server.test_guests import Rig, TestBot, a_rig


async def sealed(rig: Rig, *first: Any) -> trio.SSLStream[Any]:
    """A connection over TLS that says these JSON values."""
    stream = trio.SSLStream(await rig.connect(), trusting(), server_hostname="localhost")
    await stream.do_handshake()
    for value in first:
        await stream.send_all(json.dumps(value).encode() + b"\n")
    return stream


async def test_bots_play_over_tls(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Match after match, one with a name and one without, and nobody makes a fault."""
    async with a_rig(certificate_in(tmp_path)) as rig:
        bots = [TestBot(await sealed(rig, {"name": "Romeo"})), TestBot(await sealed(rig))]
        for bot in bots:
            rig.nursery.start_soon(bot.run)
        await rig.matches(2)
        assert ["Romeo", "bot-1"] == sorted(rig.names)
        match = rig.open_table.live.match
        assert match is not None
        assert [] == [each for each in match.decisions if each.fault]


async def test_without_a_handshake_nobody_is_a_guest(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Neither who says nothing, nor who says one byte a second; both are gone after ten seconds."""
    async with a_rig(certificate_in(tmp_path)) as rig:
        silent, slow = await rig.connect(), await rig.connect()
        rig.nursery.start_soon(drip, slow)
        began = trio.current_time()
        for stream in (silent, slow):
            assert b"" == await stream.receive_some()
        assert HANDSHAKE_S == pytest.approx(trio.current_time() - began)
        assert [] == rig.names


async def drip(stream: trio.abc.Stream) -> None:
    """The beginning of a handshake."""
    for octet in b"\x16\x03\x01\x02\x00" + b"\x01\x00\x01\xfc\x03\x03" * 20:
        try:
            await stream.send_all(bytes([octet]))
        except trio.BrokenResourceError:
            return
        await trio.sleep(1)


async def test_who_shakes_hands_and_says_nothing_is_a_guest(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """As the document allows."""
    async with a_rig(certificate_in(tmp_path)) as rig:
        await sealed(rig)
        await rig.until(lambda: rig.names == ["bot-1"])


async def test_a_bot_without_tls_is_told_so(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with a_rig(certificate_in(tmp_path)) as rig:
        stream = await rig.connect({"name": "Romeo"})
        assert TLS_ALONE in json.loads(await stream.receive_some())["reason"]
        assert b"" == await stream.receive_some()
        assert [] == rig.names


async def test_those_that_shake_hands_count_among_the_unnamed(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Of one address so many, and the next is closed; afterwards there is room again."""
    async with a_rig(certificate_in(tmp_path)) as rig:
        silent = [await rig.connect(peer="203.0.113.7") for _ in range(64)]
        await trio.testing.wait_all_tasks_blocked()
        late = await rig.connect(peer="203.0.113.7")
        with trio.fail_after(1):
            assert b"" == await late.receive_some()
        assert b"" == await silent[0].receive_some()
        await trio.testing.wait_all_tasks_blocked()
        await sealed(rig)


async def test_a_cut_connection_is_gone_and_comes_back(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Without a word of farewell, with garbage, and in an orderly way: the bot's seat waits for it each time."""
    async with a_rig(certificate_in(tmp_path)) as rig:
        live = rig.house.create("liars-dice", {}, 60.0)
        (ann, _), (_, key) = live.join("ann"), live.join("bob", way="program")
        stream = await sealed(rig, {"token": key})
        await rig.until(lambda: len(list(rig.programs)) == 1)
        (place,) = rig.programs
        await rig.until(lambda: place.player.is_connected)
        for end in ("cut", "garbage", "orderly"):
            if end == "cut":
                await trio.aclose_forcefully(stream.transport_stream)
            elif end == "garbage":
                await stream.transport_stream.send_all(b"\x17\x03\x03\x00\x20" + bytes(32))
            else:
                await stream.aclose()
            await rig.until(lambda: not place.player.is_connected)
            stream = await sealed(rig, {"token": key})
            await rig.until(lambda: place.player.is_connected)
        live.begin(ann)
        await rig.until(lambda: live.match is not None)
        assert "bob" in [member.nickname for member in live.table.players]


async def test_what_is_sent_arrives_whole_and_in_order(tmp_path: Path) -> None:
    """Through a narrow connection, by both ways to send, while the other end is heard; nothing counts as sent early."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        theirs = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    for each in (ours, theirs):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    transport = TlsTransport(SocketTransport(ours), certificate_in(tmp_path).session())
    theirs.setblocking(False)
    below = trio.SocketStream(trio.socket.from_stdlib_socket(theirs))
    client = trio.SSLStream(below, trusting(), server_hostname="localhost")
    message = b"".join(number.to_bytes(4, "big") for number in range(500_000))
    heard, sent = bytearray(), 0

    async def read() -> None:
        while len(heard) < len(message):
            heard.extend(await client.receive_some(10_000))
        await client.send_all(bytes(heard))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.do_handshake)
        assert await transport.shake_hands()
        while said_now := transport.send_now(memoryview(message)[sent:]):
            sent += said_now
        assert sent < len(message), "the kernel takes no more"
        nursery.start_soon(read)
        while sent < len(message):
            sent += await transport.send_some(memoryview(message)[sent:])
        said = b""
        while len(said) < len(message):
            piece = await transport.receive(500)
            assert 0 < len(piece) <= 500
            said += piece
    assert message == bytes(heard) == said
    transport.close()
    assert b"" == await client.receive_some()
    await trio.aclose_forcefully(client)


BOT = """
from arena.sdk import Bot, choose, run

class Any(Bot):
    def move(self, state, options):
        return choose(options, self.rng)
    def finished(self, result):
        print(sorted(result.ranks), flush=True)
        raise SystemExit

run(Any())
"""


@pytest.mark.slow
def test_all_ways_in_for_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`arena serve` with a certificate: REST, two bots of the SDK, a terminal, who is not trusted, and a kill -9."""
    files = files_in(tmp_path)
    authority().cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    tls = "--tls-cert", str(files.certificate), "--tls-key", str(files.key)
    serve = partial(a_server, tmp_path / "data", "127.0.0.1:0", "127.0.0.1:0", *tls)
    env = {**os.environ, "SSL_CERT_FILE": str(tmp_path / "authority.pem"), "ARENA_TLS": "1"}
    with serve() as server, httpx.Client(base_url=server.http, verify=trusting()) as http:
        assert server.http.startswith("https://127.0.0.1:")
        table = http.post("/api/tables", json={"game": "liars-dice"}).json()
        at = f"/api/tables/{table['id']}"
        ann = http.post(f"{at}/players", json={"nickname": "ann"}).json()
        who = {"ARENA_HOST": "127.0.0.1", "ARENA_PORT": str(server.tcp[1])}
        command = [sys.executable, "-c", BOT]
        bots = [
            subprocess.Popen(
                command, env={**env, **who, "ARENA_NAME": name}, stdout=subprocess.PIPE, text=True
            )
            for name in ("Romeo", "Juliet")
        ]
        for bot in bots:
            assert "['Juliet', 'Romeo']\n" == bot.communicate(timeout=60)[0]
        for changed, sentence in (
            ({"SSL_CERT_FILE": os.devnull}, "is not trusted here"),
            ({"ARENA_TLS": ""}, TLS_ALONE),
        ):
            told = subprocess.run(command, env={**env, **who, **changed}, capture_output=True, text=True)
            assert (2, 1) == (told.returncode, told.stderr.count("\n")), told.stderr
            assert sentence in told.stderr
        for url, file, sentence in (
            (server.http, "authority.pem", "public one"),
            (server.http, "nothing", "is not trusted here"),
            (server.http.replace("https", "http"), "authority.pem", "speaks HTTPS: ask for https://"),
        ):
            monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / file))
            link = ServerLink(read_url(url))
            with pytest.raises(ArenaError, match=sentence) as refused:
                check_table(link)
            link.close()
            assert "\n" not in str(refused.value)
        server.process.kill()
    with serve() as server, httpx.Client(base_url=server.http, verify=trusting()) as http:
        told = http.get(at, headers={"Authorization": f"Bearer {ann['key']}"})
        assert "ann" == told.json()["you"]["nickname"]


def test_tls_costs_nothing_where_it_is_not_spoken() -> None:
    """A bot of the SDK does not wait for `ssl`, which takes longer than all the rest to import."""
    code = "import sys, arena.sdk; print('ssl' in sys.modules)"
    assert b"False\n" == subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
