"""What an audience costs the bots at a server's tables, how soon it sees a move, what an answer costs, and
how much memory tables, spectators and users take.

The server runs in a process of its own (`serve_host`), its clients in others (`crowd`); people are played
from here, over HTTP as any program would.  The bare server beside it, for requests per second, is Starlette
with one route on anycorn's own server, not behind our `serve_http`: no guard, no limits, no table.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any

import attrs

from arena.bench.clients import LEAN_CLIENT
from arena.bench.lean_client import filled
from arena.bench.measures import Effort, Measure, at_least, at_most
from arena.bench.runner import PATIENCE_S
from arena.games import SERVICES
from tests.bench.figures import ratios

from .talking import Program, talking_program

GAME = SERVICES["poker"]
"""One is asked at a time, and a match is long."""
TABLES = 4
"""At each a person and a lean bot over TCP; the first one has the audience."""
SPECTATORS, POLLERS, EVERY_S = 200, 50, 0.05
WATCHED_S, MOVES_LEAST = 3.0, 3
"""How long the bots' answers are gathered with an audience, and without, in each repeat: at least until
the person at the first table has made so many moves."""
REQUESTERS = 8
LOBBY_TABLES, WATCHERS, USERS = 400, 500, 5_000
THINKING_GOAL_MS, REACH_GOAL_MS, RATIO_GOAL = 2.0, 100.0, 0.5


def measure_serve(effort: Effort) -> list[Measure]:
    """Within each repeat without an audience, then with it; our answers, then those of a bare server."""
    share = min(1.0, effort.seconds)
    spectators, pollers = (max(4, round(count * share)) for count in (SPECTATORS, POLLERS))
    found = [_repeated(effort.seconds, spectators, pollers) for _ in range(effort.repeats)]

    def row(what: str, unit: str, name: str, goal: Any = None) -> Measure:
        return Measure("serve", what, unit, tuple(getattr(each, name) for each in found), goal)

    crowd = f"{spectators} spectators, {pollers} polling"
    ratio = ratios([each.requests_per_s for each in found], [each.bare_per_s for each in found])
    return [
        row("thinking time of a lean bot over TCP", "ms", "alone_ms"),
        row(f"{crowd}: thinking time", "ms more", "more_ms", at_most(THINKING_GOAL_MS)),
        row(f"{crowd}: share of a core", "%", "busy"),
        row(f"a move reaches {spectators}, median", "ms", "reach_ms", at_most(REACH_GOAL_MS)),
        row(f"a move reaches {spectators}, 99 of 100", "ms", "reach_late_ms", at_most(REACH_GOAL_MS)),
        row(f"a move reaches {spectators} pages, median", "ms", "page_ms", at_most(REACH_GOAL_MS)),
        row(f"a move reaches {spectators} pages, 99 of 100", "ms", "page_late_ms", at_most(REACH_GOAL_MS)),
        row("a poll is answered", "ms", "poll_ms"),
        row("GET /api/tables/:id", "requests/s", "requests_per_s"),
        row("bare Starlette on anycorn", "requests/s", "bare_per_s"),
        Measure("serve", "GET /api/tables/:id ÷ bare", "×", ratio, at_least(RATIO_GOAL)),
        *_memory(max(0.1, share)),
    ]


@attrs.frozen
class Audience:
    """What one repeat found."""

    alone_ms: float
    more_ms: float
    busy: float
    reach_ms: float
    reach_late_ms: float
    page_ms: float
    page_late_ms: float
    poll_ms: float
    requests_per_s: float
    bare_per_s: float


def _repeated(seconds: float, spectators: int, pollers: int) -> Audience:
    with _measured_server() as server, ExitStack() as people:
        seats = [
            people.enter_context(_played_table(server))
            for _ in range(max(1, round(TABLES * min(1.0, seconds))))
        ]
        watched = seats[0]
        alone = server.thinking(WATCHED_S * seconds, watched)
        with (
            _crowd("watch", server.port, f"/ws/tables/{watched.id}", spectators) as watching,
            _crowd("poll", server.port, pollers, EVERY_S, *_polls(server, watched.id)) as polling,
        ):
            beside = server.thinking(WATCHED_S * seconds, watched)
            moved = dict(watched.moved)
            time.sleep(0.5)  # what is under way arrives
            seen, polled = watching.end()["seen"], polling.end()
        assert set(polled["statuses"]) == {"200"}, f"polls were answered with {polled['statuses']}"
        reached = _reached(moved, {int(version): times for version, times in seen.items()}, spectators)
        shown = _shown(server, watched, seconds, spectators)
        people.close()
        requests_per_s = _asked(server.port, seconds, f"/api/tables/{watched.id}")
        body = json.dumps(server.ask("GET", f"/api/tables/{watched.id}"), separators=(",", ":")).encode()
    return Audience(
        alone_ms=1e3 * alone.median_s,
        more_ms=1e3 * (beside.median_s - alone.median_s),
        busy=100 * beside.cpu_s / beside.wall_s,
        reach_ms=1e3 * median(reached),
        reach_late_ms=1e3 * _late(reached),
        page_ms=1e3 * median(shown),
        page_late_ms=1e3 * _late(shown),
        poll_ms=1e3 * median(polled["times"]),
        requests_per_s=requests_per_s,
        bare_per_s=_bare(body, seconds),
    )


def _shown(server: Server, table: PlayedTable, seconds: float, pages: int) -> list[float]:
    """From the request that moves to the frame with its step, at each page that looks at the scenes."""
    with _crowd("watch", server.port, f"/ws/scenes/{table.id}", pages) as looking:
        time.sleep(0.5)  # each has its film
        server.thinking(WATCHED_S * seconds / 2, table)
        moved = dict(table.moved)
        time.sleep(0.5)  # what is under way arrives
        seen = looking.end()["seen"]
    return _reached(moved, {int(version): times for version, times in seen.items()}, pages)


def _reached(moved: Mapping[int, float], seen: Mapping[int, Sequence[float]], spectators: int) -> list[float]:
    """From the request that moves to the state after it, at each spectator."""
    for version in moved:
        assert len(seen.get(version, ())) == spectators, "some spectators missed a move"
    return [at - moved[version] for version in moved for at in seen[version]]


def _late(times: Sequence[float]) -> float:
    """99 of 100 are not later."""
    return sorted(times)[int(0.99 * len(times))]


def _polls(server: Server, table: str) -> list[str]:
    """What clients ask again and again: the table, as JSON, and the game of the poker document."""
    (game,) = server.ask("GET", "/games")
    head = "HTTP/1.1\r\nHost: localhost\r\n\r\n"
    return [f"GET /api/tables/{table} {head}", f"GET /games/{game['gameID']} {head}"]


def _asked(port: int, seconds: float, path: str) -> float:
    """Answers in a second, when clients ask again at once."""
    with _crowd("ask", port, REQUESTERS, seconds, path) as asking:
        answers = asking.hear()
    assert set(answers["statuses"]) == {"200"}, f"requests were answered with {answers['statuses']}"
    return float(len(answers["times"]) / answers["seconds"])


def _bare(body: bytes, seconds: float) -> float:
    """The same of a server that does nothing but answer."""
    with talking_program("serve_host", "bare") as bare:
        bare.tell(body)
        return _asked(bare.hear()["http"], seconds, "/")


def _memory(share: float) -> list[Measure]:
    """What the server's process grows by, for each of many."""
    tables, watchers, users = (round(count * share) for count in (LOBBY_TABLES, WATCHERS, USERS))
    with _measured_server() as server:
        empty = server.report()["memory_bytes"]
        ids = [server.ask("POST", "/api/tables", {"game": GAME})["id"] for _ in range(tables)]
        for id in ids:
            server.ask("POST", f"/api/tables/{id}/players", {"nickname": "ann"})
        tabled = server.report()["memory_bytes"]
        with _crowd("watch", server.port, f"/ws/tables/{ids[0]}", watchers):
            watched = server.report()["memory_bytes"]
    with _measured_server("--users", users) as peopled, _measured_server() as server:
        grown = peopled.report()["memory_bytes"] - server.report()["memory_bytes"]
    return [
        _each("memory of a table where one sits", tabled - empty, tables),
        _each("memory of a spectator", watched - tabled, watchers),
        _each("memory of a user of the poker document", grown, users),
    ]


