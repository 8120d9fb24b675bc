"""`arena join` at a real server that is killed: the bot comes back, and nobody is blamed for it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from needs import needs

from arena.server.league.hosts import add_host
from arena.store import Store
from tests.server.served import Served, a_server
from tests.verify.folders import verified

pytestmark = [pytest.mark.nightly, needs("bubblewrap")]
AT = "/api/leagues/class"


def free_address() -> str:
    """An address at which a server can be started again."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"127.0.0.1:{taken.getsockname()[1]}"


@contextmanager
def joined(server: Served, folder: Path, token: str) -> Iterator[subprocess.Popen[bytes]]:
    """`arena join` with a bot that `arena new` has written."""
    command = [sys.executable, "-m", "arena"]
    subprocess.run([*command, "new", "mybot"], cwd=folder, check=True, capture_output=True)
    command += ["join", f"{server.http}/leagues/class", "--bot", "./mybot"]
    with subprocess.Popen(command, cwd=folder, env={**os.environ, "ARENA_TOKEN": token}) as process:
        try:
            yield process
        finally:
            process.kill()


def until(server: Served, path: str, headers: Any, is_so: Callable[[Any], Any]) -> Any:
    """What is answered once it is so."""
    for _ in range(600):
        if is_so(told := httpx.get(f"{server.http}{AT}{path}", headers=headers, timeout=30).json()):
            return told
        time.sleep(0.2)
    raise AssertionError(told)


def has_played(series: int) -> Callable[[Any], bool]:
    return lambda told: any(place["connects"] and place["series"] >= series for place in told["places"])


def test_a_bot_comes_back_to_a_server_that_was_killed(tmp_path: Path) -> None:
    http, tcp, data = free_address(), free_address(), tmp_path / "data"
    new = {"name": "class", "game": "liars-dice", "rules": {"dice": 1}, "join": "open"}
    with ExitStack() as stack:
        with a_server(data, http, tcp) as server:
            host = {"Authorization": f"Bearer {add_host(data, 'Eva', 'host')}"}
            httpx.post(f"{server.http}/api/leagues", json=new, headers=host, timeout=30).raise_for_status()
            token = httpx.post(f"{server.http}{AT}/owners", json={"name": "Ann"}).json()["token"]
            ann = {"Authorization": f"Bearer {token}"}
            process = stack.enter_context(joined(server, tmp_path, token))
            until(server, "/standings", ann, has_played(2))
            server.process.kill()
        with a_server(data, http, tcp) as server:
            until(server, "/me", ann, lambda told: told["bots"][0]["connection"]["has_answered"])
            until(server, "/standings", ann, has_played(3))
            httpx.post(f"{server.http}{AT}/bots/b1/withdraw", headers=ann).raise_for_status()
            assert 1 == process.wait(30), "it was sent away"
            server.process.terminate()
            server.process.wait(30)
    with Store.open(data / "leagues" / "class") as store:
        seats = [seat for match in store.matches(bot="b1@1") for seat in match.seats if seat.bot == "b1@1"]
    assert not any(seat.faults for seat in seats), "what the server ends is nobody's fault"
    assert 0 == verified(data / "leagues" / "class")[0]
