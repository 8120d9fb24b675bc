"""`arena serve` as its host sees it: what it says, whom it believes, what it refuses, and how it ends."""

from __future__ import annotations

import re
import signal
import socket
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import click
import httpx
import pytest
import trio
from trio.testing import MockClock

from arena.cli import cli
from arena.cli.group import BUG
from arena.cli.hosting import told_at_start
from arena.cli.mistakes import told_mistake
from arena.errors import ConfigError
from arena.reading.units import Address
from arena.server.http.certificate import TlsFiles
from arena.server.http.goodbye import Goodbye
from arena.server.http.guard import GuardOptions
from arena.server.http.guard_words import guard_options
from arena.server.kept.keeping import open_keeper
from arena.server.packets.packet_room import STOPS
from arena.server.serve import OpenServer, ServerPlan
from tests.server.raw_http import close_clients, connect, request, status_of, until_closed, upgraded
from tests.server.served import Served, a_server

# What is asked of it.


def test_who_is_believed_beside_the_server_itself() -> None:
    """Names and sites as browsers write them, addresses as the system does."""
    found = guard_options(
        ["Arena.Example.org.", "box_1"],
        ["::ffff:7f00:1", "127.0.0.1", "0:0:0:0:0:0:0:1"],
        ["HTTPS://Example.org:443", "http://localhost:5173", "http://[::1]:80"],
    )
    assert frozenset(("arena.example.org", "box_1")) == found.hosts
    assert frozenset(("::ffff:127.0.0.1", "127.0.0.1", "::1")) == found.trusted_proxies
    assert frozenset(("https://example.org", "http://localhost:5173", "http://[::1]")) == found.origins
    assert GuardOptions() == guard_options([], [], [])
    paths = [guard_options([], [], [], base_path=word).base_path for word in ("", "/", "/arena/", "/a/b~1")]
    assert ["", "", "/arena", "/a/b~1"] == paths


WRONG = [
    ("--allow-host", word)
    for word in ("", "https://example.org", "example.org:80", "a b", "*", "-a", "a..b", "ä.example.org")
]
WRONG += [("--base-path", word) for word in ("arena", "//", "/a b", "/a//b", "/../a", "/ä", "/a?b")]
WRONG += [("--trusted-proxy", word) for word in ("", "localhost", "10.0.0.0/8", "127.0.0.1:80", "*")]
WRONG += [
    (option, word)
    for option in ("--cors", "--embed")
    for word in ("", "*", "null", "example.org", "https://a/b", "https://a/", "ftp://a", "https://a@b")
]


@pytest.mark.parametrize(("option", "word"), WRONG)
def test_words_that_name_nobody(option: str, word: str, tmp_path: Path) -> None:
    """One sentence says which option, what was found and what would be right; nothing is opened."""
    data = tmp_path / "data"
    with pytest.raises(ConfigError) as told:
        cli.main(["serve", "--data", str(data), option, word], standalone_mode=False)
    assert re.fullmatch(rf'{option}: found "[^"]*", expected .*such as .*', told_mistake(told.value))
    assert not data.exists()


# What is in its way.


