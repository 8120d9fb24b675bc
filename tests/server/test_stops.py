"""How the server ends, and what it refuses to begin with."""

from __future__ import annotations

import signal
import sqlite3
import stat
import time
from pathlib import Path
from typing import Any

import attrs
import httpx
import pytest
import trio
from calls import exit_code

from tests.server.raw_http import close_clients, connect, request, status_of, until_closed, upgraded
from tests.server.served import Served, a_server

QUICK = {"game": "liars-dice", "rules": {"challenge": "next"}}


def post(server: Served, path: str, body: Any = None, key: str | None = None) -> Any:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    response = httpx.post(f"{server.http}{path}", json={} if body is None else body, headers=headers)
    assert response.status_code in (200, 201), response.text
    return response.json()


def get(server: Served, path: str, key: str | None = None) -> Any:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return httpx.get(f"{server.http}{path}", headers=headers).json()


@pytest.mark.slow
def test_a_signal_ends_it_at_once_and_loses_nothing(tmp_path: Path) -> None:
    """With 100 requests that wait and 50 WebSockets, who are told; the match is there at the next start."""
    with a_server(tmp_path / "data") as server:
        table = f"/api/tables/{post(server, '/api/tables', QUICK)['id']}"
        keys = [post(server, f"{table}/players", {"nickname": name})["key"] for name in ("ann", "bob")]
        post(server, f"{table}/start", key=keys[0])
        moved = None
        while moved is None:
            for key in keys:
                if get(server, table, key)["you"]["options"] and moved is None:
                    moved = post(server, f"{table}/moves", {"move": [6, 1]}, key)
        crowd = Crowd(server, table, get(server, table)["version"])
        took_s = trio.run(crowd.until, signal.SIGTERM)
        code, said = ended(server)
        assert code == 143
        assert said.splitlines()[-2:] == ["stopping the server; Ctrl-C again ends at once", "stopped"]
    assert took_s < 2.0
    assert crowd.told == [(1001, "the server stops: your key is good for when it runs again")] * 50
    assert crowd.answers == [200] * 100
    with a_server(tmp_path / "data") as server:
        again = get(server, table)
        assert again["match"]["match_id"] == moved["match"]["match_id"]
        assert again["match"]["state"]["last_bid"] == [6, 1]
        server.process.send_signal(signal.SIGINT)
        assert ended(server)[0] == 130


def ended(server: Served) -> tuple[int, str]:
    """The exit code of a server that ends, and what it said last."""
    assert server.process.stderr is not None
    return server.process.wait(5.0), server.process.stderr.read()


@attrs.define
class Crowd:
    """Many who wait for something to happen at a table."""

    server: Served
    table: str
    version: int
    told: list[tuple[int, str]] = attrs.field(factory=list)
    """The code and reason with which each WebSocket was closed."""
    answers: list[int] = attrs.field(factory=list)
    """The status of each request that waited."""

    async def until(self, number: signal.Signals) -> float:
        """They wait until the server is sent a signal; how long it took to end."""
        try:
            with trio.fail_after(30.0):
                async with trio.open_nursery() as nursery:
                    for _ in range(100):
                        nursery.start_soon(self._ask)
                    for _ in range(50):
                        nursery.start_soon(self._listen)
                    await trio.sleep(1.0)
                    began = time.monotonic()
                    self.server.process.send_signal(number)
                    await trio.to_thread.run_sync(self.server.process.wait, 10.0)
                    return time.monotonic() - began
        finally:
            close_clients()

    @property
    def _port(self) -> int:
        return int(self.server.http.rpartition(":")[2])

    async def _ask(self) -> None:
        stream = await connect(self._port)
        await stream.send_all(request("GET", f"{self.table}?after={self.version}&wait=30", close=False))
        self.answers.append(status_of(await until_closed(stream)))

    async def _listen(self) -> None:
        raw = await upgraded(self._port, f"/ws{self.table.removeprefix('/api')}")
        self.told.append(await raw.goodbye())


# What it does not begin with


@pytest.mark.slow
def test_what_it_cannot_begin_with_is_a_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Another server, its port, a newer database, somebody else's files: exit code 2, and nothing changes."""

    def refused(data: Path, *more: str) -> str:
        """What `arena serve`, in this process, says instead of serving, in one sentence."""
        code = exit_code("serve", "--data", data, "--http", "127.0.0.1:0", "--listen", "none", *more)
        out, err = capfd.readouterr()
        assert (code, out) == (2, "")
        said = [line for line in err.splitlines() if "bots run in" not in line]
        assert len(said) == 1, err
        return said[0]

    data = tmp_path / "data"
    with a_server(data) as server:
        process = server.process.pid
        assert f"another server (process {process}) has its tables in {data}" in refused(data)
        port = server.http.removeprefix("http://")
        assert port.rpartition(":")[2] in refused(tmp_path / "other", "--http", port)
        assert get(server, "/api/tables") is not None, "it is not disturbed"
    set_pragma(data / "server.db", "user_version = 99")
    before = (data / "server.db").read_bytes()
    assert "was written by a newer arena (version 99" in refused(data)
    assert (data / "server.db").read_bytes() == before
    (tmp_path / "file").write_text("mine")
    assert str(tmp_path / "file") in refused(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def set_pragma(path: Path, pragma: str) -> None:
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA {pragma}")
    db.close()


# What lies in its folder


@pytest.mark.slow
def test_secrets_are_kept_as_hashes_for_its_owner_alone(tmp_path: Path) -> None:
    """Keys and passwords are nowhere; seeds are in files that only the owner may read; the log has neither."""
    data = tmp_path / "data"
    with a_server(data) as server:
        table = f"/api/tables/{post(server, '/api/tables', QUICK)['id']}"
        keys = [post(server, f"{table}/players", {"nickname": name})["key"] for name in ("ann", "bob")]
        post(server, f"{table}/start", key=keys[0])
        password = "correct horse battery staple"
        assert httpx.post(f"{server.http}/users/", auth=("ann", password)).status_code == 201
        for path in [data, *data.rglob("*")]:
            mode = stat.S_IMODE(path.stat().st_mode)
            allowed = 0o700 if path.is_dir() else 0o644 if path.suffix == ".lock" else 0o600
            assert mode == allowed, f"{path}: {mode:o}"
        server.process.send_signal(signal.SIGTERM)
        _, said = ended(server)
        octets = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
        octets[Path("stderr")] = said.encode()
    for path, found in octets.items():
        for secret in (*keys, password):
            assert secret.encode() not in found, f"a secret is in {path}"
    assert b'"ann"' in octets[data / "server.db"], "else this would find nothing"
