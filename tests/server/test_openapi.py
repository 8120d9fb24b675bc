"""`/openapi.json` says what is served: every path, every status, and what answers hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
import trio
from daily import nightly
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from starlette.routing import Route

import arena.server
from arena.refusal import STATUS, Refusal
from arena.server.http.answers import refusal_body
from arena.server.http.endpoints import Endpoint, routes_to
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.openapi import openapi_document, openapi_route
from arena.server.http.routing import Routing
from arena.server.kept.results_api import ResultsApi
from arena.server.open_tables import OpenTables
from arena.server.packets.packet_api import PacketApi
from arena.server.ring.live_ring import LiveRing
from arena.server.ring.poker import PokerApi, ring_game
from arena.server.ring.ring import Ring
from arena.server.serve import routes_of
from arena.server.site.site import Site
from tests.server.halls import a_house
from tests.server.league_server import a_league_server
from tests.server.poker_server import FakeUsers
from tests.server.raw_http import served
from tests.server.rest_client import endpoints_of

SERVER = Path(arena.server.__file__).parent
PAGES = (SERVER / "README.md", SERVER / "league" / "README.md")
"""The pages with tables of paths."""
RING = "8c479795-adcb-43c1-bebd-4bdf54016f4a"


def all_endpoints(house: OpenTables, rings: list[LiveRing], **more: Any) -> list[Endpoint]:
    return [*endpoints_of(house, **more), *PokerApi(rings, FakeUsers()).endpoints()]


async def test_every_route_is_described() -> None:
    """All paths of the server with their methods, but for WebSockets, pages and the document itself."""
    async with a_house() as house:
        document = openapi_document(all_endpoints(house, []))
        described = {
            (path, method.upper()) for path, methods in document["paths"].items() for method in methods
        }
        routes = [
            each
            for each in routes_of(
                house, PokerApi([], FakeUsers()), lambda match_id: None, leagues=a_league_server().apis
            )
            if isinstance(each, Route)
        ]
        apart = {each.path for each in [*PacketApi(house).routes(), *Site().routes(), *ResultsApi().routes()]}
        served = {
            (each.path, method)
            for each in routes
            for method in (each.methods or set()) - {"HEAD"}
            if each.path not in apart
        }
        assert served - described == {("/openapi.json", "GET")}
        assert described <= served


async def test_operations_have_names_of_their_own() -> None:
    async with a_house() as house:
        document = openapi_document(all_endpoints(house, []))
        operations = [each for path in document["paths"].values() for each in path.values()]
        names = [each["operationId"] for each in operations]
        assert len(names) == len(set(names))
        assert all(each["summary"].endswith(".") for each in operations)


async def test_the_readme_lists_every_path() -> None:
    """The table of paths below `/api`, with their methods, and no others."""
    section = "".join(page.read_text().partition("## REST")[2].partition("\n## ")[0] for page in PAGES)
    listed: set[tuple[str, str]] = set()
    for row in re.findall(r"^\| (`.*?`) \|", section, re.M):
        method = base = ""
        for said in re.findall(r"`(.*?)`", row):
            method, path = said.split() if " " in said else (method, said)
            root = path.split("/")[1]
            base = (
                path
                if root in ("tables", "games", "matches", "results", "leagues")
                else f"{base.rpartition('/')[0]}{path}"
            )
            listed.add((method, base.partition("?")[0]))
    names = {"{id}": ":id", "{match}": ":id", "{player}": ":playerID", "{number}": ":n", "{name}": ":name"}
    names |= {"{league}": ":league", "{owner}": ":owner", "{bot}": ":bot", "{capsule}": ":capsule"}
    async with a_house() as house:
        served = {
            (each.method, re.sub(r"\{\w+\}", lambda found: names[found[0]], each.path.removeprefix("/api")))
            for each in endpoints_of(house)
        }
    assert listed == served


async def test_refusals_are_described() -> None:
    """Each kind, as its answer holds it."""
    async with a_house() as house:
        document = openapi_document(endpoints_of(house))
        schemas = document["components"]["schemas"]
        schema = {**schemas["RefusalShown"], "components": {"schemas": schemas}}
        for kind in STATUS:
            body = refusal_body(Refusal(kind, "why", field="move", key="waits", seconds=1.0))
            jsonschema.validate(body, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"error": "other", "message": "", "field": None}, schema)


# What is served is as described.

LEFT_OUT = {
    "positive_data_acceptance",  # a name may be taken, and no schema says what a game's rules and moves may be
    "use_after_free",
    "ensure_resource_availability",
    "ignored_auth",  # asks again with our credentials left out, and a table may have changed meanwhile
}


class Known:
    """Ids and keys that exist, to be used in place of what was made up."""

    def __init__(self, http: httpx.Client, host: str) -> None:
        """`host`: the token of a host of leagues."""
        self.http = http
        self.host = host
        self.tables: list[tuple[str, str, str]] = []
        """Id, playerID, key."""
        for game in ("blef", "liars-dice", "holdem"):
            self.add(game)
        for name in ("ann", "bob"):
            self.http.post("/users", auth=(name, "secret")).raise_for_status()
        joined = self.http.post(f"/games/{RING}/players", auth=("ann", "secret"))
        self.player = joined.json()
        made = self.ask("/api/leagues", {"name": "class", "game": "liars-dice", "look": "public"}, host)
        joined = self.ask("/api/leagues/class/owners", {"name": "ann", "code": made["code"]})
        self.owner = joined["token"]
        headers = {"Authorization": f"Bearer {self.owner}"}
        self.http.post(
            "/api/leagues/class/versions?file=bot.py", content=b"a bot", headers=headers
        ).raise_for_status()

    def add(self, game: str) -> None:
        """A table that plays."""
        at = f"/api/tables/{self.ask('/api/tables', {'game': game, 'move_time': 'none'})['id']}"
        ann, bob = (self.ask(f"{at}/players", {"nickname": name}) for name in ("ann", "bob"))
        if len(self.tables) % 2 == 0:
            self.ask(f"{at}/start", None, ann["key"])
        for each in (ann, bob):
            self.tables.append((at.rpartition("/")[2], each["playerID"], each["key"]))

    def ask(self, path: str, body: Any, key: str = "") -> Any:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        response = self.http.post(path, json=body, headers=headers)
        response.raise_for_status()
        return response.json()

    def put_into(self, case: Any, place: int) -> None:
        """Has a made-up case speak of what exists, of one thing or another."""
        table, player, key = self.tables[place % len(self.tables)]
        given = case.path_parameters or {}
        if "/leagues" in case.path:
            known = {"league": "class", "owner": "o1", "bot": "b1", "id": "o1", "number": "1"}
            known |= {"match": "0123456789ab", "capsule": "0123456789ab-0-0.jsonl"}
            given.update({name: known[name] for name in given})
            case.headers["Authorization"] = f"Bearer {(self.host, self.owner)[place % 2]}"
            return
        if "id" in given:
            given["id"] = table
            if not case.path.endswith("/players"):
                case.headers["Authorization"] = f"Bearer {key}"
        if "game" in given or case.path.startswith(("/users", "/games")):
            case.headers["Authorization"] = "Basic YW5uOnNlY3JldA=="
        if "player" in given:
            given["player"] = self.player if "game" in given else player
        if "number" in given:
            given["number"] = "1"
        if "name" in given:
            given["name"] = "blef"
        if "game" in given:
            given["game"] = RING


def waits_shortly(case: Any) -> None:
    """A long-poll that would wait for long waits shortly."""
    query = case.query or {}
    if isinstance(query.get("wait"), (int, float)) and query["wait"] <= 30:
        query["wait"] = 0.001


def all_asked(port: int, examples: int, host: str) -> dict[str, set[int]]:
    """Asks each operation all kinds of things; gives the statuses that each answered with."""
    import requests  # with schemathesis it takes as long to import as a slow test
    import schemathesis
    from schemathesis.checks import CHECKS, load_all_checks

    load_all_checks()
    checks = [check for check in CHECKS.get_all() if check.__name__ not in LEFT_OUT]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as http, requests.Session() as session:
        document = schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/openapi.json")
        known = Known(http, host)

        def ask(case: Any, place: int | None) -> int:
            waits_shortly(case)
            if place is not None:
                known.put_into(case, place)
            status: int = case.call_and_validate(checks=checks, session=session).status_code
            return status

        return {
            operation.label: {
                status
                for mode in schemathesis.GenerationMode
                if mode.is_positive or takes_something(operation)
                for status in statuses(operation.as_strategy(generation_mode=mode), ask, examples)
            }
            for operation in (each.ok() for each in document.get_all_operations())
        }


def takes_something(operation: Any) -> bool:
    """Whether it can be asked wrongly: any text is a part of a path, which generators take a second each to find out."""
    return any(map(list, (operation.query, operation.headers, operation.body)))


def statuses(cases: Any, ask: Callable[[Any, int | None], int], examples: int) -> set[int]:
    """What is answered to so many of these cases."""
    seen: set[int] = set()

    @given(case=cases, place=st.none() | st.integers(0, 7))
    @settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    def ask_all(case: Any, place: int | None) -> None:
        seen.add(ask(case, place))

    ask_all()
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("examples", [2, *nightly(5)])
async def test_what_is_served_is_as_described(examples: int, tmp_path: Path) -> None:
    """No 5xx, no status that is not described, answers as described; whatever is asked, wrong bodies too."""
    async with a_house() as house, trio.open_nursery() as nursery:
        ring = LiveRing(Ring(RING), ring_game, house.hall, bot="odds")
        await nursery.start(ring.run)
        server = a_league_server(tmp_path)
        endpoints = all_endpoints(house, [ring], leagues=server.apis)
        bugs: list[str] = []
        app = Guard(Routing([*routes_to(endpoints), openapi_route(endpoints)]), GuardOptions(), bugs.append)
        async with served(app) as port:
            seen = await trio.to_thread.run_sync(all_asked, port, examples, server.host)
        assert {200, 201, 400, 401, 403, 404, 409} <= set().union(*seen.values()), seen
        assert bugs == []
        nursery.cancel_scope.cancel()