def _each(what: str, memory_bytes: int, count: int) -> Measure:
    return Measure("serve", what, "kB", (memory_bytes / count / 1000,))


# The people.


class PlayedTable:
    """A table at which somebody of ours plays, at once, what comes first."""

    def __init__(self, server: Server) -> None:
        self.moved: dict[int, float] = {}
        """When each move was sent, by the version of the table that it led to."""
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
        self.id = _spoken(self._connection, "POST", "/api/tables", {"game": GAME})["id"]
        self._at = f"/api/tables/{self.id}"
        self._key = self._joined("ann")
        self._bot = self._started_bot(server.tcp_port)
        self._ask("POST", f"{self._at}/start", {})
        self._is_over = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _joined(self, nickname: str) -> str:
        """The key of a new seat."""
        seat = _spoken(self._connection, "POST", f"{self._at}/players", {"nickname": nickname})
        return str(seat["key"])

    def _started_bot(self, port: int) -> subprocess.Popen[bytes]:
        """A lean bot in the other seat, connected."""
        key = self._joined("bob")
        said = {"ARENA_HOST": "127.0.0.1", "ARENA_PORT": str(port), "ARENA_NAME": "bob", "ARENA_TOKEN": key}
        bot = subprocess.Popen(
            [sys.executable, LEAN_CLIENT], env={"PATH": os.environ.get("PATH", ""), **said}
        )
        table = self._ask("GET", self._at)
        while table["players"][-1]["way"] != "program":
            table = self._ask("GET", f"{self._at}?after={table['version']}&wait=10")
        return bot

    def end(self) -> None:
        self._is_over = True
        self._thread.join(PATIENCE_S)
        self._bot.kill()
        self._bot.wait()
        self._connection.close()
        if self._error is not None:
            raise self._error

    def _play(self) -> None:
        try:
            table = self._ask("GET", self._at)
            while not self._is_over:
                table = self._step(table)
        except BaseException as error:
            self._error = error

    def _step(self, table: Mapping[str, Any]) -> Any:
        options, version = table["you"]["options"], table["version"]
        if table["status"] == "finished":
            return self._ask("POST", f"{self._at}/rematch", {})
        if not options:
            return self._ask("GET", f"{self._at}?after={version}&wait=1")
        move = filled(options[-1]["form"], options[-1]["fields"])
        sent_at = time.monotonic()
        table = self._ask("POST", f"{self._at}/moves", {"move": move})
        self.moved[version + 1] = sent_at
        return table

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        return _spoken(self._connection, method, path, body, self._key)