def refused(*words: str) -> str:
    """The sentence with which the command ends before it has opened anything."""
    if "--http" not in words:
        words = ("--http", "127.0.0.1:0", *words)
    if "--listen" not in words:
        words = ("--listen", "none", *words)
    with pytest.raises(ConfigError) as told:
        cli.main(["serve", *words], standalone_mode=False)
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.parametrize("option", ["--http", "--listen"])
def test_a_port_in_use(option: str, tmp_path: Path) -> None:
    """Nothing is made where it would have been kept."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        said = refused("--data", str(tmp_path / "data"), option, address)
    assert f"cannot listen on {address}: the port is in use; choose another one" in said
    assert not (tmp_path / "data").exists()


def test_a_folder_that_cannot_be_one(tmp_path: Path) -> None:
    """A file is left as it is."""
    (tmp_path / "data").write_text("mine")
    said = refused("--data", str(tmp_path / "data"))
    assert f"{tmp_path}/data cannot be written: it is a file, expected a folder" == said
    assert "mine" == (tmp_path / "data").read_text()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no folder here in which nobody can write")
def test_a_folder_in_which_nobody_can_write() -> None:
    assert "/proc/arena-data cannot be written" in refused("--data", "/proc/arena-data")


def test_results_that_are_not_there(tmp_path: Path) -> None:
    """Only if they were asked for: the usual folder comes with the first run."""
    assert "nowhere" in refused("--data", str(tmp_path / "data"), "--results", "nowhere")
    assert not (tmp_path / "data").exists()


def test_a_folder_of_a_newer_arena(tmp_path: Path) -> None:
    """It is not touched."""
    with open_keeper(tmp_path, tell=print):
        pass
    with closing(sqlite3.connect(tmp_path / "server.db")) as db, db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = (tmp_path / "server.db").read_bytes()
    said = refused("--data", str(tmp_path))
    assert "server.db was written by a newer arena (version 99; this one knows " in said
    assert said.endswith("): update this one, or set data to another folder")
    assert before == (tmp_path / "server.db").read_bytes()


def test_another_server_in_the_folder(tmp_path: Path) -> None:
    with open_keeper(tmp_path, tell=print):
        said = refused("--data", str(tmp_path))
    assert re.fullmatch(
        r"another server \(process \d+\) has its tables in .*: end that one, or set data to another one", said
    )


# What its host is told.


def opened(http: str, tcp: str | None) -> OpenServer:
    async def say_goodbye() -> None: ...

    return OpenServer([], [], f"http://{http}", tcp, say_goodbye)  # type: ignore[arg-type]  # nothing is asked of it


def test_what_is_said_on_loopback() -> None:
    """Where it is, where its tables are kept, and not a word about encryption."""
    for host, shown in (("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("localhost", "localhost")):
        plan = ServerPlan(Address(host, 0), Address("127.0.0.1", 0), Path("there"))
        assert [
            f"serving on http://{shown}:8080, bots on 127.0.0.1:8888",
            "tables are kept in there; Ctrl-C ends it",
        ] == told_at_start(plan, opened(f"{shown}:8080", "127.0.0.1:8888"))


def test_what_is_said_to_who_opens_it_to_others() -> None:
    """One sentence says that nothing is encrypted; a proxy's three lines, with the real port, say what helps."""
    plan = ServerPlan(Address("0.0.0.0", 0), None, Path("there"))
    warning, *proxy = told_at_start(plan, opened("0.0.0.0:4711", None))[2:]
    assert "http://0.0.0.0:4711 can be reached from other machines" in warning
    assert warning.endswith("nothing that is sent there is encrypted (no TLS)")
    assert ["arena.example.org {", "reverse_proxy 127.0.0.1:4711", "}"] == [
        line.strip() for line in proxy[1:4]
    ]
    command = proxy[4].split()
    assert ["arena", "serve"] == command[:2]
    with click.Context(cli.commands["serve"]) as context:
        cli.commands["serve"].parse_args(context, command[2:])


def test_what_is_said_with_a_certificate() -> None:
    """Links are https://, and nobody is warned."""
    files = TlsFiles(Path("cert.pem"), Path("key.pem"))
    plan = ServerPlan(Address("0.0.0.0", 0), Address("0.0.0.0", 0), Path("there"), tls=files)
    running = attrs.evolve(opened("", "0.0.0.0:8888"), http="https://0.0.0.0:443")
    assert [
        "serving on https://0.0.0.0:443, bots on 0.0.0.0:8888 (TLS)",
        "tables are kept in there; Ctrl-C ends it",
    ] == told_at_start(plan, running)


def test_bots_beyond_loopback_are_warned_about_too() -> None:
    plan = ServerPlan(Address("127.0.0.1", 0), Address("::", 0), Path("there"))
    (warning,) = told_at_start(plan, opened("127.0.0.1:8080", "[::]:8888"))[2:]
    assert warning.startswith("the bots' [::]:8888 can be reached")


