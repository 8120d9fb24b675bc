"""A poker server in this process and in virtual time, and users of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import attrs
import httpx
import trio

from arena.players.base import Player
from arena.players.local import LocalPlayer
from arena.refusal import Refusal
from arena.sdk import Bot
from arena.server.http.endpoints import routes_to
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.routing import Routing
from arena.server.kept.records import Unfinished
from arena.server.ring.accounts import User
from arena.server.ring.live_ring import LiveRing
from arena.server.ring.poker import PokerApi, ring_game
from arena.server.ring.ring import Ring
from arena.server.services import Records, ServerServices
from tests.server.poker_client import PokerClient

RING = "8c479795-adcb-43c1-bebd-4bdf54016f4a"
NOBODY = "00000000-0000-4000-8000-000000000000"


class Caller(Bot):
    """Checks and calls."""

    def move(self, state: Any, options: Any) -> Any:
        return {"action": 1, "betAmount": options[1]["fields"]["amount"]["min"]}


class Crasher(Bot):
    """Raises at its first move."""

    def move(self, state: Any, options: Any) -> Any:
        raise RuntimeError("a bug of this bot")


class FakeUsers:
    """Users without scrypt."""

    def __init__(self) -> None:
        self.passwords: dict[str, str] = {}

    async def create(self, name: str, password: str, *, address: str = "") -> str:
        if name in self.passwords:
            raise Refusal("forbidden", "there is such a user", field="name")
        self.passwords[name] = password
        return f"id-{name}"

    async def verify(self, name: str, password: str, *, address: str = "") -> User:
        if self.passwords.get(name) != password:
            raise Refusal("unauthorized", "wrong", key="basic")
        return User(f"id-{name}", name)


class KeptRings(Records):
    """Notes what it is told to keep."""

    def __init__(self) -> None:
        self.rings: list[Ring] = []
        self.kept_at: list[int] = []

    def keep_ring(self, ring: Ring) -> None:
        self.rings.append(ring)

    async def kept(self) -> None:
        await trio.sleep(0.001)
        self.kept_at.append(len(self.rings))


@attrs.frozen
class Server:
    """A poker server in this process."""

    http: httpx.AsyncClient
    live: LiveRing
    records: Any

    async def user(self, name: str) -> PokerClient:
        client = PokerClient(self.http, name)
        await client.register()
        return client

    async def asked(self, player_id: str | None = None) -> None:
        """Returns once this player is asked, or anybody."""
        for _ in range(10_000):
            if self.on_turn and player_id in (None, self.on_turn):
                return
            await trio.sleep(0.01)
        raise AssertionError("nobody is asked")

    @property
    def on_turn(self) -> str:
        """The playerID of who is asked; null: nobody is."""
        found: str = json.loads(self.live.view(None))["turn"]["playerID"]
        return found


def now() -> float:
    """Unix time, virtual, by a clock that gains a little on the one that measures limits."""
    return 1_700_000_000.0 + 1.001 * trio.current_time()


@asynccontextmanager
async def opened(
    records: Any = None,
    users: Any = None,
    ring: Ring | None = None,
    unfinished: Unfinished | None = None,
    house: type[Bot] = Caller,
    starts_s: float = 0.0,
) -> AsyncIterator[Server]:
    """A server with one ring table, in virtual time.  `users`: FakeUsers, if not given.

    `starts_s`: how long a house bot takes to start.
    """
    rng, records = Random(7), records or KeptRings()

    def note_bug(text: str) -> None:
        raise AssertionError(text)

    @asynccontextmanager
    async def open_bot(_: str, name: str) -> AsyncIterator[Player]:
        if starts_s:
            await trio.sleep(starts_s)
        yield LocalPlayer(name, house())

    async with trio.open_nursery() as nursery:
        hall = ServerServices(
            nursery=nursery,
            records=records,
            open_bot=open_bot,
            check_bot=lambda bot, game: None,
            now=now,
            note_bug=note_bug,
            draw_seed=lambda: rng.getrandbits(128),
        )
        live = LiveRing(ring or Ring(RING), ring_game, hall, bot="caller")
        await nursery.start(live.run, unfinished)
        routes = routes_to(PokerApi([live], users or FakeUsers()).endpoints())
        app = Guard(Routing(routes), GuardOptions(), note_bug)
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            yield Server(http, live, records)
        nursery.cancel_scope.cancel()


@attrs.frozen
class Seated:
    """A user at the table."""

    client: PokerClient
    id: str

    async def act(self, action: int, amount: int = 0) -> int:
        return await self.client.act(RING, self.id, action, amount)

    async def leave(self) -> int:
        return await self.client.leave(RING, self.id)

    async def game(self) -> dict[str, Any]:
        return await self.client.game(RING)

    async def wealth(self) -> dict[str, int]:
        return {player["playerID"]: player["wealth"] for player in (await self.game())["table"]}


@attrs.frozen
class Duel:
    """A hand of two that has begun."""

    server: Server
    first: Seated
    """Who is asked."""
    second: Seated


@asynccontextmanager
async def duel(records: Any = None) -> AsyncIterator[Duel]:
    async with opened(records) as server:
        players = {}
        for name in ("ann", "bob"):
            client = await server.user(name)
            player = Seated(client, await client.join(RING))
            players[player.id] = player
        await server.asked()
        first = players.pop(server.on_turn)
        yield Duel(server, first, *players.values())
