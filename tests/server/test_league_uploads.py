"""Hand-ins on their way: streamed, bounded in size, rate and number, all of them or nothing."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.lowlevel
from trio.testing import MockClock

from arena.server.http import bodies
from arena.server.http.bodies import UPLOAD_BYTES_PER_S, UPLOAD_START_S
from arena.server.http.connection import Message
from arena.server.http.endpoints import routes_to
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.routing import Routing
from arena.server.league import uploads
from tests.server.league_rest import AT, BOT, LeagueRest, league_rest, zipped
from tests.server.raw_http import connect, request, said_by, served, until_closed

MB = 1 << 20


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def told(answer: bytes) -> Any:
    return json.loads(answer.partition(b"\r\n\r\n")[2])


def folders(rest: LeagueRest) -> list[str]:
    """What lies where hand-ins do, files that were not tidied up too."""
    return sorted(path.name for path in rest.server.leagues.bots.glob("*")) + sorted(
        path.name for path in rest.server.leagues.bots.glob(".*")
    )


@asynccontextmanager
async def a_student(folder: Path, **settings: Any) -> AsyncIterator[tuple[LeagueRest, int, str]]:
    """The REST, the port at which the same league is served, and a student's token."""
    async with league_rest(folder=folder) as rest:
        token = await rest.join("Ann", await rest.league(**settings))
        bugs: list[str] = []
        routes = [route for api in rest.server.apis for route in routes_to(api.endpoints())]
        async with served(Guard(Routing(routes), GuardOptions(), bugs.append)) as port:
            yield rest, port, token
        assert [] == bugs


def upload(token: str, *headers: str, body: bytes = b"", close: bool = True) -> bytes:
    return request(
        "POST",
        f"{AT}/versions?file=bot.py",
        f"Authorization: Bearer {token}",
        *headers,
        body=body,
        close=close,
    )


async def test_one_file_over_a_socket(tmp_path: Path) -> None:
    """With any type, or none; larger than what other bodies may be."""
    async with a_student(tmp_path) as (rest, port, token):
        body = b"# " + b"x" * 300_000 + b"\n"
        answer = await said_by(port, upload(token, "Content-Type: text/plain", body=body))
        assert 201 == status_of(answer)
        assert body == (rest.process.field[0].folder / "bot.py").read_bytes()
        again = await said_by(port, upload(token, body=body))
        assert (200, False) == (status_of(again), told(again)["is_new"])


async def test_a_chunked_upload_and_the_next_request_on_its_connection(tmp_path: Path) -> None:
    async with a_student(tmp_path) as (rest, port, token):
        chunks = b"5\r\n# one\r\n6\r\n, two\n\r\n0\r\n\r\n"
        head = upload(token, "Transfer-Encoding: chunked", close=False)
        both = head + chunks + request("GET", AT, f"Authorization: Bearer {token}")
        answer = await said_by(port, both)
        assert 2 == answer.count(b"HTTP/1.1 20")
        assert b"# one, two\n" == (rest.process.field[0].folder / "bot.py").read_bytes()


@pytest.mark.parametrize("is_announced", [True, False])
async def test_too_large(tmp_path: Path, is_announced: bool) -> None:
    """It is refused before it has come, or as soon as it is too much; nothing of it stays."""
    async with a_student(tmp_path, archive_mb=1) as (rest, port, token):
        if is_announced:
            octets = upload(token, f"Content-Length: {MB + 1}")
        else:
            octets = upload(token, "Transfer-Encoding: chunked") + b"%x\r\n%b\r\n" % (MB + 1, b"x" * (MB + 1))
        answer = await said_by(port, octets)
        assert (413, True) == (status_of(answer), "1 MB" in told(answer)["message"])
        assert b"connection: close" in answer.lower()
        assert ([], []) == (folders(rest), rest.live.league.entries_of("o1"))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (("Authorization: Bearer nosuch",), 401),
        ((), 401),
        (("Origin: https://evil.example",), 403),
    ],
)
async def test_who_may_not_is_told_before_it_has_come(tmp_path: Path, headers: Any, status: int) -> None:
    """Of ten megabytes that were announced none is waited for."""
    async with a_student(tmp_path) as (rest, port, token):
        words = headers if status == 401 else (*headers, f"Authorization: Bearer {token}")
        answer = await said_by(port, request("POST", f"{AT}/versions", *words, f"Content-Length: {10 * MB}"))
        assert status == status_of(answer)
        assert [] == folders(rest)


async def test_an_upload_that_is_broken_off(tmp_path: Path) -> None:
    """Nothing has happened, and the owner can send the next one."""
    async with a_student(tmp_path) as (rest, port, token):
        stream = await connect(port)
        await stream.send_all(upload(token, "Content-Length: 1000", body=b"# the first half"))
        while not folders(rest):
            await trio.lowlevel.checkpoint()
        await stream.aclose()
        while folders(rest):
            await trio.lowlevel.checkpoint()
        assert {} == rest.live.league.entries
        assert 201 == status_of(await said_by(port, upload(token, body=b"# all of it\n")))


