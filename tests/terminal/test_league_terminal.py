"""A bot handed in from a terminal: what is sent, what is told, and the exit code."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.errors import ConfigError
from arena.handin.bounds import HandInLimits
from arena.server.http.endpoints import routes_to
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.routing import Routing
from arena.terminal.leagues.league_link import TOKEN, keep_token, kept_token, league_link, read_league_url
from arena.terminal.leagues.submitting import PLAYS, REFUSED, WAITS, packed_bot, submit_bot
from tests.server.league_rest import AT, LeagueRest, league_rest
from tests.server.raw_http import served


@pytest.fixture(autouse=True)
def _own_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens of this test alone."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(TOKEN, raising=False)


@pytest.mark.parametrize(
    ("said", "server", "name"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", None),
        ("127.0.0.1:8080/leagues/class-7b", "http://127.0.0.1:8080", "class-7b"),
        ("https://x.org/arena/api/leagues/a/", "https://x.org/arena", "a"),
        ("https://x.org/leagues", "https://x.org", None),
        ("https://x.org/api/leagues/", "https://x.org", None),
    ],
)
def test_urls_of_leagues(said: str, server: str, name: str | None) -> None:
    url, named = read_league_url(said)
    assert (server, name) == (url.server, named)


@pytest.mark.parametrize(
    "said", ["", "ftp://x", "http://x/leagues/A%20b", "http://x/tables/abc", "http://h:99999"]
)
def test_what_is_no_url_of_a_league(said: str) -> None:
    with pytest.raises(ConfigError, match="give the URL of a server or a league"):
        read_league_url(said)


def test_tokens_are_kept_for_their_user_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each for its league; the environment counts more."""
    url, _ = read_league_url("http://127.0.0.1:8080")
    other, _ = read_league_url("http://127.0.0.1:8081")
    path = keep_token(url, "class", "first")
    keep_token(url, "class", "second")
    assert 0o600 == os.stat(path).st_mode & 0o777
    assert ("second", None, None) == (
        kept_token(url, "class"),
        kept_token(url, "a"),
        kept_token(other, "class"),
    )
    assert "second" == kept_token(url, None), "the only one of this server"
    keep_token(url, "another", "third")
    assert kept_token(url, None) is None
    monkeypatch.setenv(TOKEN, "mine")
    assert "mine" == league_link("http://127.0.0.1:8080", "class")._link.key


def test_what_is_sent(tmp_path: Path) -> None:
    """A folder packed, with what is left out told; a file and an archive as they are."""
    bot = tmp_path / "mybot"
    (bot / ".git").mkdir(parents=True)
    (bot / ".git" / "config").write_text("x")
    (bot / "bot.py").write_text("# a bot\n")
    octets, notes = packed_bot(bot, HandInLimits())
    assert (b"PK", True) == (octets[:2], any(".git/" in note for note in notes))
    assert (b"# a bot\n", []) == packed_bot(bot / "bot.py", HandInLimits())
    (bot / "large").write_bytes(os.urandom(1 << 20) + b"x")
    for source in (bot / "large", bot):
        with pytest.raises(ConfigError, match=r"large|larger"):
            packed_bot(source, HandInLimits(archive_mb=1))
    nowhere = league_link("http://127.0.0.1:9/leagues/class")  # which is not asked
    with pytest.raises(ConfigError, match="nosuch is not there"):
        submit_bot(nowhere, tmp_path / "nosuch", "", [].append, is_waiting=False)


@asynccontextmanager
async def a_class(tmp_path: Path) -> AsyncIterator[tuple[LeagueRest, Any]]:
    """The league as it is served, and what hands a bot in from a thread, as a terminal would."""
    async with league_rest(folder=tmp_path / "server") as rest:
        token = await rest.join("Ann", await rest.league())
        bugs: list[str] = []
        routes = [route for api in rest.server.apis for route in routes_to(api.endpoints())]
        async with served(Guard(Routing(routes), GuardOptions(), bugs.append)) as port:
            url = f"http://127.0.0.1:{port}"
            keep_token(read_league_url(url)[0], "class", token)
            said: list[str] = []

            async def submit(content: str, where: str = "/leagues/class", **more: Any) -> tuple[int, str]:
                source = tmp_path / "bot.py"
                source.write_text(content)
                said.clear()
                link = league_link(url + where)
                act = partial(submit_bot, link, source, "", said.append, **{"is_waiting": False, **more})
                return await trio.to_thread.run_sync(act), "\n".join(said)

            yield rest, submit
        assert [] == bugs


async def test_exit_codes(tmp_path: Path) -> None:
    """3 while it is to be tried, also for the same bytes again; then 0 or 1, with the reason."""
    async with a_class(tmp_path) as (rest, submit):
        assert (WAITS, True) == (lambda code, said: (code, "waits to be tried" in said))(*await submit("# 1"))
        code, said = await submit("# 1", "")
        assert (WAITS, True) == (code, "nothing has changed" in said)
        rest.live.report("b1@1", "refused", "Traceback\n  line 3\nValueError")
        code, said = await submit("# 1")
        assert (REFUSED, True) == (code, "version 1 is refused: Traceback\n    line 3\n  ValueError" in said)
        await submit("# 2")
        rest.live.report("b1@2", "playing", "all points passed")
        code, said = await submit("# 2")
        assert (PLAYS, True) == (code, "version 2 is playing: all points passed" in said)


@pytest.mark.parametrize(("state", "code"), [("playing", PLAYS), ("refused", REFUSED)])
async def test_waiting_tells_each_state_once(tmp_path: Path, state: Any, code: int) -> None:
    async with a_class(tmp_path) as (rest, submit), trio.open_nursery() as nursery:

        async def try_it() -> None:
            while not rest.process.field:
                await rest.live.changed(rest.live.league.version)
            rest.live.report("b1@1", "checking", "", "4 of 12 points")
            await trio.sleep(0.2)
            rest.live.report("b1@1", state, "why")

        nursery.start_soon(try_it)
        found, said = await submit("# 1", is_waiting=True)
        assert code == found
        lines = said.splitlines()
        assert f"version 1 is {state}: why" == lines[-1]
        assert len(set(lines)) == len(lines)


async def test_what_is_refused_is_a_mistake_of_ones_own(tmp_path: Path) -> None:
    async with a_class(tmp_path) as (rest, submit):
        await rest.post(f"{AT}/owners/o1/ban", {"reason": "rude"}, rest.server.host)
        with pytest.raises(ConfigError, match=r"banned \(rude\)"):
            await submit("# 1")
        await rest.ask("DELETE", f"{AT}/owners/o1", token=rest.server.host)
        with pytest.raises(ConfigError, match="not valid here"):
            await submit("# 1")
        with pytest.raises(ConfigError, match="no league of this name"):
            await submit("# 1", "/leagues/other")


async def test_a_file_that_is_refused_while_it_is_sent(tmp_path: Path) -> None:
    """The answer is read, though the server took only a part of it."""
    async with a_class(tmp_path) as (rest, submit):
        await rest.post(f"{AT}/owners/o1/ban", {"reason": "rude"}, rest.server.host)
        with pytest.raises(ConfigError, match="rude"):
            await submit("# " + "x" * (15 << 20))