@contextmanager
def _played_table(server: Server) -> Iterator[PlayedTable]:
    table = PlayedTable(server)
    try:
        yield table
    finally:
        table.end()


def _spoken(
    connection: http.client.HTTPConnection, method: str, path: str, body: object = None, key: str = ""
) -> Any:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    octets = answer.read()
    assert answer.status < 300, f"{method} {path} was answered with {answer.status}: {octets!r}"
    return json.loads(octets)


# The programs.


@attrs.frozen
class Thinking:
    """The answers of bots in some seconds, and what the server used meanwhile."""

    median_s: float
    cpu_s: float
    wall_s: float


class Server:
    """The server that is measured."""

    def __init__(self, program: Program) -> None:
        self._program = program
        opened = program.hear()
        self.port: int = opened["http"]
        self.tcp_port: int = opened["tcp"]
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def close(self) -> None:
        self._connection.close()

    def ask(self, method: str, path: str, body: object = None) -> Any:
        return _spoken(self._connection, method, path, body)

    def report(self) -> Any:
        self._program.tell(b"")
        return self._program.hear()

    def thinking(self, seconds: float, table: PlayedTable) -> Thinking:
        """What happens from now on for so long."""
        before, began = self.report(), time.perf_counter()
        table.moved.clear()
        time.sleep(seconds)
        while len(table.moved) < MOVES_LEAST and time.perf_counter() < began + PATIENCE_S:
            time.sleep(0.05)
        after, wall_s = self.report(), time.perf_counter() - began
        faults = [reason for _, _, fault, reason in after["decisions"] if fault is not None]
        assert not faults, f"{len(faults)} faults that nobody earned: {faults[0]}"
        answers = [elapsed_s for way, elapsed_s, _, _ in after["decisions"] if way == "program"]
        return Thinking(median(answers), after["cpu_s"] - before["cpu_s"], wall_s)


@contextmanager
def _measured_server(*words: object) -> Iterator[Server]:
    with (
        tempfile.TemporaryDirectory() as folder,
        talking_program("serve_host", "arena", folder, *words) as program,
    ):
        server = Server(program)
        yield server
        server.close()


@contextmanager
def _crowd(what: str, port: int, *words: object) -> Iterator[Program]:
    """Clients that are connected."""
    with talking_program("crowd", what, port, *words) as crowd:
        assert crowd.hear() == "ready"
        yield crowd
