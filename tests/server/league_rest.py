"""The REST of leagues in this process: a client without sockets, and what it usually asks."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import httpx
import trio

from arena.server.http.endpoints import routes_to
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.routing import Routing
from arena.server.league.leagues import OpenLeague
from tests.server.league_server import FakeProcess, LeagueServer, a_league_server

AT = "/api/leagues/class"
BOT = b"from arena.sdk import Bot\n"


def zipped(**files: bytes) -> bytes:
    """A zip of these files; `__` stands for the dot before an ending."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return out.getvalue()


@attrs.frozen
class LeagueRest:
    """A client without sockets, and the server that it asks."""

    server: LeagueServer
    http: httpx.AsyncClient
    process: FakeProcess

    async def ask(
        self, method: str, path: str, body: Any = None, token: str | None = None
    ) -> tuple[int, Any]:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        more = {"content": body} if isinstance(body, bytes) else {} if body is None else {"json": body}
        response = await self.http.request(method, path, headers=headers, **more)
        return response.status_code, response.json()

    async def post(self, path: str, body: Any = None, token: str | None = None) -> Any:
        """What is answered to something that must be done."""
        status, told = await self.ask("POST", path, body, token)
        assert status in (200, 201), told
        return told

    async def get(self, path: str, token: str | None = None) -> Any:
        status, told = await self.ask("GET", path, token=token)
        assert status == 200, told
        return told

    async def status(self, path: str, token: str | None = None) -> int:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return (await self.http.get(path, headers=headers)).status_code

    async def octets(self, path: str, token: str) -> bytes:
        """A file."""
        response = await self.http.get(path, headers={"Authorization": f"Bearer {token}"})
        assert response.status_code == 200, response.text
        return response.content

    async def until_made(self, path: str, token: str) -> str:
        """A report, once it is made."""
        with trio.fail_after(60):
            while (made := (await self.get(path, token))["html"]) is None:  # noqa: ASYNC110
                await trio.sleep(0.05)
        return str(made)

    async def league(self, **settings: Any) -> str:
        """Makes the league; returns its code."""
        made = await self.post(
            "/api/leagues", {"name": "class", "game": "liars-dice", **settings}, self.server.host
        )
        return str(made["code"])

    async def join(self, name: str, code: str) -> str:
        """The token of a newcomer."""
        return str((await self.post(f"{AT}/owners", {"name": name, "code": code}))["token"])

    @property
    def live(self) -> OpenLeague:
        return self.server.leagues.find("class")


@asynccontextmanager
async def league_rest(**more: Any) -> AsyncIterator[LeagueRest]:
    """A server without leagues, each of which a process plays that does nothing."""
    process = FakeProcess()
    server = a_league_server(opened=lambda live: live.attach(process), **more)

    def note_bug(text: str) -> None:
        raise AssertionError(text)

    routes = [route for api in server.apis for route in routes_to(api.endpoints())]
    app = Guard(Routing(routes), GuardOptions(), note_bug)
    transport = httpx.ASGITransport(app, client=("192.0.2.7", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        yield LeagueRest(server, http, process)
