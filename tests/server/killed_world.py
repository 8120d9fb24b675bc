"""A server that is killed and started again, and what its clients were told: see `tests.server.killed`."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import attrs
import httpx
import trio

START_S = 30.0
NOTICE = re.compile("bots run in|is not installed; using")
"""What a server says of the box in which it starts bots."""


@attrs.define
class Move:
    """A move that was sent, at its turn."""

    value: Any
    life: int
    """How often the server had been killed before."""
    is_acknowledged: bool = False


@attrs.define
class Ledger:
    """What was sent, and what of it was acknowledged."""

    moves: dict[tuple[str, int, str], list[Move]] = attrs.field(factory=dict)
    """By match, turn and nickname: those that were sent."""
    told: list[tuple[float, Move]] = attrs.field(factory=list)
    """Moves of packets whose effect was seen, and when."""
    kept_at: float = 0.0
    """When the latest request was sent of those that were acknowledged as kept."""
    kills: int = 0
    chats: int = 0
    acts: int = 0
    lobby: int = 0
    users: int = 0
    owners: dict[str, set[str]] = attrs.field(factory=dict)
    """The playerIDs of each user at the ring table."""
    wrong: list[str] = attrs.field(factory=list)

    def note(self, match_id: str, turn: int, name: str, value: Any, life: int) -> Move:
        sent = Move(value, life)
        self.moves.setdefault((match_id, turn, name), []).append(sent)
        return sent

    def settle(self) -> None:
        """The server ends: what was seen before a request that it acknowledged as kept is kept as well."""
        for seen_at, move in self.told:
            move.is_acknowledged |= seen_at < self.kept_at and move.life == self.kills
        self.told.clear()

    @property
    def acknowledged(self) -> int:
        return sum(any(move.is_acknowledged for move in sent) for sent in self.moves.values())


@attrs.frozen
class Seat:
    """Somebody at a table."""

    at: str
    name: str
    key: str


class World:
    """The server, killed and started again, and how its clients reach it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.rng = Random(seed)
        self.ledger = Ledger()
        self.is_ending = False
        self.killed_with_open_matches = 0
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.http = httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=20.0)
        self._process: subprocess.Popen[str] | None = None
        self._up = trio.Event()
        self.over: set[str] = set()

    async def start(self) -> None:
        words = [sys.executable, "-m", "tests.server.quick_serve", "--listen", "none"]
        place = ["--http", f"127.0.0.1:{self.port}", "--data", str(self.folder)]
        self._process = await trio.to_thread.run_sync(
            partial(subprocess.Popen, [*words, *place], stderr=subprocess.PIPE, text=True)
        )
        stderr: Any = self._process.stderr
        said = ""
        with trio.fail_after(START_S):
            while not (line := await trio.to_thread.run_sync(stderr.readline)).startswith("serving on"):
                assert line, f"the server did not start: {said}"
                said += line
        for line in said.splitlines():
            if "went on" in line:
                self.killed_with_open_matches += 1
            elif not NOTICE.search(line):
                self.ledger.wrong.append(line)
        self._up.set()

    def kill(self) -> None:
        assert self._process is not None
        self._up = trio.Event()
        self.give_up()
        self.ledger.settle()
        self.ledger.kills += 1

    def end(self) -> int:
        """With SIGTERM; the exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(10.0)
        self.give_up()
        return code

    def is_over(self, seat: Seat, is_host: bool) -> bool:
        """Whether no match follows at its table: the host decides that."""
        if is_host and self.is_ending:
            self.over.add(seat.at)
        return seat.at in self.over

    def give_up(self) -> None:
        if self._process is not None:
            with self._process:  # which waits for it, and closes its pipe
                self._process.kill()

    async def ask(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response | None:
        """An answer; None if the server was killed meanwhile, after which it runs again."""
        if "key" in more:
            more["headers"] = {"Authorization": f"Bearer {more.pop('key')}"}
        if body is not None:
            more["json"] = body
        sent_at, was_up, kills = time.monotonic(), self._up.is_set(), self.ledger.kills
        try:
            response = await self.http.request(method, path, **more)
        except httpx.TransportError as error:
            await self.up_again()
            if was_up and kills == self.ledger.kills:
                self.ledger.wrong.append(f"{method} {path}: {error!r}, though it was not killed")
            return None
        if method != "GET" and response.status_code in (200, 201):
            self.ledger.kept_at = max(self.ledger.kept_at, sent_at)
        return response

    async def up_again(self) -> None:
        await trio.sleep(0.02)  # the kill may be a moment away from being known
        await self._up.wait()

    async def surely(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The JSON of an answer, however often it must be asked for."""
        while (response := await self.ask(method, path, body, **more)) is None:
            pass
        assert response.status_code in (200, 201), (method, path, response.text)
        return response.json()
