"""`arena serve` as its host sees it: what it says, whom it believes, what mistakes it names, how it ends."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest
import trio

from arena.cli.hosting import told_at_start
from arena.errors import ConfigError
from arena.server.guard_words import guard_options
from arena.server.packet_room import STOPS
from arena.server.serve import OpenServer, ServerPlan
from arena.units import parse_address
from tests.server.raw_http import upgraded
from tests.server.served import a_server


@pytest.mark.parametrize(
    ("hosts", "proxies", "origins", "words"),
    [
        (["http://a.example"], [], [], "--allow-host: found .* a name such as arena.example.org"),
        (["a.example:80"], [], [], "--allow-host"),
        ([], ["proxy"], [], "--trusted-proxy: found .* the IP address of a proxy"),
        ([], [], ["a.example"], "--cors: found .* a site as browsers name it"),
        ([], [], ["https://a.example/x"], "--cors"),
    ],
)
def test_words_that_name_nobody(hosts: list[str], proxies: list[str], origins: list[str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        guard_options(hosts, proxies, origins)


def test_who_is_believed() -> None:
    options = guard_options(["Arena.Example."], ["::1"], ["HTTPS://a.example:443", "http://localhost:5173"])
    assert options.hosts == {"arena.example"}
    assert options.trusted_proxies == {"::1"}
    assert options.origins == {"https://a.example", "http://localhost:5173"}


@pytest.mark.parametrize(
    ("http_at", "tcp_at", "warned"),
    [
        ("127.0.0.1:8080", "127.0.0.1:8888", False),
        ("0.0.0.0:8080", "127.0.0.1:8888", True),
        ("[::1]:1", "[::]:2", True),
    ],
)
def test_a_host_is_warned_where_others_can_listen_in(http_at: str, tcp_at: str, warned: bool) -> None:
    plan = ServerPlan(parse_address(http_at), parse_address(tcp_at), Path("data"))
    opened = OpenServer(None, (), http_at, tcp_at, None)  # type: ignore[arg-type]
    lines = "\n".join(told_at_start(plan, opened))
    assert ("no TLS" in lines) == warned
    assert ("reverse_proxy" in lines) == http_at.startswith("0.0.0.0"), "a proxy is for HTTP alone"


def a_mistake(*words: str) -> str:
    """What the command says of it."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", "serve", *words], capture_output=True, text=True, timeout=20
    )
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_its_mistakes_are_one_sentence_each(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with a_server(tmp_path / "data") as server:
        port = server.http.removeprefix("http://")
        nowhere = ["--listen", "none", "--http"]
        assert "the port is in use" in a_mistake(*nowhere, port, "--data", str(tmp_path / "other"))
        assert "another server" in a_mistake(*nowhere, "127.0.0.1:0", "--data", str(tmp_path / "data"))
        assert "it is a file" in a_mistake(*nowhere, "127.0.0.1:0", "--data", str(file))
        assert server.process.poll() is None


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
async def test_everybody_is_told_when_it_ends(tmp_path: Path, number: int, code: int) -> None:
    """In under two seconds: who waits is answered, WebSockets get an alert and close code 1001, bots a bye."""
    with a_server(tmp_path / "data") as server:
        host, _, port = server.http.removeprefix("http://").partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=20)
        connection.request(
            "POST", "/api/tables", json.dumps({"game": "blef"}), {"Content-Type": "application/json"}
        )
        table = json.loads(connection.getresponse().read())
        answers: list[int] = []

        def wait() -> None:
            connection.request("GET", f"/api/tables/{table['id']}?after={table['version']}&wait=25")
            answers.append(connection.getresponse().status)

        waiting = Thread(target=wait)
        waiting.start()
        page = await upgraded(int(port), f"/ws/tables/{table['id']}")
        with socket.create_connection(server.tcp, timeout=10) as bot:
            bot.sendall(b'{"type": "hello", "protocol": 1, "name": "rex"}\n')
            said = bot.recv(1000)
            await trio.sleep(0.3)
            began = time.monotonic()
            server.process.send_signal(number)
            frames = [await page.hear() for _ in range(2)]
            assert STOPS in frames[0][1].decode()
            assert frames[1][1][:2] == (1001).to_bytes(2, "big")
            waiting.join(5)
            assert server.process.wait(5) == code
            assert time.monotonic() - began < 2.0
            while piece := bot.recv(1000):
                said += piece
        assert answers == [200]
        assert b'"bye"' in said