# How it ends.


async def test_goodbye_waits_for_answers(autojump_clock: MockClock) -> None:
    """What has begun is answered to its end; then it is over at once."""
    heard: list[str] = []
    goodbye = Goodbye(lambda: heard.append("told"))

    async def answer(scope: object, receive: object, send: object) -> None:
        await trio.sleep(0.3)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(goodbye.counted(answer), {}, None, None)  # type: ignore[arg-type]
        await trio.testing.wait_all_tasks_blocked()
        await goodbye.say()
    assert (0.3, ["told"]) == (trio.current_time(), heard)


async def test_goodbye_waits_for_nobody_for_long(autojump_clock: MockClock) -> None:
    """A client that reads nothing holds the end up by a second."""
    goodbye = Goodbye(lambda: None)

    async def answer(scope: object, receive: object, send: object) -> None:
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(goodbye.counted(answer), {}, None, None)  # type: ignore[arg-type]
        await trio.testing.wait_all_tasks_blocked()
        await goodbye.say()
        assert 1.0 == trio.current_time()
        nursery.cancel_scope.cancel()


@pytest.mark.slow
async def test_everybody_is_told_when_the_server_ends(tmp_path: Path) -> None:
    """WebSocket, waiting request and bot; in less than two seconds, with the exit code of the signal."""
    with a_server(tmp_path) as server:
        port = int(server.http.rpartition(":")[2])
        async with httpx.AsyncClient(base_url=server.http) as client:
            table = (await client.post("/api/tables", json={"game": "chamber"})).json()
        at = f"/api/tables/{table['id']}"
        page = await upgraded(port, f"/ws/tables/{table['id']}")
        waiting, idle = await connect(port), await connect(port)
        await waiting.send_all(request("GET", f"{at}?after={table['version']}&wait=20", close=False))
        bot = await connect(server.tcp[1])
        await bot.send_all(b'{"name":"Romeo"}\n')
        await trio.sleep(0.3)  # until all of them are heard
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        kind, alert = await page.hear()
        assert (1, {"packet": "ShowAlert", "message": STOPS}) == (
            kind,
            httpx.Response(200, content=alert).json(),
        )
        assert (1001, STOPS) == await page.goodbye()
        answer = await until_closed(waiting)
        assert (200, True) == (status_of(answer), b"connection: close" in answer.lower())
        assert b"" == await until_closed(idle)
        assert b'{"type":"bye","reason":"the server was stopped"}\n' == await until_closed(bot)
        assert 143 == await trio.to_thread.run_sync(server.process.wait, 5)
        assert time.monotonic() - began < 2
        assert (True, "stopped\n") == _last_said(server)
    close_clients()


def _last_said(server: Served) -> tuple[bool, str]:
    """Whether there was no traceback, and the last line."""
    assert server.process.stderr is not None
    lines = server.process.stderr.readlines()
    return not any("Traceback" in line for line in lines), lines[-1]


def test_bugs_are_kept_apart_and_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each once, in a file that its owner alone may read; the exit code says that there were some."""

    async def serve(plan: ServerPlan, *, note: Any, note_bug: Any, task_status: Any) -> None:
        for traceback_text in ("first bug", "second bug", "first bug"):
            note_bug(traceback_text)
        task_status.started(opened("127.0.0.1:1", None))
        signal.raise_signal(signal.SIGTERM)
        await trio.sleep_forever()

    monkeypatch.setattr("arena.cli.hosting.serve", serve)
    monkeypatch.setattr("arena.cli.hosting.set_aside", lambda: None)  # it is for whole processes
    monkeypatch.setattr("arena.cli.hosting.PATIENCE_S", 60.0)  # after that it would end the tests
    assert BUG == cli.main(["serve", "--data", str(tmp_path)], standalone_mode=False)
    kept = tmp_path / "bugs.log"
    assert (1, 1) == (kept.read_text().count("first bug"), kept.read_text().count("second bug"))
    assert 0o600 == stat.S_IMODE(kept.stat().st_mode)
