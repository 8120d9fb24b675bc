"""The REST of tables in this process: a house behind the guard and the routes, and a client without sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import chain
from types import MappingProxyType
from typing import Any

import attrs
import httpx

from arena.server.http.endpoints import Endpoint, routes_to
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.openapi import openapi_route
from arena.server.http.routing import Routing
from arena.server.kept.games_api import GamesApi
from arena.server.kept.results_api import ResultsApi
from arena.server.open_tables import OpenTables
from arena.server.tables.api import TablesApi
from tests.server.halls import a_house
from tests.server.league_server import a_league_server

NO_TABLE = "00000000-0000-4000-8000-000000000000"


def endpoints_of(
    house: OpenTables, results: ResultsApi | None = None, matches_of: Any = None, **more: Any
) -> list[Endpoint]:
    results = results or ResultsApi()
    leagues = more.pop("leagues", None) or a_league_server().apis
    return [
        *TablesApi(house, matches_of).endpoints(),
        *GamesApi(house, **more).endpoints(),
        *results.endpoints(),
        *chain.from_iterable(api.endpoints() for api in leagues),
    ]


def app_of(house: OpenTables, **more: Any) -> Guard:
    """What is served; a bug fails the test."""

    def note_bug(text: str) -> None:
        raise AssertionError(text)

    endpoints = endpoints_of(house, **more)
    return Guard(Routing([*routes_to(endpoints), openapi_route(endpoints)]), GuardOptions(), note_bug)


@attrs.frozen
class Rest:
    """A client, and the house that it asks."""

    house: OpenTables
    http: httpx.AsyncClient

    async def send(
        self, method: str, path: str, body: Any = None, key: str | None = None, **more: Any
    ) -> httpx.Response:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        if body is not None:
            more["json"] = body
        return await self.http.request(method, path, headers=headers, **more)

    async def post(self, path: str, body: Any = None, key: str | None = None) -> tuple[int, Any]:
        response = await self.send("POST", path, body, key)
        return response.status_code, response.json()

    async def get(self, path: str, key: str | None = None) -> tuple[int, Any]:
        response = await self.send("GET", path, key=key)
        return response.status_code, response.json()

    async def table(self, game: str = "liars-dice", **fields: Any) -> str:
        """The path of a new table."""
        status, told = await self.post("/api/tables", {"game": game, **fields})
        assert status == 201, told
        return f"/api/tables/{told['id']}"

    async def join(self, at: str, nickname: str, **fields: Any) -> tuple[str, str]:
        """A newcomer's playerID and key."""
        status, told = await self.post(f"{at}/players", {"nickname": nickname, **fields})
        assert status == 201, told
        return told["playerID"], told["key"]

    async def begun(self, game: str = "liars-dice", names: str = "ann bob", **fields: Any) -> Begun:
        """A table at which these play."""
        at = await self.table(game, **fields)
        keys = {name: (await self.join(at, name))[1] for name in names.split()}
        status, told = await self.post(f"{at}/start", key=next(iter(keys.values())))
        assert status == 200, told
        begun = Begun(at, keys)
        await self.asked(begun)
        return begun

    async def asked(self, begun: Begun) -> tuple[str, Any]:
        """Who of these is asked, and its options, as soon as somebody is; ("", None) when the match is over."""
        while True:
            for name, key in begun.keys.items():
                status, told = await self.get(begun.at, key)
                assert status == 200, told
                if told["you"]["options"]:
                    return name, told["you"]["options"]
                if told["status"] == "finished":
                    return "", None
            assert (await self.get(f"{begun.at}?after={told['version']}&wait=20"))[0] == 200


@attrs.frozen
class Begun:
    """A table that plays: its path, and keys by nickname."""

    at: str
    keys: dict[str, str]


@asynccontextmanager
async def rest(
    find: Any = lambda match_id: None,
    plays_on: Any = lambda table_id: False,
    bots: Any = lambda game: (),
    boards: Any = MappingProxyType({}),
    questions: Any = None,
    matches_of: Any = None,
    client: str = "127.0.0.1",
    **changes: Any,
) -> AsyncIterator[Rest]:
    async with a_house(**changes) as house:
        about = {"bots": bots, "boards": boards, "questions": questions, "matches_of": matches_of}
        app = app_of(house, find=find, plays_on=plays_on, **about)
        transport = httpx.ASGITransport(app, client=(client, 5000))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            yield Rest(house, http)