async def test_two_at_once_by_one_owner(tmp_path: Path) -> None:
    """The second is refused, and the first goes on."""
    async with a_student(tmp_path) as (rest, port, token):
        body = b"# the first\n"
        first = await connect(port)
        await first.send_all(upload(token, f"Content-Length: {len(body)}"))
        while not folders(rest):
            await trio.lowlevel.checkpoint()
        answer = await said_by(port, upload(token, body=b"# the second\n"))
        assert (409, True) == (status_of(answer), "is being received" in told(answer)["message"])
        await first.send_all(body)
        assert 201 == status_of(await until_closed(first))
        assert 1 == len(rest.live.league.entry("b1").versions)


async def test_many_at_once_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "UPLOADS_MAX", 0)
    async with a_student(tmp_path) as (_, port, token):
        answer = await said_by(port, upload(token, body=b"# a bot\n"))
        assert (429, "uploads", 10.0) == (status_of(answer), told(answer)["key"], told(answer)["seconds"])


@pytest.mark.parametrize(
    ("rule", "body"),
    [
        ("nothing", b""),
        ("a damaged zip", zipped(bot__py=BOT)[:-30]),
        ("a path upwards", zipped(**{"../x__py": b""})),
    ],
)
async def test_what_is_no_bot(tmp_path: Path, rule: str, body: bytes) -> None:
    """A sentence and 400; no version, no file, no quota."""
    async with a_student(tmp_path, hand_ins_per_day=1) as (rest, port, token):
        answer = await said_by(port, upload(token, "Content-Length: 0" if not body else "X: y", body=body))
        assert (400, "archive") == (status_of(answer), told(answer)["field"]), rule
        assert ([], {}) == (folders(rest), rest.live.league.entries)
        assert 201 == status_of(await said_by(port, upload(token, body=b"# a bot\n")))


async def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and when to try again."""

    async def fail(*words: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(uploads, "_write", fail)
    async with a_student(tmp_path) as (rest, port, token):
        answer = await said_by(port, upload(token, body=b"# a bot\n"))
        assert (503, "disk", True) == (
            status_of(answer),
            told(answer)["key"],
            "full" in told(answer)["message"],
        )
        assert ([], {}) == (folders(rest), rest.live.league.entries)


async def test_what_a_kill_left_is_tidied_up(tmp_path: Path) -> None:
    async with league_rest(folder=tmp_path) as rest:
        bots = rest.server.leagues.bots
        bots.mkdir()
        for name in (".upload-abc", "f" * 64):
            (bots / name).write_text("x")
        uploads.Uploads(bots).tidy()
        assert ["f" * 64] == folders(rest)


async def test_versions_without_files_lead_to_no_folder(tmp_path: Path) -> None:
    """Bots that connect have no hash, lost ones a word in its place: neither deletes what lies there."""
    async with league_rest(folder=tmp_path) as rest:
        bots = rest.server.leagues.bots
        for name in ("f" * 64, "lost"):
            (bots / name).mkdir(parents=True)
        received = uploads.Uploads(bots)
        received.tidy(["", ".", "lost", f"../{bots.name}"])
        await received.remove(["", ".", "lost", f"../{bots.name}"])
        assert ["f" * 64, "lost"] == folders(rest)
        await received.remove(["f" * 64])
        assert ["lost"] == folders(rest)


# The rate


@pytest.mark.parametrize(
    ("rule", "pieces", "every_s", "is_late"),
    [
        ("silence", [], 0.0, True),
        ("as slow as may be", [UPLOAD_BYTES_PER_S] * 100, 1.0, False),
        ("too slow", [UPLOAD_BYTES_PER_S // 2] * 100, 1.0, True),
        ("a byte a second", [1] * 100, 1.0, True),
        ("fast, and then nothing", [UPLOAD_BYTES_PER_S * 5], 0.0, True),
    ],
)
async def test_uploads_have_a_least_rate(
    rule: str, pieces: list[int], every_s: float, is_late: bool, autojump_clock: MockClock
) -> None:
    """Nobody holds a place by sending slowly."""
    left = list(pieces)

    async def receive() -> Message:
        if not left and is_late:
            await trio.sleep_forever()
        await trio.sleep(every_s)
        size = left.pop()
        return {"type": "http.request", "body": b"x" * size, "more_body": bool(left)}

    piece = bodies.metered({b"transfer-encoding": b"chunked"}, receive)
    try:
        for _ in range(len(pieces) + 1 if is_late else len(pieces)):
            await piece()
    except bodies.BodyTooLate:
        assert is_late, rule
        sent_s = sum(pieces) / UPLOAD_BYTES_PER_S
        assert trio.current_time() <= UPLOAD_START_S + sent_s + 1e-6, rule
        return
    assert not is_late, rule


def test_which_bodies_are_uploads() -> None:
    """That path alone, and only what is posted there."""
    assert bodies.is_upload("POST", "/api/leagues/class-7b/versions")
    for method, path in (
        ("GET", "/api/leagues/class/versions"),
        ("POST", "/api/leagues/class/x/versions"),
        ("POST", "/api/leagues/class/versions/x"),
        ("POST", "/api/tables"),
        ("POST", "/x/api/leagues/class/versions"),
    ):
        assert not bodies.is_upload(method, path)
